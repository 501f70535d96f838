"""Bootstrap replicates of the tallies: posts drawn with their weights, every count and sum exact.

All sums are of whole numbers below 2^53 (floating values as `PostValues` splits them), so that no order of
summation, no block of replicates and no number of threads changes a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from evalcore.drawn.post_values import PostValues, Work, totals_together
from evalcore.drawn.swaps import Swaps, times
from evalcore.drawn.weights import weights_of
from evalcore.kernels.cumulative import accumulated, n_under
from evalcore.tallies.decisions import Confusion, StateCounts
from evalcore.tallies.scores import ScoredRows, ScoreTable

Weights = NDArray[Any]
"""Shape (replicates, posts), whole numbers."""

BLOCK_BYTES = 1 << 24
KEPT_BYTES = 1 << 26
"""Of draws of groups that are kept, a byte each."""
TABLE_COUNTS = 4
"""Counts of a score while tables are made: with evidence and without, as counted and as kept."""


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
    _kept: dict[bytes, Resampling] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(hashed: NDArray[np.uint64], n_replicates: int, seed: int) -> Resampling:
        """The weights of units hashed by `evalcore.drawn.weights.hashes`."""
        return Resampling(weights_of(hashed, seed=seed, start=0, stop=n_replicates), seed)

    @property
    def n_replicates(self) -> int:
        """B."""
        return len(self.drawn)

    def where(self, units: NDArray[np.intp]) -> Resampling:
        """The same draws of some of the units, numbered anew in this order.

        Those of the last parts are kept: the same posts are in a fold whatever the criterion.
        """
        if np.array_equal(units, np.arange(self.drawn.shape[1])):
            return self
        key = units.tobytes()
        if key not in self._kept:
            # A unit's draws lie together in memory: a group takes them in one piece.
            part = Resampling(self.drawn.T[units].T, self.seed)
            n_units = sum(one.drawn.shape[1] for one in (*self._kept.values(), part))
            if n_units * self.n_replicates > KEPT_BYTES:
                self._kept.clear()
            self._kept[key] = part
        return self._kept[key]

    def weights(self) -> Weights:
        """Weights of all replicates, shape (B, P)."""
        return self.drawn

    def blocks(self, n_cells: int, kind: type[np.floating[Any]] = np.float64) -> Iterator[Weights]:
        """The weights in blocks of replicates such that ``n_cells`` counts of each fit into memory."""
        size = max(1, BLOCK_BYTES // (8 * max(n_cells, 1)))
        for start in range(0, self.n_replicates, size):
            yield np.ascontiguousarray(self.drawn[start : start + size].T, kind).T


def score_table(rows: ScoredRows, weights: Weights) -> ScoreTable:
    """The table of counts at each distinct score in every replicate, shape (B, S)."""
    score, at = np.unique(rows.score + 0.0, return_inverse=True)  # + 0.0 makes −0 and 0 one score
    n_pos, n_neg = (
        _counts(rows.post[member], at[member], len(score), weights)
        for member in (rows.is_positive, ~rows.is_positive)
    )
    return ScoreTable(score, n_pos, n_neg, of=rows.table)


def score_counts(
    rows: ScoredRows, resampling: Resampling | Swaps
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]]:
    """Of each replicate the scores that are drawn, ascending, with the positives and negatives at each."""
    score, at = np.unique(rows.score + 0.0, return_inverse=True)  # + 0.0 makes −0 and 0 one score
    by_post = [
        sparse.csr_array(
            (np.ones(np.count_nonzero(member)), (at[member], rows.post[member])),
            shape=(len(score), rows.n_posts),
        )
        for member in (rows.is_positive, ~rows.is_positive)
    ]
    for weights in resampling.blocks(TABLE_COUNTS * len(score)):
        counts = (np.ascontiguousarray(times(one, weights).T).astype(np.int64) for one in by_post)
        for n_pos, n_neg in zip(*counts, strict=True):
            held = n_pos + n_neg > 0
            yield score[held], n_pos[held], n_neg[held]


def confusion(rows: ScoredRows, threshold: float, weights: Weights) -> Confusion:
    """Counts at a threshold in every replicate, shape (B,)."""
    return totals_together([confusion_work(rows, threshold)], weights)[0]


def confusion_work(rows: ScoredRows, threshold: float) -> Work[Confusion]:
    """`confusion`, from totals that other works share."""
    called, label = rows.score >= threshold, rows.is_positive
    cells = [called & label, called & ~label, ~called & label, ~called & ~label]
    true_pos, false_pos, false_neg, true_neg = yield from _cells(rows, cells)
    return Confusion(true_pos, false_pos, false_neg, true_neg, threshold)


def state_work(rows: ScoredRows, is_neg: NDArray[np.bool_], is_pos: NDArray[np.bool_]) -> Work[StateCounts]:
    """Counts by state and label in every replicate, shape (B,); the states as masks of shape (N,)."""
    zones = (is_neg, ~is_neg & ~is_pos, is_pos)
    cells = [zone & label for zone in zones for label in (rows.is_positive, ~rows.is_positive)]
    return StateCounts(*(yield from _cells(rows, cells)))


def means(
    values: NDArray[np.float64],
    unit: NDArray[np.intp],
    n_units: int,
    weights: Weights,
    *,
    bound: ArrayLike | None = None,
) -> Weights:
    """Means of J columns of values in every replicate, shape (B, J); NaN where no value of one is drawn.

    Parameters
    ----------
    values : float64, shape (N, J), NaN where a row does not enter.
    unit : int codes, shape (N,), of the unit that each row is drawn with.
    n_units : P.
    weights : shape (B, P).
    bound : as of `PostValues.from_rows`; infinite for a column of counts.
    """
    return totals_together([means_work(values, unit, n_units, bound=bound)], weights)[0]


def means_work(
    values: NDArray[np.float64],
    unit: NDArray[np.intp],
    n_units: int,
    *,
    bound: ArrayLike | None = None,
) -> Work[Weights]:
    """`means`, from totals that other works share."""
    entered = ~np.isnan(values)
    columns = np.concatenate([np.where(entered, values, 0.0), entered], axis=1).T
    bounds = np.full(len(columns), np.inf)
    bounds[: values.shape[1]] = np.inf if bound is None else bound
    # Many means are over the same rows: what is alike is summed once.
    number: dict[tuple[bytes, float], int] = {}
    keys = zip((column.tobytes() for column in columns), bounds.tolist(), strict=True)
    at = [number.setdefault(key, len(number)) for key in keys]
    first = [at.index(one) for one in number.values()]
    rows = np.ascontiguousarray(columns[first].T)
    totals = yield PostValues.from_rows(rows, unit, n_units, bound=bounds[first])
    total, n = np.split(totals[:, at], 2, axis=1)
    return np.asarray(np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0))


def quantiles(
    values: NDArray[np.float64], unit: NDArray[np.intp], weights: Weights | Swaps, shares: Sequence[float]
) -> Weights:
    """Q quantiles of values in every replicate, linear between values repeated by weight, shape (B, Q).

    Parameters
    ----------
    values : float64, shape (N,), NaN where a row does not enter.
    unit : int codes, shape (N,), of the unit that each row is drawn with.
    weights : shape (B, P), or swaps.
    shares : which quantiles, Q numbers in [0, 1].
    """
    distinct, at, unit = _distinct(values, unit)
    return _quantiles_of(distinct, _by_value(unit, at, len(distinct), weights), shares)


def quantiles_work(
    values: NDArray[np.float64], unit: NDArray[np.intp], n_units: int, shares: Sequence[float]
) -> Work[Weights]:
    """`quantiles` of values of which few are distinct, from totals that other works share."""
    distinct, at, unit = _distinct(values, unit)
    by_unit = np.bincount(at * n_units + unit, minlength=len(distinct) * n_units).astype(np.float64)
    totals = yield PostValues((by_unit.reshape(len(distinct), n_units),))
    return _quantiles_of(distinct, np.ascontiguousarray(totals.T), shares)


def _distinct(
    values: NDArray[np.float64], unit: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """The distinct values, and of each row that enters the number of its own and its unit."""
    entered = ~np.isnan(values)
    distinct, at = np.unique(values[entered], return_inverse=True)
    return distinct, at, unit[entered]


def _quantiles_of(distinct: NDArray[np.float64], counts: Weights, shares: Sequence[float]) -> Weights:
    """Quantiles from how often each distinct value is drawn, shape (D, B)."""
    if not len(distinct):
        return np.full((counts.shape[1], len(shares)), np.nan)
    below = accumulated(counts)
    n = below[-1]
    place = (n - 1) * np.array(shares, np.float64)[:, None]
    edges = np.stack([np.floor(place), np.ceil(place)])
    first, second = distinct[np.minimum(n_under(below, edges + 1), len(distinct) - 1)]
    return np.where(n > 0, first + (second - first) * (place - edges[0]), np.nan).T


def _counts(post: NDArray[np.intp], at: NDArray[np.intp], n: int, weights: Weights) -> NDArray[np.int64]:
    return np.ascontiguousarray(_by_value(post, at, n, weights).T).astype(np.int64)


def _by_value(post: NDArray[np.intp], at: NDArray[np.intp], n: int, weights: Weights | Swaps) -> Weights:
    """Rows at each of n values in every replicate, shape (n, B)."""
    by_post = sparse.csr_array((np.ones(len(post)), (at, post)), shape=(n, weights.shape[1]))
    return times(by_post, weights)


def _cells(rows: ScoredRows, cells: list[NDArray[np.bool_]]) -> Work[list[NDArray[np.int64]]]:
    by_post = [np.bincount(rows.post[cell], minlength=rows.n_posts) for cell in cells]
    totals = yield PostValues((np.stack(by_post).astype(np.float64),))
    return list(totals.T.astype(np.int64))
