"""A metric of recommendation lists against K, a line with its intervals for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Ends,
    Figure,
    Floats,
    Plain,
    as_written,
    curve,
    drawn,
    faded,
    line,
)
from evalcore.figures.shares import VALUE_TICKS
from evalcore.text.numerals import between, number

SYMBOLS = {"circle": "●", "diamond": "◆", "square": "■", "triangle-up": "▲", "x": "✖"}
"""The marks of models, and signs that look like them."""
WIDE = 8


class OverK(NamedTuple):
    """The values of one model at each K.

    Parameters
    ----------
    value : float64, shape (B,); NaN where undefined.
    interval : limits of each, shape (B,); NaN where there is none.
    """

    value: Floats
    interval: Ends


@Figure
def over_k_figure(
    ks: Sequence[int], models: Mapping[str, OverK], *, title: str, dark: bool = False, has_legend: bool = True
) -> Plain:
    """One metric over K: a line for each model, in a band of its intervals.

    Parameters
    ----------
    ks : B cut-offs, ascending; on an axis of logarithms where the last is more than `WIDE` times the first.
    models : name → its values.
    title : of the axis of values.
    dark : whether the page is dark.
    has_legend : whether it says whose a line is; several figures may share one (`marks`).
    """
    palette = DARK if dark else LIGHT
    places = np.array(ks, float)
    is_wide = ks[-1] > WIDE * ks[0]
    ends = np.log10(places[[0, -1]]) if is_wide else places[[0, -1]]
    room = 0.04 * (ends[1] - ends[0]) or 0.5
    traces: list[dict[str, Any]] = []
    for at, (name, one) in enumerate(models.items()):
        colour = palette.series[at % len(palette.series)]
        traces += _band(places, one.interval, colour)
        trace = curve(name, places, one.value, line(palette, at))
        low, high = np.asarray(one.interval.low), np.asarray(one.interval.high)
        told = [
            number(value) + ("" if np.isnan(bottom) else f" [{between(bottom, top)}]") + f" at K = {k}"
            for k, value, bottom, top in zip(ks, one.value, low, high, strict=True)
        ]
        trace |= {"customdata": told, "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>"}
        traces.append(
            {
                **trace,
                "mode": "lines+markers",
                "marker": {"size": 8, "symbol": [*SYMBOLS][at % len(SYMBOLS)], "color": colour},
            }
        )
    return drawn(
        traces,
        palette,
        f"{title} at K = {', '.join(map(str, ks))} of {', '.join(models)}, with intervals.",
        {
            "xaxis": {
                "title": {"text": "K, places of the list that count"},
                "tickvals": places,
                "ticktext": [f"{k:,}" for k in ks],
                "type": "log" if is_wide else "linear",
                "range": [ends[0] - room, ends[1] + room],
            },
            "showlegend": has_legend,
            "yaxis": {"title": {"text": as_written(title)}, "tickformat": VALUE_TICKS, "nticks": 6},
        },
    )


def marks(n: int, *, dark: bool = False) -> tuple[list[str], list[str]]:
    """The signs and colours of so many models, for a legend of several figures."""
    palette, signs = DARK if dark else LIGHT, [*SYMBOLS.values()]
    colours = [palette.series[at % len(palette.series)] for at in range(n)]
    return [signs[at % len(signs)] for at in range(n)], colours


def _band(places: Floats, interval: Ends, colour: str) -> list[dict[str, Any]]:
    """The shade of the intervals where there are some; of one K alone its line is what is seen."""
    low, high = np.asarray(interval.low, float), np.asarray(interval.high, float)
    known = ~(np.isnan(low) | np.isnan(high))
    if not known.any():
        return []
    shade = {
        "type": "scatter",
        "x": np.concatenate([places[known], places[known][::-1]]),
        "y": np.concatenate([low[known], high[known][::-1]]),
        "mode": "lines",
        "line": {"width": 1, "color": faded(colour, 0.35)},
        "fill": "toself",
        "fillcolor": faded(colour, 0.18),
        "name": "interval",
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [shade]
