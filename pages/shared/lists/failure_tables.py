"""Tables of failures, with the way out as CSV, and the ranked candidates of one check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.data import Rankings
from evalcore.failures import STATES, Candidates, DeepGold, Failures, Flips, candidates_of
from evalcore.files import table_csv
from pages.shared import widgets
from pages.shared.criteria import label_of
from pages.shared.lists.failure_filters import ACTIONS, KINDS, choice

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

SHOWN_NAMES = {
    "post": "post",
    "criterion": "criterion",
    "has_evidence": "evidence",
    "score": "score",
    "state": "state",
    "state_before": "before",
    "state_after": "after",
    "gold": "gold",
    "rank": "rank",
    "list_length": "of",
}
NUMBERS = {"score": "%.6g", "rank": "%d", "list_length": "%d", "row": "%d"}
ROW = 35
"""Pixels of a row and, at most, of the header."""
NOTHING = {
    "missed": "No check with evidence is skipped here.",
    "false_alerts": "No check without evidence raises an alert here.",
    "deep_gold": "All gold stands within these ranks.",
    "flips": "No check changes its state here.",
}


def show_table(kind: str, failures: Failures | Flips | DeepGold) -> int | None:
    """The rows with their count and the way out as CSV; returns the row that is selected."""
    shown = len(failures)
    if not shown:
        st.info(NOTHING[kind])
        return None
    first = "with evidence first" if kind == "flips" else "worst first"
    of_all = "all shown" if shown == failures.total else f"the first {shown:,} shown"
    st.markdown(f"**{failures.total:,}** {unit(kind, failures.total)}, {first}; {of_all}")
    table = in_words(failures.as_table())
    absent = "not in the list" if kind == "deep_gold" else "–"
    picked = st.dataframe(
        with_signs(for_screen(table), absent),
        hide_index=True,
        row_height=ROW,
        height=min(ROW * (shown + 1) + 3, 16 * ROW),
        on_select="rerun",
        selection_mode="single-row",
        placeholder=absent,
        key=f"failures_table_{kind}",
        column_config=column_settings(table),
        alt=f"{KINDS[kind]}, {first}",
    )
    # Under the table: above it the table's own buttons would cover it.
    widgets.csv_button(
        f"{shown:,} {unit(kind, shown)} as CSV",
        table_csv(table).encode(),
        f"{kind}.csv",
        f"failures_csv_{kind}",
    )
    rows = [row for row in picked.selection.rows if row < shown]
    return rows[0] if rows else 0


def unit(kind: str, n: int) -> str:
    """What is counted."""
    if kind == "deep_gold":
        return "gold sentence" if n == 1 else "gold sentences"
    return "check" if n == 1 else "checks"


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The table with states named by what people do."""
    states = [name for name in table.columns if name.startswith("state")]
    return table.assign(**{name: table[name].map(ACTIONS) for name in states})


def for_screen(table: pd.DataFrame) -> pd.DataFrame:
    """The table with labels in words."""
    if "has_evidence" not in table:
        return table
    return table.assign(has_evidence=table["has_evidence"].map({True: "yes", False: "no"}))


def has_negative(table: pd.DataFrame) -> bool:
    """Whether a score is below 0: then the table is written by `with_signs`."""
    return "score" in table and bool((table["score"] < 0).any())


def with_signs(table: pd.DataFrame, absent: str = "–") -> pd.DataFrame | Styler:
    """The table with a minus before negative scores; without any, which is faster, as it is."""
    return widgets.written(table, {}, absent=absent) if has_negative(table) else table


def number_format(name: str, table: pd.DataFrame) -> str | None:
    """How the browser writes a column; not where `with_signs` did, which it would write over."""
    return None if has_negative(table) else NUMBERS[name]


def column_settings(table: pd.DataFrame) -> dict[str, Any]:
    """Every id as text, numbers with enough digits, unless `with_signs` writes them."""
    settings: dict[str, Any] = {}
    for name in table.columns:
        label = SHOWN_NAMES.get(name, name)
        if name in NUMBERS:
            settings[name] = st.column_config.NumberColumn(label, format=number_format(name, table))
        else:
            settings[name] = st.column_config.TextColumn(label)
    return settings


def show_changes(failures: Flips) -> None:
    """How many checks go from which state to which."""
    rows = [
        (f"{ACTIONS[before]} → {ACTIONS[after]}", f"{with_evidence + without:,}", f"{with_evidence:,}")
        for at, before in enumerate(STATES)
        for to, after in enumerate(STATES)
        for without, with_evidence in [failures.counts[at, to].tolist()]
        if with_evidence + without
    ]
    if rows:
        widgets.table(("change", "checks", "with evidence"), rows, name="Checks that change zone")


def show_candidates(rankings: Rankings | None, post: str, criterion: str) -> None:
    """The ranked candidates of one check with its gold marked."""
    with st.container(border=True):
        widgets.plain(f"{post} · {label_of(criterion)}" if criterion else post)
        if rankings is None:
            widgets.plain("No ranked lists are loaded: load them beside the predictions.", is_quiet=True)
            return
        names = list(rankings.lists)
        by = st.session_state.get("failures_list", names[-1])
        if st.session_state.get("failures_kind") != "deep_gold" and len(names) > 1:
            by = choice("Ranked by", "list", names, names[-1])
        candidates = candidates_of(rankings, by if by in names else names[-1], post, criterion)
        if candidates is None:
            widgets.plain("The ranked lists lack this check.", is_quiet=True)
            return
        show_list(candidates)


def show_list(candidates: Candidates) -> None:
    """Rank, candidate, gold mark and, where the list has them, score."""
    widgets.plain(f"{len(candidates):,} candidates, {candidates.n_gold:,} gold", is_quiet=True)
    table = pd.DataFrame(
        {
            "rank": range(1, len(candidates) + 1),
            "gold": ["● gold" if one else "" for one in candidates.is_gold],
            "candidate": candidates.item,
        }
    )
    settings = {name: st.column_config.TextColumn(name) for name in ("gold", "candidate")}
    if not all(pd.isna(candidates.score)):
        table["score"] = candidates.score
        score_format = number_format("score", table)
        settings["score"] = st.column_config.NumberColumn("score", format=score_format)
    rank_format = number_format("rank", table)
    settings["rank"] = st.column_config.NumberColumn("rank", format=rank_format, width="small")
    st.dataframe(
        with_signs(table),
        hide_index=True,
        row_height=ROW,
        height=min(ROW * (len(table) + 1) + 3, 13 * ROW),
        column_config=settings,
        key="failures_candidates",
        alt="Ranked candidates with gold marked",
    )
    if candidates.missing:
        names = ", ".join(candidates.missing[:20])
        more = f" and {len(candidates.missing) - 20:,} more" if len(candidates.missing) > 20 else ""
        widgets.plain(f"Gold that the list lacks: {names}{more}")
