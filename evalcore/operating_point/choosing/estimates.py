"""What is measured of thresholds on one set of rows: rates with their counts and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalcore.inference.binomial import Sides, clopper_pearson
from evalcore.inference.clustered import ClusterSums, Mode, ShareInterval, ci_method, share_interval
from evalcore.metrics import gate
from evalcore.operating_point.choosing.folds import OverFolds
from evalcore.operating_point.choosing.rate_intervals import METHOD, MOST_UNITS, rate_interval, replicated
from evalcore.operating_point.missed import missed_per_1000
from evalcore.operating_point.rules import FIRST
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import SiteRows
from evalcore.operating_point.test_rows.site_sums import SUMS_AT
from evalcore.operating_point.tradeoff.post_sums import states_by_post, sums_of
from evalcore.spec import Metric, Ratio, declared
from evalcore.tallies.decisions import StateCounts, states_at

REPORT_LEVEL = 0.95
"""Level of intervals, and of the verdict on a target that was asked of the estimate only."""

REPORTED = tuple(
    declared(function)
    for function in (
        gate.neg_rate,
        gate.uncertain_rate,
        gate.pos_rate,
        gate.alerts_per_1000,
        gate.screening_sensitivity,
        gate.screening_fn_per_1000,
        gate.neg_npv,
        gate.alert_precision,
        gate.alert_recall,
        gate.reviews_per_true_alert,
    )
)
RATES = tuple(metric.name for metric in REPORTED if metric.cases is None)
"""What lies well inside its range: percentiles of a bootstrap over posts bound it."""

ONE_SIDED = tuple(m.name for m in REPORTED if m.cases is not None and m.better == "higher")
MISSED = declared(gate.screening_fn_per_1000).key
CASES = {
    "all_queries": "all checks",
    "positives_only": "checks with evidence",
    "skipped": "skipped checks (p < tau_neg)",
    "alerts": "checks with an alert (p >= tau_pos)",
    "true_alerts": "checks with evidence and an alert (p >= tau_pos)",
}


@dataclass(frozen=True)
class Counted:
    """Rows by state and label at two thresholds.

    Parameters
    ----------
    rows : the rows.
    total : all of them together.
    by_post : of each post, arrays of shape (P,).
    tau_neg : below it rows are skipped; None: none is.
    tau_pos : from it on they are alerts; None: none is.
    """

    rows: RowSet
    total: StateCounts
    by_post: StateCounts
    tau_neg: float | None
    tau_pos: float | None = None

    @property
    def can_draw(self) -> bool:
        """Whether rates can be drawn anew, post by post."""
        return 0 < len(self.rows.units) <= MOST_UNITS

    @property
    def without_sums(self) -> frozenset[str]:
        """The metrics behind which the sums over posts are not known."""
        return frozenset()

    def share(self, metric: Metric) -> Ratio:
        """The counts behind a metric."""
        ratio: Ratio = metric(self.total)
        return ratio

    def sums(self, metric: Metric) -> ClusterSums:
        """The sums over posts behind a metric."""
        by_post: Ratio = metric(self.by_post)
        correlation = self.rows.posts.correlation_of(by_post, metric.succeed)
        return sums_of(by_post, correlation=correlation, rules=self.rows.rules)

    def interval(self, sums: ClusterSums, *, confidence: float, sides: Sides) -> ShareInterval:
        """The interval of a share of these rows; where they name no posts, every check is independent."""
        mode: Mode = "auto" if self.rows.has_units else "clopper_pearson"
        return share_interval(sums, confidence=confidence, sides=sides, mode=mode)


@dataclass(frozen=True)
class CountedOnGrid(Counted):
    """Rows by state and label that are known by tallies: no single post is."""

    rows: SiteRows

    @property
    def can_draw(self) -> bool:
        """Not without the posts."""
        return False

    @property
    def without_sums(self) -> frozenset[str]:
        """The metrics behind which the sums over posts are not known."""
        return frozenset(metric.key for metric in REPORTED) - SUMS_AT.keys()

    def sums(self, metric: Metric) -> ClusterSums:
        """The sums over posts behind a metric."""
        return self.rows.sums_at(metric, self.tau_neg, self.tau_pos)


def count(rows: RowSet, tau_neg: float | None, tau_pos: float | None) -> Counted:
    """Count the rows by state at two thresholds; None empties a zone."""
    total = states_at(rows.table, tau_neg, tau_pos)
    if isinstance(rows, SiteRows):
        return CountedOnGrid(rows, total, total, tau_neg, tau_pos)
    return Counted(rows, total, states_by_post(rows.scored, tau_neg, tau_pos), tau_neg, tau_pos)


def estimates(
    counted: Counted, levels: Mapping[str, float], *, is_bootstrapped: bool = True
) -> list[dict[str, Any]]:
    """Every gate metric of the rows as entries of a document's ``estimates``.

    Parameters
    ----------
    counted : the rows by state and label.
    levels : metric → confidence of its one-sided bound, where a target names one.
    is_bootstrapped : False bounds workload rates like shares near 0 or 1, as documents did before; so do
        rates of very many posts.
    """
    replicates = replicated(counted.rows, counted.by_post) if is_bootstrapped and counted.can_draw else None
    return [
        _estimate(metric, counted, levels.get(metric.key, REPORT_LEVEL), replicates) for metric in REPORTED
    ]


def pooled_estimates(folds: OverFolds) -> list[dict[str, Any]]:
    """The same metrics over the held-out rows of all folds, without intervals: many thresholds made them."""
    total = folds.pooled
    found = []
    for metric in REPORTED:
        ratio, reason = metric(total), metric.reason(total)
        found.append(
            {
                "metric": metric.key,
                "value": None if reason else float(ratio.value),
                "undefined_reason": reason,
                "numerator": int(ratio.numerator),
                "denominator": int(ratio.denominator),
                "subset": f"{CASES[metric.population[0]]} of the held-out folds, each at its own thresholds",
                "evaluated_on": "folds",
                "ci": None,
            }
        )
    return found


def is_bootstrapped(document: Mapping[str, Any]) -> bool:
    """Whether a document bounds any rate by percentiles of a bootstrap."""
    intervals = [entry.get("ci") or {} for entry in document["estimates"]]
    return any(str(interval.get("method", "")).startswith(METHOD) for interval in intervals)


def _estimate(
    metric: Metric, counted: Counted, level: float, replicates: StateCounts | None
) -> dict[str, Any]:
    ratio = counted.share(metric)
    reason = metric.reason(counted.total)
    numerator, denominator = int(ratio.numerator), int(ratio.denominator)
    entry = {
        "metric": metric.key,
        "value": None if reason else float(ratio.value),
        "undefined_reason": reason,
        "numerator": numerator,
        "denominator": denominator,
        "subset": f"{CASES[metric.population[0]]} of {counted.rows.in_words}",
        "evaluated_on": counted.rows.role,
    }
    is_share = metric.bounds[1] != float("inf")
    # A rate of exactly 0 or 1 is that in every replicate, which would bound it by itself.
    is_inside = not is_share or 0 < numerator < denominator
    of_rate = None
    if metric.name in RATES and replicates is not None and denominator > 0 and is_inside:
        of_rate = rate_interval(metric, replicates, counted.rows, level)
    if not is_share or denominator == 0 or metric.key in counted.without_sums:
        return entry | {"ci": of_rate}
    sides: Sides = 1 if metric.name in ONE_SIDED else 2
    return entry | {
        "ci": of_rate or _over_posts(counted, metric, level, sides),
        "ci_if_independent": _if_independent(metric, counted, level, sides),
    }


def _over_posts(counted: Counted, metric: Metric, level: float, sides: Sides) -> dict[str, Any]:
    """The interval that takes checks of one post as related."""
    scale = counted.share(metric).scale
    if _is_implied(metric, counted):
        kept = counted.interval(
            counted.sums(declared(gate.screening_sensitivity)), confidence=level, sides=sides
        )
        low, high = missed_per_1000(kept.low, kept.high, prevalence=_prevalence(counted))
        interval, scale = replace(kept, low=low, high=high), 1.0
    else:
        interval = counted.interval(counted.sums(metric), confidence=level, sides=sides)
    return {
        "level": level,
        "sides": sides,
        "low": float(interval.low) * scale,
        "high": None if sides == 1 else float(interval.high) * scale,
        "method": ci_method(interval, sides=sides),
        "n_effective": float(interval.n_effective),
    }


def _is_implied(metric: Metric, counted: Counted) -> bool:
    """Whether bounds follow from those of screening sensitivity: nothing else can be missed."""
    return metric.key == MISSED and counted.rows.rules != FIRST and counted.rows.n_positives > 0


def _prevalence(counted: Counted) -> float:
    return float(Ratio(counted.total.total_pos, counted.total.total).value)


def _if_independent(metric: Metric, counted: Counted, level: float, sides: Sides) -> dict[str, Any]:
    """The exact interval that holds if all checks are independent."""
    ratio = counted.share(metric)
    if _is_implied(metric, counted):
        n_missed, n_pos = int(ratio.numerator), counted.rows.n_positives
        ratio = Ratio(n_missed, n_pos, scale=ratio.scale * _prevalence(counted))
    n = int(ratio.denominator)
    interval = clopper_pearson(int(ratio.numerator), n, confidence=level, sides=sides)
    return {
        "level": level,
        "sides": sides,
        "low": float(interval.low) * ratio.scale,
        "high": None if sides == 1 else float(interval.high) * ratio.scale,
        "method": "clopper_pearson",
        "n_effective": n,
    }
