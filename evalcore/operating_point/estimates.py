"""What is said of thresholds on one set of rows: rates with counts and intervals, targets with verdicts."""

from __future__ import annotations

from typing import Any

from evalcore.inference.binomial import Sides, clopper_pearson, lower_bound, positives_needed
from evalcore.inference.verdicts import MIN_CASES, Verdict, is_not_excluded, verdict
from evalcore.metrics import gate
from evalcore.operating_point.constraints import NAMES, PRECISION, SENSITIVITY, Constraint
from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.wording import percent, percent_at_least, percent_of
from evalcore.spec import METRICS, Metric, Ratio
from evalcore.tallies.decisions import StateCounts

METHOD = "clopper_pearson"
REPORT_LEVEL = 0.95
"""Level of intervals, and of the verdict on a target that was asked of the estimate only."""

REPORTED = tuple(
    METRICS[f"gate.{function.__name__}"]
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
ONE_SIDED = ("screening_sensitivity", "neg_npv", "alert_precision", "alert_recall")
CASES = {
    "all_queries": "all checks",
    "positives_only": "checks with evidence",
    "skipped": "skipped checks (p < tau_neg)",
    "alerts": "checks with an alert (p >= tau_pos)",
    "true_alerts": "checks with evidence and an alert (p >= tau_pos)",
}
COUNTED = {SENSITIVITY: "checks with evidence kept for a reader", PRECISION: "alerts right"}
IN_SAMPLE = (
    "The bound reaches the target, but the threshold was chosen on these rows: other rows must confirm it."
)
IN_WORDS: dict[Verdict, str] = {
    "met_with_confidence": "met with {level} confidence",
    "met_point_only": "met by the estimate only, not with {level} confidence",
    "infeasible_with_this_n": "met by the estimate only; so few could never show it with {level} confidence",
    "not_met": "not met",
    "not_assessed": "not assessed",
}


def estimates(rows: RowSet, counts: StateCounts, levels: dict[str, float]) -> list[dict[str, Any]]:
    """Every gate metric of the rows as entries of a document's ``estimates``.

    Parameters
    ----------
    rows : the rows that were counted.
    counts : their states and labels.
    levels : metric → confidence of its one-sided bound, where a target names one.
    """
    return [_estimate(metric, rows, counts, levels) for metric in REPORTED]


def claims(rows: RowSet, counts: StateCounts, constraints: tuple[Constraint, ...]) -> list[dict[str, Any]]:
    """The verdict on every target, on these rows, as entries of a document's ``claims``."""
    return [_claim(constraint, rows, counts) for constraint in constraints]


def bounds(ratio: Ratio, *, confidence: float, sides: Sides) -> dict[str, Any] | None:
    """The interval of a share as a document writes it; None where there are no cases.

    The one place in which a document's intervals are computed and named. They take rows as independent.
    """
    n = int(ratio.denominator)
    if n == 0:
        return None
    interval = clopper_pearson(int(ratio.numerator), n, confidence=confidence, sides=sides)
    high = None if sides == 1 else float(interval.high) * ratio.scale
    return {
        "level": confidence,
        "sides": sides,
        "low": float(interval.low) * ratio.scale,
        "high": high,
        "method": METHOD,
        "n_effective": n,
    }


def _estimate(metric: Metric, rows: RowSet, counts: StateCounts, levels: dict[str, float]) -> dict[str, Any]:
    ratio = metric(counts)
    reason = metric.reason(counts)
    sides: Sides = 1 if metric.name in ONE_SIDED else 2
    is_share = metric.bounds[1] < float("inf")
    return {
        "metric": metric.key,
        "value": None if reason else float(ratio.value),
        "undefined_reason": reason,
        "numerator": int(ratio.numerator),
        "denominator": int(ratio.denominator),
        "subset": f"{CASES[metric.population[0]]} of {rows.in_words}",
        "evaluated_on": rows.role,
        "ci": bounds(ratio, confidence=levels.get(metric.key, REPORT_LEVEL), sides=sides)
        if is_share
        else None,
    }


def _claim(constraint: Constraint, rows: RowSet, counts: StateCounts) -> dict[str, Any]:
    ratio = METRICS[constraint.metric](counts)
    n_good, n = int(ratio.numerator), int(ratio.denominator)
    level = constraint.confidence or REPORT_LEVEL
    found = judge(constraint, counts)
    note = _note(constraint, counts, found)
    is_in_sample = rows.role != "test" and constraint.metric == PRECISION
    if is_in_sample and found == "met_with_confidence":
        found = "met_point_only"
        note = IN_SAMPLE
    claim: dict[str, Any] = {
        "text": _text(constraint, rows, n_good, n, found, counts),
        "metric": constraint.metric,
        "op": ">=",
        "value": constraint.value,
        "confidence": level,
        "verdict": found,
        "evaluated_on": rows.role,
    }
    return claim | ({"note": note} if note else {})


def judge(constraint: Constraint, counts: StateCounts) -> Verdict:
    """The verdict on a target from the counts alone, whether or not the thresholds were chosen on them."""
    if constraint.metric == SENSITIVITY and int(counts.n_neg) == 0:
        return "not_assessed"
    ratio = METRICS[constraint.metric](counts)
    n_good, n = int(ratio.numerator), int(ratio.denominator)
    level = constraint.confidence or REPORT_LEVEL
    return verdict(
        n_good,
        n,
        target=constraint.value,
        low=lower_bound(n_good, n, level),
        best_low=lower_bound(n, n, level),
        none_is_not_met=constraint.metric == PRECISION,
    )


def _text(
    constraint: Constraint, rows: RowSet, n_good: int, n: int, found: Verdict, counts: StateCounts
) -> str:
    level = percent(constraint.confidence or REPORT_LEVEL)
    aim = f"{NAMES[constraint.metric].capitalize()} of at least {percent(constraint.value)}"
    where = f"on {rows.in_words}"
    if constraint.metric == SENSITIVITY and int(counts.n_neg) == 0:
        return f"{aim} {where}: nothing is skipped, so nothing is claimed."
    if n == 0:
        outcome = (
            "not met, no alerts"
            if constraint.metric == PRECISION
            else "not assessed, no checks with evidence"
        )
        return f"{aim} {where}: {outcome}."
    low = percent_at_least(lower_bound(n_good, n, constraint.confidence or REPORT_LEVEL))
    share = percent_of(n_good, n, target=constraint.value)
    outcome = IN_WORDS[found].format(level=level)
    counted = f"{n_good:,} of {n:,} {COUNTED[constraint.metric]} ({share}; at least {low}, one-sided {level})"
    return f"{aim} {where}: {outcome}. {counted}."


def _note(constraint: Constraint, counts: StateCounts, found: Verdict) -> str | None:
    ratio = METRICS[constraint.metric](counts)
    n_good, n = int(ratio.numerator), int(ratio.denominator)
    level = constraint.confidence or REPORT_LEVEL
    if found == "not_assessed" and 0 < n < MIN_CASES:
        return f"Fewer than {MIN_CASES} cases carry an interval and no verdict."
    if found == "infeasible_with_this_n":
        needed = positives_needed(0, constraint.value, level)
        best = percent_at_least(lower_bound(n, n, level))
        return f"It needs at least {needed:,} cases without a failure; {n:,} can show at most {best}."
    if found == "not_met" and n:
        interval = clopper_pearson(n_good, n, confidence=level, sides=2)
        return (
            "The interval does not exclude it." if is_not_excluded(interval.high, constraint.value) else None
        )
    return None
