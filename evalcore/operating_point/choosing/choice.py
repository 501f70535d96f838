"""A choice, and how a document says that it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.operating_point.choosing.folds import OverFolds
from evalcore.operating_point.choosing.tested import FactsOfTest
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    is_strict,
    n_to_choose_by,
)
from evalcore.operating_point.rules import FIRST
from evalcore.operating_point.test_rows.looks import NOBODY_COUNTED, LooksAtTest
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import Mark

BY_BOUND = "Learn-then-Test, fixed sequence from the safe end, one-sided bounds"
BY_EXACT = "tau_neg by Clopper-Pearson at the number of positives"
BY_KISH = "tau_neg by Clopper-Pearson at Kish's effective number of positives"
BY_CORRELATION = (
    "tau_neg by Clopper-Pearson at the number that the correlation of positives within posts leaves"
)
OF_PRECISION = "tau_pos by Korn-Graubard, strict where posts hold many alerts"
BY_ESTIMATE = "point estimates"
MANUAL = "set by hand"
OBJECTIVE = "the largest admissible tau_neg, then among tau_pos >= tau_neg the most alerts"


@dataclass(frozen=True)
class Choice:
    """Two thresholds with everything that led to them.

    Parameters
    ----------
    chosen : the rows they were chosen on.
    test : the rows they were tested on, if any.
    constraints : what was to be reached.
    thresholds : the result.
    is_manual : whether a person set them.
    is_test_seen : whether they were set after test rows had been seen.
    folds : the same choice tried over folds, if it was; then ``chosen`` are all rows.
    looks : what is known of looks at the test rows before; None where nobody counted.
    prevalence : the prevalence that the claims on test are for, where it is named.
    must_not_miss : groups that must hold the target of screening sensitivity by themselves.
    by : columns whose groups are shown beside theirs.
    """

    chosen: RowSet
    test: RowSet | None
    constraints: tuple[Constraint, ...]
    thresholds: Thresholds
    is_manual: bool
    is_test_seen: bool = False
    folds: OverFolds | None = None
    looks: LooksAtTest | None = None
    prevalence: float | None = None
    must_not_miss: tuple[Mark, ...] = ()
    by: tuple[str, ...] = ()

    @property
    def chosen_on(self) -> str:
        """``manual``, ``folds``, or the role of the rows."""
        return "manual" if self.is_manual else "folds" if self.folds is not None else self.chosen.role


def selection(
    choice: Choice, facts: FactsOfTest | None, offered: Sequence[Constraint] = ()
) -> dict[str, Any]:
    """A choice as a document's ``selection``.

    Parameters
    ----------
    choice : what was chosen, on what.
    facts : what is known of the test; None without one.
    offered : the targets that were offered in place of those that cannot be met.
    """
    by_bound = any(constraint.confidence is not None for constraint in choice.constraints)
    entry: dict[str, Any] = {
        "chosen_on": choice.chosen_on,
        "method": MANUAL if choice.is_manual else _method(choice) if by_bound else BY_ESTIMATE,
        "objective": None if choice.is_manual else OBJECTIVE,
        "constraints": [constraint.as_json() for constraint in choice.constraints],
    }
    if not choice.is_manual:
        entry["candidates_considered"] = choice.thresholds.n_considered
    if choice.folds is not None:
        entry["folds"] = choice.folds.entry()
    if facts is not None:
        entry |= facts.entry()
    if choice.is_test_seen:
        entry["test_seen_before"] = True
    return entry | (_additions(choice, offered) if choice.chosen.rules != FIRST else {})


def _additions(choice: Choice, offered: Sequence[Constraint]) -> dict[str, Any]:
    """What the schema gained with version 1.1."""
    found: dict[str, Any] = {}
    if choice.test is not None or choice.looks is not None:
        found["looks_at_test"] = (choice.looks or NOBODY_COUNTED).as_json()
    if choice.chosen.clusters is not None:
        found["cluster"] = choice.chosen.clusters.column
    if choice.prevalence is not None:
        found["claimed_prevalence"] = choice.prevalence
    if offered:
        found["offered"] = [constraint.as_json() for constraint in offered]
    if choice.must_not_miss:
        marks = choice.must_not_miss
        found["must_not_miss"] = [{"column": column, "level": level} for column, level in marks]
    if choice.by:
        found["groups_by"] = list(choice.by)
    return found


def _method(choice: Choice) -> str:
    """By which bounds the thresholds were chosen."""
    posts = choice.chosen.posts
    clustered = BY_KISH if is_strict(posts) else BY_CORRELATION
    of_metric = {
        SENSITIVITY: BY_EXACT if n_to_choose_by(posts) is None else clustered,
        PRECISION: OF_PRECISION,
    }
    asked = [c.metric for c in choice.constraints if c.confidence is not None]
    return "; ".join([BY_BOUND, *(of_metric[metric] for metric in asked)])
