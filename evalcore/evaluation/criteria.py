"""Criteria: what is known of each at the thresholds that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries
from evalcore.evaluation.gathering.evidence import unit_scores
from evalcore.evaluation.gathering.samples import of_queries
from evalcore.evaluation.groups import levels_of
from evalcore.evaluation.intervals.bounds import NONE, Bounds, Mask, Sample
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.intervals.replicates import decided_rows
from evalcore.evaluation.options import Options
from evalcore.inference.binomial import Interval
from evalcore.inference.correlation import UNKNOWN
from evalcore.metrics import gate
from evalcore.metrics.classification import auprc, auroc
from evalcore.spec import METRICS, Ratio, declared
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.tallies.decisions import DecidedRows, StateCounts, states_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.unit_scores import UnitScores

Floats = NDArray[np.float64]
FEW_POSITIVES = 20
"""Below so many positives a criterion's figures say little; statistics.md, "Intervals"."""


AUROC, AUPRC = declared(auroc).key, declared(auprc).key
SHARE_OF: Mapping[str, Callable[[DecidedRows], tuple[Mask, Mask]]] = {
    "prevalence": lambda rows: (np.ones_like(rows.is_positive), rows.is_positive),
    "skipped": lambda rows: (np.ones_like(rows.skipped), rows.skipped),
    "screening_sensitivity": lambda rows: _cases(gate.screening_sensitivity, rows),
    "alert_precision": lambda rows: _cases(gate.alert_precision, rows),
}
"""A share of `CriterionResult` → its cases, and which of these succeed."""


@dataclass(frozen=True, eq=False)
class CriterionResult:
    """One criterion's rows at the shared thresholds.

    Parameters
    ----------
    criterion : its id.
    table : counts at each distinct score, shape (S,).
    states : rows by state and label.
    auroc, auprc : float in [0, 1]; NaN where undefined.
    reason : why AUROC is undefined, or None.
    sample : the rows with the posts that they are drawn with.
    thresholds : τ_neg and τ_pos, −∞ and ∞ for empty zones.
    """

    criterion: str
    table: ScoreTable
    states: StateCounts
    auroc: float
    auprc: float
    reason: str | None
    sample: Sample
    thresholds: tuple[float, float]

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

    @property
    def is_one_row_a_post(self) -> bool:
        """Whether no post has two rows, so that bounds over posts are those of independent rows."""
        return len(np.unique(self.sample.units.code)) == self.n

    @cached_property
    def bounds(self) -> Mapping[str, Bounds]:
        """Two-sided bounds over posts of each share of `SHARE_OF`, made as `evaluate` makes them."""
        rows = self.sample.rows
        assert rows is not None
        decided = decided_rows(rows, dict(zip(("tau_neg", "tau_pos"), self.thresholds, strict=True)))
        cases = [of(decided) for of in SHARE_OF.values()]
        sensitivity = declared(gate.screening_sensitivity)
        correlations = [UNKNOWN] * len(cases)
        at = list(SHARE_OF).index(sensitivity.name)
        correlations[at] = self.sample.correlation(sensitivity, *cases[at])
        found = self.sample.share_bounds(cases, [1.0] * len(cases), correlations)
        return dict(zip(SHARE_OF, found, strict=True))

    @cached_property
    def auroc_bounds(self) -> Bounds:
        """DeLong's bounds, for rows taken as independent, as `evaluate` gives them without a bootstrap."""
        return self.sample.by_delong(METRICS[AUROC], self.table)


def criterion_results(
    queries: Queries | UnitScores, tau_neg: float | None, tau_pos: float | None
) -> tuple[CriterionResult, ...]:
    """Each criterion of the rows of one model, in natural order (A.2 before A.10).

    Parameters
    ----------
    queries : rows of one model, or their tally; rows without a criterion are left out.
    tau_neg, tau_pos : the thresholds that all criteria share; None empties the zone.
    """
    pair = (-np.inf if tau_neg is None else tau_neg, np.inf if tau_pos is None else tau_pos)
    options = Options(tau_neg=pair[0], tau_pos=pair[1])
    rows = queries if isinstance(queries, UnitScores) else unit_scores(queries, options)
    sample_of = of_queries(rows, options)
    found = []
    for name, members in levels_of(rows, "criterion"):
        mask = members.mask
        if not mask.any():
            continue
        _, sample = sample_of(members, options)
        table = ScoreTable.from_rows(ScoredRows.from_queries(queries).where(mask))
        found.append(
            CriterionResult(
                criterion=name,
                table=table,
                states=states_at(table, tau_neg, tau_pos),
                auroc=float(auroc(table)),
                auprc=_value(auprc(table)),
                reason=METRICS[AUROC].reason(table),
                sample=sample,
                thresholds=pair,
            )
        )
    return tuple(found)


def ranking_bounds(
    queries: Queries, *, replicates: int = 2000, seed: int = 0
) -> dict[str, dict[str, Bounds]]:
    """Bootstrap bounds of each criterion's AUROC and AUPRC, as `evaluate` gives them by criterion.

    Parameters
    ----------
    queries : rows of one model.
    replicates, seed : of the bootstrap, which draws posts, or rows where there are none.

    Returns
    -------
    Criterion → metric key → bounds; NaN where the metric is undefined or does not vary.
    """
    options = Options(bootstrap=replicates, seed=seed)
    rows = unit_scores(queries, options)
    sample_of = of_queries(rows, options)
    found = {}
    for name, members in levels_of(rows, "criterion"):
        mask = members.mask
        if not mask.any():
            continue
        _, sample = sample_of(members, options)
        table = ScoreTable.from_rows(ScoredRows.from_queries(queries).where(mask))
        keys = (AUROC, AUPRC)
        if METRICS[AUROC].reason(table) is not None:
            found[name] = dict.fromkeys(keys, NONE)
            continue
        asked = [Asked(METRICS[key], {}, table, {}, METRICS[key](table), "all_queries") for key in keys]
        found[name] = dict(zip(keys, sample.bounds(asked), strict=True))
    return found


def cooccurrence(queries: Queries, criteria: Sequence[str]) -> Cooccurrence:
    """The posts with evidence for both criteria of each pair, criteria in the order given.

    Parameters
    ----------
    queries : rows of one model.
    criteria : ids that the rows have.
    """
    return Cooccurrence.from_labels(LabelMatrix.from_queries(queries)).ordered(tuple(criteria))


def as_interval(bounds: Sequence[Bounds]) -> Interval:
    """Bounds of C values as arrays of shape (C,)."""
    return Interval(np.array([one.low for one in bounds]), np.array([one.high for one in bounds]))


def _cases(metric: Callable[..., Ratio], rows: DecidedRows) -> tuple[Mask, Mask]:
    cases = declared(metric).cases
    assert cases is not None
    return cases(rows, "default")


def _value(result: Ratio | float) -> float:
    return float(result.value if isinstance(result, Ratio) else result)
