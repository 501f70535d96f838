"""Rows of a report of recommendation lists on a page: of some metrics and groups, whose, and as CSV."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from evalcore.figures.recommender.over_k import marks
from evalcore.files import shortest, table_csv
from evalcore.report.layout import Value
from evalcore.spec import Metric
from pages.shared import widgets
from pages.shared.charts import is_dark
from pages.shared.written import as_html

OF_ITEMS = "ItemGroups"


def of(rows: pd.DataFrame, metrics: Iterable[Metric], group_by: str = "") -> pd.DataFrame:
    """The rows of some metrics, over everything or by one column."""
    return rows[rows["metric"].isin([one.name for one in metrics]) & (rows["group_by"] == group_by)]


def values(rows: pd.DataFrame) -> dict[tuple[str, str, str], Value]:
    """(metric, model, group) → its row."""
    found = [Value(*row) for row in rows.itertuples(index=False)]
    return {(one.metric, one.model, one.group): one for one in found}


def pair_of(group: str, of_items: Iterable[str]) -> tuple[str, str]:
    """The group of users and the group of items of a pair, whose names may hold a semicolon themselves.

    Parameters
    ----------
    group
        Both, a semicolon between them.
    of_items
        The groups of items that there are.
    """
    item_group = max((one for one in of_items if group.endswith(f";{one}")), key=len)
    return group.removesuffix(f";{item_group}"), item_group


def show_download(rows: pd.DataFrame, name: str) -> None:
    """The way to take shown rows along, with the columns of ``metrics.csv``."""
    widgets.csv_button(
        "These rows as CSV",
        table_csv(rows, number=shortest).encode(),
        f"{name}.csv",
        f"recommender_csv_{name}",
    )


def show_legend(models: list[str]) -> None:
    """Which mark is whose, once for all figures; of one model there is nothing to tell."""
    if len(models) < 2:
        return
    signs, colours = marks(len(models), dark=is_dark())
    parts = [
        f'<span><b style="color: {as_html(colour)}">{as_html(sign)}</b> {as_html(model)}</span>'
        for model, sign, colour in zip(models, signs, colours, strict=True)
    ]
    widgets.html(f'<div class="line">{"".join(parts)}</div>')
