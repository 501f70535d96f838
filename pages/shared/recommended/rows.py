"""Rows of a report of recommendation lists on a page: those of default definitions, as cells and as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd
import streamlit as st

from evalcore.catalog import METRICS
from evalcore.evaluation import Report
from evalcore.report.layout import Value
from evalcore.report.metrics_csv import table_csv
from evalcore.spec import Metric
from pages.shared.recommended import recommended

OF_ITEMS = "ItemGroups"


def default_rows(found: Report, k: int) -> pd.DataFrame:
    """The rows of every metric's default definition, at K or of no K, over everything and by group."""
    table = found.table
    metrics = {one.name: one for one in METRICS.values() if one.family == recommended.FAMILY}
    variant = table["metric"].map({name: one.default_variant for name, one in metrics.items()})
    population = table["metric"].map({name: one.population[0] for name, one in metrics.items()})
    is_default = (table["variant"] == variant) & (table["population"] == population)
    of_k = (table["params"].str.partition(";")[0] == f"k={k}") | ~table["params"].str.startswith("k=")
    is_spread = table["params"].str.contains("stat=")
    return table[is_default & of_k & ~is_spread]


def of(rows: pd.DataFrame, metrics: Iterable[Metric], group_by: str = "") -> pd.DataFrame:
    """The rows of some metrics, over everything or by one column."""
    return rows[rows["metric"].isin([one.name for one in metrics]) & (rows["group_by"] == group_by)]


def values(rows: pd.DataFrame) -> dict[tuple[str, str, str], Value]:
    """(metric, model, group) → its row."""
    found = [Value(*row) for row in rows.itertuples(index=False)]
    return {(one.metric, one.model, one.group): one for one in found}


def cell(one: Value | None) -> str:
    """A value with its interval, or why there is none."""
    if one is None:
        return "–"
    if math.isnan(one.value):
        return recommended.short_reason(one)
    return f"{one.text} ({one.interval.partition(' (')[0]})" if one.interval else one.text


def show_download(rows: pd.DataFrame, name: str) -> None:
    """The way to take shown rows along, with the columns of ``metrics.csv``."""
    st.download_button(
        "These rows as CSV",
        table_csv(rows).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"recommender_csv_{name}",
    )
