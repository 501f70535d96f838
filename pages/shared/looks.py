"""Looks at test rows: counted for the rows themselves, through every page, whoever looks and however often.

The server keeps salted digests of the rows (`evalcore.operating_point.row_marks`), the time, and what kind of
figure was shown: nothing of the data, no name, no number. The sample, which everybody opens, is counted by
session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_bytes
from threading import Lock

import streamlit as st

from evalcore.operating_point.looks import CountedBy, LooksAtTest
from evalcore.operating_point.row_marks import RowMarks, marks_of_test_rows
from pages.shared import session
from pages.shared.memo import kept

MOST_LOOKS = 2_000
OF_SAMPLE, RECORDED = "looks_at_sample", "looks_recorded"
_SALT = token_bytes(32)


@dataclass(frozen=True)
class Look:
    """One look: at which rows, what was shown, and when."""

    marks: RowMarks
    shown: str
    at: str


class LookBook:
    """The looks of all sessions, or of one; several threads may write at once.

    Parameters
    ----------
    counted_by
        Who counts: ``server`` or ``session``.
    most
        Looks that are remembered. Beyond, the oldest is forgotten, and what is known begins after it.
    now
        The time as text, UTC.
    """

    def __init__(
        self,
        counted_by: CountedBy,
        *,
        most: int = MOST_LOOKS,
        now: Callable[[], str] = lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    ) -> None:
        self._lock = Lock()
        self._looks: deque[Look] = deque()
        self._counted_by, self._most, self._now = counted_by, most, now
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
            self._looks.append(Look(marks, shown, self._now()))
            while len(self._looks) > self._most:
                self._known_since = self._looks.popleft().at
            return before

    def _known(self, marks: RowMarks) -> LooksAtTest:
        shown = tuple(f"{look.shown} ({look.at})" for look in self._looks if look.marks.is_same(marks))
        return LooksAtTest(len(shown), shown, self._counted_by, self._known_since)


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


def _marks() -> RowMarks | None:
    in_use = session.current()
    return kept("test_row_marks", in_use.key, lambda: marks_of_test_rows(in_use.data, salt=_SALT))


def _book() -> LookBook:
    if not session.current().is_sample:
        return _OF_SERVER
    book: LookBook = st.session_state.setdefault(OF_SAMPLE, LookBook("session"))
    return book
