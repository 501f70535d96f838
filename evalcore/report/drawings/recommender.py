"""The figures of a report of recommendation lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from evalcore.catalog import of_family
from evalcore.curves import popularity_curves
from evalcore.evaluation import Report
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.figures.recommender.groups import group_values_figure
from evalcore.figures.recommender.popularity import popularity_figure
from evalcore.report.drawings.drawing import Drawing, with_room
from evalcore.spec import Metric
from evalcore.tallies.recommended import ITEM_GROUP, ItemGroups, RecommendationLists

if TYPE_CHECKING:
    import pandas as pd

A_GROUP, MOST_GROUPS = 40, 20


def drawings_of_lists(report: Report, *, thresholds_of: str | None = None) -> list[Drawing]:  # noqa: ARG001
    """Every figure that the tallies and values allow; at the first K, where a figure is of one.

    Parameters
    ----------
    report : the values.
    thresholds_of : of no meaning here: lists have no thresholds.
    """
    gathered = report.gathered.tallies.get("recommendations")
    if gathered is None:
        return []
    k = report.options.ks[0]
    table = default_rows(report.table, k)
    return [*_popularity(report, gathered.models, k), *_groups(table, k)]


def _popularity(report: Report, models: Mapping[str, RecommendationLists], k: int) -> Iterator[Drawing]:
    curves = popularity_curves(models, k=k, pop_ratio=report.options.pop_ratio)
    note = "Without interactions in train no item is more popular than another."
    if curves.n_head:
        share = curves.of_head(curves.train)
        note = (
            f"The head, {curves.n_head:,} of {curves.n_items:,} items, has {share:.1%} of the interactions. "
            "A curve above that of train shows popular items more often than users had them."
        )
    title = f"Interactions and recommendations at K = {k} along the popularity of items"
    yield Drawing("popularity", title, partial(popularity_figure, curves), note)


def _groups(table: pd.DataFrame, k: int) -> Iterator[Drawing]:
    """Groups of users by the shares that stand first, groups of items by what enters their spreads."""
    family = of_family("recommender")
    shares = [
        one
        for one in family
        if one.headline and one.kind is RecommendationLists and (one.better, one.bounds) == ("higher", (0, 1))
    ]
    spreads = [one for one in family if one.kind is ItemGroups and one.better == "lower"]
    columns = [name for name in dict.fromkeys(table["group_by"]) if name and ";" not in name]
    for at, column in enumerate(columns):
        for metric in spreads if column == ITEM_GROUP else shares:
            rows = table[(table["group_by"] == column) & (table["metric"] == metric.name)]
            n = rows["group"].nunique()
            if rows["value"].notna().any() and n <= MOST_GROUPS:
                yield _of_groups(rows, metric, f"groups-{at}-{metric.name}", column, k)


def _of_groups(rows: pd.DataFrame, metric: Metric, key: str, column: str, k: int) -> Drawing:
    label = metric.label.replace("@K", f"@{k}")
    draw = partial(group_values_figure, rows, title=f"{label}, of each group")
    note = f"{metric.label}: {metric.formula}." if metric.kind is ItemGroups else ""
    height = A_GROUP * max(rows["group"].nunique(), 2)
    return Drawing(key, f"{label} by {column}", partial(with_room, draw, height), note)
