"""Points of ROC and precision–recall curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class RocCurve:
    """Points of a ROC curve, thresholds descending, from (0, 0) to (1, 1).

    Parameters
    ----------
    fpr, tpr : float64 in [0, 1], shape (..., S + 1); NaN where the class is missing.
    threshold : float64, shape (S + 1,): the point calls ``score >= threshold`` positive. The first one is
        infinity (nothing is called positive) and must be written as null.
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats

    def corners(self) -> RocCurve:
        """The points at which the line turns: the same line with fewer points (no replicate axis)."""
        turns = np.ones(len(self.threshold), bool)
        run, rise = np.diff(self.fpr), np.diff(self.tpr)
        turns[1:-1] = ~np.isclose(run[1:] * rise[:-1], run[:-1] * rise[1:], rtol=1e-12, atol=0)
        return RocCurve(self.fpr[turns], self.tpr[turns], self.threshold[turns])


@dataclass(frozen=True)
class PrCurve:
    """Points of a precision–recall curve, thresholds descending; each step holds its precision to the left.

    Parameters
    ----------
    recall, precision : float64 in [0, 1], shape (..., S), NaN where undefined; none is made up at recall 0.
    threshold : float64, shape (S,): the point calls ``score >= threshold`` positive.
    prevalence : float64, shape (...): the precision of calling everything positive, the baseline.
    """

    recall: Floats
    precision: Floats
    threshold: Floats
    prevalence: Floats

    def corners(self) -> PrCurve:
        """The points at which the steps turn: the same steps with fewer points (no replicate axis)."""
        rises = np.diff(self.recall, prepend=-1.0, append=2.0) != 0
        turns = rises[1:] | rises[:-1]
        return PrCurve(self.recall[turns], self.precision[turns], self.threshold[turns], self.prevalence)


def roc_points(table: ScoreTable) -> RocCurve:
    """False and true positive rate at every threshold that decides differently.

    Parameters
    ----------
    table : counts at each distinct score, shape (..., S).

    Returns
    -------
    RocCurve with S + 1 points; rates are NaN where their class has no row.

    Source
    ------
    Equals ``sklearn.metrics.roc_curve(drop_intermediate=False)``.

    Examples
    --------
    >>> roc = roc_points(ScoreTable(np.array([0.2, 0.8]), np.array([0, 1]), np.array([1, 1])))
    >>> roc.fpr.tolist(), roc.tpr.tolist(), roc.threshold.tolist()
    ([0.0, 0.5, 1.0], [0.0, 1.0, 1.0], [inf, 0.8, 0.2])
    """
    true_pos, false_pos = _called(table)
    with np.errstate(invalid="ignore"):
        fpr = false_pos / table.total_neg[..., None]
        tpr = true_pos / table.total_pos[..., None]
    return RocCurve(fpr, tpr, np.append(np.inf, table.score[::-1]))


def pr_points(table: ScoreTable) -> PrCurve:
    """Recall and precision at every threshold that decides differently.

    Parameters
    ----------
    table : counts at each distinct score, shape (..., S).

    Returns
    -------
    PrCurve with S points; recall is NaN without a row with evidence.

    Source
    ------
    Equals ``sklearn.metrics.precision_recall_curve`` in reverse, without the point (0, 1) that it adds.
    """
    true_pos, false_pos = (called[..., 1:] for called in _called(table))
    with np.errstate(invalid="ignore"):
        recall = true_pos / table.total_pos[..., None]
        precision = true_pos / (true_pos + false_pos)
        prevalence = np.asarray(table.total_pos / table.total)
    return PrCurve(recall, precision, table.score[::-1], prevalence)


def _called(table: ScoreTable) -> tuple[Counts, Counts]:
    """Rows with and without evidence at or above each threshold, thresholds descending, none called first."""
    true_pos = table.total_pos[..., None] - table.pos_below[..., ::-1]
    false_pos = table.total_neg[..., None] - table.neg_below[..., ::-1]
    return true_pos, false_pos
