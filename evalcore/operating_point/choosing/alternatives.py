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
    n_to_choose_by,
    precision_low,
)
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.operating_point.wording import counted, percent
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoreTable
from evalcore.text.numerals import percent_of

HIGHEST = "the highest that these rows can support, set after seeing them"

_PLACES = Decimal("0.0001")


@dataclass(frozen=True)
class Alternative:
    """Another choice on the same rows, in place of one whose target cannot be met.

    Parameters
    ----------
    instead_of : metric of the target that cannot be met.
    constraint : what this choice reaches instead.
    nearest : the best value that any threshold reaches on these rows, as a bound or an estimate.
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
        highest = f", {HIGHEST}" if self.constraint.is_from_data else ""
        return f"{aim} {how}{highest}: {self._costs}."

    @property
    def _costs(self) -> str:
        counts = self.counts
        if self.instead_of == PRECISION:
            return f"{counted(int(counts.n_pos), 'alert')}, {int(counts.pos_pos):,} of them right"
        n_rows, n_skipped = int(counts.total), int(counts.n_neg)
        workload = percent_of(n_rows - n_skipped, n_rows)
        return (
            f"skip {n_skipped:,} of {counted(n_rows, 'check')} (workload {workload}), "
            f"{int(counts.neg_pos):,} of {int(counts.total_pos):,} with evidence missed"
        )


def nearest_sensitivity(
    table: ScoreTable, confidence: float | None, *, posts: PostSums | None = None
) -> float | None:
    """The best screening sensitivity of any τ_neg that skips something; None when none does.

    As the lower bound by which τ_neg is chosen, or as an estimate without a confidence.
    """
    n_positives = int(table.total_pos)
    if n_positives == 0 or len(table.score) < 2:
        return None
    share = (n_positives - int(table.pos_below[1])) / n_positives
    if confidence is None:
        return share
    n_effective = n_to_choose_by(posts)
    if n_effective is None:
        return lower_bound(n_positives - int(table.pos_below[1]), n_positives, confidence)
    bounds = clopper_pearson(share * n_effective, n_effective, confidence=confidence, sides=1, end="low")
    return float(bounds.low)


def nearest_precision(
    table: ScoreTable, tau_neg: float | None, confidence: float | None, *, posts: PostSums | None = None
) -> float | None:
    """The best alert precision of any τ_pos ≥ τ_neg; None without a positive there.

    As a lower bound at the confidence, or as an estimate without one.
    """
    first = 0 if tau_neg is None else table.index(tau_neg)
    n_right, n_alerts = alerts_from(table, first)
    # Without a positive of its own a threshold has a lower estimate than the next one.
    likely = np.flatnonzero(table.n_pos[first:] > 0)
    if not len(likely):
        return None
    estimate = n_right / n_alerts
    if confidence is None:
        return float(np.max(estimate[likely]))
    best = float(np.max(precision_low(table, first + likely, confidence, posts=posts)))
    # A bound lies below its estimate: what is estimated lower cannot be better.
    others = np.flatnonzero((table.n_pos[first:] == 0) & (estimate > best))
    return float(np.max(precision_low(table, first + others, confidence, posts=posts), initial=best))


def find_alternatives(
    chosen: RowSet, sensitivity: Constraint | None, precision: Constraint | None, found: Thresholds
) -> tuple[Alternative, ...]:
    """For each target that cannot be met: the highest that can be, then the point estimate.

    Parameters
    ----------
    chosen : the rows that were chosen on.
    sensitivity, precision : the targets.
    found : what `find_thresholds` found for them.
    """
    table, posts = chosen.table, chosen.posts
    offers: list[Alternative] = []
    if sensitivity is not None and found.tau_neg is None:
        nearest = nearest_sensitivity(table, sensitivity.confidence, posts=posts)
        for relaxed in _relaxed(sensitivity, nearest):
            thresholds = find_thresholds(table, relaxed, precision, posts=posts)
            if nearest is not None and thresholds.tau_neg is not None:
                offers.append(_alternative(table, SENSITIVITY, relaxed, nearest, thresholds))
    if precision is not None and found.tau_pos is None:
        nearest = nearest_precision(table, found.tau_neg, precision.confidence, posts=posts)
        for relaxed in _relaxed(precision, nearest):
            thresholds = find_thresholds(table, sensitivity, relaxed, posts=posts)
            if nearest is not None and thresholds.tau_pos is not None:
                offers.append(_alternative(table, PRECISION, relaxed, nearest, thresholds))
    return tuple(offers)


def is_offer(chosen: RowSet, constraint: Constraint, tau_neg: float | None) -> bool:
    """Whether a target is the very number that would be offered as the highest that these rows support.

    Such a number has four decimals; one with fewer is what a person sets, and is taken as set before.

    Parameters
    ----------
    chosen : the rows that are chosen on.
    constraint : a target.
    tau_neg : the threshold to skip that goes with it, for alert precision.
    """
    if round(constraint.value, 3) == constraint.value:
        return False
    table, posts, level = chosen.table, chosen.posts, constraint.confidence
    if constraint.metric == SENSITIVITY:
        nearest = nearest_sensitivity(table, level, posts=posts)
    else:
        nearest = nearest_precision(table, tau_neg, level, posts=posts)
    return bool(nearest) and _rounded_down(float(nearest or 0.0)) == constraint.value


def _relaxed(constraint: Constraint, nearest: float | None) -> list[Constraint]:
    highest = [replace(constraint, value=_rounded_down(nearest), is_from_data=True)] if nearest else []
    return highest + ([replace(constraint, confidence=None)] if constraint.confidence is not None else [])


def _rounded_down(share: float) -> float:
    """The share with four decimals, so that it can be said; a tiny one as it is."""
    return float(Decimal(repr(share)).quantize(_PLACES, rounding=ROUND_FLOOR)) or share


def _alternative(
    table: ScoreTable, instead_of: str, constraint: Constraint, nearest: float, thresholds: Thresholds
) -> Alternative:
    counts = states_at(table, thresholds.tau_neg, thresholds.tau_pos)
    return Alternative(instead_of, constraint, nearest, thresholds, counts)
