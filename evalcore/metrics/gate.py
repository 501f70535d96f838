"""The three-state gate: workload, what is missed at screening, and how good the alerts are.

``p < tau_neg`` is NEG (skipped), ``p >= tau_pos`` is POS (alert), the rest is UNCERTAIN (looked at).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalcore.spec import Better, Cases, Declared, Place, Ratio, Side, Undefined, metric
from evalcore.tallies.decisions import StateCounts

NO_QUERIES = Undefined(lambda c: c.total == 0, "no queries")
NO_POSITIVES = Undefined(lambda c: c.total_pos == 0, "no query with evidence")
NO_ALERTS = Undefined(lambda c: c.n_pos == 0, "no alerts")


def _gate(
    label: str,
    formula: str,
    population: str,
    undefined: Undefined,
    better: Better,
    source: str,
    *,
    headline: tuple[Place, ...] = (),
    upper: float = 1,
    variants: Mapping[str, str] | None = None,
    undefined_variant: tuple[Undefined, ...] = (),
    cases: Cases | None = None,
    succeed: Side | None = None,
    compared: int = 0,
) -> Declared:
    return metric(
        family="gate",
        headline=headline,
        label=label,
        formula=formula,
        population=population,
        undefined=(undefined, *undefined_variant),
        bounds=(0, upper),
        better=better,
        source=source,
        variants=variants,
        params=("tau_neg", "tau_pos"),
        cases=cases,
        in_percent=upper == 1,
        succeed=succeed,
        compared=compared,
    )


@_gate("NEG rate (skipped)", "n_NEG / N", "all_queries", NO_QUERIES, "neither", "002 §5.2", compared=5)
def neg_rate(counts: StateCounts) -> Ratio:
    """Share of queries that nobody looks at.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.n_neg, counts.total)


@_gate("UNCERTAIN rate (looked at)", "n_UNCERTAIN / N", "all_queries", NO_QUERIES, "neither", "002 §5.2")
def uncertain_rate(counts: StateCounts) -> Ratio:
    """Share of queries that a reviewer looks at without an alert.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.n_uncertain, counts.total)


@_gate("POS rate (alerts)", "n_POS / N", "all_queries", NO_QUERIES, "neither", "002 §5.2")
def pos_rate(counts: StateCounts) -> Ratio:
    """Share of queries that raise an alert.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.n_pos, counts.total)


@_gate(
    "Alerts per 1000",
    "1000 · n_POS / N",
    "all_queries",
    NO_QUERIES,
    "neither",
    "002 §5.2, §5.4",
    upper=1000,
    compared=7,
)
def alerts_per_1000(counts: StateCounts) -> Ratio:
    """Alerts per 1000 queries.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.n_pos, counts.total, scale=1000)


@_gate(
    "Screening sensitivity",
    "# with evidence, not NEG / # with evidence",
    "positives_only",
    NO_POSITIVES,
    "higher",
    "002 §5.3",
    cases=lambda rows, _: (rows.is_positive, ~rows.skipped),
    succeed="above",
    compared=6,
)
def screening_sensitivity(counts: StateCounts) -> Ratio:
    """Share of the queries with evidence that are kept for a reader (not skipped).

    Evidence is found only if the reader then sees it: this is the most that can be found.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.total_pos - counts.neg_pos, counts.total_pos)


@_gate(
    "Missed per 1000",
    "1000 · # with evidence, NEG / N",
    "all_queries",
    NO_QUERIES,
    "lower",
    "002 §5.3",
    upper=1000,
    variants={"default": "per 1000 queries", "per_1000_positives": "per 1000 queries with evidence"},
    undefined_variant=(replace(NO_POSITIVES, variant="per_1000_positives"),),
    # Of all queries too the interval is that of sensitivity, at the prevalence of these rows: only what holds
    # evidence can be missed, and two statements of the same misses must not differ in what they allow.
    cases=lambda rows, _: (rows.is_positive, rows.skipped),
    succeed="below",
)
def screening_fn_per_1000(counts: StateCounts, *, variant: str = "default") -> Ratio:
    """Queries with evidence that are skipped, per 1000 queries of any kind.

    "At most 5 per 1000" is a far weaker target than "sensitivity at least 99.5 %": at 9.34 % prevalence it
    permits a sensitivity of 94.7 %.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(
        counts.neg_pos, counts.total_pos if variant == "per_1000_positives" else counts.total, scale=1000
    )


@_gate(
    "Alert precision",
    "# with evidence, POS / n_POS",
    "alerts",
    NO_ALERTS,
    "higher",
    "002 §5.4",
    headline=("steps",),
    cases=lambda rows, _: (rows.alerted, rows.is_positive),
    compared=8,
)
def alert_precision(counts: StateCounts) -> Ratio:
    """Share of the alerts that are right.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.pos_pos, counts.n_pos)


@_gate(
    "Alert recall",
    "# with evidence, POS / # with evidence",
    "positives_only",
    NO_POSITIVES,
    "higher",
    "002 §5.4",
    cases=lambda rows, _: (rows.is_positive, rows.alerted),
    succeed="above",
    compared=9,
)
def alert_recall(counts: StateCounts) -> Ratio:
    """Share of the queries with evidence that raise an alert.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.pos_pos, counts.total_pos)


@_gate(
    "NPV of NEG",
    "# without evidence, NEG / n_NEG",
    "skipped",
    Undefined(lambda c: c.n_neg == 0, "nothing is skipped"),
    "higher",
    "002 §5.3",
    cases=lambda rows, _: (rows.skipped, ~rows.is_positive),
)
def neg_npv(counts: StateCounts) -> Ratio:
    """Share of the skipped queries that rightly are skipped.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.neg_neg, counts.n_neg)


@_gate(
    "Reviews per true alert",
    "n_POS / # with evidence, POS",
    "true_alerts",
    Undefined(lambda c: c.pos_pos == 0, "no alert is right"),
    "lower",
    "002 §5.4 (1 / alert precision)",
    upper=float("inf"),
)
def reviews_per_true_alert(counts: StateCounts) -> Ratio:
    """Alerts that must be reviewed to find one that is right, the reciprocal of alert precision.

    Parameters
    ----------
    counts : queries by state and label.
    """
    return Ratio(counts.n_pos, counts.pos_pos)
