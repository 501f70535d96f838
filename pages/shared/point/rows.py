"""The rows that a page counts: where they are split, the tune rows until others are chosen and asked for."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point.test_rows.row_sets import Role, RowSet, row_set
from evalcore.operating_point.test_rows.site_rows import has_scores
from evalcore.operating_point.wording import counted
from evalcore.splits import only_split, test_split, tune_split
from pages.shared import choices, widgets
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.point import looks
from pages.shared.point.asking import ask, is_granted
from pages.shared.point.point import PointState
from pages.shared.written import as_markdown

TUNE, TEST, ALL = "tune", "test", "all"
PARTS: dict[str, Role] = {"Tune": TUNE, "Test": TEST, "All": ALL}
KEY, COUNTED = "rows_part", "rows_counted"
ROWS = "rows"
"""Name of the choice in the address."""


@dataclass(frozen=True)
class Part:
    """Rows that a page counts.

    Parameters
    ----------
    role
        What they are used for; ``all`` where nothing is split.
    split
        The level of the split column; None for every row.
    data
        The data with these rows alone, ranked lists included.
    """

    role: Role
    split: str | None
    data: Data

    def rows(self, model: str) -> RowSet:
        """The scored rows of a model."""
        return row_set(session.current().data, self.role, split=self.split, model=model)


def data_with_scores(purpose: str, *, from_tallies: bool = False) -> Data | None:
    """The session's data where the model in use has labels and scores; else the page says what is missing.

    Parameters
    ----------
    purpose
        What they would be needed for, the end of "there is nothing to …".
    from_tallies
        Whether tallies of sites will do.
    """
    in_use = session.current()
    data = in_use.data
    if in_use.is_of_sites and not from_tallies:
        session.needs_rows(in_use, purpose)
        return None
    if has_scores(data, session.model()):
        return data
    whose = "These data hold" if data.queries is None else "This model has"
    st.info(f"{whose} no labels and scores: there is nothing to {as_markdown(purpose)}. Load a queries file.")
    st.page_link("pages/common/data.py", label="To the Data page")
    return None


def choose_part(data: Data, shown: str) -> Part | None:
    """The rows to count: with a split the tune rows, on every page, until another part is chosen and granted.

    Where data hold test rows alone, they are asked for by a button; None until that is granted.

    Parameters
    ----------
    data
        The session's data, with or without its lists.
    shown
        What kind of figure is shown, for those who ask how often test rows were looked at.
    """
    test, tune = test_split(data), tune_split(data)
    split = None
    if tune is None:
        choices.refuse_absent((ROWS,))
    else:
        _begin_with_link()
        chosen = st.segmented_control(
            "Rows", list(PARTS), default="Tune", required=True, key=KEY, persist_state="session"
        )
        choices.keep_choice(ROWS, PARTS[chosen], TUNE)
        split = {TUNE: tune, TEST: test, ALL: None}[PARTS[chosen]]
    return granted_part(data, split, shown, on_refusal=back_to_tune)


def _begin_with_link() -> None:
    """Choose the rows that a link asks for; where test rows are among them, they are asked for as ever."""
    if not choices.is_unread(ROWS):
        return
    names = {role: name for name, role in PARTS.items()}
    asked = choices.asked(ROWS)
    if len(asked) == 1 and asked[0] in names:
        st.session_state[KEY] = names[asked[0]]
    else:
        choices.refuse(ROWS, list(names))


def granted_part(data: Data, split: str | None, shown: str, *, on_refusal: Callable[[], None]) -> Part | None:
    """The rows of a split, or of all, where they hold no test rows or a look at these is granted.

    Until it is granted the look is asked for, and the tune rows are counted; None where there are none.

    Parameters
    ----------
    data, shown
        As for `choose_part`.
    split
        The level that is wanted; None for every row.
    on_refusal
        Called where the look is refused: chooses other rows.
    """
    test, tune = test_split(data), tune_split(data)
    if test is not None and split in (None, test):
        name = shown_of(shown, ALL if split is None else TEST)
        if tune is None:
            return _part(data, ALL, split) if _is_granted_alone(name) else None
        if not is_granted(name):
            ask(name, on_refusal=on_refusal)
            split = tune
    role: Role = ALL if split is None else TEST if split == test else TUNE
    return _part(data, role, split)


def shown_of(shown: str, role: str) -> str:
    """What is shown of which rows."""
    return f"{shown}, {'all rows' if role == ALL else f'{role} rows'}"


def back_to_tune() -> None:
    """Choose the tune rows again."""
    st.session_state[KEY] = "Tune"


def show_rows(rows: RowSet) -> None:
    """How many rows are counted and which."""
    positives = f"{rows.n_positives:,} with evidence"
    widgets.plain(f"Counted on {rows.in_words}: {counted(rows.n_rows, 'check')}, {positives}.", is_quiet=True)


def counted_key() -> str:
    """Names the data and the part of them that the page counts: results are kept under it."""
    return f"{session.current().key}:{st.session_state.get(COUNTED)!r}"


def part_of(data: Data, split: str | None) -> Data:
    """The data with the rows of a split alone, kept in the session."""
    key = (session.current().key, data.rankings is not None, split)
    return kept("part", key, lambda: only_split(data, split))


def _part(data: Data, role: Role, split: str | None) -> Part:
    looks.note_others()
    st.session_state[COUNTED] = split
    return Part(role, split, part_of(data, split))


def _is_granted_alone(name: str) -> bool:
    if is_granted(name):
        return True
    st.info("These data hold test rows alone: no others are there to choose thresholds on.")
    if st.button("Look at them…", key="test_alone"):
        ask(name)
    return False


def say_thresholds(state: PointState | None) -> None:
    """At which thresholds rows are decided, and where they are moved."""
    if state is None:
        return
    skip = "nothing is skipped" if state.tau_neg is None else f"skip below {state.tau_neg}"
    alert = "no alerts" if state.tau_pos is None else f"alert from {state.tau_pos}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"At the operating point: {as_markdown(skip)}, {as_markdown(alert)}.", width="content")
        st.page_link("pages/evidence/operating_point.py", label="Move the thresholds")
