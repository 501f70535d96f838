"""Observed rate as a smooth function of the score: local straight lines, on counts instead of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import kept_with
from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
EXACT_SCORES = 1_000
MAX_GROUPS = 20_000
RUN = 128  # neighbouring scores that are summed together
BLOCK = 256  # points at a time: few enough for the processor's cache
TRICUBE = (1, -3, 3, -1)  # (1 − u³)³ as a polynomial of u³
DEGREE = 9
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
    are pooled first. The fit stays with its table: the curve and all distances from it rest on one.

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
    return kept_with(table, f"smooth_rate_{frac}", lambda: _smooth_rate(table, frac))


def _smooth_rate(table: ScoreTable, frac: float) -> SmoothRate:
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
    radius, runs = _distance_to_kth(x, n, k, points), _Runs.of(x, n, n_pos)
    blocks = [slice(at, at + BLOCK) for at in range(0, len(points), BLOCK)]
    return np.concatenate([_lines_at(runs, points[block], radius[block]) for block in blocks])


def _lines_at(runs: _Runs, points: Floats, radius: Floats) -> Floats:
    sums = _LocalSums(runs, points, radius)
    weight, distance, n_pos = sums.about_points()
    mean = distance / weight
    squared_distance, distance_pos = sums.about(mean)
    spread = np.maximum(squared_distance / weight, LEAST_SPREAD)
    return np.asarray((n_pos - mean / spread * distance_pos) / weight)


@dataclass(frozen=True)
class _Runs:
    """Neighbouring scores together, B runs of `RUN`, the last one filled up with scores without rows.

    Parameters
    ----------
    x, n, n_pos : float64, shape (B, RUN).
    middle, half : float64, shape (B, 1), of the scores of each run: their middle and half their range.
    moments : float64, shape (B, 5, DEGREE + 1), of distances e from the middle in units of half the range:
        row by row those that make Σ w n, Σ w n e, Σ w n e², Σ w n_pos and Σ w n_pos e.
    """

    x: Floats
    n: Floats
    n_pos: Floats
    middle: Floats
    half: Floats
    moments: Floats

    @staticmethod
    def of(x: Floats, n: Floats, n_pos: Floats) -> _Runs:
        """Runs of ascending scores with their rows and positives, each of shape (S,)."""
        missing = -len(x) % RUN
        x = np.pad(x, (0, missing), mode="edge").reshape(-1, RUN)
        n, n_pos = (np.pad(counts, (0, missing)).reshape(-1, RUN) for counts in (n, n_pos))
        middle, half = (x[:, -1:] + x[:, :1]) / 2, (x[:, -1:] - x[:, :1]) / 2
        powers = np.empty((DEGREE + 3, *x.shape))
        powers[0], powers[1:] = 1, (x - middle) / np.where(half > 0, half, 1)
        np.multiply.accumulate(powers, out=powers)
        of_rows = np.einsum("ibr,br->bi", powers, n)
        of_positives = np.einsum("ibr,br->bi", powers[:-1], n_pos)
        orders = ((of_rows, 0), (of_rows, 1), (of_rows, 2), (of_positives, 0), (of_positives, 1))
        moments = [sums[:, order : order + DEGREE + 1] * half**order for sums, order in orders]
        return _Runs(x, n, n_pos, middle, half, np.stack(moments, axis=1))


class _LocalSums:
    """Sums over the rows around each point, weighted by the tricube of their distance to it.

    Within a run of neighbouring scores that lies on one side of a point and within its reach, the weight is
    a polynomial of degree nine, so that a sum over the run follows from its moments about its middle. The
    runs at a point and at the two ends of its reach are summed score by score. Nothing is approximated.

    Parameters
    ----------
    runs : scores with their rows and positives.
    points, radius : float64, shape (P,).
    """

    def __init__(self, runs: _Runs, points: Floats, radius: Floats) -> None:
        reach = np.where(radius > 0, radius, 1)
        self._to_middle = runs.middle - points
        to_first, to_last = runs.x[:, :1] - points, runs.x[:, -1:] - points
        is_beside = (to_first >= 0) | (to_last <= 0)
        is_whole = is_beside & (to_last <= radius) & (to_first >= -radius)
        share = np.where(is_whole, np.abs(self._to_middle) / reach, 0)
        step = np.where(is_whole, np.sign(self._to_middle) * runs.half / reach, 0)
        self._whole = (runs.moments @ _tricube_around(share, step, is_whole)).swapaxes(0, 1)
        run, self._point = np.nonzero(~is_whole & (to_first <= radius) & (to_last >= -radius))
        self._apart = runs.x[run] - points[self._point, None]
        share = np.abs(self._apart)
        share /= reach[self._point, None]
        np.minimum(share, 1, out=share)
        core = share * share
        core *= share
        np.subtract(1, core, out=core)
        tricube = core * core
        tricube *= core
        alone = radius[self._point] == 0
        tricube[alone] = self._apart[alone] == 0
        self._n, self._n_pos = runs.n[run] * tricube, runs.n_pos[run] * tricube

    def about_points(self) -> tuple[Floats, Floats, Floats]:
        """Rows, their distances from each point, and positives, shape (P,) each."""
        n, first, _, n_pos, _ = self._whole
        return (
            self._sum(n, self._n),
            self._sum(self._to_middle * n + first, self._n * self._apart),
            self._sum(n_pos, self._n_pos),
        )

    def about(self, centre: Floats) -> tuple[Floats, Floats]:
        """Squared distances from so far above each point, and distances of positives; all of shape (P,)."""
        to_middle, apart = self._to_middle - centre, self._apart - centre[self._point, None]
        n, first, second, n_pos, first_pos = self._whole
        return (
            self._sum(to_middle * (to_middle * n + 2 * first) + second, self._n * apart * apart),
            self._sum(to_middle * n_pos + first_pos, self._n_pos * apart),
        )

    def _sum(self, of_runs: Floats, of_scores: Floats) -> Floats:
        """Over the runs that count as a whole, and over single scores."""
        single = np.bincount(self._point, of_scores.sum(axis=1), self._to_middle.shape[1])
        return np.asarray(of_runs.sum(axis=0) + single)


def _tricube_around(share: Floats, step: Floats, is_whole: NDArray[np.bool_]) -> Floats:
    """Terms of (1 − (share + step)³)³ by powers of the step, 0 where not whole; (runs, DEGREE + 1, P)."""
    squared = share * share
    cube, lower = squared * share, (1.0, share, squared)
    found = np.empty((len(share), DEGREE + 1, share.shape[1]))
    factor = is_whole.astype(float)
    for power in range(DEGREE + 1):
        least = -(-power // 3)
        first, *others = [TRICUBE[at] * math.comb(3 * at, power) for at in range(3, least - 1, -1)]
        value = np.full_like(share, first)
        for other in others:
            value *= cube
            value += other
        value *= lower[3 * least - power]
        np.multiply(value, factor, out=found[:, power])
        factor *= step
    return found


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
