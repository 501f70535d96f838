"""Reliability: the observed rate of evidence against the promised one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.curves import Reliability, ScoreDistribution, SmoothedReliability
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    LONGEST_IN_LINE,
    Figure,
    Limits,
    Palette,
    Plain,
    as_written,
    curve,
    diagrams,
    drawn,
    line,
    on_axes,
    reference,
    segments,
    share_axis,
    shortened,
    stacked,
)
from evalcore.figures.shares import SHARE_TICKS

LABELLED_BINS = 20
LABELLED_RANGE = {"range": [-0.1, 1.1]}
"""Leaves room for the n below the lowest bin and above the highest."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


@Figure
def reliability_figure(
    bins: Reliability,
    *,
    interval: Limits | None = None,
    smooth: SmoothedReliability | None = None,
    distribution: ScoreDistribution | None = None,
    dark: bool = False,
) -> Plain:
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
    traces = [reference([0, 1], [0, 1], "as promised", palette)]
    if smooth is not None:
        dots = {"color": palette.positive, "width": 2, "dash": "dot"}
        traces.append(curve("smoothed rate", smooth.probability, smooth.rate, dots))
    if interval is not None:
        traces.append(segments(bins.mean_probability, interval, palette.negative))
    traces.append(_bin_points(bins, palette))
    layout: dict[str, Any] = {"xaxis": share_axis("mean probability of the bin")}
    if distribution is not None:
        traces = [on_axes(1, one) for one in traces] + _distribution(distribution, palette)
        layout = _above_distribution(palette)
    layout["yaxis"] = layout.get("yaxis", {}) | share_axis("observed rate of evidence")
    if _is_labelled(bins):
        layout["yaxis"] |= LABELLED_RANGE
    description = (
        f"Reliability diagram with {len(bins.n)} bins: observed rate of evidence against mean probability."
    )
    return drawn(traces, palette, description, layout)


@Figure
def distribution_figure(distribution: ScoreDistribution, *, dark: bool = False) -> Plain:
    """Rows by probability: with evidence up, without down, each on its own scale.

    Parameters
    ----------
    distribution : rows in bins of the probability.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    bars = [
        on_axes(at, bar | {"showlegend": True})
        for at, bar in enumerate(_distribution(distribution, palette), start=1)
    ]
    layout = stacked(1, 1, gap=0.04, shares_x=True)
    for name in ("yaxis", "yaxis2"):
        layout[name] |= {"nticks": 4, "rangemode": "tozero", "tickformat": ","}
    layout["yaxis"] |= {"title": {"text": "checks"}}
    layout["yaxis2"] |= {"autorange": "reversed"}
    layout["xaxis"] |= share_axis("")
    layout["xaxis2"] |= share_axis("probability")
    n_pos, n_neg = (int(n.sum()) for n in (distribution.n_pos, distribution.n_neg))
    description = f"Probabilities of {n_pos:,} checks with evidence and {n_neg:,} without."
    return drawn(bars, palette, description, layout)


@Figure
def reliability_multiples(
    groups: Mapping[str, tuple[Reliability, Limits]], *, columns: int = 5, dark: bool = False
) -> Plain:
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
    layout = diagrams(
        n_lines,
        columns,
        subplot_titles=tuple(map(str, range(len(groups)))),
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
    )
    font = {"size": 13, "color": palette.ink}
    layout["annotations"] = [
        one | {"text": as_written(shortened(name, LONGEST_IN_LINE)), "font": font}
        for one, name in zip(layout["annotations"], groups, strict=True)
    ]
    traces = [
        on_axes(at, trace)
        for at, (bins, interval) in enumerate(groups.values(), start=1)
        for trace in (
            reference([0, 1], [0, 1], "as promised", palette),
            segments(bins.mean_probability, interval, palette.negative),
            _bin_points(bins, palette, is_small=True),
        )
    ]
    axis = {"range": [-0.04, 1.04], "tickformat": SHARE_TICKS, "tickvals": [0, 0.5, 1]}
    layout |= {name: part | axis for name, part in layout.items() if name.startswith(("xaxis", "yaxis"))}
    layout |= {"showlegend": False, "margin": {"l": 44, "r": 22, "t": 28, "b": 26}}
    description = f"Reliability of {', '.join(groups)}: observed against promised rate by bin."
    return drawn(traces, palette, description, layout)


@Figure
def recalibration_figure(
    before: Reliability, after: Mapping[str, Reliability], *, dark: bool = False
) -> Plain:
    """Reliability of the same rows before and after recalibration, a line for each method.

    Parameters
    ----------
    before : the points of the probabilities as they are.
    after : method → the points of its probabilities.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = [reference([0, 1], [0, 1], "as promised", palette)]
    for at, (name, bins) in enumerate({"as it is": before, **after}.items()):
        points = curve(name, bins.mean_probability, bins.observed_rate, line(palette, at))
        marker = {"symbol": SYMBOLS[at % len(SYMBOLS)], "size": 8}
        traces.append(points | {"mode": "lines+markers", "marker": marker})
    methods = ", ".join(after) or "no method"
    return drawn(
        traces,
        palette,
        f"Reliability on test before recalibration and after it by {methods}.",
        {
            "xaxis": share_axis("mean probability of the bin"),
            "yaxis": share_axis("observed rate of evidence"),
        },
    )


def _bin_points(bins: Reliability, palette: Palette, *, is_small: bool = False) -> dict[str, Any]:
    counts = [f"{n_pos:,} of {n:,} with evidence" for n, n_pos in zip(bins.n, bins.n_pos, strict=True)]
    is_labelled = not is_small and _is_labelled(bins)
    return {
        "type": "scatter",
        "x": bins.mean_probability,
        "y": bins.observed_rate,
        "name": "observed rate, n beside it" if is_labelled else "observed rate",
        "mode": "markers+text" if is_labelled else "markers",
        "marker": {"color": palette.negative, "size": 6 if is_small else 9},
        "text": [f"{n:,}" for n in bins.n],
        # Neighbours on different sides: on a phone two on one side would lie over each other.
        "textposition": [("bottom right", "top left")[at % 2] for at in range(len(bins.n))],
        "textfont": {"size": 11},
        "cliponaxis": False,
        "customdata": counts,
        "hovertemplate": "observed %{y:%}, promised %{x:%}<br>%{customdata}<extra></extra>",
    }


def _is_labelled(bins: Reliability) -> bool:
    return bins.variant != "equal_mass" and len(bins.n) <= LABELLED_BINS


def _distribution(distribution: ScoreDistribution, palette: Palette) -> list[dict[str, Any]]:
    bars = {
        "type": "bar",
        "x": distribution.low,
        "offset": 0,
        "width": distribution.high - distribution.low,
        "hovertemplate": "%{y:,} rows from p = %{x:.3g}<extra>%{fullData.name}</extra>",
        "showlegend": False,
    }
    counts = (distribution.n_pos, distribution.n_neg)
    return [
        on_axes(number, bars | {"y": n, "name": name, "marker": {"color": colour, "line": {"width": 0}}})
        for number, n, (name, colour) in zip((2, 3), counts, _parts(palette), strict=True)
    ]


def _above_distribution(palette: Palette) -> dict[str, Any]:
    """The layout of a reliability diagram over rows with evidence, up, and without, down."""
    layout = stacked(0.66, 0.17, 0.17, gap=0.03, shares_x=True)
    # One word each: written upwards along so low an axis, two would run into the next.
    words = ("evidence", "none")
    for number, word, (_, colour) in zip((2, 3), words, _parts(palette), strict=True):
        title = {"text": word, "font": {"size": 11, "color": colour}}
        layout[f"yaxis{number}"] |= {
            "title": title,
            "nticks": 3,
            "rangemode": "tozero",
            "tickformat": ",",
        }
        layout[f"xaxis{number}"] |= {"range": [-0.02, 1.02]}
    layout["yaxis3"] |= {"autorange": "reversed"}
    layout["xaxis3"] |= {"title": {"text": "probability"}, "tickformat": SHARE_TICKS}
    layout["xaxis"] |= share_axis("")
    return layout


def _parts(palette: Palette) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("with evidence", palette.positive), ("without", palette.negative)
