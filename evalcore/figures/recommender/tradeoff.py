"""One metric against another, a point with its intervals for each system, and the Pareto front."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.recommender.tradeoff import Front
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Ends,
    Figure,
    Floats,
    Palette,
    Plain,
    as_written,
    drawn,
    faded,
    shortened,
)
from evalcore.figures.shares import VALUE_TICKS
from evalcore.text.numerals import between, number

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")


class Values(NamedTuple):
    """A metric of every system.

    Parameters
    ----------
    title : its name.
    value : float64, shape (N,); NaN where undefined.
    interval : limits of each, shape (N,); NaN where there is none.
    """

    title: str
    value: Floats
    interval: Ends


@Figure
def tradeoff_figure(
    names: tuple[str, ...], across: Values, up: Values, front: Front | None, *, dark: bool = False
) -> Plain:
    """Systems as points with a cross of two intervals; those on the front are filled and joined by a line.

    Parameters
    ----------
    names : N systems.
    across, up : the metrics of both axes.
    front : of the systems; None where a metric has no better direction: then every point is filled.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    is_known = ~(np.isnan(across.value) | np.isnan(up.value))
    is_full = np.ones(len(names), bool) if front is None else front.is_on_front
    traces = [] if front is None else _line(across, up, front, palette)
    for at in np.flatnonzero(is_known):
        traces.append(_point(names[at], across, up, int(at), bool(is_full[at]), palette))
    n_front = 0 if front is None else int(front.is_on_front.sum())
    told = f"{n_front} of them on the Pareto front" if front is not None else "without a front"
    return drawn(
        traces,
        palette,
        f"{up.title} against {across.title} of {int(is_known.sum())} systems with intervals, {told}.",
        {
            "xaxis": {"title": {"text": as_written(across.title)}, "tickformat": VALUE_TICKS, "nticks": 6},
            "yaxis": {"title": {"text": as_written(up.title)}, "tickformat": VALUE_TICKS, "nticks": 6},
            "margin": {"l": 64, "r": 24, "t": 16, "b": 56},
        },
    )


def _line(across: Values, up: Values, front: Front, palette: Palette) -> list[dict[str, Any]]:
    """The front from one system to the next; of one system there is none."""
    on_front = np.flatnonzero(front.is_on_front)
    if len(on_front) < 2:
        return []
    order = on_front[np.argsort(across.value[on_front], kind="stable")]
    line = {
        "type": "scatter",
        "x": across.value[order],
        "y": up.value[order],
        "mode": "lines",
        "name": "Pareto front",
        "line": {"color": palette.ink, "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }
    return [line]


def _point(name: str, across: Values, up: Values, at: int, is_full: bool, palette: Palette) -> dict[str, Any]:
    colour = palette.series[at % len(palette.series)]
    symbol = SYMBOLS[at % len(SYMBOLS)]
    return {
        "type": "scatter",
        "x": [across.value[at]],
        "y": [up.value[at]],
        "mode": "markers",
        "name": as_written(shortened(name)),
        "marker": {
            "symbol": symbol if is_full else f"{symbol}-open",
            "size": 12,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        "error_x": _arms(across, at, colour),
        "error_y": _arms(up, at, colour),
        "customdata": [f"{_told(across, at)}<br>{_told(up, at)}"],
        "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
    }


def _arms(values: Values, at: int, colour: str) -> dict[str, Any]:
    low, high = values.interval.low[at], values.interval.high[at]
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - values.value[at]],
        "arrayminus": [values.value[at] - low],
        "visible": bool(not (np.isnan(low) or np.isnan(high))),
        "color": faded(colour, 0.75),
        "thickness": 1.5,
        "width": 4,
    }


def _told(values: Values, at: int) -> str:
    low, high = values.interval.low[at], values.interval.high[at]
    told = f"{as_written(values.title)} {number(values.value[at])}"
    return told if np.isnan(low) else f"{told} [{between(low, high)}]"
