"""Ranked lists and what is selected from them: metrics over K, first gold, K, recall against workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.lists import FirstGold
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    WITHIN_SHARES,
    Figure,
    Floats,
    Palette,
    Plain,
    as_written,
    curve,
    drawn,
    line,
    named_lines,
    on_axes,
    pattern,
    stacked,
    unit_axis,
)
from evalcore.figures.shares import VALUE_TICKS
from evalcore.selection_sweep import KHistogram, PolicyResult
from evalcore.text.numerals import as_given, number

Counts = NDArray[np.int64]
SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up")
PATTERNS = ("", "/", "x", ".", "-")
DENSE_TICKS = 20
OF_SETTING = (
    "recall %{customdata[1]} at %{x:.2f} candidates a query<br>%{customdata[0]}"
    "<extra>%{fullData.name}</extra>"
)


@Figure
def over_k_figure(
    ks: Sequence[str], values: Mapping[str, Floats], *, title: str, dark: bool = False
) -> Plain:
    """One metric over K, a line for each list.

    Parameters
    ----------
    ks : B names of K, in the order of the axis.
    values : list → float64, shape (B,), in [0, 1], NaN where undefined.
    title : what the lines are, the title of the axis.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = []
    for at, (name, of_list) in enumerate(values.items()):
        trace = curve(name, np.array(ks), of_list, line(palette, at))
        trace["marker"] = {"size": 8, "symbol": SYMBOLS[at % len(SYMBOLS)]}
        trace["customdata"] = [number(float(one)) for one in of_list]
        trace["hovertemplate"] = "%{customdata} at K = %{x}<extra>%{fullData.name}</extra>"
        traces.append(trace)
    return drawn(
        traces,
        palette,
        f"{title} at K = {', '.join(ks)} of {', '.join(values)}.",
        {
            "xaxis": {"type": "category", "title": {"text": "K, places of the list that count"}},
            "yaxis": unit_axis(title),
        },
    )


@Figure
def first_gold_figure(found: Mapping[str, FirstGold], *, dark: bool = False) -> Plain:
    """Queries with gold by the rank of the first gold, a bar for each list and rank.

    Parameters
    ----------
    found : list → counts, over the same ranks for every list.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = [
        _bars(name, of_list.rank, of_list.n, palette, at, "rank %{x}: %{y:,} queries")
        for at, (name, of_list) in enumerate(found.items())
    ]
    return drawn(
        traces,
        palette,
        f"Queries with gold by the rank of their first gold, in {', '.join(found)}.",
        {
            "barmode": "group",
            "bargap": 0.2,
            "xaxis": {
                "type": "category",
                "title": {"text": "rank of the first gold<br>(none: not in the list)"},
            },
            "yaxis": {"title": {"text": "queries with gold"}, "tickformat": ",", "rangemode": "tozero"},
        },
    )


@Figure
def list_groups_figure(
    labels: Sequence[str],
    values: Mapping[str, Floats],
    n: Sequence[int],
    *,
    title: str,
    dark: bool = False,
) -> Plain:
    """One metric by group, from top to bottom in the order given: a mark for each list.

    Parameters
    ----------
    labels : C names of groups.
    values : list → float64, shape (C,), in [0, 1], NaN where undefined.
    n : C counts, the queries each value is over.
    title : what the marks are, the title of the axis.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    names = [as_written(label) for label in labels]
    said = [f"{label}, {count:,} queries" for label, count in zip(names, n, strict=True)]
    traces = [
        {
            "type": "scatter",
            "x": of_list,
            "y": list(range(len(names))),
            "name": as_written(name),
            "mode": "markers",
            "marker": {
                "color": palette.series[at % len(palette.series)],
                "size": 11,
                "symbol": SYMBOLS[at % len(SYMBOLS)],
            },
            "customdata": [f"{told}: {number(float(one))}" for told, one in zip(said, of_list, strict=True)],
            "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
        }
        for at, (name, of_list) in enumerate(values.items())
    ]
    return drawn(
        traces,
        palette,
        f"{title} of {len(names)} groups in {', '.join(values)}.",
        {"xaxis": unit_axis(title), "yaxis": named_lines(labels) | {"showgrid": True}},
    )


@Figure
def k_histogram_figure(histogram: KHistogram, *, title: str, dark: bool = False) -> Plain:
    """Queries by K: those with gold up, those without down, each on a scale of its own.

    Parameters
    ----------
    histogram : queries at every K.
    title : what K is, the title of the axis.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    parts = (
        ("with gold", histogram.n_with_gold, palette.positive),
        ("without", histogram.n_without, palette.negative),
    )
    traces = [
        {
            "type": "bar",
            "x": histogram.k,
            "y": counts,
            "name": name,
            "marker": {"color": colour},
            "hovertemplate": "K = %{x}: %{y:,} queries<extra>%{fullData.name}</extra>",
        }
        for name, counts, colour in parts
    ]
    lowest, highest = (int(histogram.k[0]), int(histogram.k[-1])) if len(histogram.k) else (0, 0)
    every_k = {"dtick": 1} if highest - lowest <= DENSE_TICKS else {}
    counts_axis = {"nticks": 4, "rangemode": "tozero", "tickformat": ","}
    layout = stacked(1, 1, gap=0.07, shares_x=True) | {"bargap": 0.15}
    layout["xaxis"] |= every_k
    layout["xaxis2"] |= every_k | {"title": {"text": title}}
    layout["yaxis"] |= counts_axis
    layout["yaxis2"] |= counts_axis | {"autorange": "reversed"}
    return drawn(
        [on_axes(at, one) for at, one in enumerate(traces, start=1)],
        palette,
        f"Queries by {title}, from {lowest} to {highest}, with gold and without.",
        layout,
    )


@Figure
def recall_workload_figure(
    along: Sequence[PolicyResult],
    *,
    current: PolicyResult,
    marked: Sequence[PolicyResult] = (),
    dark: bool = False,
) -> Plain:
    """Evidence recall against the candidates selected per query, along the setting of a policy.

    Parameters
    ----------
    along : results from few to many selected, of one policy under several settings.
    current : the setting that is looked at.
    marked : results that are named by their γ.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    path = curve(
        "along the setting",
        np.array([result.mean_k for result in along]),
        np.array([result.evidence_recall for result in along]),
        line(palette, 0),
    )
    path |= {"mode": "lines+markers", "marker": {"size": 5}, "customdata": _told(along)}
    path["hovertemplate"] = OF_SETTING
    sweep = [_results("γ sweep", marked, palette.negative, "square", 10)] if marked else []
    return drawn(
        [path, *sweep, _results("now", [current], palette.positive, "diamond", 15)],
        palette,
        "Evidence recall against the mean number of candidates selected per query.",
        {
            "xaxis": {"title": {"text": "mean selected K, candidates a query"}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": "evidence recall"}, "tickformat": VALUE_TICKS} | WITHIN_SHARES,
        },
    )


def _results(
    name: str, results: Sequence[PolicyResult], colour: str, symbol: str, size: int
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [result.mean_k for result in results],
        "y": [result.evidence_recall for result in results],
        "name": name,
        "mode": "markers",
        "marker": {"color": colour, "symbol": symbol, "size": size},
        "customdata": _told(results),
        "hovertemplate": OF_SETTING,
    }


def _told(results: Sequence[PolicyResult]) -> list[list[str]]:
    return [[_setting(one), number(one.evidence_recall)] for one in results]


def _setting(result: PolicyResult) -> str:
    policy = result.policy
    named = {"K": policy.k, "score ≥ ": policy.threshold, "γ": policy.gamma}
    own = {"fixed": ("K",), "threshold": ("score ≥ ",), "mass": ("γ",), "combined": ("score ≥ ", "γ")}
    shown = [(name, value) for name in own[policy.kind] if (value := named[name]) is not None]
    return ", ".join(
        f"{name}{'' if name.endswith(' ') else ' = '}{as_given(value, 4)}" for name, value in shown
    )


def _bars(name: str, x: Sequence[str], y: Counts, palette: Palette, at: int, hover: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": list(x),
        "y": y,
        "name": as_written(name),
        "marker": {
            "color": palette.series[at % len(palette.series)],
            "pattern": pattern(PATTERNS[at % len(PATTERNS)]),
        },
        "hovertemplate": f"{hover}<extra>%{{fullData.name}}</extra>",
    }
