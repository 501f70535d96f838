"""How often the test rows were looked at before, and who counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evalcore.problems import InputError, problem

CountedBy = Literal["server", "session", "nobody"]
COUNTERS = ("server", "session", "nobody")

_UTC = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


@dataclass(frozen=True)
class LooksAtTest:
    """What is known of the looks at the test rows before an evaluation.

    Parameters
    ----------
    n_before : looks at these test rows known before this evaluation, at least 0.
    shown : what was shown in each of them, in words, oldest first.
    counted_by : ``server`` (every session, as long as it runs), ``session`` (this one only) or ``nobody``.
    known_since : UTC time from which on the counter knows, RFC 3339 to the second such as
        ``2026-01-31T12:00:00Z``; None where nobody counts.

    Raises
    ------
    InputError : OPT-003 for a count below 0, another counter, a time in another form, or a counter without
        the time since when it counts.
    """

    n_before: int
    shown: tuple[str, ...]
    counted_by: CountedBy
    known_since: str | None

    def __post_init__(self) -> None:
        found = []
        if self.n_before < 0:
            found.append(problem("OPT-003", name="n_before", found=self.n_before, expected="a count from 0"))
        if self.counted_by not in COUNTERS:
            expected = " or ".join(COUNTERS)
            found.append(problem("OPT-003", name="counted_by", found=self.counted_by, expected=expected))
        is_time = self.known_since is not None and _UTC.fullmatch(self.known_since) is not None
        if not is_time and (self.known_since is not None or self.counted_by != "nobody"):
            expected = "a UTC time such as 2026-01-31T12:00:00Z"
            found.append(problem("OPT-003", name="known_since", found=self.known_since, expected=expected))
        if found:
            raise InputError(found)

    def as_json(self) -> dict[str, Any]:
        """The looks as a document's ``selection.looks_at_test``."""
        return {
            "n_before": self.n_before,
            "shown": list(self.shown),
            "counted_by": self.counted_by,
            "known_since": self.known_since,
        }

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> LooksAtTest:
        """The looks of a document's entry."""
        return LooksAtTest(
            int(entry["n_before"]), tuple(entry["shown"]), entry["counted_by"], entry["known_since"]
        )

    @property
    def text(self) -> str:
        """What is known and what is not, as a sentence."""
        if self.counted_by == "nobody":
            return "Looks at the test rows: what was used on the command line nobody can count."
        who = "the server" if self.counted_by == "server" else "this session alone"
        since = f"since {self.known_since}"
        times = "none" if self.n_before == 0 else f"{self.n_before:,}"
        return (
            f"Looks at the test rows before this one: {times}, counted by {who} {since}; what was seen "
            "earlier or elsewhere nobody can count."
        )


NOBODY_COUNTED = LooksAtTest(0, (), "nobody", None)
"""Without a counter, as on the command line."""
