"""What makes a figure: lines, bands and intervals, and the traces and layout that plotly.js reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.figures.drawing.axes import (
    BESIDE_TICKS,
    DASHES,
    FONT,
    FONT_SIZE,
    Palette,
    as_written,
    faded,
    shortened,
)
from evalcore.figures.finding import finding
from evalcore.figures.shares import pointed_at, with_ticks
from evalcore.text.numerals import as_given

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Given = ParamSpec("Given")
FEW_POINTS = 40


class Limits(Protocol):
    """Lower and upper limits, one pair for each bin."""

    @property
    def low(self) -> Any: ...

    @property
    def high(self) -> Any: ...


class Ends(NamedTuple):
    """Limits as two columns of a table hold them."""

    low: Floats
    high: Floats


class Band(Limits, Protocol):
    """Lower and upper limits over a grid of x."""

    @property
    def grid(self) -> Any: ...


class Plain(NamedTuple):
    """A figure as plotly.js reads it, in values of Python and NumPy.

    Parameters
    ----------
    traces : each with its ``type``.
    layout : axes, legend and the description of the figure.
    """

    traces: list[dict[str, Any]]
    layout: dict[str, Any]

    def plotly(self) -> go.Figure:
        """The figure as an object of plotly, which checks every value, with what each point says."""
        import plotly.graph_objects as go

        return go.Figure(list(map(pointed_at, self.traces)), self.layout)


class Figure(Generic[Given]):
    """A function that draws a figure of plotly.

    Parameters
    ----------
    plain : makes the same as plain values, in a small part of the time.
    """

    def __init__(self, plain: Callable[Given, Plain]) -> None:
        self.plain = plain
        update_wrapper(self, plain)

    def __call__(self, *given: Given.args, **options: Given.kwargs) -> go.Figure:
        return self.plain(*given, **options).plotly()


def line(palette: Palette, at: int) -> dict[str, Any]:
    """The line of the series in this place: colour and dash together."""
    return {"color": palette.series[at % len(palette.series)], "width": 2.5, "dash": DASHES[at % len(DASHES)]}


def curve(name: str, x: Any, y: Any, line: dict[str, Any], threshold: Floats | None = None) -> dict[str, Any]:
    """A named line; a few points are marked, and each says its threshold where there is one."""
    calls = (
        []
        if threshold is None
        else ["nothing called positive" if t == np.inf else f"score ≥ {as_given(t)}" for t in threshold]
    )
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "name": as_written(shortened(name)),
        "mode": "lines+markers" if len(x) <= FEW_POINTS else "lines",
        "line": line,
        "customdata": calls or None,
        "hovertemplate": "%{y:%} at %{x:%}"
        + ("<br>%{customdata}" if calls else "")
        + "<extra>%{fullData.name}</extra>",
    }


def band_around(band: Band | None, palette: Palette, at: int) -> list[dict[str, Any]]:
    """The traces of a shade around the series in this place; none where there is no band."""
    if band is None:
        return []
    edge = {
        "type": "scatter",
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    shade = {"fill": "tonexty", "fillcolor": faded(palette.series[at % len(palette.series)], 0.18)}
    return [
        {"x": band.grid, "y": band.low, "name": "lower limit"} | edge,
        {"x": band.grid, "y": band.high, "name": "upper limit"} | edge | shade,
    ]


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


def drawn(
    traces: Sequence[dict[str, Any]], palette: Palette, description: str, layout: Mapping[str, Any]
) -> Plain:
    """A figure of these traces, with the background, font, legend and description that every figure has.

    Parameters
    ----------
    traces : as plotly.js reads them, each with its ``type``.
    palette : colours of the page.
    description : what the figure is, for people who do not see it; what it shows is added in numbers.
    layout : what the figure has of its own; it wins, and every axis it names is drawn alike.
    """
    of_every_figure: dict[str, Any] = {
        "template": "none",
        "font": {"family": FONT, "size": FONT_SIZE, "color": palette.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "showlegend": True,
        "dragmode": False,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        "meta": {"description": f"{description} {finding(traces, layout)}".strip()},
    }
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    names = {name for name in layout if name.startswith(("xaxis", "yaxis"))} | {"xaxis", "yaxis"}
    axes: dict[str, dict[str, Any]] = {}
    for name in sorted(names):
        is_short = name[0] == "x" and "ticktext" in layout.get(f"y{name[1:]}", {})
        own = {**axis, **with_ticks(layout.get(name, {}), name, traces, is_short=is_short)}
        if "title" in own:
            of_every_title = {"font": {"size": FONT_SIZE}, "standoff": BESIDE_TICKS[name[0]]}
            own["title"] = of_every_title | own["title"]
        axes[name] = own
    return Plain([*traces], {**of_every_figure, **layout, **axes})
