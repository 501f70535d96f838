"""Differences between two models as points with intervals beside the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from evalcore.figures.drawing import DARK, LIGHT, Floats, Limits, drawn, named_lines, zero_line

Favours = Literal["first", "second", "differ", "open"]
SYMBOLS: dict[Favours, str] = {
    "first": "square",
    "second": "circle",
    "differ": "diamond",
    "open": "circle-open",
}


def comparison_figure(
    labels: Sequence[str],
    differences: Floats,
    interval: Limits,
    favours: Sequence[Favours],
    *,
    first: str,
    second: str,
    title: str,
    dark: bool = False,
) -> go.Figure:
    """One difference (second − first) a line, from top to bottom in the order given.

    Colour and shape together say for which model a difference speaks, or that it may be none.

    Parameters
    ----------
    labels : N names.
    differences : float64, shape (N,), NaN where undefined.
    interval : limits of each, shape (N,); NaN where there is none.
    favours : which model each difference speaks for; ``differ`` where neither direction is better, ``open``
        where it is compatible with no difference.
    first, second : names of the models.
    title : of the axis.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    colours = {"first": palette.negative, "second": palette.positive}
    names = {
        "first": f"{first} is better",
        "second": f"{second} is better",
        "differ": "they differ",
        "open": "compatible with no difference",
    }
    low, high = np.asarray(interval.low), np.asarray(interval.high)
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
                "name": escape(names[kind], quote=False),
                "marker": {
                    "symbol": symbol,
                    "size": 11,
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
                "customdata": [[escape(labels[place], quote=False), low[place], high[place]] for place in at],
                "hovertemplate": "%{customdata[0]}: %{x:+.4f} [%{customdata[1]:+.4f}, %{customdata[2]:+.4f}]"
                "<extra></extra>",
            }
        )
    n_clear = sum(one != "open" for one in favours)
    return drawn(
        traces,
        palette,
        f"{title}: {len(labels)} differences between {second} and {first} with intervals, "
        f"{n_clear} of them away from 0.",
        {
            "shapes": [zero_line(palette, width=1.5)],
            "xaxis": {
                # In two lines and with few ticks it fits a phone.
                "title": {"text": escape(title, quote=False).replace(", ", ",<br>", 1), "font": {"size": 13}},
                "tickformat": "+.3~f",
                "tickangle": 0,
                "nticks": 5,
            },
            "yaxis": named_lines(labels),
        },
    )
