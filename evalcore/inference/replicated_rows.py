"""Sums over scored rows in every bootstrap replicate, without a table of distinct scores for each.

A sum over rows is a sum over posts of the rows' sum in each, so one matrix product serves all replicates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.post_values import PostValues
from evalcore.inference.replicates import Resampling, Weights, score_table
from evalcore.kernels.bins import Bins, equal_width_edges
from evalcore.tallies.scores import ScoredRows, ScoreTable

Floats = NDArray[np.float64]
CHUNK = 64
BLOCK_BYTES = 1 << 27
_SUM_BITS = 53
_LARGEST_WEIGHT = 5  # bits of 20, the largest weight of a unit


@dataclass(frozen=True, eq=False)
class ReplicatedRows:
    """Scored rows and how often the unit of each is drawn, in B replicates.

    Parameters
    ----------
    rows : N rows; ``post`` holds codes of the P units that are drawn.
    resampling : the draws.
    weights : all of them, shape (B, P).
    """

    rows: ScoredRows
    resampling: Resampling
    weights: Weights
    _bins: dict[tuple[int, str], Bins] = field(default_factory=dict)

    @cached_property
    def whole(self) -> ScoreTable:
        """The table of the rows as they are."""
        return ScoreTable.from_rows(self.rows)

    @property
    def total_pos(self) -> Floats:
        """Rows with evidence, whole numbers of shape (B,)."""
        return self._of_rows[:, 0]

    @property
    def total(self) -> Floats:
        """Rows, whole numbers of shape (B,)."""
        return self._of_rows[:, 1]

    @property
    def squared_errors(self) -> Floats:
        """Sum of (score − label)², shape (B,)."""
        return self._of_rows[:, 2]

    @cached_property
    def _of_rows(self) -> Floats:
        label = self.rows.is_positive.astype(np.float64)
        return self.sums(np.stack([label, np.ones(len(label)), (self.rows.score - label) ** 2], axis=1))

    def sums(self, values: Floats) -> Floats:
        """Sums of J values of each row, from shape (N, J) to shape (B, J); as `PostValues.from_rows`."""
        return PostValues.from_rows(values, self.rows.post, self.rows.n_posts).totals(self.weights)

    def tables(self, which: NDArray[np.bool_]) -> ScoreTable:
        """The table of counts at each distinct score in some of the replicates, a mask of shape (B,)."""
        return score_table(self.rows, self.weights[which])

    def ends(self, x: Floats, of: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Lowest and highest x among the rows of a mask, each of shape (B,); (inf, −inf) without one.

        Parameters
        ----------
        x : of each row, shape (N,).
        of : which rows, shape (N,).
        """
        order = np.argsort(x[of], kind="stable")
        value, unit = x[of][order], self.rows.post[of][order]
        low = self._first(value, unit, np.inf)
        return low, self._first(value[::-1], unit[::-1], -np.inf)

    def _first(self, value: Floats, unit: NDArray[np.intp], none: float) -> Floats:
        """The value of the first row that is drawn."""
        drawn = self.resampling.drawn.T
        found = np.full(drawn.shape[1], none)
        is_open = np.ones(drawn.shape[1], bool)
        for start in range(0, len(value), CHUNK):
            held = drawn[unit[start : start + CHUNK]] > 0
            newly = is_open & held.any(axis=0)
            found[newly] = value[start + held[:, newly].argmax(axis=0)]
            is_open &= ~newly
            if not is_open.any():
                break
        return found

    def bins(self, n_bins: int, variant: str) -> Bins:
        """Rows by bin of the score, as `evalcore.kernels.bins.bins_of`, ``start`` left empty.

        Parameters
        ----------
        n_bins : M, at least 1.
        variant : as of `bins_of`.
        """
        key = (n_bins, variant)
        if key not in self._bins:
            of = self._equal_mass(n_bins) if variant == "equal_mass" else self._fixed_bins(n_bins, variant)
            self._bins[key] = of
        return self._bins[key]

    def _fixed_bins(self, n_bins: int, variant: str) -> Bins:
        score = self.rows.score + 0.0
        if variant == "default":
            at = np.searchsorted(equal_width_edges(n_bins)[1:-1], score, side="right")
        else:
            at = np.searchsorted(np.linspace(0, 1, n_bins + 1), score, side="right") - 1
        in_bin = np.equal.outer(at, np.arange(n_bins)).astype(np.float64)
        label = self.rows.is_positive[:, None]
        columns = np.concatenate([in_bin, in_bin * label, in_bin * score[:, None]], axis=1)
        n, n_pos, sum_score = np.split(self.sums(columns), 3, axis=1)
        return Bins(np.empty((0, n_bins + 1), np.intp), n.astype(np.int64), n_pos.astype(np.int64), sum_score)

    def _equal_mass(self, n_bins: int) -> Bins:
        size = max(1, BLOCK_BYTES // (16 * max(len(self.rows), 1)))
        starts = range(0, self.resampling.n_replicates, size)
        parts = [self._equal_mass_of(n_bins, slice(start, start + size)) for start in starts]
        n, n_pos, sum_score = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Bins(np.empty((0, n_bins + 1), np.intp), n, n_pos, sum_score)

    def _equal_mass_of(
        self, n_bins: int, block: slice
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Rows, positives and sum of scores by bin in some of the replicates, each of shape (b, M)."""
        rows = self.rows
        order = np.argsort(rows.score + 0.0, kind="stable")
        score = rows.score[order] + 0.0
        drawn = self.resampling.drawn.T[:, block]
        shift = _SUM_BITS - _LARGEST_WEIGHT - len(rows).bit_length()
        shift -= int(np.frexp(np.abs(score).max(initial=0.0))[1])
        fixed = np.rint(np.ldexp(score, shift))
        label = rows.is_positive[order]
        n_below, pos_below, sum_below = _below(drawn, rows.post[order], label, fixed)
        first = np.flatnonzero(np.diff(score, prepend=-np.inf) > 0)  # of each distinct score
        ends = np.append(first, len(score))
        due = np.arange(n_bins + 1)[:, None] * n_below[-1].astype(np.int64)
        at = ends[_first_reaching(n_below, first, due, n_bins)]
        n = np.diff(np.take_along_axis(n_below, at, 0), axis=0).astype(np.int64)
        which = np.append(0, np.cumsum(label))[at]
        n_pos = np.diff(np.take_along_axis(pos_below, which, 0), axis=0).astype(np.int64)
        sums = np.diff(np.take_along_axis(sum_below, at, 0), axis=0)
        return n.T, n_pos.T, np.ldexp(sums, -shift).T


def _below(
    drawn: NDArray[np.uint8], unit: NDArray[np.intp], label: NDArray[np.bool_], value: Floats
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Rows, positives and values below each row (of the positives: below each positive), and of all, last."""
    n_replicates = drawn.shape[1]
    n = np.empty((len(unit) + 1, n_replicates), np.int32)
    pos = np.empty((int(label.sum()) + 1, n_replicates), np.int32)
    total = np.empty((len(unit) + 1, n_replicates))
    n[0] = pos[0] = total[0] = 0
    at_pos = 0
    for row, (code, is_positive, fixed) in enumerate(
        zip(unit.tolist(), label.tolist(), value.tolist(), strict=True)
    ):
        times = drawn[code]
        np.add(n[row], times, out=n[row + 1])
        np.multiply(times, fixed, out=total[row + 1])
        total[row + 1] += total[row]
        if is_positive:
            np.add(pos[at_pos], times, out=pos[at_pos + 1])
            at_pos += 1
    return n, pos, total


def _first_reaching(
    n_below: NDArray[np.int32], first: NDArray[np.intp], due: NDArray[np.int64], n_bins: int
) -> NDArray[np.intp]:
    """How many distinct scores have ``n_below · M`` under what is due, by bisection; shape of ``due``."""
    low, high = np.zeros(due.shape, np.intp), np.full(due.shape, len(first), np.intp)
    column = np.arange(due.shape[1])
    while (low < high).any():
        middle = (low + high) // 2
        row = first[np.minimum(middle, len(first) - 1)]
        is_under = (low < high) & (n_below[row, column].astype(np.int64) * n_bins < due)
        low, high = np.where(is_under, middle + 1, low), np.where(is_under | (low >= high), high, middle)
    return low
