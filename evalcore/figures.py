"""Curves as plotly figures; nothing is computed here, every trace holds the numbers it is given.

Backgrounds are transparent; ``dark`` chooses ink and colours for a dark page. Blue and orange carry meaning
together with shape or position, never colour alone. ``layout.meta["description"]`` is the text for people who
do not see the figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from evalcore.curves import (
    DecisionCurve,
    PrCurve,
    Reliability,
    RocCurve,
    ScoreDistribution,
    SmoothedReliability,
)

Floats = NDArray[np.float64]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
FEW_POINTS = 40
LABELLED_BINS = 20


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


def roc_figure(
    curves: Mapping[str, RocCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> go.Figure:
    """ROC curves against the diagonal of chance, each with its pointwise band where there is one.

    Parameters
    ----------
    curves : name → points.
    bands : name → limits of the true positive rate over a grid of false positive rates.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, curve) in enumerate(curves.items()):
        _add_band(figure, (bands or {}).get(name), palette, at)
        figure.add_trace(_curve(name, curve.fpr, curve.tpr, _line(palette, at), curve.threshold))
    figure.add_trace(_reference([0, 1], [0, 1], "chance", palette))
    _finish(figure, palette, f"ROC curve of {', '.join(curves)}, with the diagonal of chance.")
    _share_axis(figure.layout.xaxis, "false positive rate")
    _share_axis(figure.layout.yaxis, "true positive rate (sensitivity)")
    return figure


def pr_figure(
    curves: Mapping[str, PrCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> go.Figure:
    """Precision–recall curves as steps, over the baseline at the prevalence.

    Parameters
    ----------
    curves : name → points of curves on the same rows, at least one; the baseline is their prevalence.
    bands : name → limits of the precision over a grid of recalls.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, curve) in enumerate(curves.items()):
        _add_band(figure, (bands or {}).get(name), palette, at)
        line = {**_line(palette, at), "shape": "vh"}
        figure.add_trace(_curve(name, curve.recall, curve.precision, line, curve.threshold))
    prevalence = float(next(iter(curves.values())).prevalence)
    baseline = _reference([0, 1], [prevalence] * 2, f"call everything positive: {prevalence:.1%}", palette)
    figure.add_trace(baseline)
    _finish(
        figure,
        palette,
        f"Precision–recall curve of {', '.join(curves)}, over the prevalence {prevalence:.1%}.",
    )
    _share_axis(figure.layout.xaxis, "recall (sensitivity)")
    _share_axis(figure.layout.yaxis, "precision")
    return figure


def reliability_figure(
    bins: Reliability,
    *,
    interval: Limits | None = None,
    smooth: SmoothedReliability | None = None,
    distribution: ScoreDistribution | None = None,
    dark: bool = False,
) -> go.Figure:
    """Reliability diagram: observed rate against mean probability by bin, with n, over the distribution.

    Parameters
    ----------
    bins : the points; up to 20 bins of equal width are labelled with their n, all say it when pointed at.
    interval : limits of each observed rate, shape (M,).
    smooth : a smoothed rate to draw beside the bins.
    distribution : rows by score, drawn beneath: with evidence up, without down, each on its own scale.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    heights = [1.0] if distribution is None else [0.66, 0.17, 0.17]
    figure = make_subplots(len(heights), 1, shared_xaxes=True, row_heights=heights, vertical_spacing=0.03)
    traces = [_reference([0, 1], [0, 1], "as promised", palette)]
    if smooth is not None:
        line = {"color": palette.positive, "width": 2, "dash": "dot"}
        traces.append(_curve("smoothed rate", smooth.probability, smooth.rate, line))
    if interval is not None:
        traces.append(_segments(bins.mean_probability, interval, palette.negative))
    traces.append(_bin_points(bins, palette))
    for trace in traces:
        figure.add_trace(trace, row=1, col=1)
    _finish(
        figure,
        palette,
        f"Reliability diagram with {len(bins.n)} bins: observed rate of evidence against mean probability.",
    )
    _share_axis(figure.layout.yaxis, "observed rate of evidence")
    _share_axis(figure.layout.xaxis, "mean probability of the bin" if distribution is None else "")
    if distribution is not None:
        _add_distribution(figure, distribution, palette)
    return figure


def decision_figure(curves: Mapping[str, DecisionCurve], *, dark: bool = False) -> go.Figure:
    """Net benefit by threshold probability, against calling everything and nothing positive.

    Parameters
    ----------
    curves : name → points of curves on the same rows and thresholds, at least one.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, curve) in enumerate(curves.items()):
        figure.add_trace(_curve(name, curve.threshold, curve.net_benefit, _line(palette, at)))
    first = next(iter(curves.values()))
    everything = _reference(first.threshold, first.all_positive, "everything positive", palette, dash="dot")
    nothing = _reference(first.threshold, np.zeros(len(first.threshold)), "nothing positive", palette)
    figure.add_traces([everything, nothing])
    _finish(
        figure, palette, f"Net benefit of {', '.join(curves)}, of everything and of nothing called positive."
    )
    figure.update_xaxes(title_text="threshold probability", tickformat=".0%")
    figure.update_yaxes(title_text="net benefit per row", autorangeoptions={"clipmin": -0.05})
    return figure


def _line(palette: Palette, at: int) -> dict[str, Any]:
    return {"color": palette.series[at % len(palette.series)], "width": 2.5, "dash": DASHES[at % len(DASHES)]}


def _curve(
    name: str, x: Floats, y: Floats, line: dict[str, Any], threshold: Floats | None = None
) -> go.Scatter:
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


def _add_band(figure: go.Figure, band: Band | None, palette: Palette, at: int) -> None:
    if band is None:
        return
    edge: dict[str, Any] = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    shade = {"fill": "tonexty", "fillcolor": _faded(palette.series[at % len(palette.series)], 0.18)}
    figure.add_trace(go.Scatter(x=band.grid, y=band.low, name="lower limit", **edge))
    figure.add_trace(go.Scatter(x=band.grid, y=band.high, name="upper limit", **edge, **shade))


def _bin_points(bins: Reliability, palette: Palette) -> go.Scatter:
    counts = [f"{n_pos:,} of {n:,} with evidence" for n, n_pos in zip(bins.n, bins.n_pos, strict=True)]
    is_labelled = bins.variant != "equal_mass" and len(bins.n) <= LABELLED_BINS
    return go.Scatter(
        x=bins.mean_probability,
        y=bins.observed_rate,
        name="observed rate, n beside it" if is_labelled else "observed rate",
        mode="markers+text" if is_labelled else "markers",
        marker={"color": palette.negative, "size": 9},
        text=[f"{n:,}" for n in bins.n],
        textposition="bottom right",
        textfont={"size": 11},
        cliponaxis=False,
        customdata=counts,
        hovertemplate="observed %{y:.2%}, promised %{x:.2%}<br>%{customdata}<extra></extra>",
    )


def _segments(x: Floats, limits: Limits, colour: str) -> go.Scatter:
    """One vertical line for each x, from its lower to its upper limit."""
    gap = np.full(len(x), np.nan)
    return go.Scatter(
        x=np.column_stack([x, x, gap]).ravel(),
        y=np.column_stack([limits.low, limits.high, gap]).ravel(),
        name="interval",
        mode="lines",
        line={"color": colour, "width": 1.5},
        hoverinfo="skip",
    )


def _add_distribution(figure: go.Figure, distribution: ScoreDistribution, palette: Palette) -> None:
    parts = (
        ("with evidence", distribution.n_pos, palette.positive),
        ("without", distribution.n_neg, palette.negative),
    )
    for row, (name, counts, colour) in enumerate(parts, start=2):
        bars = go.Bar(
            x=distribution.low,
            y=counts,
            offset=0,
            width=distribution.high - distribution.low,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate="%{y:,} rows from p = %{x:.3g}<extra>%{fullData.name}</extra>",
            showlegend=False,
        )
        figure.add_trace(bars, row=row, col=1)
        figure.update_yaxes(nticks=3, rangemode="tozero", tickformat=",", row=row, col=1)
        figure.update_xaxes(range=[-0.02, 1.02], row=row, col=1)
        figure.add_annotation(
            text=name,
            x=1,
            y=0.5,
            xref=f"x{row} domain",
            yref=f"y{row} domain",
            xanchor="right",
            font={"color": colour},
            showarrow=False,
        )
    figure.update_yaxes(autorange="reversed", row=3, col=1)
    figure.update_xaxes(title_text="probability", tickformat=".0%", row=3, col=1)


def _reference(x: Any, y: Any, name: str, palette: Palette, dash: str = "dash") -> go.Scatter:
    line = {"color": palette.ink, "width": 1, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=line, hoverinfo="skip")


def _finish(figure: go.Figure, palette: Palette, description: str) -> None:
    figure.update_layout(
        template="none",
        font={"family": FONT, "size": 13, "color": palette.ink},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 64, "r": 16, "t": 16, "b": 56},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        meta={"description": description},
    )
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)


def _share_axis(axis: Any, title: str) -> None:
    axis.update(title={"text": title}, range=[-0.02, 1.02], tickformat=".0%")


def _faded(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
