"""Groups of users and items beside each other: values with intervals, pairs of both, and single users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    LONGEST_IN_LINE,
    Figure,
    Floats,
    Plain,
    as_written,
    drawn,
    line,
    named_lines,
    shortened,
)
from evalcore.figures.recommender.over_k import SYMBOLS
from evalcore.figures.shares import VALUE_TICKS
from evalcore.text.numerals import number

if TYPE_CHECKING:
    import pandas as pd

ROOM = 0.02
MODEL_STEP = 0.6
"""Which part of the distance between two groups the models take."""
FARTHEST = 4.0
"""Beyond so many times the neutral ratio, or its inverse, a cell has the full colour."""


@Figure
def group_values_figure(
    table: pd.DataFrame, *, title: str, dark: bool = False, has_legend: bool = True
) -> Plain:
    """A value of each group with its interval, groups from top to bottom, a mark a model.

    Parameters
    ----------
    table : rows of a report of one metric: ``model``, ``group``, ``value``, ``ci_low``, ``ci_high``, ``n``;
        an undefined value has no mark.
    title : what the values are, the title of the axis.
    dark : whether the page is dark.
    has_legend : whether it says whose a mark is; several figures may share one.
    """
    palette = DARK if dark else LIGHT
    groups, models = list(dict.fromkeys(table["group"])), list(dict.fromkeys(table["model"]))
    step = MODEL_STEP / max(len(models), 1)
    traces: list[dict[str, Any]] = []
    for at, model in enumerate(models):
        rows = table[(table["model"] == model) & table["value"].notna()]
        aside = (at - (len(models) - 1) / 2) * step
        place = np.array([groups.index(name) + aside for name in rows["group"]], float)
        colour = line(palette, at)["color"]
        gap = np.full(len(rows), np.nan)
        ends = [rows[name].to_numpy(float) for name in ("ci_low", "ci_high")]
        traces.append(
            {
                "type": "scatter",
                "x": np.column_stack([*ends, gap]).ravel(),
                "y": np.column_stack([place, place, gap]).ravel(),
                "name": "interval",
                "mode": "lines",
                "line": {"color": colour, "width": 1.5},
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
        traces.append(
            {
                "type": "scatter",
                "x": rows["value"].to_numpy(float),
                "y": place,
                "name": as_written(shortened(model)),
                "mode": "markers",
                "marker": {"color": colour, "symbol": [*SYMBOLS][at % len(SYMBOLS)], "size": 9},
                "customdata": [
                    f"{as_written(row.group)}, n = {row.n:,}: {number(row.value)}"
                    for row in rows.itertuples(index=False)
                ],
                "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
            }
        )
    return drawn(
        traces,
        palette,
        f"{title} of {len(groups)} groups with intervals, of {', '.join(models)}.",
        {
            "showlegend": has_legend and len(models) > 1,
            "xaxis": {"title": {"text": title}, "range": _around(table), "tickformat": VALUE_TICKS},
            "yaxis": named_lines(groups, LONGEST_IN_LINE) | {"showgrid": True},
        },
    )


@Figure
def pairs_figure(
    values: Floats,
    user_groups: Sequence[str],
    item_groups: Sequence[str],
    *,
    title: str,
    neutral: float,
    dark: bool = False,
) -> Plain:
    """A value of each pair of a group of users and one of items, as a number over its colour.

    Below the neutral value cells are blue, above it orange, on a scale of ratios: a half is as far from it
    as the double.

    Parameters
    ----------
    values : float64, shape (G, C), NaN where undefined.
    user_groups, item_groups : G and C names.
    title : what the values are.
    neutral : 1 of a ratio, 0 of a relative difference (−1: nothing).
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(values + (1.0 - neutral)) / np.log(FARTHEST)
    far = np.clip(ratio, -1, 1)
    row, column = np.divmod(np.arange(values.size), max(len(item_groups), 1))
    sign = "+" if neutral == 0 else ""
    texts = ["n/a" if np.isnan(value) else _signed(value, sign) for value in values.ravel()]
    names = [
        f"users {as_written(user_groups[at])}, items {as_written(item_groups[to])}: {text}"
        for at, to, text in zip(row.tolist(), column.tolist(), texts, strict=True)
    ]
    cells = {
        "type": "heatmap",
        "z": far,
        "x": list(range(len(item_groups))),
        "y": list(range(len(user_groups))),
        "colorscale": [[0, palette.least], [0.5, palette.faint], [1, palette.most]],
        "zmin": -1,
        "zmax": 1,
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "name": title,
        "customdata": np.array(names, object).reshape(values.shape),
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    text = {
        "type": "scatter",
        "x": column,
        "y": row,
        "mode": "text",
        "name": title,
        "text": texts,
        "textfont": {"size": 13, "color": palette.ink},
        "hoverinfo": "skip",
    }
    above = [as_written(shortened(name, LONGEST_IN_LINE)) for name in item_groups]
    return drawn(
        [cells, text],
        palette,
        f"{title} of {len(user_groups)} groups of users by {len(item_groups)} groups of items; {neutral:g} "
        "is neutral.",
        {
            "showlegend": False,
            "xaxis": {
                "tickvals": list(range(len(item_groups))),
                "ticktext": above,
                "showgrid": False,
                "side": "top",
            },
            "yaxis": named_lines(user_groups, LONGEST_IN_LINE),
            "margin": {"l": 64, "r": 16, "t": 40, "b": 12},
        },
    )


@Figure
def user_values_figure(labels: Sequence[str], n: Sequence[int], *, title: str, dark: bool = False) -> Plain:
    """How many users have a value in each bin.

    Parameters
    ----------
    labels : B bins in words, in ascending order.
    n : B counts.
    title : what the values are, the title of the axis.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    colours = [palette.positive if label == "0" else palette.negative for label in labels]
    bars = {
        "type": "bar",
        "x": list(labels),
        "y": list(n),
        "name": "users",
        "marker": {"color": colours},
        "hovertemplate": "%{x}: %{y:,} users<extra></extra>",
    }
    return drawn(
        [bars],
        palette,
        f"Users by {title}, in {len(labels)} bins from {labels[0]} on.",
        {
            "showlegend": False,
            "bargap": 0.15,
            "xaxis": {"type": "category", "title": {"text": title}},
            "yaxis": {"title": {"text": "users"}, "rangemode": "tozero", "tickformat": ","},
        },
    )


def _around(table: pd.DataFrame) -> list[float]:
    """A range with 0 and every value and interval in it, and room at its ends for the marks."""
    ends = table[["value", "ci_low", "ci_high"]].to_numpy(float)
    ends = ends[np.isfinite(ends)]
    low, high = min(float(ends.min(initial=0.0)), 0.0), max(float(ends.max(initial=0.0)), 0.0)
    room = ROOM * ((high - low) or 1.0)
    return [low - room, high + room]


def _signed(value: float, sign: str) -> str:
    return format(value, f"{sign}.2f").replace("-", "−")
