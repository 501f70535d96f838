"""Reliability: the observed rate of evidence against the promised one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evalcore.curves import Reliability, ScoreDistribution, SmoothedReliability
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Limits,
    Palette,
    arranged,
    curve,
    finish,
    finished,
    line,
    reference,
    segments,
    share_axis,
)

LABELLED_BINS = 20
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


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
    traces = [reference([0, 1], [0, 1], "as promised", palette)]
    if smooth is not None:
        dots = {"color": palette.positive, "width": 2, "dash": "dot"}
        traces.append(curve("smoothed rate", smooth.probability, smooth.rate, dots))
    if interval is not None:
        traces.append(segments(bins.mean_probability, interval, palette.negative))
    traces.append(_bin_points(bins, palette))
    for trace in traces:
        figure.add_trace(trace, row=1, col=1)
    finish(
        figure,
        palette,
        f"Reliability diagram with {len(bins.n)} bins: observed rate of evidence against mean probability.",
    )
    share_axis(figure.layout.yaxis, "observed rate of evidence")
    share_axis(figure.layout.xaxis, "mean probability of the bin" if distribution is None else "")
    if distribution is not None:
        _add_distribution(figure, distribution, palette)
    return figure


def reliability_multiples(
    groups: Mapping[str, tuple[Reliability, Limits]], *, columns: int = 5, dark: bool = False
) -> go.Figure:
    """A small reliability diagram for each group, all on the same axes.

    Parameters
    ----------
    groups : name → points and the limits of each observed rate; at least one.
    columns : diagrams beside each other.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    columns = min(columns, len(groups))
    n_lines = -(-len(groups) // columns)
    layout = _grid(n_lines, columns, len(groups))
    font = {"size": 13, "color": palette.ink}
    titles = [
        one | {"text": escape(name, quote=False), "font": font}
        for one, name in zip(layout["annotations"], groups, strict=True)
    ]
    traces: list[dict[str, Any]] = []
    for at, (bins, interval) in enumerate(groups.values(), start=1):
        number = "" if at == 1 else str(at)
        diagram = (
            reference([0, 1], [0, 1], "as promised", palette),
            segments(bins.mean_probability, interval, palette.negative),
            _bin_points(bins, palette, is_small=True),
        )
        traces += [one | {"xaxis": f"x{number}", "yaxis": f"y{number}"} for one in diagram]
    description = f"Reliability of {', '.join(groups)}: observed against promised rate by bin."
    axis = {"range": [-0.04, 1.04], "tickformat": ".0%", "tickvals": [0, 0.5, 1]}
    layout = arranged(finished(layout | {"annotations": titles}, palette, description), axis, axis)
    small = {"showlegend": False, "margin": {"l": 44, "r": 22, "t": 28, "b": 26}}
    return go.Figure(traces, layout | small)


def recalibration_figure(
    before: Reliability, after: Mapping[str, Reliability], *, dark: bool = False
) -> go.Figure:
    """Reliability of the same rows before and after recalibration, a line for each method.

    Parameters
    ----------
    before : the points of the probabilities as they are.
    after : method → the points of its probabilities.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure(reference([0, 1], [0, 1], "as promised", palette))
    for at, (name, bins) in enumerate({"as it is": before, **after}.items()):
        points = curve(name, bins.mean_probability, bins.observed_rate, line(palette, at))
        points.update(mode="lines+markers", marker={"symbol": SYMBOLS[at % len(SYMBOLS)], "size": 8})
        figure.add_trace(points)
    methods = ", ".join(after) or "no method"
    finish(figure, palette, f"Reliability on test before recalibration and after it by {methods}.")
    share_axis(figure.layout.xaxis, "mean probability of the bin")
    share_axis(figure.layout.yaxis, "observed rate of evidence")
    return figure


@lru_cache(maxsize=8)
def _grid(n_lines: int, columns: int, n_titles: int) -> dict[str, Any]:
    """The layout of titled diagrams in lines, each with axes of its own; not to be changed."""
    titles = [str(at) for at in range(n_titles)]
    figure = make_subplots(
        n_lines, columns, subplot_titles=titles, shared_xaxes=True, shared_yaxes=True, horizontal_spacing=0.03
    )
    layout: dict[str, Any] = figure.layout.to_plotly_json()
    return {name: part for name, part in layout.items() if name != "template"}


def _bin_points(bins: Reliability, palette: Palette, *, is_small: bool = False) -> dict[str, Any]:
    counts = [f"{n_pos:,} of {n:,} with evidence" for n, n_pos in zip(bins.n, bins.n_pos, strict=True)]
    is_labelled = not is_small and bins.variant != "equal_mass" and len(bins.n) <= LABELLED_BINS
    return {
        "type": "scatter",
        "x": bins.mean_probability,
        "y": bins.observed_rate,
        "name": "observed rate, n beside it" if is_labelled else "observed rate",
        "mode": "markers+text" if is_labelled else "markers",
        "marker": {"color": palette.negative, "size": 6 if is_small else 9},
        "text": [f"{n:,}" for n in bins.n],
        "textposition": "bottom right",
        "textfont": {"size": 11},
        "cliponaxis": False,
        "customdata": counts,
        "hovertemplate": "observed %{y:.2%}, promised %{x:.2%}<br>%{customdata}<extra></extra>",
    }


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
        title = {"text": name, "font": {"size": 11, "color": colour}}
        figure.update_yaxes(title=title, nticks=3, rangemode="tozero", tickformat=",", row=row, col=1)
        figure.update_xaxes(range=[-0.02, 1.02], row=row, col=1)
    figure.update_yaxes(autorange="reversed", row=3, col=1)
    figure.update_xaxes(title_text="probability", tickformat=".0%", row=3, col=1)
