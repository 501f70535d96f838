"""The order of scored rows in many bootstrap replicates: positives and negatives below each positive score.

What depends on the order only needs no table of every distinct score: negatives between two neighbouring
positive scores count together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.drawn.post_values import MOST_DRAWN
from evalcore.drawn.replicates import Weights
from evalcore.drawn.swaps import Swaps, times
from evalcore.kernels.cumulative import accumulated, n_under, running
from evalcore.tallies.scores import ScoredRows

Floats = NDArray[np.float64]
Counts = NDArray[Any]
"""Whole numbers that their floating type holds exactly, as it does their sums in any order."""
SINGLE = float(1 << 24)
"""Whole numbers up to this are exact in single precision, which takes half of the memory and the time."""


def kind_of(n_rows: int) -> type[np.floating[Any]]:
    """The smaller floating type that holds twice as many rows as a replicate has at most.

    Examples
    --------
    >>> kind_of(100_000).__name__, kind_of(200_000).__name__
    ('float32', 'float64')
    """
    return np.float32 if 2 * MOST_DRAWN * n_rows <= SINGLE else np.float64


@dataclass(frozen=True, eq=False)
class Order:
    """Where rows lie among the S distinct scores of positives.

    Parameters
    ----------
    by_positive : matrix of shape (S, P), positives of each post at each of these scores.
    by_place : matrix of shape (2·S + 2, P), negatives of each post at each place: none, below the first of
        these scores, at it, between it and the next one, and so on.
    """

    by_positive: sparse.csr_array
    by_place: sparse.csr_array

    @staticmethod
    def of(rows: ScoredRows, kind: type[np.floating[Any]] = np.float64) -> Order:
        """The order of the rows, counted in a floating type."""
        positive = np.unique(rows.score[rows.is_positive] + 0.0)  # + 0.0 makes −0 and 0 one score
        below = np.searchsorted(positive, rows.score, side="left")
        is_tied = np.searchsorted(positive, rows.score, side="right") > below
        label = rows.is_positive
        place = 1 + 2 * below + is_tied
        return Order(
            _counted(below[label], rows.post[label], (len(positive), rows.n_posts), kind),
            _counted(place[~label], rows.post[~label], (2 * len(positive) + 2, rows.n_posts), kind),
        )

    @property
    def n_counts(self) -> int:
        """How many counts each replicate takes."""
        return int(2 * self.by_positive.shape[0] + self.by_place.shape[0])

    def drawn(self, weights: Weights | Swaps) -> ReplicatedRanks:
        """The counts in the replicates of some weights, shape (b, P), or swaps."""
        return ReplicatedRanks(accumulated(times(self.by_place, weights)), times(self.by_positive, weights))


@dataclass(frozen=True, eq=False)
class ReplicatedRanks:
    """Counts in b replicates, replicates last; their products need double precision where they do not.

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

    @cached_property
    def total_pos(self) -> Floats:
        """Positives, shape (b,)."""
        return np.asarray(self.found[0], np.float64)

    @cached_property
    def total_neg(self) -> Floats:
        """Negatives, shape (b,)."""
        return np.asarray(self.neg_below[-1], np.float64)

    def found_at(self, due: Floats, side: str) -> Counts:
        """Positives called by a threshold, shape (b,).

        Parameters
        ----------
        due : negatives below the threshold, shape (b,).
        side : ``first``, the lowest threshold with so many negatives below it, or ``last``, the highest one
            with at most so many, at least the lowest of all.
        """
        due = (due if side == "first" else due + 1).astype(self.neg_below.dtype)
        place = n_under(self.neg_below, due)
        if side == "last":
            place = np.maximum(place - 1, 0)
        return np.asarray(self.found[place // 2, np.arange(len(place))])


def _counted(
    at: NDArray[np.intp], post: NDArray[np.intp], shape: tuple[int, int], kind: type[np.floating[Any]]
) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(at), kind), (at, post)), shape=shape)
