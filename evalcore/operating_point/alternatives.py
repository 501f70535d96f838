"""A way on when a target cannot be met: the nearest that can, and the choice without a guarantee."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from evalcore.inference.binomial import clopper_pearson, lower_bound
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    alerts_from,
    find_thresholds,
)
from evalcore.operating_point.wording import percent, percent_of
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoreTable

_PLACES = Decimal("0.0001")


@dataclass(frozen=True)
class Alternative:
    """Another choice on the same rows, in place of one whose target cannot be met.

    Parameters
    ----------
    instead_of : metric of the target that cannot be met.
    constraint : what this choice reaches instead.
    nearest : the best value that any threshold reaches, of the kind that was asked for (bound or estimate).
    thresholds : what to use for it.
    counts : rows by state and label at these thresholds.
    """

    instead_of: str
    constraint: Constraint
    nearest: float
    thresholds: Thresholds
    counts: StateCounts

    @property
    def workload(self) -> float:
        """Share of the rows that somebody looks at, in [0, 1]."""
        return float((self.counts.total - self.counts.n_neg) / self.counts.total)

    @property
    def text(self) -> str:
        """The offer as a sentence."""
        aim = f"{self.constraint.name} of at least {percent(self.constraint.value)}"
        confidence = self.constraint.confidence
        how = (
            "as a point estimate, without a guarantee"
            if confidence is None
            else f"with {percent(confidence)} confidence"
        )
        return f"{aim} {how}: {self._costs}."

    @property
    def _costs(self) -> str:
        counts = self.counts
        if self.instead_of == PRECISION:
            return f"{int(counts.n_pos):,} alerts, {int(counts.pos_pos):,} of them right"
        n_rows, n_skipped = int(counts.total), int(counts.n_neg)
        return (
            f"skip {n_skipped:,} of {n_rows:,} checks (workload {percent_of(n_rows - n_skipped, n_rows)}), "
            f"{int(counts.neg_pos):,} of {int(counts.total_pos):,} with evidence missed"
        )


def nearest_sensitivity(table: ScoreTable, confidence: float | None) -> float | None:
    """The best screening sensitivity of any τ_neg that skips something; None when none does.

    As a lower bound at the confidence, or as an estimate without one.
    """
    n_positives = int(table.total_pos)
    if n_positives == 0 or len(table.score) < 2:
        return None
    n_kept = n_positives - int(table.pos_below[1])
    return n_kept / n_positives if confidence is None else lower_bound(n_kept, n_positives, confidence)


def nearest_precision(table: ScoreTable, tau_neg: float | None, confidence: float | None) -> float | None:
    """The best alert precision of any τ_pos ≥ τ_neg; None without a positive there.

    As a lower bound at the confidence, or as an estimate without one.
    """
    first = 0 if tau_neg is None else table.index(tau_neg)
    n_right, n_alerts = alerts_from(table, first)
    able = table.n_pos[first:] > 0  # a threshold without a positive of its own is beaten by the next one
    if not able.any():
        return None
    if confidence is None:
        return float(np.max(n_right[able] / n_alerts[able]))
    return float(np.max(clopper_pearson(n_right[able], n_alerts[able], confidence=confidence, sides=1).low))


def find_alternatives(
    table: ScoreTable, sensitivity: Constraint | None, precision: Constraint | None, chosen: Thresholds
) -> tuple[Alternative, ...]:
    """For each target that ``chosen`` does not meet: the highest that can be met, then the point estimate.

    Parameters
    ----------
    table : counts of the rows that were chosen on.
    sensitivity, precision : the targets.
    chosen : what `find_thresholds` found for them.
    """
    found: list[Alternative] = []
    if sensitivity is not None and chosen.tau_neg is None:
        nearest = nearest_sensitivity(table, sensitivity.confidence)
        for relaxed in _relaxed(sensitivity, nearest):
            thresholds = find_thresholds(table, relaxed, precision)
            if nearest is not None and thresholds.tau_neg is not None:
                found.append(_alternative(table, SENSITIVITY, relaxed, nearest, thresholds))
    if precision is not None and chosen.tau_pos is None:
        nearest = nearest_precision(table, chosen.tau_neg, precision.confidence)
        for relaxed in _relaxed(precision, nearest):
            thresholds = find_thresholds(table, sensitivity, relaxed)
            if nearest is not None and thresholds.tau_pos is not None:
                found.append(_alternative(table, PRECISION, relaxed, nearest, thresholds))
    return tuple(found)


def _relaxed(constraint: Constraint, nearest: float | None) -> list[Constraint]:
    offered = [replace(constraint, value=_rounded_down(nearest))] if nearest else []
    return offered + ([replace(constraint, confidence=None)] if constraint.confidence is not None else [])


def _rounded_down(share: float) -> float:
    """The share with four decimals, so that it can be said; a tiny one as it is."""
    return float(Decimal(repr(share)).quantize(_PLACES, rounding=ROUND_FLOOR)) or share


def _alternative(
    table: ScoreTable, instead_of: str, constraint: Constraint, nearest: float, thresholds: Thresholds
) -> Alternative:
    counts = states_at(table, thresholds.tau_neg, thresholds.tau_pos)
    return Alternative(instead_of, constraint, nearest, thresholds, counts)
