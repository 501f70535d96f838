"""The figures of a report of recommendation lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evalcore.catalog import of_family
from evalcore.curves import popularity_curves
from evalcore.evaluation import Report
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.evaluation.recommender.tradeoff import front_of
from evalcore.figures.drawing import Ends, Floats
from evalcore.figures.recommender.groups import group_values_figure
from evalcore.figures.recommender.over_k import OverK, over_k_figure
from evalcore.figures.recommender.popularity import popularity_figure
from evalcore.figures.recommender.tradeoff import Values, tradeoff_figure
from evalcore.recommendations import ITEM_GROUP
from evalcore.report.drawings.drawing import Drawing, with_room
from evalcore.spec import Metric
from evalcore.tallies.recommended import ItemGroups, RecommendationLists
from evalcore.text.numerals import percent_of_share

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
    ks = report.options.ks
    if gathered is None or not ks:
        return []
    table = default_rows(report.table)
    at_k = default_rows(table, ks[0])
    return [
        *_over_k(table, sorted(ks)),
        *_tradeoff(at_k, ks[0]),
        *_popularity(report, gathered.models, ks[0]),
        *_groups(at_k, ks[0]),
    ]


def _headlines() -> list[Metric]:
    return [one for one in of_family("recommender") if one.headline and one.is_cut]


def _at(metric: Metric, k: int) -> str:
    return metric.label.replace("@K", f"@{k}")


def _columns(rows: pd.DataFrame, names: Sequence[str], by: str) -> tuple[Floats, Ends]:
    """Values and ends of rows in the order of names in a column; NaN where a name has no row."""
    placed = rows.drop_duplicates(by).set_index(by).reindex(names)
    value, low, high = (placed[name].to_numpy(float) for name in ("value", "ci_low", "ci_high"))
    return value, Ends(low, high)


def _over_k(table: pd.DataFrame, ks: list[int]) -> Iterator[Drawing]:
    """What stands first, over K; nothing for one K."""
    overall = table[table["group_by"] == ""]
    names = [f"k={k}" for k in ks]
    for metric in _headlines() if len(ks) > 1 else ():
        rows = overall[overall["metric"] == metric.name]
        if rows.empty:  # where only some metrics were asked for
            continue
        rows = rows.assign(params=rows["params"].str.partition(";")[0])
        lines = {
            model: OverK(*_columns(rows[rows["model"] == model], names, "params"))
            for model in rows["model"].unique()
        }
        if rows["value"].notna().any():
            title = metric.label.replace("@K", "")
            draw = partial(over_k_figure.plain, ks, lines, title=title)
            yield Drawing(f"over-k-{metric.name}", f"{title} against K", draw, is_first=metric.compared > 0)


def _tradeoff(table: pd.DataFrame, k: int) -> Iterator[Drawing]:
    """What stands first against the headlines of other chapters, where systems are several."""
    overall = table[table["group_by"] == ""]
    systems = tuple(overall["model"].unique())
    first, *others = [one for one in _headlines() if one.better != "neither"]
    for other in others if len(systems) > 1 else ():
        if other.chapter == first.chapter:
            continue
        across, up = (
            Values(_at(metric, k), *_columns(overall[overall["metric"] == metric.name], systems, "model"))
            for metric in (other, first)
        )
        if (~np.isnan(across.value) & ~np.isnan(up.value)).sum() > 1:
            front = front_of(systems, (up.value, across.value), (first.better, other.better))
            title = f"{up.title} against {across.title}, with the Pareto front"
            draw = partial(tradeoff_figure.plain, systems, across, up, front)
            yield Drawing(f"tradeoff-{other.name}", title, draw, "Filled: no other system beats it in both.")


def _popularity(report: Report, models: Mapping[str, RecommendationLists], k: int) -> Iterator[Drawing]:
    curves = popularity_curves(models, k=k, pop_ratio=report.options.pop_ratio)
    note = "Without interactions in train no item is more popular than another."
    if curves.n_head:
        share = percent_of_share(curves.of_head(curves.train))
        note = (
            f"The head, {curves.n_head:,} of {curves.n_items:,} items, has {share} of the interactions. "
            "A curve above that of train shows popular items more often than users had them."
        )
    title = f"Interactions and recommendations at K = {k} along the popularity of items"
    yield Drawing("popularity", title, partial(popularity_figure.plain, curves), note, is_first=True)


def _groups(table: pd.DataFrame, k: int) -> Iterator[Drawing]:
    """Groups of users by the shares that stand first, groups of items by what enters their spreads."""
    shares = [one for one in _headlines() if (one.better, one.bounds) == ("higher", (0, 1))]
    spreads = [one for one in of_family("recommender") if one.kind is ItemGroups and one.better == "lower"]
    columns = [name for name in dict.fromkeys(table["group_by"]) if name and ";" not in name]
    for at, column in enumerate(columns):
        for metric in spreads if column == ITEM_GROUP else shares:
            rows = table[(table["group_by"] == column) & (table["metric"] == metric.name)]
            n = rows["group"].nunique()
            if rows["value"].notna().any() and n <= MOST_GROUPS:
                yield _of_groups(rows, metric, f"groups-{at}-{metric.name}", column, k)


def _of_groups(rows: pd.DataFrame, metric: Metric, key: str, column: str, k: int) -> Drawing:
    label = _at(metric, k)
    draw = partial(group_values_figure.plain, rows, title=f"{label}, of each group")
    note = f"{metric.label}: {metric.formula}." if metric.kind is ItemGroups else ""
    height = A_GROUP * max(rows["group"].nunique(), 2)
    return Drawing(key, f"{label} by {column}", partial(with_room, draw, height), note)
