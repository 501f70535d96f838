"""Differences between two models as points with intervals beside the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    LONGEST_IN_LINE,
    Figure,
    Floats,
    Limits,
    Plain,
    as_written,
    drawn,
    named_lines,
    shortened,
    zero_line,
)
from evalcore.figures.shares import SHARE_CHANGE_TICKS, VALUE_CHANGE_TICKS
from evalcore.text.numerals import signed

Favours = Literal["first", "second", "differ", "undecided", "open", "few", "without"]
SYMBOLS: dict[Favours, str] = {
    "first": "square",
    "second": "circle",
    "differ": "diamond",
    "undecided": "diamond-open",
    "open": "circle-open",
    "few": "x-open",
    "without": "cross-open",
}
LONGEST_METRIC = 28
"""Characters of a metric beside the axis: longer ones would leave a phone no room for the differences."""

IN_POINTS = ", in points"


@Figure
def comparison_figure(
    labels: Sequence[str],
    differences: Floats,
    interval: Limits,
    favours: Sequence[Favours],
    *,
    first: str,
    second: str,
    title: str,
    changes: Sequence[str] | None = None,
    are_shares: bool = False,
    dark: bool = False,
) -> Plain:
    """One difference (second − first) a line, from top to bottom in the order given.

    Colour and shape together say for which model a difference speaks, or that it may be none.

    Parameters
    ----------
    labels : N names.
    differences : float64, shape (N,), NaN where undefined.
    interval : limits of each, shape (N,); NaN where there is none.
    favours : which model each difference speaks for; ``differ`` where neither direction is better, ``open``
        where it is compatible with no difference, ``undecided`` where its interval excludes 0 and the test
        still allows no verdict, ``few`` where the cases are too few for one, ``without`` where there is no
        interval.
    first, second : names of the models.
    title : of the axis.
    changes : each difference with its interval as it is written elsewhere; None for plain numbers.
    are_shares : whether all differences are of shares: then the axis is in points, and its title says so.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    title += IN_POINTS if are_shares else ""
    colours = {"first": palette.negative, "second": palette.positive}
    names = {
        "first": f"{shortened(first, LONGEST_IN_LINE)} is better",
        "second": f"{shortened(second, LONGEST_IN_LINE)} is better",
        "differ": "they differ",
        "undecided": "not 0 by its interval, but no verdict",
        "open": "compatible with no difference",
        "few": "too few cases, no verdict",
        "without": "without an interval, no verdict",
    }
    low, high = np.asarray(interval.low), np.asarray(interval.high)
    if changes is None:
        ends = zip(differences, low, high, strict=True)
        changes = [f"{signed(one)} [{signed(start)}, {signed(end)}]" for one, start, end in ends]
    traces: list[dict[str, Any]] = []
    for kind, symbol in SYMBOLS.items():
        at = [place for place, one in enumerate(favours) if one == kind and not np.isnan(differences[place])]
        if not at:
            continue
        colour = colours.get(kind, palette.ink)
        traces.append(
            {
                "type": "scatter",
                "x": differences[at],
                "y": at,
                "mode": "markers",
                "name": as_written(names[kind]),
                "marker": {
                    "symbol": symbol,
                    "size": 8,
                    "color": colour,
                    "line": {"width": 2, "color": colour},
                },
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": high[at] - differences[at],
                    "arrayminus": differences[at] - low[at],
                    "color": colour,
                    "thickness": 2,
                    "width": 5,
                },
                "customdata": [f"{as_written(labels[place])}: {changes[place]}" for place in at],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    n_clear = sum(one in ("first", "second", "differ") for one in favours)
    return drawn(
        traces,
        palette,
        f"{title}: {len(labels)} differences between {second} and {first} with intervals, "
        f"{n_clear} of them away from 0.",
        {
            "shapes": [zero_line(palette, width=1.5)],
            "xaxis": {
                # In a few lines and with few ticks it fits a phone.
                "title": {"text": _in_lines(title), "font": {"size": 13}},
                "tickformat": SHARE_CHANGE_TICKS if are_shares else VALUE_CHANGE_TICKS,
                "tickangle": 0,
                "nticks": 4,
            },
            "yaxis": named_lines(labels, LONGEST_METRIC),
        },
    )


def difference_title(first: str, second: str) -> str:
    """The title of an axis of differences between two models or systems."""
    return f"difference, {shortened(second, LONGEST_IN_LINE)} − {shortened(first, LONGEST_IN_LINE)}"


def _in_lines(title: str) -> str:
    """A title such as ``difference, second − first`` in two lines, or three where two would be long."""
    lines = as_written(title).replace(", ", ",<br>", 1)
    return lines.replace(" − ", "<br>− ", 1) if len(title) > 2 * LONGEST_IN_LINE - 12 else lines
