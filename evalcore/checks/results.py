"""What a check gives, and the words that several checks share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.problems import Problem

_OWN = {"fold", "split", "state", "predicted_label", "tau_neg", "tau_pos", "selected_k", "n_candidates"}
_COUNTED_BY = {
    "QRY-011": "QRY-023",
    "QRY-013": "QRY-026",
    "QRY-031": "QRY-030",
    "QRY-042": "QRY-041",
    "QRY-046": "QRY-045",
    "RAG-041": "RAG-040",
}
"""Problem that names a row → problem that counts such rows."""


@dataclass(frozen=True)
class CheckResult:
    """One check of some data: what was looked at, and what failed.

    Parameters
    ----------
    name : what is checked, in a few words.
    what : the claim that holds where the check passes.
    n_rows_checked : rows, posts or values looked at, at least 1.
    problems : what failed; empty where the check passes.
    n_found : rows, posts or values that failed, named or not.
    """

    name: str
    what: str
    n_rows_checked: int
    problems: tuple[Problem, ...]
    n_found: int

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.problems


def result(name: str, what: str, n_rows_checked: int, problems: Iterable[Problem]) -> CheckResult:
    """A result, its problems taken from an iterator; rows that a count before them holds are counted once."""
    found = tuple(problems)
    codes = {one.code for one in found}
    n_found = sum(one.n_cases for one in found if _COUNTED_BY.get(one.code) not in codes)
    return CheckResult(name, what, n_rows_checked, found, n_found)


def file_of(data: Data, role: str) -> str | None:
    """The one file the rows of a role come from, or None where there are several."""
    names = [source.name for source in data.sources if source.role == role] or [s.name for s in data.sources]
    return names[0] if len(names) == 1 else None


def column_of(data: Data, role: str) -> str | None:
    """The one column of the one file that has a role, or None."""
    names = {source.columns[role] for source in data.sources if role in source.columns}
    return names.pop() if len(names) == 1 and len(data.sources) == 1 else None


def by_model(queries: Queries) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The rows of each model, with the words that name it where there are several."""
    for code, name in enumerate(queries.models):
        words = f" for model {name}" if len(queries.models) > 1 else ""
        yield words, np.flatnonzero(queries.model == code)


def numeric_columns(queries: Queries) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The columns of numbers that have no role, NaN where a cell is empty."""
    for name, values in queries.numbers.items():
        if name not in _OWN:
            yield name, values
    for name, (codes, levels) in queries.slices.items():
        if name not in _OWN and len(levels):
            try:
                yield name, np.asarray([*(float(level) for level in levels), np.nan])[codes]
            except ValueError:
                continue


def spelled(value: float) -> str:
    """A number as the shortest text that reads back as the same."""
    return repr(float(value))
