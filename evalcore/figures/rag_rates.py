"""Metrics of answers beside each other, for everything or for each group, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Figure,
    Plain,
    as_written,
    drawn,
    line,
    named_lines,
    share_axis,
)

if TYPE_CHECKING:
    import pandas as pd

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
GROUP_STEP = 0.7
"""Which part of the distance between two metrics the groups take."""


@Figure
def rates_figure(table: pd.DataFrame, labels: Mapping[str, str], *, dark: bool = False) -> Plain:
    """A line a metric from top to bottom, a point a group, with n in words.

    Parameters
    ----------
    table : rows of a report, of the default variants: ``metric``, ``group``, ``value``, ``ci_low``,
        ``ci_high``, ``n``; a value that is not defined is left out.
    labels : metric → its name on the page, in the order of the lines.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces: list[dict[str, Any]] = []
    groups = list(dict.fromkeys(table["group"]))
    step = GROUP_STEP / max(len(groups), 1)
    places = {metric: at for at, metric in enumerate(labels)}
    for at, group in enumerate(groups):
        rows = table[(table["group"] == group) & table["value"].notna() & table["metric"].isin(places)]
        aside = (at - (len(groups) - 1) / 2) * step
        value = rows["value"].to_numpy(float)
        traces.append(
            {
                "type": "scatter",
                "x": value,
                "y": [places[metric] + aside for metric in rows["metric"]],
                "name": as_written(group or "all"),
                "mode": "markers",
                "marker": {
                    "color": line(palette, at)["color"],
                    "symbol": SYMBOLS[at % len(SYMBOLS)],
                    "size": 9,
                },
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": (rows["ci_high"].to_numpy(float) - value).tolist(),
                    "arrayminus": (value - rows["ci_low"].to_numpy(float)).tolist(),
                    "thickness": 1.5,
                    "width": 4,
                },
                "customdata": [
                    f"{labels[metric]}, n = {n:,}"
                    for metric, n in zip(rows["metric"], rows["n"], strict=True)
                ],
                "hovertemplate": "%{x:%}, %{customdata}<extra>%{fullData.name}</extra>",
            }
        )
    return drawn(
        traces,
        palette,
        f"{', '.join(labels.values())}: share with its interval"
        f"{f', by {len(groups)} groups' if len(groups) > 1 else ''}.",
        {
            "showlegend": len(groups) > 1,
            "xaxis": share_axis("share of answers"),
            "yaxis": named_lines(tuple(labels.values())) | {"showgrid": True},
        },
    )
