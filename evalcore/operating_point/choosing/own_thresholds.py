"""What thresholds of its own would buy a group of rows, beside the thresholds that it shares."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    check_constraints,
    find_thresholds,
)
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoreTable


@dataclass(frozen=True)
class OwnThresholds:
    """Thresholds and the rows by state that follow.

    Parameters
    ----------
    thresholds : None empties a zone.
    states : counted on the rows that the thresholds were chosen on: other rows will show less.
    """

    thresholds: Thresholds
    states: StateCounts

    def beside(self, shared: StateCounts) -> tuple[int, int]:
        """How many more checks than at shared thresholds are skipped, and how many more are missed."""
        own = self.states
        return int(own.n_neg) - int(shared.n_neg), int(own.neg_pos) - int(shared.neg_pos)


def own_thresholds(
    table: ScoreTable,
    *,
    screening_sensitivity: float,
    alert_precision: float,
    confidence: float | None,
) -> OwnThresholds:
    """Choose thresholds on the rows of one group, by the rule of `choose_operating_point`.

    Every row is taken as independent of the others.

    Parameters
    ----------
    table : counts at each distinct score of the group's rows, shape (S,).
    screening_sensitivity, alert_precision : what to reach, in (0, 1).
    confidence : of the one-sided bounds that must reach it, in [0.5, 1); None: the estimates must.

    Raises
    ------
    InputError : for targets out of range.
    """
    constraints = (
        Constraint(SENSITIVITY, screening_sensitivity, confidence),
        Constraint(PRECISION, alert_precision, confidence),
    )
    check_constraints(constraints)
    found = find_thresholds(table, *constraints)
    return OwnThresholds(found, states_at(table, found.tau_neg, found.tau_pos))
