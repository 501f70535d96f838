"""Looks at test rows: counted for the rows themselves, through every page, whoever looks and however often.

Rows that were shown without being asked for, as tune rows or without a split, are remembered too: a split
that is drawn or named anew makes no fresh test rows of them. The server keeps salted digests of the rows
(`evalcore.operating_point.test_rows.row_marks`), the time, and what kind of figure was shown: nothing of the
data, no name, no number. The sample, which everybody opens, is counted by session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_bytes
from threading import Lock

import streamlit as st

from evalcore.operating_point.test_rows.looks import CountedBy, LooksAtTest
from evalcore.operating_point.test_rows.row_marks import RowMarks, marks_of_other_rows, marks_of_test_rows
from pages.shared.data import session
from pages.shared.memo import kept

MOST_LOOKS, MOST_SHOWN, MOST_COMPARED = 2_000, 1_000, 50_000
AS_OTHERS = "as rows of another split, or without one"
OF_SAMPLE, RECORDED = "looks_at_sample", "looks_recorded"
_SALT = token_bytes(32)


@dataclass(frozen=True)
class Look:
    """One look: at which rows, what was shown, and when."""

    marks: RowMarks
    shown: str
    at: str


@dataclass(frozen=True)
class Shown:
    """Rows that were shown as no test rows: when, and beside which test rows they stood."""

    marks: RowMarks
    test: bytes | None
    at: str


class LookBook:
    """The looks of all sessions, or of one; several threads may write at once.

    Parameters
    ----------
    counted_by
        Who counts: ``server`` or ``session``.
    most
        Looks that are remembered. Beyond, the oldest is forgotten, and what is known begins after it.
    most_shown
        Sets of other rows that are remembered, likewise.
    now
        The time as text, UTC.
    """

    def __init__(
        self,
        counted_by: CountedBy,
        *,
        most: int = MOST_LOOKS,
        most_shown: int = MOST_SHOWN,
        now: Callable[[], str] = lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    ) -> None:
        self._lock = Lock()
        self._looks: deque[Look] = deque()
        self._shown: dict[tuple[bytes, bytes | None], Shown] = {}
        self._is_among: dict[tuple[bytes, bytes], bool] = {}
        self._counted_by, self._most, self._most_shown, self._now = counted_by, most, most_shown, now
        self._known_since = now()

    def known(self, marks: RowMarks) -> LooksAtTest:
        """What is known of the looks at these rows up to now."""
        with self._lock:
            return self._known(marks)

    def record(self, marks: RowMarks, shown: str) -> LooksAtTest:
        """Count one look more, and say what was known before it.

        Of two sessions that look at once, one comes second.
        """
        with self._lock:
            before = self._known(marks)
            kept = next((look.marks for look in self._looks if look.marks.key == marks.key), marks)
            self._looks.append(Look(kept, shown, self._now()))
            while len(self._looks) > self._most:
                self._known_since = max(self._known_since, self._looks.popleft().at)
            return before

    def note(self, marks: RowMarks, test: RowMarks | None) -> None:
        """Remember rows that were shown as no test rows, and the test rows they stood beside."""
        name = (marks.key, None if test is None else test.key)
        with self._lock:
            if name in self._shown:
                return
            self._shown[name] = Shown(marks, name[1], self._now())
            while len(self._shown) > self._most_shown:
                self._known_since = max(self._known_since, self._shown.pop(next(iter(self._shown))).at)

    def _known(self, marks: RowMarks) -> LooksAtTest:
        found = [(one.at, AS_OTHERS) for one in self._shown.values() if self._is_shown_in(marks, one)]
        found = found[:1] + [(one.at, one.shown) for one in self._looks if self._is_in(marks, one.marks)]
        shown = tuple(f"{words} ({at})" for at, words in sorted(found, key=lambda one: one[0]))
        return LooksAtTest(len(shown), shown, self._counted_by, self._known_since)

    def _is_shown_in(self, marks: RowMarks, shown: Shown) -> bool:
        """Not of the rows beside which these test rows stand: they are others."""
        return shown.test != marks.key and self._is_in(marks, shown.marks)

    def _is_in(self, marks: RowMarks, others: RowMarks) -> bool:
        name = (marks.key, others.key)
        if name not in self._is_among:
            if len(self._is_among) >= MOST_COMPARED:
                self._is_among.clear()
            self._is_among[name] = marks.is_among(others)
        return self._is_among[name]


_OF_SERVER = LookBook("server")


def known() -> LooksAtTest | None:
    """What is known of looks at the test rows of this session's data; None where they have none."""
    marks = _marks()
    return None if marks is None else _book().known(marks)


def record(shown: str, *figures: Hashable) -> LooksAtTest | None:
    """Count a look at the test rows of this session's data, once for the same figures.

    Parameters
    ----------
    shown
        What kind of figure is shown, in words of the program: no name and no number of the data.
    figures
        What the figures depend on, such as model and thresholds; kept in the session alone.

    Returns
    -------
    What was known before; None where the data have no test rows, or this session has counted it already.
    """
    marks = _marks()
    recorded: set[Hashable] = st.session_state.setdefault(RECORDED, set())
    key = (session.current().data.digest, shown, figures)
    if marks is None or key in recorded:
        return None
    recorded.add(key)
    return _book().record(marks, shown)


def note_others() -> None:
    """Remember that rows of this session's data were shown which are no test rows: tune, or not split."""
    in_use = session.current()
    others = kept("other_row_marks", in_use.key, lambda: marks_of_other_rows(in_use.data, salt=_SALT))
    if others is not None:
        _book().note(others, _marks())


def _marks() -> RowMarks | None:
    in_use = session.current()
    return kept("test_row_marks", in_use.key, lambda: marks_of_test_rows(in_use.data, salt=_SALT))


def _book() -> LookBook:
    if not session.current().is_sample:
        return _OF_SERVER
    book: LookBook = st.session_state.setdefault(OF_SAMPLE, LookBook("session"))
    return book
