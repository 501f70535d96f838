"""The counts at a threshold and what follows from them; of a `Confusion`."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalcore.spec import Better, Cases, Declared, Ratio, Side, Undefined, metric
from evalcore.tallies.decisions import Confusion

NO_POSITIVES = Undefined(lambda c: (c.true_pos + c.false_neg) == 0, "no row with evidence")
NO_NEGATIVES = Undefined(lambda c: (c.true_neg + c.false_pos) == 0, "no row without evidence")
NO_ROWS = Undefined(lambda c: c.total == 0, "no rows")


_THRESHOLD = ("threshold", "rule")


def _share(
    label: str,
    formula: str,
    population: str,
    undefined: Undefined,
    cases: Cases,
    better: Better = "higher",
    succeed: Side | None = None,
) -> Declared:
    return metric(
        family="classification",
        label=label,
        formula=formula,
        population=population,
        undefined=(undefined,),
        bounds=(0, 1),
        better=better,
        source="002 §2.3",
        params=_THRESHOLD,
        cases=cases,
        succeed=succeed,
    )


@_share(
    "Sensitivity (recall)",
    "TP / (TP + FN)",
    "positives_only",
    NO_POSITIVES,
    lambda rows, _: (rows.is_positive, rows.alerted),
    succeed="above",
)
def sensitivity(counts: Confusion) -> Ratio:
    """Share of the queries with evidence that are called positive.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return Ratio(counts.true_pos, counts.true_pos + counts.false_neg)


@_share(
    "Specificity",
    "TN / (TN + FP)",
    "negatives_only",
    NO_NEGATIVES,
    lambda rows, _: (~rows.is_positive, rows.skipped),
    succeed="below",
)
def specificity(counts: Confusion) -> Ratio:
    """Share of the queries without evidence that are called negative.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return Ratio(counts.true_neg, counts.true_neg + counts.false_pos)


@_share(
    "False positive rate",
    "FP / (TN + FP)",
    "negatives_only",
    NO_NEGATIVES,
    lambda rows, _: (~rows.is_positive, rows.alerted),
    succeed="above",
    better="lower",
)
def false_positive_rate(counts: Confusion) -> Ratio:
    """Share of the queries without evidence that are called positive (false alarms).

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return Ratio(counts.false_pos, counts.true_neg + counts.false_pos)


@_share(
    "Precision (PPV)",
    "TP / (TP + FP)",
    "called_positive",
    Undefined(lambda c: (c.true_pos + c.false_pos) == 0, "nothing is called positive"),
    lambda rows, _: (rows.alerted, rows.is_positive),
)
def precision(counts: Confusion) -> Ratio:
    """Share of the positive calls that are right.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return Ratio(counts.true_pos, counts.true_pos + counts.false_pos)


@_share(
    "Negative predictive value",
    "TN / (TN + FN)",
    "called_negative",
    Undefined(lambda c: (c.true_neg + c.false_neg) == 0, "nothing is called negative"),
    lambda rows, _: (rows.skipped, ~rows.is_positive),
)
def npv(counts: Confusion) -> Ratio:
    """Share of the negative calls that are right.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return Ratio(counts.true_neg, counts.true_neg + counts.false_neg)


@metric(
    family="classification",
    label="F1",
    formula="2·TP / (2·TP + FP + FN)",
    population="all_queries",
    undefined=(
        Undefined(
            lambda c: (c.true_pos + c.false_pos + c.false_neg) == 0, "no positive and no positive call"
        ),
    ),
    bounds=(0, 1),
    better="higher",
    source="002 §2.3",
    params=_THRESHOLD,
)
def f1(counts: Confusion) -> Any:
    """Harmonic mean of precision and sensitivity.

    Parameters
    ----------
    counts : counts at one threshold.

    Returns
    -------
    float; 0 when positives exist and none is found.
    """
    return Ratio(2 * counts.true_pos, 2 * counts.true_pos + counts.false_pos + counts.false_neg).value


@metric(
    family="classification",
    label="Matthews correlation",
    formula="(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    population="all_queries",
    undefined=(
        Undefined(
            lambda c: (
                ((c.true_pos + c.false_pos) == 0)
                | ((c.true_pos + c.false_neg) == 0)
                | ((c.true_neg + c.false_pos) == 0)
                | ((c.true_neg + c.false_neg) == 0)
            ),
            "a margin of the confusion table is 0",
        ),
    ),
    bounds=(-1, 1),
    better="higher",
    source="002 §2.3",
    params=_THRESHOLD,
)
def mcc(counts: Confusion) -> Any:
    """Correlation between call and label.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    tp, fp, fn, tn = (
        np.asarray(n, float) for n in (counts.true_pos, counts.false_pos, counts.false_neg, counts.true_neg)
    )
    root = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return np.clip(Ratio(tp * tn - fp * fn, root[()]).value, -1, 1)


@metric(
    family="classification",
    label="Balanced accuracy",
    formula="(sensitivity + specificity) / 2",
    population="all_queries",
    undefined=(NO_POSITIVES, NO_NEGATIVES),
    bounds=(0, 1),
    better="higher",
    source="002 §2.3",
    params=_THRESHOLD,
)
def balanced_accuracy(counts: Confusion) -> Any:
    """Mean of sensitivity and specificity.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return (sensitivity(counts).value + specificity(counts).value) / 2


def _count(label: str, formula: str, better: Better) -> Declared:
    return metric(
        family="classification",
        label=label,
        formula=formula,
        population="all_queries",
        undefined=(),
        bounds=(0, np.inf),
        counts=True,
        better=better,
        source="002 §2.3",
        params=_THRESHOLD,
    )


@_count("True positives", "# called positive, with evidence", "higher")
def true_positives(counts: Confusion) -> Any:
    """Queries with evidence that are called positive.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return counts.true_pos


@_count("True negatives", "# called negative, without evidence", "higher")
def true_negatives(counts: Confusion) -> Any:
    """Queries without evidence that are called negative.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return counts.true_neg


@_count("False positives", "# called positive, without evidence", "lower")
def false_positives(counts: Confusion) -> Any:
    """Queries without evidence that are called positive.

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return counts.false_pos


@_count("False negatives", "# called negative, with evidence", "lower")
def false_negatives(counts: Confusion) -> Any:
    """Queries with evidence that are called negative (missed).

    Parameters
    ----------
    counts : counts at one threshold.
    """
    return counts.false_neg


@metric(
    family="classification",
    label="Net benefit",
    formula="TP/N − FP/N · t/(1−t)",
    population="all_queries",
    undefined=(NO_ROWS, Undefined(lambda c: c.threshold >= 1, "the weight t/(1−t) is infinite at t = 1")),
    bounds=(-np.inf, 1),
    better="higher",
    source="Vickers and Elkin 2006, Medical Decision Making 26:565",
    params=_THRESHOLD,
    needs_probability=True,
)
def net_benefit(counts: Confusion) -> Any:
    """Gain of acting at p ≥ t, in true positives per query, a false positive costing t/(1−t) of one.

    Means something for calibrated probabilities only.

    Parameters
    ----------
    counts : counts at one threshold t in [0, 1).

    Returns
    -------
    float up to the prevalence.
    """
    t = counts.threshold
    if t >= 1:
        return np.full(np.shape(counts.total), np.nan)[()]
    return Ratio(counts.true_pos - counts.false_pos * (t / (1 - t)), counts.total).value
