"""Values as a person reads them, a table for each family."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from evalcore.catalog import METRICS
from evalcore.problems import shortened
from evalcore.report import layout
from evalcore.text.numerals import NO_VALUE, as_given, percent
from pages.shared import widgets
from pages.shared.written import as_markdown

MOST_ROWS = 1_000
OVERALL = (
    *("metric", "params", "value", "interval", "model", "variant", "over", "mean ± sd over folds", "n"),
    "meaning",
)
IN_FULL = (
    *("metric", "group", "statistic", "params", "value", "interval", "model", "variant", "over"),
    *("mean ± sd over folds", "n", "note", "meaning"),
)
"""Columns, of which those that say nothing are left out: the value near its name, as a phone shows few."""
WIDTHS = {"interval": 180, "variant": 120}
"""Of columns whose first lines may be empty, by which they would be too narrow for the others."""
UNKNOWN = "A metric that this version does not know."


def without_own_download() -> None:
    """Take the tables' own download away: it writes names as they are, and a spreadsheet could run them."""
    st.html('<style>button[aria-label^="Download as CSV"] { display: none; }</style>')


def by_family(values: Iterable[layout.Value]) -> dict[str, list[layout.Value]]:
    """Values by their family, in its order."""
    found: dict[str, list[layout.Value]] = {}
    for one in values:
        found.setdefault(one.family, []).append(one)
    return found


def value_table(rows: Sequence[layout.Value], columns: Sequence[str] = OVERALL) -> pd.DataFrame:
    """Values as a person reads them, without the columns that say nothing here."""
    table = pd.DataFrame([{name: cells[name] for name in columns} for cells in map(_cells, rows)])
    return table[[name for name in columns if name == "n" or (table[name] != "").any()]]


def _cells(one: layout.Value) -> dict[str, str | int]:
    """A value by the names of columns; one of a metric that is not declared here has the digits it has."""
    declared = METRICS.get(f"{one.family}.{one.metric}")
    if declared is None:
        low, high = as_given(one.ci_low), as_given(one.ci_high)
        interval = "" if NO_VALUE in (low, high) else f"{low} to {high} ({percent(one.ci_level)})"
        text, stat = as_given(one.value), one.params.partition("stat=")[2].partition(";")[0]
    else:
        interval, text, stat = one.interval, one.text, one.stat
    return {
        "metric": shortened(one.metric) if declared is None else declared.label,
        "group": shortened(one.group.replace(";", ", ")),
        "statistic": shortened(f"{stat} over {one.over}") if stat else "",
        "params": shortened(one.params.replace(";", ", ")),
        "variant": "" if one.variant == "default" else shortened(one.variant),
        "over": shortened(one.population),
        "model": shortened(one.model),
        "value": f"n/a: {shortened(one.reason)}" if one.reason else text,
        "interval": interval,
        "mean ± sd over folds": one.over_folds,
        "n": one.n,
        "note": "" if one.reason else shortened(one.note),
        "meaning": UNKNOWN if declared is None else declared.summary,
    }


def show_by_family(tables: dict[str, pd.DataFrame], name: str) -> None:
    """A tab for each family.

    Parameters
    ----------
    tables
        Family → its values.
    name
        Begins the keys of the tables: unique in a page.
    """
    titles = [as_markdown(layout.family_title(family)) for family in tables]
    for tab, (family, table) in zip(st.tabs(titles), tables.items(), strict=True):
        alt = f"Metrics of {family}"
        tab.dataframe(
            widgets.written(table, {}),
            hide_index=True,
            key=f"{name}_{family}",
            column_config={
                one: st.column_config.TextColumn(one, width=WIDTHS.get(one)) for one in table if one != "n"
            },
            alt=alt,
        )
