"""The rows that a page counts: of the model in use, and where they are split, which part."""

from typing import cast

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point.row_sets import Role, RowSet, row_set
from evalcore.operating_point.wording import counted
from pages.shared import session, widgets
from pages.shared.point import TEST, TUNE, PointState, has_split, see_test

PARTS = {TUNE: "Tune", TEST: "Test", "all": "All"}


def data_with_scores(purpose: str) -> Data | None:
    """The session's data where the model in use has labels and scores; else the page says what is missing.

    Parameters
    ----------
    purpose
        What they would be needed for, the end of "there is nothing to …".
    """
    data = session.current().data
    if data.queries is not None and session.model() in data.queries.models:
        return data
    whose = "These data hold" if data.queries is None else "This model has"
    st.info(f"{whose} no labels and scores: there is nothing to {purpose}. Load a queries file.")
    st.page_link("pages/common/data.py", label="To the Data page")
    return None


def choose_rows(data: Data, model: str) -> RowSet:
    """The rows to count: all, or with a split the tune rows until another part is chosen on any page."""
    if not has_split(data):
        return row_set(data, "all", split=None, model=model)
    part = st.segmented_control(
        "Rows",
        list(PARTS),
        default=TUNE,
        required=True,
        format_func=PARTS.__getitem__,
        key="rows_part",
        persist_state="session",
    )
    return row_set(data, cast(Role, part), split=None if part == "all" else part, model=model)


def show_rows(rows: RowSet) -> None:
    """How many rows are counted and which."""
    positives = f"{rows.n_positives:,} with evidence"
    widgets.plain(
        f"Counted on {rows.in_words}: {counted(len(rows.queries), 'check')}, {positives}.", is_quiet=True
    )


def note_test_seen(rows: RowSet, state: PointState) -> None:
    """Where test rows are counted at the session's thresholds, these are the tested ones from now on."""
    if rows.role == "tune" or not has_split(rows.data):
        return
    see_test(rows.data, state)
    st.caption("The test rows are seen here: thresholds that are moved from now on are exploratory.")
