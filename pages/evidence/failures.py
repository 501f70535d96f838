"""Failures: the checks behind the numbers, worst first, and the ranked candidates of each."""

from dataclasses import replace

import streamlit as st

from evalcore.data import Data
from evalcore.failures import (
    DeepGold,
    Failures,
    Filter,
    Flips,
    deep_gold,
    false_alerts,
    flips,
    missed_evidence,
)
from evalcore.splits import tune_split
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.lists.failure_filters import (
    ask_filter,
    ask_kind,
    ask_list,
    ask_other_pair,
    ask_rank,
    kinds_for,
)
from pages.shared.lists.failure_tables import show_candidates, show_changes, show_table
from pages.shared.memo import remember
from pages.shared.point.point import Pair, current_point
from pages.shared.point.rows import Part, counted_key, granted_part, part_of, say_thresholds
from pages.shared.written import NONE


def found(kind: str, part: Part, model: str, taus: Pair, only: Filter) -> Failures | Flips | DeepGold | None:
    """What fails, from the core."""
    data, key, at = part.data, (counted_key(), model, taus, only), numbers(taus)
    if kind == "missed":
        return remember("failures", (kind, *key), lambda: missed_evidence(data, model, at, only))
    if kind == "false_alerts":
        return remember("failures", (kind, *key), lambda: false_alerts(data, model, at, only))
    if kind == "flips":
        other = ask_other_pair(data, model)
        if other is None:
            widgets.plain("Two thresholds are needed, the lower one first; “none” empties a zone.")
            return None
        return remember("failures", (kind, *key, other), lambda: flips(data, model, at, numbers(other), only))
    by, k = ask_list(data.rankings), ask_rank()
    return remember(
        "failures",
        (kind, *key, by, k),
        lambda: deep_gold(data, by, k, only, model=model if data.queries is not None else None, taus=at),
    )


def numbers(pair: Pair) -> tuple[float | None, float | None]:
    """Two thresholds as numbers."""
    return tuple(None if text is None else float(text) for text in pair)


def choose_part(data: Data, only: Filter) -> Part | None:
    """The rows of the filter's split; those of test are asked for."""

    def back() -> None:
        st.session_state["failures_split"] = tune_split(data) or NONE

    return granted_part(data, only.split, "Failures", on_refusal=back)


def show(data: Data) -> None:
    """Kind, filter, table, and the candidates of the selected row."""
    queries = data.queries
    in_use = session.model()
    model = in_use if queries is None or in_use in queries.models else queries.models[0]
    if model != in_use:
        widgets.plain(f"{in_use} has no labels and scores: checks and thresholds are those of {model}.")
    state = current_point(data, model) if queries is not None else None
    pair = state.pair if state is not None else (None, None)
    say_thresholds(state)
    kind = ask_kind(kinds_for(data))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of_kind = session.with_lists() if kind == "deep_gold" else data
        only = ask_filter(of_kind.rankings if kind == "deep_gold" else queries, data, kind)
        part = choose_part(of_kind, only)
        failures = None if part is None else found(kind, part, model, pair, replace(only, split=None))
    if failures is None or part is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if isinstance(failures, Flips):
            show_changes(failures)
        row = show_table(kind, failures)
    if row is not None:
        table = failures.as_table()
        with right:
            lists = part_of(session.with_lists(), part.split).rankings
            show_candidates(lists, str(table["post"][row]), str(table["criterion"][row]))


st.title("Failures")
# The tables' own download would write ids as they are, and a spreadsheet could run them.
st.html('<style>button[aria-label^="Download as CSV"] { display: none; }</style>')
in_use = session.current()
if session.needs_rows(in_use, "look at one by one"):
    pass
elif in_use.data.queries is None and in_use.data.rankings is None:
    st.info("These data hold neither labels and scores nor ranked lists: there are no rows to look at.")
    st.page_link("pages/common/data.py", label="To the Data page")
else:
    show(in_use.data)
