"""What figures share: colours of a light and a dark page, axes, lines, bands and intervals."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
FEW_POINTS = 40


class Limits(Protocol):
    """Lower and upper limits, one pair for each bin."""

    @property
    def low(self) -> Any: ...

    @property
    def high(self) -> Any: ...


class Band(Limits, Protocol):
    """Lower and upper limits over a grid of x."""

    @property
    def grid(self) -> Any: ...


@dataclass(frozen=True)
class Palette:
    """Colours of one theme; ``series`` in the order in which models get them."""

    ink: str
    grid: str
    positive: str
    negative: str
    series: tuple[str, ...]


LIGHT = Palette(
    ink="#1f2933",
    grid="#dfe3e8",
    positive="#d9681d",
    negative="#2b66b1",
    series=("#2b66b1", "#d9681d", "#1f3f66", "#8c3d0a", "#6b7280"),
)
DARK = Palette(
    ink="#e6eaef",
    grid="#37414c",
    positive="#f2a665",
    negative="#7aa5dc",
    series=("#7fb2ee", "#f2a665", "#bcd6f7", "#ffd2ad", "#9aa4b2"),
)


def line(palette: Palette, at: int) -> dict[str, Any]:
    """The line of the series in this place: colour and dash together."""
    return {"color": palette.series[at % len(palette.series)], "width": 2.5, "dash": DASHES[at % len(DASHES)]}


def curve(
    name: str, x: Floats, y: Floats, line: dict[str, Any], threshold: Floats | None = None
) -> go.Scatter:
    """A named line; a few points are marked, and each says its threshold where there is one."""
    calls = (
        []
        if threshold is None
        else ["nothing called positive" if t == np.inf else f"score ≥ {t:.6g}" for t in threshold]
    )
    return go.Scatter(
        x=x,
        y=y,
        name=escape(name, quote=False),
        mode="lines+markers" if len(x) <= FEW_POINTS else "lines",
        line=line,
        customdata=calls or None,
        hovertemplate="%{y:.2%} at %{x:.2%}"
        + ("<br>%{customdata}" if calls else "")
        + "<extra>%{fullData.name}</extra>",
    )


def add_band(figure: go.Figure, band: Band | None, palette: Palette, at: int) -> None:
    """Shade a band around the series in this place, where there is one."""
    if band is None:
        return
    edge: dict[str, Any] = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    shade = {"fill": "tonexty", "fillcolor": faded(palette.series[at % len(palette.series)], 0.18)}
    figure.add_trace(go.Scatter(x=band.grid, y=band.low, name="lower limit", **edge))
    figure.add_trace(go.Scatter(x=band.grid, y=band.high, name="upper limit", **edge, **shade))


def segments(x: Floats, limits: Limits, colour: str) -> dict[str, Any]:
    """One vertical line for each x, from its lower to its upper limit."""
    gap = np.full(len(x), np.nan)
    return {
        "type": "scatter",
        "x": np.column_stack([x, x, gap]).ravel(),
        "y": np.column_stack([limits.low, limits.high, gap]).ravel(),
        "name": "interval",
        "mode": "lines",
        "line": {"color": colour, "width": 1.5},
        "hoverinfo": "skip",
    }


def reference(x: Any, y: Any, name: str, palette: Palette, dash: str = "dash") -> dict[str, Any]:
    """A thin line to compare with."""
    line = {"color": palette.ink, "width": 1, "dash": dash}
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": line,
        "hoverinfo": "skip",
    }


def finish(figure: go.Figure, palette: Palette, description: str) -> None:
    """Background, font, legend, axes and the description that every figure has."""
    # One assignment: an update of layout and axes one by one takes four times as long.
    figure.layout = finished(figure.layout.to_plotly_json(), palette, description)


def finished(layout: dict[str, Any], palette: Palette, description: str) -> dict[str, Any]:
    """A plain layout with what `finish` gives a figure, for figures that are made in one go."""
    layout = layout | {
        "template": "none",
        "font": {"family": FONT, "size": 13, "color": palette.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "showlegend": True,
        "dragmode": False,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        "meta": {"description": description},
    }
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    axes = {name for name in layout if name.startswith(("xaxis", "yaxis"))} | {"xaxis", "yaxis"}
    return layout | {name: layout.get(name, {}) | axis for name in axes}


def arrange(
    figure: go.Figure,
    *,
    xaxes: dict[str, Any] | None = None,
    yaxes: dict[str, Any] | None = None,
    **layout: Any,
) -> None:
    """Set properties of every x axis, of every y axis and of the layout in one assignment."""
    figure.layout = arranged(figure.layout.to_plotly_json() | layout, xaxes, yaxes)


def arranged(
    layout: dict[str, Any], xaxes: dict[str, Any] | None, yaxes: dict[str, Any] | None
) -> dict[str, Any]:
    """A plain layout with these properties of every x axis and of every y axis."""
    for kind, properties in (("xaxis", xaxes), ("yaxis", yaxes)):
        layout = layout | {
            name: axis | (properties or {}) for name, axis in layout.items() if name.startswith(kind)
        }
    return layout


def share_axis(axis: Any, title: str) -> None:
    """An axis of shares, 0 % to 100 %."""
    axis.update(title={"text": title}, range=[-0.02, 1.02], tickformat=".0%")


def unit_axis(axis: Any, title: str) -> None:
    """An axis of values from 0 to 1 that are not read as shares, such as nDCG."""
    axis.update(title={"text": title}, range=[-0.02, 1.02], tickformat=".1f")


def pattern(shape: str) -> dict[str, Any]:
    """Lines or dots over a full colour, for what colour alone must not tell apart; empty for none."""
    return {"shape": shape, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.55, "size": 6}


def faded(colour: str, opacity: float) -> str:
    """A colour that lets what lies behind it shine through."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
