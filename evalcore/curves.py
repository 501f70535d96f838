"""Points of curves: ROC, precision–recall, reliability, smoothed rate, score distribution, net benefit.

Points only: intervals come from `evalcore.inference`, drawings from `evalcore.figures`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.kernels.bins import bins_of, equal_width_edges
from evalcore.kernels.lowess import smooth_rate
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


@dataclass(frozen=True)
class Reliability:
    """Promised and observed rate of evidence by bin of the probability.

    Parameters
    ----------
    low, high : float64, shape (M,), edges of the bins; for ``equal_mass`` their first and last probability.
    n, n_pos : int64, shape (M,), rows, and rows with evidence: what an interval of the rate needs.
    mean_probability, observed_rate : float64 in [0, 1], shape (M,), NaN in an empty bin.
    variant : how the bins were made.
    """

    low: Floats
    high: Floats
    n: Counts
    n_pos: Counts
    mean_probability: Floats
    observed_rate: Floats
    variant: str


@dataclass(frozen=True)
class SmoothedReliability:
    """The smoothed rate of evidence by probability.

    Parameters
    ----------
    probability : float64 in [0, 1], shape (P,), ascending.
    rate : float64, shape (P,); it may leave [0, 1] at the ends.
    """

    probability: Floats
    rate: Floats


@dataclass(frozen=True)
class ScoreDistribution:
    """Rows with and without evidence by bin of the score.

    Parameters
    ----------
    low, high : float64, shape (M,), edges; [low, high), the last one closed.
    n_pos, n_neg : int64, shape (M,).
    """

    low: Floats
    high: Floats
    n_pos: Counts
    n_neg: Counts


@dataclass(frozen=True)
class DecisionCurve:
    """Net benefit by threshold probability, against treating all and none (whose net benefit is 0).

    Parameters
    ----------
    threshold : float64 in [0, 1], shape (T,).
    net_benefit, all_positive : float64 up to the prevalence, shape (T,); NaN at threshold 1 and without rows.
    """

    threshold: Floats
    net_benefit: Floats
    all_positive: Floats


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


def reliability(table: ScoreTable, n_bins: int = 10, variant: str = "default") -> Reliability:
    """Promised and observed rate of evidence by bin; the gaps weighted by n make the ECE of the same variant.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : M, at least 1.
    variant : ``default``, ``spec_001`` or ``equal_mass``, as in ``calibration.ece``.

    Returns
    -------
    Reliability; ``equal_mass`` leaves out bins that ties have emptied.

    Examples
    --------
    >>> bins = reliability(ScoreTable(np.array([0.25, 0.75]), np.array([1, 3]), np.array([1, 1])), n_bins=2)
    >>> bins.n.tolist(), bins.mean_probability.tolist(), bins.observed_rate.tolist()
    ([2, 4], [0.25, 0.75], [0.5, 0.75])
    """
    bins = bins_of(table, n_bins, variant)
    start, n, n_pos, sum_score = bins.start, bins.n, bins.n_pos, bins.sum_score
    if variant == "equal_mass":
        held = n > 0
        low, high = table.score[start[:-1][held]], table.score[start[1:][held] - 1]
        n, n_pos, sum_score = n[held], n_pos[held], sum_score[held]
    else:
        edges = np.linspace(0, 1, n_bins + 1) if variant == "spec_001" else equal_width_edges(n_bins)
        low, high = edges[:-1], edges[1:]
    with np.errstate(invalid="ignore"):
        return Reliability(low, high, n, n_pos, sum_score / n, n_pos / n, variant)


def smoothed_reliability(table: ScoreTable, frac: float = 0.75) -> SmoothedReliability:
    """The lowess curve behind ICI, E50 and E90, at the probabilities where it is fitted (at most 1,000).

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    frac : share of the rows in each neighbourhood, in (0, 1].
    """
    fit = smooth_rate(table, frac)
    return SmoothedReliability(fit.score[fit.is_point], fit.rate[fit.is_point])


def score_distribution(table: ScoreTable, n_bins: int = 50) -> ScoreDistribution:
    """Rows with and without evidence in bins of equal width over [0, 1].

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : M, at least 1.
    """
    bins = bins_of(table, n_bins)
    edges = equal_width_edges(n_bins)
    return ScoreDistribution(edges[:-1], edges[1:], bins.n_pos, bins.n - bins.n_pos)


def decision_curve(table: ScoreTable, thresholds: ArrayLike) -> DecisionCurve:
    """Net benefit TP/N − FP/N · t/(1 − t) of calling ``p >= t`` positive, for calibrated probabilities.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    thresholds : probabilities t in [0, 1], shape (T,).

    Returns
    -------
    DecisionCurve; NaN at t = 1, where the odds are infinite, and without rows.

    Source
    ------
    Vickers and Elkin 2006, Med. Decis. Making 26:565.
    """
    t = np.asarray(thresholds, float)
    at = np.searchsorted(table.score, t)
    true_pos, false_pos = table.total_pos - table.pos_below[at], table.total_neg - table.neg_below[at]
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.where(t < 1, t / (1 - t), np.nan)
        net_benefit = (true_pos - false_pos * odds) / table.total
        all_positive = (table.total_pos - table.total_neg * odds) / table.total
    return DecisionCurve(t, net_benefit, all_positive)


def _called(table: ScoreTable) -> tuple[Counts, Counts]:
    """Rows with and without evidence at or above each threshold, thresholds descending, none called first."""
    true_pos = table.total_pos[..., None] - table.pos_below[..., ::-1]
    false_pos = table.total_neg[..., None] - table.neg_below[..., ::-1]
    return true_pos, false_pos
