"""Observed rate as a smooth function of the score: local straight lines, on counts instead of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
EXACT_SCORES = 1_000
MAX_GROUPS = 20_000
BLOCK = 50_000  # cells of one block of (point, score) weights: small enough for the processor's cache
LEAST_SPREAD = 1e-12  # statsmodels' floor of the weighted variance of x


@dataclass(frozen=True)
class SmoothRate:
    """The smoothed rate of evidence at each distinct score that has a row.

    Parameters
    ----------
    score : float64, shape (S,), ascending.
    n : int64, shape (S,), rows at the score.
    rate : float64, shape (S,); the ends of a local line may leave [0, 1].
    is_point : bool, shape (S,): smoothed itself; the others lie on the straight lines between.
    """

    score: Floats
    n: NDArray[np.int64]
    rate: Floats
    is_point: NDArray[np.bool_]


def smooth_rate(table: ScoreTable, frac: float = 0.75) -> SmoothRate:
    """Lowess of the label on the score, without robustness iterations (``it = 0``).

    Equal to ``statsmodels`` lowess on the rows (``it=0, delta=0``) to rounding, except at a score that holds
    the whole neighbourhood by itself: there the rate is the mean of its labels, not the label of whichever
    row comes first. Up to 1,000 distinct scores each one is smoothed. Beyond, about 1,000 are, spread evenly
    over rows and over the scale, and the others lie on straight lines between them; beyond 20,000, neighbours
    are pooled first.

    Parameters
    ----------
    table : counts at each distinct score, shape (S,); no replicate axis.
    frac : share of the rows in each neighbourhood, in (0, 1].

    Returns
    -------
    SmoothRate, empty without rows.

    Source
    ------
    Cleveland 1979, J. Am. Stat. Assoc. 74:829; ``statsmodels.nonparametric.smoothers_lowess``.
    """
    n = table.n_pos + table.n_neg
    held = n > 0
    score, n, n_pos = table.score[held], n[held], table.n_pos[held]
    if len(score) == 0:
        return SmoothRate(score, n, score, np.zeros(0, bool))
    is_point = _points(score, n)
    rate = _local_lines(*_pooled(score, n, n_pos), frac, score[is_point])
    return SmoothRate(score, n, np.interp(score, score[is_point], rate), is_point)


def _points(score: Floats, n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Scores to smooth at: all, or half spread evenly over rows and half over the scale, ends included."""
    if len(score) <= EXACT_SCORES:
        return np.ones(len(score), bool)
    row = np.linspace(0, n.sum() - 1, EXACT_SCORES // 2)
    over_rows = np.searchsorted(np.cumsum(n), row, side="right")
    over_scale = np.searchsorted(score, np.linspace(score[0], score[-1], EXACT_SCORES // 2))
    is_point = np.zeros(len(score), bool)
    is_point[np.minimum(np.concatenate([over_rows, over_scale]), len(score) - 1)] = True
    return is_point


def _pooled(score: Floats, n: NDArray[np.int64], n_pos: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Score, rows and positives of neighbouring scores together, where there are more than `MAX_GROUPS`."""
    if len(score) <= MAX_GROUPS:
        return score, n.astype(float), n_pos.astype(float)
    n_below = np.cumsum(n) - n
    group = n_below * MAX_GROUPS // n.sum()
    start = np.flatnonzero(np.diff(group, prepend=-1))
    rows, positives = np.add.reduceat(n, start), np.add.reduceat(n_pos, start)
    return np.add.reduceat(score * n, start) / rows, rows.astype(float), positives.astype(float)


def _local_lines(x: Floats, n: Floats, n_pos: Floats, frac: float, points: Floats) -> Floats:
    total = int(n.sum())
    k = min(max(int(frac * total + 1e-10), 2), total)
    radius = _distance_to_kth(x, n, k, points)
    size = max(BLOCK // len(x), 1)
    blocks = [slice(at, at + size) for at in range(0, len(points), size)]
    return np.concatenate([_lines_at(x, n, n_pos, points[block], radius[block]) for block in blocks])


def _lines_at(x: Floats, n: Floats, n_pos: Floats, points: Floats, radius: Floats) -> Floats:
    from_point = x - points[:, None]
    reach = np.where(radius > 0, radius, 1)[:, None]
    share = np.minimum(np.abs(from_point) / reach, 1)
    core = 1 - share * share * share
    tricube = core * core * core
    alone = radius == 0
    tricube[alone] = from_point[alone] == 0
    total = tricube @ n
    mean = (tricube * from_point) @ n / total
    from_mean = from_point - mean[:, None]
    spread = np.maximum((tricube * from_mean * from_mean) @ n / total, LEAST_SPREAD)
    return np.asarray((tricube @ n_pos - mean / spread * ((tricube * from_mean) @ n_pos)) / total)


def _distance_to_kth(x: Floats, n: Floats, k: int, points: Floats) -> Floats:
    """Distance from each point to its k-th nearest row: a window of k rows slides until it is centred."""
    above = np.cumsum(n)
    last = int(above[-1]) - 1

    def row(rank: NDArray[np.int64]) -> Floats:
        return x[np.searchsorted(above, rank, side="right")]

    low = np.zeros(len(points), np.int64)
    high = np.full(len(points), last + 1 - k)
    while (low < high).any():
        middle = (low + high) // 2
        slides = (low < high) & (points > (row(middle) + row(np.minimum(middle + k, last))) / 2)
        low, high = np.where(slides, middle + 1, low), np.where(slides, high, middle)
    return np.maximum(points - row(low), row(low + k - 1) - points)
