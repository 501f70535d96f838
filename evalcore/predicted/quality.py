"""How well a classifier predicts human labels, and what its probabilities promise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.cluster_sums import ClusterSums
from evalcore.inference.clustered import ci_method, share_interval
from evalcore.metrics.classification.discrimination import auroc
from evalcore.predicted.pairs import LabelPairs
from evalcore.tallies.scores import ScoredRows, ScoreTable

Mask = NDArray[np.bool_]
LEVEL = 0.95
"""Of the two-sided intervals."""


@dataclass(frozen=True)
class Rate:
    """A share of units, with an interval that takes units of one record as dependent.

    Parameters
    ----------
    successes, n : counts.
    value : successes / n; NaN where n is 0, with the reason.
    low, high, level : two-sided Korn–Graubard interval (strict where heavily clustered) and its confidence.
    ci_method : what it rests on; empty where n is 0.
    reason : why ``value`` is NaN; empty where it is not.
    """

    successes: int
    n: int
    value: float
    low: float
    high: float
    level: float
    ci_method: str
    reason: str


@dataclass(frozen=True)
class Quality:
    """A classifier's calls of one label, at 0.5 or more, against human labels of the same units.

    Parameters
    ----------
    task, label : of which label.
    n : units with both labels.
    n_records : records that they belong to.
    sensitivity : of units with a human yes, the share called yes.
    specificity : of units with a human no, the share not called.
    precision : of units called yes, the share with a human yes.
    accuracy : of all units, the share on which both agree.
    f1 : 2·TP / (2·TP + FP + FN), in [0, 1]; NaN where nobody and nothing says yes.
    auroc : chance that a unit with a human yes has the higher value, ties half; NaN where one class is
        missing.
    """

    task: str
    label: str
    n: int
    n_records: int
    sensitivity: Rate
    specificity: Rate
    precision: Rate
    accuracy: Rate
    f1: float
    auroc: float


def quality(pairs: LabelPairs) -> Quality:
    """Sensitivity, specificity, precision, accuracy, F1 and AUROC on the units with both labels.

    They describe the judged units; sensitivity and specificity carry over to others only if these are alike.

    Parameters
    ----------
    pairs : of one label.
    """
    human, yes, called = pairs.has_human, pairs.is_yes, pairs.is_called
    records, code = np.unique(pairs.record, return_inverse=True)

    def rate(success: Mask, case: Mask, reason: str) -> Rate:
        return _rate(ClusterSums.from_rows(success, case, code, len(records)), reason)

    n_either = int((called & human).sum() + yes.sum())
    judged = ScoredRows(pairs.predicted[human], yes[human], code[human], len(records))
    is_mixed = yes.any() and (human & ~yes).any()
    return Quality(
        task=pairs.task,
        label=pairs.label,
        n=int(human.sum()),
        n_records=len(np.unique(code[human])),
        sensitivity=rate(called, yes, "no human yes"),
        specificity=rate(~called, human & ~yes, "no human no"),
        precision=rate(yes, human & called, "nothing predicted yes"),
        accuracy=rate(called == yes, human, "no unit has both a human and a predicted label"),
        f1=2 * int((called & yes).sum()) / n_either if n_either else np.nan,
        auroc=float(auroc(ScoreTable.from_rows(judged))) if is_mixed else np.nan,
    )


def _rate(sums: ClusterSums, reason: str) -> Rate:
    successes, n = int(sums.successes), int(sums.n)
    if not n:
        return Rate(0, 0, np.nan, np.nan, np.nan, LEVEL, "", reason)
    interval = share_interval(sums, confidence=LEVEL, sides=2)
    return Rate(
        successes=successes,
        n=n,
        value=successes / n,
        low=float(interval.low),
        high=float(interval.high),
        level=LEVEL,
        ci_method=ci_method(interval, sides=2),
        reason="",
    )
