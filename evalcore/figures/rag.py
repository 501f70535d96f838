"""What people say of retrieved chunks and answers: by rank, by label, by annotator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.agreement import Alpha
from evalcore.figures.drawing import (
    DARK,
    DASHES,
    LIGHT,
    Figure,
    Plain,
    as_written,
    drawn,
    line,
    named_lines,
    pattern,
    share_axis,
    zero_line,
)
from evalcore.figures.shares import SHARE_CHANGE_TICKS
from evalcore.text.legible import spaced
from evalcore.text.numerals import between, number, percent_at_least, percent_at_most, percent_of_share

if TYPE_CHECKING:
    import pandas as pd

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
SIDE_STEP = 0.12
"""How far series at one rank stand apart, so that their intervals do not cover each other."""

LEAST_RANGE = 0.1
"""Differences below this are not blown up to the width of the figure."""


@Figure
def by_rank_figure(table: pd.DataFrame, *, dark: bool = False) -> Plain:
    """The share of chunks with each label at each rank, with intervals.

    Parameters
    ----------
    table : of `evalcore.agreement.rates_by_rank`.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces: list[dict[str, Any]] = []
    labels = list(dict.fromkeys(table["label"]))
    for at, label in enumerate(labels):
        rows = table[table["label"] == label]
        aside = (at - (len(labels) - 1) / 2) * SIDE_STEP
        traces.append(
            {
                "type": "scatter",
                "x": rows["rank"].to_numpy(float) + aside,
                "y": rows["share"].to_numpy(float),
                "name": words(label),
                "mode": "lines+markers",
                "line": line(palette, at),
                "marker": {"symbol": SYMBOLS[at % len(SYMBOLS)], "size": 8},
                "error_y": _whiskers(rows["share"], rows["low"], rows["high"]),
                "customdata": _counted(rows),
                "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
            }
        )
    ranks = sorted({int(rank) for rank in table["rank"]})
    return drawn(
        traces,
        palette,
        f"Share of chunks with {_listed(labels)} at ranks 1 to {len(ranks)}, with intervals.",
        {
            "xaxis": {"title": {"text": "rank of the chunk"}, "tickvals": ranks, "range": _around(ranks)},
            "yaxis": share_axis("share of the chunks at this rank"),
        },
    )


@Figure
def alpha_figure(alphas: Sequence[Alpha], *, dark: bool = False) -> Plain:
    """Krippendorff's alpha of each label from top to bottom, with its interval; in words where it has none.

    Parameters
    ----------
    alphas : of `evalcore.agreement.alphas`, of one task or several.
    dark : whether the page is dark.
    """
    import pandas as pd

    palette = DARK if dark else LIGHT
    places = list(range(len(alphas)))
    value = pd.Series([alpha.value for alpha in alphas], dtype=float)
    low, high = (pd.Series([getattr(one, end) for one in alphas], dtype=float) for end in ("low", "high"))
    points = {
        "type": "scatter",
        "x": value,
        "y": places,
        "name": "alpha",
        "mode": "markers",
        "marker": {"color": palette.series[0], "size": 10},
        "error_x": _whiskers(value, low, high),
        "customdata": [_rests_on(alpha) for alpha in alphas],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    reasons = [
        {
            "x": 0,
            "y": place,
            "xanchor": "left",
            "showarrow": False,
            "text": f"n/a — {alpha.reason} (n = {alpha.n_pairable})",
        }
        for place, alpha in enumerate(alphas)
        if np.isnan(alpha.value)
    ]
    least = min([0.0, *low.dropna(), *value.dropna()])
    return drawn(
        [points],
        palette,
        f"Krippendorff's alpha of {len(alphas)} labels with intervals, {len(reasons)} of them undefined.",
        {
            "showlegend": False,
            "annotations": reasons,
            "xaxis": {
                "title": {"text": "Krippendorff's alpha"},
                "range": [min(-0.05, 1.08 * least), 1.05],
                "tickformat": ".1f",
            },
            "yaxis": _lines(alpha.label for alpha in alphas),
        },
    )


@Figure
def label_counts_figure(counts: pd.DataFrame, *, dark: bool = False) -> Plain:
    """How many responses say yes, no or nothing to each label, and how many were discarded.

    Parameters
    ----------
    counts : of `evalcore.agreement.label_counts`, of one task or several.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    places = list(range(len(counts)))
    traces = [
        _bar(counts[column], places, name, colour, shape)
        for column, name, colour, shape in (
            ("n_yes", "yes", palette.positive, ""),
            ("n_no", "no", palette.negative, ""),
            ("n_unsaid", "not said", palette.series[4], "/"),
            ("n_discarded", "discarded", palette.series[4], "x"),
        )
        if counts[column].any()
    ]
    return drawn(
        traces,
        palette,
        f"Responses by what they say of each of {len(counts)} labels.",
        _stacked("responses") | {"yaxis": _lines(counts["label"])},
    )


@Figure
def tendencies_figure(table: pd.DataFrame, *, dark: bool = False) -> Plain:
    """How much more often each annotator says yes than the others on the same units, label by label.

    Parameters
    ----------
    table : of `evalcore.agreement.tendencies`; annotators without shared units are left out.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces: list[dict[str, Any]] = []
    shown = table[table["n_shared"] > 0]
    labels = list(dict.fromkeys(shown["label"]))
    annotators = sorted(set(shown["annotator"]))
    for at, annotator in enumerate(annotators):
        rows = shown[shown["annotator"] == annotator]
        traces.append(
            {
                "type": "scatter",
                "x": rows["difference"],
                "y": [labels.index(label) for label in rows["label"]],
                "name": as_written(annotator),
                "mode": "markers",
                "marker": {
                    "color": palette.series[at % len(palette.series)],
                    "symbol": SYMBOLS[at % len(SYMBOLS)],
                    "size": 10,
                    "line": {"width": 1, "color": palette.ink},
                },
                "customdata": [
                    f"{percent_of_share(own)} yes, others {percent_of_share(others)}, on {n} shared units"
                    for own, others, n in zip(rows["share"], rows["others"], rows["n_shared"], strict=True)
                ],
                "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
            }
        )
    largest = table["difference"].abs().max()
    widest = min(max(1.2 * largest, LEAST_RANGE), 1.05) if largest == largest else LEAST_RANGE  # NaN: nobody
    return drawn(
        traces,
        palette,
        f"Yes of {len(annotators)} annotators less the others' on shared units; {len(labels)} labels.",
        {
            "shapes": [zero_line(palette, width=1, dash=DASHES[1])],
            "xaxis": {
                "title": {"text": "share of yes less<br>the others', in points"},
                "tickformat": SHARE_CHANGE_TICKS,
                "range": [-widest, widest],
            },
            "yaxis": _lines(labels),
        },
    )


@Figure
def discards_figure(table: pd.DataFrame, *, dark: bool = False) -> Plain:
    """Discarded responses by reason, one colour a task.

    Parameters
    ----------
    table : of `evalcore.agreement.discards`, of one task or several.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = []
    reasons = list(dict.fromkeys(table["reason"]))
    for at, task in enumerate(dict.fromkeys(table["task"])):
        rows = table[table["task"] == task]
        places = [reasons.index(reason) for reason in rows["reason"]]
        traces.append(_bar(rows["n"], places, task, palette.series[at], ("", "/", "x")[at % 3]))
    return drawn(
        traces,
        palette,
        f"{int(table['n'].sum())} discarded responses by {len(reasons)} reasons.",
        _stacked("discarded responses") | {"yaxis": _lines(reasons)},
    )


def words(name: str) -> str:
    """A name of a file as people read it."""
    return as_written(spaced(name))


def _bar(counts: pd.Series, places: list[int], name: str, colour: str, shape: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": counts,
        "y": places,
        "orientation": "h",
        "name": words(name),
        "marker": {"color": colour, "pattern": pattern(shape)},
        "hovertemplate": "%{x} responses<extra>%{fullData.name}</extra>",
    }


def _stacked(title: str) -> dict[str, Any]:
    """The layout of bars of counts on each other."""
    return {
        "barmode": "stack",
        "bargap": 0.25,
        "xaxis": {"title": {"text": title}, "rangemode": "tozero"},
    }


def _whiskers(value: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    """Error bars from the value to both limits; none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": (high - value).to_numpy(float),
        "arrayminus": (value - low).to_numpy(float),
        "thickness": 1.5,
        "width": 4,
    }


def _counted(rows: pd.DataFrame) -> list[str]:
    return [
        f"rank {rank}: {n_yes} of {n} chunks, {percent_of_share(share)} "
        f"({percent_at_least(low)} to {percent_at_most(high)})"
        if n
        else f"rank {rank}: no settled chunk"
        for rank, n_yes, n, share, low, high in zip(
            rows["rank"], rows["n_yes"], rows["n"], rows["share"], rows["low"], rows["high"], strict=True
        )
    ]


def _rests_on(alpha: Alpha) -> str:
    """What one point of the figure says."""
    interval = alpha.ci_note if np.isnan(alpha.low) else between(alpha.low, alpha.high)
    return (
        f"{words(alpha.label)}: alpha {number(alpha.value)} ({interval})"
        f"<br>{percent_of_share(alpha.observed_agreement)} of pairs agree, {alpha.n_pairable} units, "
        f"{alpha.n_annotators} annotators"
    )


def _lines(names: Iterable[str]) -> dict[str, Any]:
    """A line a name of a file, from top to bottom."""
    return named_lines([spaced(name) for name in names])


def _around(ranks: list[int]) -> list[float] | None:
    return [ranks[0] - 0.5, ranks[-1] + 0.5] if ranks else None


def _listed(labels: list[str]) -> str:
    return ", ".join(words(label) for label in labels) or "no label"
