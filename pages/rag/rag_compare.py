"""Compare systems: two systems on the queries that both have, with intervals, tests, and what fell out."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.compare.rag.annotations import USUAL, compare_annotations
from evalcore.compare.rag.systems import RECORD, by_system, n_without_system, shared_keys
from evalcore.compare.wording import (
    answer_of_rows,
    change_in_words,
    favours,
    fell_out,
    label_of,
    metric_of,
    places_of,
)
from evalcore.data import Data
from evalcore.figures.comparison import comparison_figure, difference_title
from evalcore.figures.drawing import Ends
from evalcore.files import table_csv
from evalcore.text.numerals import change_between, change_text, value_text
from pages.shared import choices, widgets
from pages.shared.annotations import annotated
from pages.shared.charts import kept_chart
from pages.shared.compared.second import Second
from pages.shared.compared.shown import p_text
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.tasks import RAG
from pages.shared.written import as_markdown, in_options

HEADER = ("difference", "95 % interval", "p", f"p{annotated.NO_BREAK}(Holm)", "n", "left out")
EXPORT = Second(RAG, "export", "annotations")
WORDS = {RECORD: "record id"}
Rows = list[dict[str, Any]]


class Pair(NamedTuple):
    """Two systems; the second is compared with the first."""

    first: str
    second: str
    one: Data
    two: Data
    key: tuple[str, ...]


def ask_pair(systems: dict[str, Data]) -> Pair:
    """Which two systems of the same data."""
    names = list(systems)
    first = choices.selectbox("From", "from", names, names[0], key="rag_first", width=190)
    others = [name for name in names if name != first]
    second = choices.selectbox("to", "to", others, others[0], key=f"rag_second_{first}", width=190)
    return Pair(first, second, systems[first], systems[second], (session.annotated().key, first, second))


def exports(one: session.SessionData, two: session.SessionData) -> Pair:
    """Two exports."""
    return Pair(*EXPORT.labels(one, two), one.data, two.data, (one.key, two.key))


def keys_of(pair: Pair) -> dict[str, int]:
    """What can name a query on both sides, and how many queries both then have."""
    found: dict[str, int] = remember("rag_keys", pair.key, lambda: shared_keys(pair.one, pair.two))
    return found


def ask_key(pair: Pair) -> str:
    """What makes two records the same query; the one that both share most at first."""
    keys = keys_of(pair)
    shown = in_options(keys)
    return str(
        choices.selectbox(
            "Same query by",
            "same_by",
            list(keys),
            next(iter(keys)),
            format_func=lambda key: f"{WORDS.get(key, shown[key])} ({keys[key]:,} shared)",
            key=f"rag_same_by_{'_'.join(pair.key)}",
            width=260,
            help="What makes two records the same query. Several records of one query count as their mean.",
        )
    )


def what_else(pair: Pair) -> str:
    """What to do where the two share no query by the chosen key."""
    if any(keys_of(pair).values()):
        return ": choose what else names the same query."
    return (
        ", nor by anything else. A column can name the query where every task of both sides has it, with one "
        "value a record."
    )


def compared(pair: Pair, key: str, k: int) -> pd.DataFrame:
    """The differences, computed once for a setting."""

    def compute() -> pd.DataFrame:
        with session.heavy_work():
            return compare_annotations(pair.one, pair.two, key=key, k=k)

    table: pd.DataFrame = remember("rag_compare", (pair.key, key, k), compute)
    return table


def cells(row: dict[str, Any]) -> list[str]:
    """One line of the table."""
    metric, places = metric_of(row), places_of(row)
    interval = change_between(metric, row["ci_low"], row["ci_high"], places)
    interval = interval.replace(" ", annotated.NO_BREAK)
    ps = [p_text(row[name]) for name in ("p", "p_holm")]
    means = [value_text(metric, row[name]) for name in ("first", "second")]
    difference = change_text(metric, row["difference"], places).replace(" ", annotated.NO_BREAK)
    return [label_of(row), *means, difference, interval, *ps, f"{row['n']:,}", f"{row['n_without_value']:,}"]


def show_differences(pair: Pair, rows: Rows, key: str, k: int) -> None:
    """Figure and table of all metrics."""
    columns = {name: np.array([row[name] for row in rows]) for name in ("difference", "ci_low", "ci_high")}
    n_tests = sum(row["p"] == row["p"] for row in rows)
    left, right = st.columns([2, 3], gap="large")
    with left:
        kept_chart(
            "rag_differences",
            (pair.key, key, k),
            lambda dark: comparison_figure(
                [label_of(row) for row in rows],
                columns["difference"],
                Ends(columns["ci_low"], columns["ci_high"]),
                [favours(row) for row in rows],
                first=pair.first,
                second=pair.second,
                changes=[change_in_words(row) for row in rows],
                title=difference_title(pair.first, pair.second),
                are_shares=all(metric_of(row).is_percent for row in rows),
                dark=dark,
            ),
            height=130 + 32 * len(rows),
        )
    with right:
        widgets.table(
            ("", pair.first, pair.second, *HEADER),
            map(cells, rows),
            name=f"Differences between {pair.second} and {pair.first}",
            meanings={label_of(row): widgets.meaning(metric_of(row)) for row in rows},
        )
        widgets.plain(
            "Left out: shared queries without a value on one side, such as a list that is not wholly "
            f"annotated. Intervals: percentiles of {USUAL.bootstrap:,} bootstrap replicates of queries. p: "
            f"two-sided, {USUAL.permutations:,} swaps of the two systems query by query; Holm over "
            f"{n_tests} metric{'' if n_tests == 1 else 's'}. Seed {USUAL.seed}.",
            is_quiet=True,
        )


def show(pair: Pair, key: str, k: int) -> None:
    """The answer, what fell out, and the differences."""
    table = compared(pair, key, k)
    rows: Rows = table.to_dict("records")
    if not rows:
        widgets.plain(f"{pair.first} and {pair.second} have no task in common: nothing can be compared.")
        return
    widgets.small_heading("What the shared queries say", level=2)
    widgets.plain(answer_of_rows(rows, pair.first, pair.second))
    dropped = fell_out(rows, pair.first, pair.second)
    widgets.plain(" ".join(line[0].upper() + line[1:] for line in dropped), is_quiet=True)
    if not table["n"].any():
        widgets.plain(f"The two share no query by {WORDS.get(key, key)}{what_else(pair)}")
        return
    show_differences(pair, rows, key, k)
    widgets.csv_button(
        "Table as CSV",
        table_csv(table),
        "systems.csv",
        "rag_compare_csv",
    )


def show_page(data: Data) -> None:
    """Two systems of these data, or these data and a second export."""
    assert data.annotations is not None
    other = EXPORT.in_use()
    systems = by_system(data) if other is None else {}
    if other is None and len(systems) < 2:
        found = "one system" if not systems else f"one system only, {as_markdown(next(iter(systems)))}"
        st.info(
            f"These data hold {found}: a comparison needs two. Load a file in which a column system names "
            "them, or give the second system's export here."
        )
        EXPORT.ask(is_needed=True)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = ask_pair(systems) if other is None else exports(session.annotated(), other)
        key = ask_key(pair)
        k = annotated.choose_cut_off(data.annotations)
    show(pair, key, k)
    n_nobody = n_without_system(data) if other is None else 0
    if n_nobody:
        told = "record names no system: it is" if n_nobody == 1 else "records name no system: they are"
        widgets.plain(f"{n_nobody:,} {told} on no side.", is_quiet=True)
    if other is None:
        EXPORT.ask(is_needed=False)


st.title("Compare systems")
if annotated.annotations_in_use() is not None and not session.needs_rows(session.annotated(), "pair"):
    show_page(session.annotated().data)
