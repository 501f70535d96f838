"""Criteria: what is known of each at the thresholds that all of them share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries
from evalcore.evaluation.groups import levels_of
from evalcore.inference.binomial import Interval, clopper_pearson, wilson
from evalcore.metrics import gate
from evalcore.metrics.classification import auprc, auroc
from evalcore.spec import METRICS, Ratio
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable

Floats = NDArray[np.float64]
FEW_POSITIVES = 20
"""Below so many positives a criterion's figures say little; statistics.md, "Intervals"."""


@dataclass(frozen=True)
class CriterionResult:
    """One criterion's rows at the shared thresholds.

    Parameters
    ----------
    criterion : its id.
    table : counts at each distinct score, shape (S,).
    states : rows by state and label.
    auroc, auprc : float in [0, 1]; NaN where undefined.
    reason : why AUROC is undefined, or None.
    """

    criterion: str
    table: ScoreTable
    states: StateCounts
    auroc: float
    auprc: float
    reason: str | None

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.table.total)

    @property
    def n_positives(self) -> int:
        """Rows with evidence."""
        return int(self.table.total_pos)

    @property
    def is_small(self) -> bool:
        """Whether there are too few positives to say much."""
        return self.n_positives < FEW_POSITIVES

    @property
    def prevalence(self) -> Ratio:
        """Share of the rows with evidence."""
        return Ratio(self.n_positives, self.n)

    @property
    def screening_sensitivity(self) -> Ratio:
        """Share of the rows with evidence that are not skipped."""
        return gate.screening_sensitivity(self.states)

    @property
    def alert_precision(self) -> Ratio:
        """Share of the alerts that are right."""
        return gate.alert_precision(self.states)

    @property
    def skipped(self) -> Ratio:
        """Share of the rows that nobody looks at."""
        return gate.neg_rate(self.states)


def criterion_results(
    queries: Queries, tau_neg: float | None, tau_pos: float | None
) -> tuple[CriterionResult, ...]:
    """Each criterion of the rows of one model, in natural order (A.2 before A.10).

    Parameters
    ----------
    queries : rows of one model; rows without a criterion are left out.
    tau_neg, tau_pos : the thresholds that all criteria share; None empties the zone.
    """
    found = []
    for name, mask in (levels_of(queries, "criterion") or {}).items():
        if not mask.any():
            continue
        table = ScoreTable.from_rows(ScoredRows.from_queries(queries).where(mask))
        found.append(
            CriterionResult(
                criterion=name,
                table=table,
                states=states_at(table, tau_neg, tau_pos),
                auroc=float(auroc(table)),
                auprc=_value(auprc(table)),
                reason=METRICS["classification.auroc"].reason(table),
            )
        )
    return tuple(found)


def share_intervals(ratios: list[Ratio], *, is_exact: bool = True, confidence: float = 0.95) -> Interval:
    """Two-sided bounds of shares, one for each ratio; NaN where a denominator is 0.

    Rows of one post are taken as independent.

    Parameters
    ----------
    ratios : C shares of counts.
    is_exact : Clopper–Pearson, for shares that may be near 0 or 1; otherwise Wilson.
    confidence : in (0, 1).
    """
    successes = np.array([int(one.numerator) for one in ratios])
    n = np.array([int(one.denominator) for one in ratios])
    return (clopper_pearson if is_exact else wilson)(successes, n, confidence=confidence)


def _value(result: Ratio | float) -> float:
    return float(result.value if isinstance(result, Ratio) else result)
