"""Groups beside the handles: those of every column, and which of them must not be missed.

Marks belong to the data of the session and hold for each of its models; other data start afresh.
"""

from collections.abc import Iterable, Mapping

import streamlit as st

from evalcore.data import Data
from evalcore.failures import Filter, group_rows
from evalcore.files import table_csv
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import groups_in
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups
from evalcore.operating_point.tradeoff.groups import CRITERION, Mark, level_names, mark_text
from evalcore.operating_point.tradeoff.table import Targets
from evalcore.schema import own_name
from evalcore.splits import tune_split
from pages.shared.criteria import MUST_NOT_MISS, name_of
from pages.shared.data import session
from pages.shared.explorer.messenger import Marks
from pages.shared.explorer.widget import Download
from pages.shared.memo import kept

KEY = "marks"
OWN_FILTERS = (CRITERION, "fold", "split")
"""Columns that Failures asks for by themselves; of all others it takes ``group``."""


def marks_in_use(data: Data) -> Marks:
    """The marked groups; of data that nobody marked groups of, the criteria that must never be missed."""
    return _kept() or Marks(_usual(data))


def marks_if_changed(data: Data) -> tuple[Mark, ...] | None:
    """The marked groups where they are not the usual ones; else None."""
    marks = marks_in_use(data).marks
    return None if set(marks) == set(_usual(data)) else marks


def mark(marks: Iterable[Mark]) -> None:
    """Mark these groups and no others, as a link or a document says."""
    before = _kept()
    take_marks(Marks(tuple(marks), 1 if before is None else before.revision + 1))


def take_marks(marks: Marks) -> None:
    """What a person marked beside the handles."""
    st.session_state[KEY] = (session.current().key, marks)


def _kept() -> Marks | None:
    owner, marks = st.session_state.get(KEY, ("", None))
    return marks if owner == session.current().key else None


def _usual(data: Data) -> tuple[Mark, ...]:
    return tuple((CRITERION, id_) for id_ in _criteria(data) if id_ in MUST_NOT_MISS)


def _criteria(data: Data) -> list[str]:
    groups = groups_in(data)
    return [] if groups is None else list(level_names(groups, CRITERION))


def groups_of(rows: RowSet, owner: str, targets: Targets, marks: Iterable[Mark]) -> tuple[ColumnGroups, ...]:
    """The groups of every column of these rows, kept in the session.

    Parameters
    ----------
    rows, owner
        The rows to choose on, and what names their data and model.
    targets
        What their verdicts speak of.
    marks
        A column that holds one is there even where these rows have no other group of it.
    """
    marked = tuple(sorted({column for column, _ in marks}))
    return kept(
        "groups",
        (owner, targets.sensitivity, targets.sensitivity_confidence, marked),
        lambda: rows.all_groups(
            target=targets.sensitivity,
            confidence=targets.sensitivity_confidence,
            marked=marked,
        ),
    )


def criterion_names(data: Data) -> dict[str, str]:
    """Criterion id → what it is called in this session."""
    return {id_: name for id_ in _criteria(data) if (name := name_of(id_))}


def rows_as_file(data: Data, model: str, taus: tuple[str | None, str | None], group: Mark) -> Download:
    """The rows of a group at two thresholds, with what happens to each; with a split those of tune alone."""
    at = tuple(None if text is None else float(text) for text in taus)
    table = group_rows(data, model, (at[0], at[1]), Filter(group=group, split=tune_split(data))).as_table()
    safe = "".join(sign if sign.isalnum() or sign in "-._" else "_" for sign in "_".join(group))
    name = f"rows_{safe[:80]}_{taus[0] or 'none'}_{taus[1] or 'none'}.csv"
    if group[0] not in OWN_FILTERS:
        table[own_name(group[0], table.columns, ())] = group[1]
    return Download(name, table_csv(table), "text/csv")


def failures_of(group: Mark) -> Mapping[str, str]:
    """What opens Failures with a group."""
    column, level = group
    return {column: level} if column in OWN_FILTERS else {"group": mark_text((column, level))}
