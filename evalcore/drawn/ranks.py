"""The order of scored rows in many bootstrap replicates: positives and negatives below each positive score.

What depends on the order only needs no table of every distinct score: negatives between two neighbouring
positive scores count together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.drawn.replicates import Weights
from evalcore.drawn.swaps import Swaps, times
from evalcore.kernels.cumulative import n_under, running
from evalcore.tallies.scores import ScoredRows

Counts = NDArray[np.float64]
"""Whole numbers below 2^53: sums of them are exact in any order."""


@dataclass(frozen=True, eq=False)
class Order:
    """Where rows lie among the S distinct scores of positives.

    Parameters
    ----------
    by_positive : matrix of shape (S, P), positives of each post at each of these scores.
    by_place : matrix of shape (2·S + 1, P), negatives of each post at each place: below the first of these
        scores, at it, between it and the next one, and so on.
    """

    by_positive: sparse.csr_array
    by_place: sparse.csr_array

    @staticmethod
    def of(rows: ScoredRows) -> Order:
        """The order of the rows."""
        positive = np.unique(rows.score[rows.is_positive] + 0.0)  # + 0.0 makes −0 and 0 one score
        below = np.searchsorted(positive, rows.score, side="left")
        is_tied = np.searchsorted(positive, rows.score, side="right") > below
        label = rows.is_positive
        place = 2 * below + is_tied
        return Order(
            _counted(below[label], rows.post[label], (len(positive), rows.n_posts)),
            _counted(place[~label], rows.post[~label], (2 * len(positive) + 1, rows.n_posts)),
        )

    @property
    def n_counts(self) -> int:
        """How many counts each replicate takes."""
        return int(2 * self.by_positive.shape[0] + self.by_place.shape[0])

    def drawn(self, weights: Weights | Swaps) -> ReplicatedRanks:
        """The counts in the replicates of some weights, shape (b, P), or swaps."""
        return ReplicatedRanks(running(times(self.by_place, weights)), times(self.by_positive, weights))


@dataclass(frozen=True, eq=False)
class ReplicatedRanks:
    """Counts in b replicates, replicates last.

    Parameters
    ----------
    neg_below : shape (2·S + 2, b), negatives below each place, and of all, last.
    n_pos : shape (S, b), positives at each of their scores.
    """

    neg_below: Counts
    n_pos: Counts

    @cached_property
    def found(self) -> Counts:
        """Positives at each of their scores and above, and none, last: shape (S + 1, b)."""
        return running(self.n_pos[::-1])[::-1]

    @property
    def total_pos(self) -> Counts:
        """Positives, shape (b,)."""
        return np.asarray(self.found[0])

    @property
    def total_neg(self) -> Counts:
        """Negatives, shape (b,)."""
        return np.asarray(self.neg_below[-1])

    def found_at(self, due: Counts, side: str) -> Counts:
        """Positives called by a threshold, shape (b,).

        Parameters
        ----------
        due : negatives below the threshold, shape (b,).
        side : ``first``, the lowest threshold with so many negatives below it, or ``last``, the highest one
            with at most so many, at least the lowest of all.
        """
        place = n_under(self.neg_below, due if side == "first" else due + 1)
        if side == "last":
            place = np.maximum(place - 1, 0)
        return np.asarray(self.found[place // 2, np.arange(len(place))])


def _counted(at: NDArray[np.intp], post: NDArray[np.intp], shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(at)), (at, post)), shape=shape)
