"""Criteria beside each other: one figure of each as bars, and how often two are found in one post."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Figure,
    Floats,
    Limits,
    Palette,
    Plain,
    as_written,
    drawn,
    named_lines,
    shortened,
)
from evalcore.figures.shares import SHARE_TICKS
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.text.numerals import number, percent_of_share

Unit = Literal["share", "index", "count"]
TEXTS: dict[Unit, Callable[[float], str]] = {
    "share": percent_of_share,
    "index": number,
    "count": "{:,.0f}".format,
}
HATCH = "rgba(255, 255, 255, 0.3)"
LONGEST_ABOVE, LONGEST_LYING = 14, 5
"""Characters of a name over a column of the grid, and of one that may lie there beside its neighbours."""


@Figure
def criterion_bars(
    labels: Sequence[str],
    values: Floats,
    *,
    title: str,
    interval: Limits | None = None,
    is_small: NDArray[np.bool_] | None = None,
    selected: int | None = None,
    unit: Unit = "share",
    dark: bool = False,
) -> Plain:
    """One bar for each criterion, from top to bottom in the order given; no bar where there is no value.

    Parameters
    ----------
    labels : C names.
    values : float64, shape (C,), NaN where undefined.
    title : what the bars are, the title of the axis.
    interval : limits of each value, shape (C,).
    is_small : bool, shape (C,), criteria with too few cases: drawn hatched.
    selected : position of the criterion that is looked at: drawn in orange, with an outline.
    unit : ``share`` is shown as a percentage, ``index`` as a number from 0 to 1, ``count`` as a whole number.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    n = len(labels)
    small = np.zeros(n, bool) if is_small is None else is_small
    colours = [palette.positive if at == selected else palette.negative for at in range(n)]
    bars = {
        "type": "bar",
        "x": values,
        "y": list(range(n)),
        "orientation": "h",
        "name": title,
        "marker": {
            "color": colours,
            "pattern": {
                "shape": ["/" if one else "" for one in small],
                "fillmode": "overlay",
                "fgcolor": HATCH,
                "size": 11,
                "solidity": 0.14,
            },
            "line": {"color": palette.ink, "width": [1.5 if at == selected else 0 for at in range(n)]},
        },
        "text": ["" if np.isnan(value) else TEXTS[unit](float(value)) for value in values],
        "textposition": "inside",
        "insidetextanchor": "start",
        "insidetextfont": {"color": palette.on_mark},
        "customdata": [as_written(label) for label in labels],
        "hovertemplate": "%{customdata}: %{text}<extra></extra>",
    }
    if interval is not None:
        bars["error_x"] = _error_bars(values, interval, palette.ink)
    sentence = "hatched where there are too few cases" if small.any() else "in the order of the table"
    axis: dict[str, Any] = {"title": {"text": title}, "rangemode": "tozero"}
    if unit != "count":
        axis |= {"tickformat": SHARE_TICKS if unit == "share" else ".1f", "range": [0, 1.02]}
    return drawn(
        [bars],
        palette,
        f"{title} of {n} criteria as bars, {sentence}.",
        {"showlegend": False, "bargap": 0.25, "xaxis": axis, "yaxis": named_lines(labels)},
    )


@Figure
def cooccurrence_figure(counts: Cooccurrence, *, dark: bool = False) -> Plain:
    """Posts with evidence for both criteria of a pair, the diagonal being the posts with each.

    Parameters
    ----------
    counts : posts by pair of criteria, C of them.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    names = [as_written(name) for name in counts.criteria]
    short = [as_written(shortened(name)) for name in counts.criteria]
    place = list(range(len(names)))
    off_diagonal = counts.n_both.astype(float)
    np.fill_diagonal(off_diagonal, np.nan)
    cells = {
        "type": "heatmap",
        "z": off_diagonal,
        "x": place,
        "y": place,
        "colorscale": [[0, palette.faint], [1, palette.least]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "zmin": 0,
        "name": "posts with both",
        "customdata": [[_pair_text(counts, names, row, column) for column in place] for row in place],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    text = _counts_as_text(counts, palette)
    axis = {"tickvals": place, "showgrid": False}
    # Beside each other there is room for ids; the lines say the same names in full.
    above = [shortened(name, LONGEST_ABOVE) for name in counts.criteria]
    angle = -90 if max(map(len, above), default=0) > LONGEST_LYING else 0
    return drawn(
        [cells, text],
        palette,
        f"Posts with evidence for both of two criteria, {len(names)} by {len(names)} counts.",
        {
            "showlegend": False,
            "xaxis": axis | {"side": "top", "tickangle": angle, "ticktext": list(map(as_written, above))},
            "yaxis": axis | {"autorange": "reversed", "ticktext": short},
        },
    )


def _counts_as_text(counts: Cooccurrence, palette: Palette) -> dict[str, Any]:
    """Every count as text over its cell: one trace, where an annotation each would take seconds."""
    n = len(counts.criteria)
    row, column = np.divmod(np.arange(n * n), n)
    text = [f"{n_both:,}" for n_both in counts.n_both.ravel()]
    return {
        "type": "scatter",
        "x": column,
        "y": row,
        "mode": "text",
        "name": "posts",
        "text": [f"<b>{one}</b>" if at % (n + 1) == 0 else one for at, one in enumerate(text)],
        "textfont": {"size": 12, "color": palette.ink},
        "hoverinfo": "skip",
    }


def _error_bars(values: Floats, interval: Limits, colour: str) -> dict[str, object]:
    return {
        "type": "data",
        "symmetric": False,
        "array": np.asarray(interval.high) - values,
        "arrayminus": values - np.asarray(interval.low),
        "color": colour,
        "thickness": 1.5,
        "width": 4,
    }


def _pair_text(counts: Cooccurrence, names: Sequence[str], row: int, column: int) -> str:
    n_both, n_posts = int(counts.n_both[row, column]), int(counts.n_judged[row, column])
    if row == column:
        return f"{names[row]}: {n_both:,} of {n_posts:,} posts"
    return f"{names[row]} and {names[column]}: {n_both:,} of {n_posts:,} posts that were judged on both"
