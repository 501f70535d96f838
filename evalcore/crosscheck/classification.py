"""Classification a second time: sorted lists and counting, one row after the other."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

Scores = Sequence[float]
Labels = Sequence[bool]


class Counted(NamedTuple):
    """Rows by call and label."""

    tp: int
    fp: int
    fn: int
    tn: int


def _sides(scores: Scores, labels: Labels) -> tuple[list[float], list[float]]:
    """Scores of positives and of negatives, each ascending."""
    pairs = list(zip(scores, labels, strict=True))
    return sorted(s for s, label in pairs if label), sorted(s for s, label in pairs if not label)


def auroc(scores: Scores, labels: Labels) -> float:
    """For every positive, the negatives below it and half of those level with it."""
    positives, negatives = _sides(scores, labels)
    if not positives or not negatives:
        return math.nan
    wins = Fraction(0)
    for score in positives:
        below, not_above = bisect_left(negatives, score), bisect_right(negatives, score)
        wins += below + Fraction(not_above - below, 2)
    return float(wins / (len(positives) * len(negatives)))


def auprc(scores: Scores, labels: Labels) -> float:
    """Precision at each distinct score, times the recall that the score adds, scores descending."""
    positives, negatives = _sides(scores, labels)
    if not positives or not negatives:
        return math.nan
    terms, recall_before = [], 0.0
    for threshold in sorted(set(scores), reverse=True):
        tp = len(positives) - bisect_left(positives, threshold)
        fp = len(negatives) - bisect_left(negatives, threshold)
        recall = tp / len(positives)
        terms.append((recall - recall_before) * tp / (tp + fp))
        recall_before = recall
    return math.fsum(terms)


def tpr_at_fpr(scores: Scores, labels: Labels, *, fpr: float, variant: str = "default") -> float:
    """Walk down the thresholds, from calling nothing on, and keep the last point that fits."""
    positives, negatives = _sides(scores, labels)
    if not positives or not negatives:
        return math.nan
    points = [(0, 0)]
    for threshold in sorted(set(scores), reverse=True):
        tp = len(positives) - bisect_left(positives, threshold)
        points.append((len(negatives) - bisect_left(negatives, threshold), tp))
    budget = Fraction(str(fpr))
    if variant == "first_at_or_above":
        reached = [tp for fp, tp in points if Fraction(fp, len(negatives)) >= budget]
        return reached[0] / len(positives)
    within = [tp for fp, tp in points if Fraction(fp, len(negatives)) <= budget]
    return within[-1] / len(positives)


def counted(scores: Scores, labels: Labels, threshold: float) -> Counted:
    """Every row put into one of four cells."""
    cells = {(call, label): 0 for call in (True, False) for label in (True, False)}
    for score, label in zip(scores, labels, strict=True):
        cells[score >= threshold, bool(label)] += 1
    return Counted(cells[True, True], cells[True, False], cells[False, True], cells[False, False])


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _mcc(n: Counted) -> float:
    margins = (n.tp + n.fp) * (n.tp + n.fn) * (n.tn + n.fp) * (n.tn + n.fn)
    return (n.tp * n.tn - n.fp * n.fn) / math.sqrt(margins) if margins else math.nan


def _balanced_accuracy(n: Counted) -> float:
    return (_share(n.tp, n.tp + n.fn) + _share(n.tn, n.tn + n.fp)) / 2


def _f1(n: Counted) -> float:
    if n.tp + n.fp + n.fn == 0:
        return math.nan
    if n.tp == 0:
        return 0.0
    precision, recall = n.tp / (n.tp + n.fp), n.tp / (n.tp + n.fn)
    return 2 * precision * recall / (precision + recall)


def net_benefit(scores: Scores, labels: Labels, *, threshold: float) -> float:
    """A true positive gains 1, a false one costs the odds of the threshold, spread over all rows."""
    if threshold >= 1 or not len(scores):
        return math.nan
    odds = threshold / (1 - threshold)
    n = counted(scores, labels, threshold)
    return (n.tp - n.fp * odds) / len(scores)


def _at_threshold(of_counts: Callable[[Counted], float]) -> Callable[..., float]:
    def of_rows(scores: Scores, labels: Labels, *, threshold: float) -> float:
        return of_counts(counted(scores, labels, threshold))

    return of_rows


CLASSIFICATION: dict[str, Callable[..., float]] = {
    "auroc": auroc,
    "auprc": auprc,
    "pair_auroc": auroc,
    "pair_auprc": auprc,
    "tpr_at_fpr": tpr_at_fpr,
    "sensitivity": _at_threshold(lambda n: _share(n.tp, n.tp + n.fn)),
    "specificity": _at_threshold(lambda n: _share(n.tn, n.tn + n.fp)),
    "false_positive_rate": _at_threshold(lambda n: _share(n.fp, n.tn + n.fp)),
    "precision": _at_threshold(lambda n: _share(n.tp, n.tp + n.fp)),
    "npv": _at_threshold(lambda n: _share(n.tn, n.tn + n.fn)),
    "f1": _at_threshold(_f1),
    "mcc": _at_threshold(_mcc),
    "balanced_accuracy": _at_threshold(_balanced_accuracy),
    "true_positives": _at_threshold(lambda n: float(n.tp)),
    "true_negatives": _at_threshold(lambda n: float(n.tn)),
    "false_positives": _at_threshold(lambda n: float(n.fp)),
    "false_negatives": _at_threshold(lambda n: float(n.fn)),
    "net_benefit": net_benefit,
}
