"""What the data themselves make one want to know: checks that stop nothing, each with its rows.

`performed` tells what was checked and what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from evalcore.checks import (
    gate,
    grid,
    leakage,
    lists,
    recommendations,
    rules,
    score,
    selection,
    sidecars,
    written_metrics,
)
from evalcore.checks.grid import CriterionCells, completeness, missing_cells
from evalcore.checks.leakage import PartCounts, counts_by_part
from evalcore.checks.results import CheckResult
from evalcore.checks.summary import check_summary, is_summary
from evalcore.data import Data
from evalcore.problems import Problem

__all__ = [
    "OF_ANNOTATIONS",
    "OF_EVIDENCE",
    "OF_RECOMMENDATIONS",
    "CheckResult",
    "CriterionCells",
    "PartCounts",
    "Subject",
    "check_summary",
    "completeness",
    "counts_by_part",
    "is_summary",
    "missing_cells",
    "performed",
    "problems_in",
]


class Subject(Protocol):
    """A module of checks."""

    def performed(self, data: Data) -> Iterable[CheckResult]:
        """The checks that apply to the data; none where they lack what is checked."""


OF_EVIDENCE: tuple[Subject, ...] = (grid, leakage, score, gate, selection, written_metrics, lists)
OF_ANNOTATIONS: tuple[Subject, ...] = (rules, sidecars)
OF_RECOMMENDATIONS: tuple[Subject, ...] = (recommendations,)


def performed(data: Data, subjects: Iterable[Subject]) -> tuple[CheckResult, ...]:
    """Every check that applies to the data, passed or failed; what has no columns here is not among them.

    Rows that contradict themselves are counted in one warning and named in the next, at most 20 of a kind.
    """
    return tuple(one for subject in subjects for one in subject.performed(data))


def problems_in(results: Iterable[CheckResult]) -> tuple[Problem, ...]:
    """The problems that checks found."""
    return tuple(found for one in results for found in one.problems)
