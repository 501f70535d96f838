"""Bootstrap replicates of the tallies: posts drawn with their weights, every count and sum exact.

All sums are of whole numbers below 2^53 (floating values in fixed point, in two halves), so that no order of
summation, no block of replicates and no number of threads changes a bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.inference.weights import weights_of
from evalcore.tallies.decisions import Confusion, StateCounts
from evalcore.tallies.scores import ScoredRows, ScoreTable

Weights = NDArray[np.float64]
"""Shape (replicates, posts), whole numbers."""

BLOCK_BYTES = 1 << 24
_HALF = 27


@dataclass(frozen=True, eq=False)
class Resampling:
    """How often each unit is drawn in each replicate.

    Parameters
    ----------
    drawn : uint8, shape (B, P): B replicates, P units in the order of their codes.
    seed : whole number from 0 on.
    """

    drawn: NDArray[np.uint8]
    seed: int

    @staticmethod
    def of(hashed: NDArray[np.uint64], n_replicates: int, seed: int) -> Resampling:
        """The weights of units hashed by `evalcore.inference.weights.hashes`."""
        return Resampling(weights_of(hashed, seed=seed, start=0, stop=n_replicates), seed)

    @property
    def n_replicates(self) -> int:
        """B."""
        return len(self.drawn)

    def where(self, units: NDArray[np.intp]) -> Resampling:
        """The same draws of some of the units, numbered anew in this order."""
        return Resampling(self.drawn[:, units], self.seed)

    def weights(self, start: int = 0, stop: int | None = None) -> Weights:
        """Weights of the replicates ``start`` … ``stop`` − 1, of all by default; shape (replicates, P)."""
        # Units lie together in memory: that is how the sparse products below read them.
        return np.ascontiguousarray(self.drawn[start:stop].T, np.float64).T

    def blocks(self, n_cells: int) -> Iterator[Weights]:
        """The weights in blocks of replicates such that ``n_cells`` counts of each fit into memory."""
        size = max(1, BLOCK_BYTES // (8 * max(n_cells, 1)))
        for start in range(0, self.n_replicates, size):
            yield self.weights(start, start + size)


def score_table(rows: ScoredRows, weights: Weights) -> ScoreTable:
    """The table of counts at each distinct score in every replicate, shape (B, S)."""
    score, at = np.unique(rows.score + 0.0, return_inverse=True)  # + 0.0 makes −0 and 0 one score
    n_pos, n_neg = (
        _counts(rows.post[member], at[member], len(score), weights)
        for member in (rows.is_positive, ~rows.is_positive)
    )
    return ScoreTable(score, n_pos, n_neg, of=ScoreTable.from_rows(rows))


def ranked_only(rows: ScoredRows) -> ScoredRows:
    """The rows with scores replaced by whole numbers that order positives against negatives alike.

    Negatives between two positives become one tie: what depends on the order only, such as AUROC, average
    precision and TPR at an FPR, stays the same to the bit, with far fewer distinct scores.

    Examples
    --------
    >>> is_positive = np.array([False, False, True, False])
    >>> rows = ScoredRows(np.array([0.1, 0.2, 0.3, 0.4]), is_positive, np.arange(4), 4)
    >>> ranked_only(rows).score.tolist()
    [0.0, 0.0, 1.0, 2.0]
    """
    positive = np.unique(rows.score[rows.is_positive] + 0.0)
    below = np.searchsorted(positive, rows.score, side="left")
    tied = np.searchsorted(positive, rows.score, side="right") > below
    return ScoredRows((2 * below + tied).astype(np.float64), rows.is_positive, rows.post, rows.n_posts)


def confusion(rows: ScoredRows, threshold: float, weights: Weights) -> Confusion:
    """Counts at a threshold in every replicate, shape (B,)."""
    called = rows.score >= threshold
    cells = [called & rows.is_positive, called & ~rows.is_positive, ~called & rows.is_positive]
    true_pos, false_pos, false_neg, true_neg = _cells(rows, [*cells, ~called & ~rows.is_positive], weights)
    return Confusion(true_pos, false_pos, false_neg, true_neg, threshold)


def state_counts(
    rows: ScoredRows, is_neg: NDArray[np.bool_], is_pos: NDArray[np.bool_], weights: Weights
) -> StateCounts:
    """Counts by state and label in every replicate, shape (B,); the states as masks of shape (N,)."""
    zones = (is_neg, ~is_neg & ~is_pos, is_pos)
    cells = [zone & label for zone in zones for label in (rows.is_positive, ~rows.is_positive)]
    return StateCounts(*_cells(rows, cells, weights))


def means(values: NDArray[np.float64], unit: NDArray[np.intp], n_units: int, weights: Weights) -> Weights:
    """The mean of values in every replicate, shape (B,); NaN where no value is drawn.

    Parameters
    ----------
    values : float64, shape (N,), NaN where a row does not enter.
    unit : int codes, shape (N,), of the unit that each row is drawn with.
    n_units : P.
    weights : shape (B, P).
    """
    entered = ~np.isnan(values)
    kept, of = values[entered], unit[entered]
    n = weights @ np.bincount(of, minlength=n_units).astype(np.float64)
    largest = np.abs(kept).max(initial=0.0)
    exponent = 2 * _HALF - int(np.frexp(largest)[1])
    fixed = np.rint(np.ldexp(kept, exponent)).astype(np.int64)
    high, low = fixed >> _HALF, fixed & ((1 << _HALF) - 1)
    halves = np.stack([_by_unit(part, of, n_units) for part in (high, low)], axis=1)
    total = weights @ halves
    summed = np.ldexp(total[:, 0], _HALF - exponent) + np.ldexp(total[:, 1], -exponent)
    return np.asarray(np.divide(summed, n, out=np.full(len(n), np.nan), where=n > 0))


def quantiles(
    values: NDArray[np.float64], unit: NDArray[np.intp], weights: Weights, quantile: float
) -> Weights:
    """The quantile of values in every replicate, linear between values repeated by weight, shape (B,)."""
    entered = ~np.isnan(values)
    distinct, at = np.unique(values[entered], return_inverse=True)
    if not len(distinct):
        return np.full(len(weights), np.nan)
    below = np.cumsum(_counts(unit[entered], at, len(distinct), weights), axis=1)
    n = below[:, -1]
    place = (n - 1) * quantile
    first, second = (
        distinct[np.minimum((below <= edge[:, None]).sum(axis=1), len(distinct) - 1)]
        for edge in (np.floor(place), np.ceil(place))
    )
    return np.where(n > 0, first + (second - first) * (place - np.floor(place)), np.nan)


def _counts(post: NDArray[np.intp], at: NDArray[np.intp], n: int, weights: Weights) -> NDArray[np.int64]:
    by_post = sparse.csr_array((np.ones(len(post)), (at, post)), shape=(n, weights.shape[1]))
    return np.ascontiguousarray((by_post @ weights.T).T).astype(np.int64)


def _cells(rows: ScoredRows, cells: list[NDArray[np.bool_]], weights: Weights) -> Iterator[NDArray[np.int64]]:
    by_post = [np.bincount(rows.post[cell], minlength=weights.shape[1]) for cell in cells]
    counted = weights @ np.stack(by_post, axis=1).astype(np.float64)
    return iter(counted.astype(np.int64).T)


def _by_unit(part: NDArray[np.int64], of: NDArray[np.intp], n_units: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(of, weights=part.astype(np.float64), minlength=n_units), np.float64)
