"""Rows dealt out evenly in the order of their scores, in every bootstrap replicate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.inference.replicates import Weights
from evalcore.kernels.cumulative import n_under, running
from evalcore.tallies.scores import ScoredRows

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Places = NDArray[np.intp]
BLOCK_BYTES = 1 << 26
STRIDE = 8
"""Rows between two of those up to which scores are summed; the few beyond are added one by one."""
_SUM_BITS = 53
_LARGEST_WEIGHT = 5  # bits of 20, the largest weight of a unit


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Rows in the order of their scores.

    Parameters
    ----------
    unit, label : of each row, shape (N,).
    fixed : the scores times 2^``shift``, whole numbers whose sums are exact.
    shift : of the scores.
    start : the first row of each distinct score, and N, last.
    """

    unit: Places
    label: NDArray[np.bool_]
    fixed: Floats
    shift: int
    start: Places

    @cached_property
    def _next_start(self) -> Places:
        """The first row of a distinct score at or after each row, and N, last."""
        return self.start[np.searchsorted(self.start, np.arange(len(self.unit) + 1))]

    @staticmethod
    def of(rows: ScoredRows) -> SortedRows:
        """The rows sorted, equal scores as they come."""
        order = np.argsort(rows.score + 0.0, kind="stable")  # + 0.0 makes −0 and 0 one score
        score = rows.score[order] + 0.0
        shift = _SUM_BITS - _LARGEST_WEIGHT - len(score).bit_length()
        shift -= int(np.frexp(np.abs(score).max(initial=0.0))[1])
        return SortedRows(
            unit=rows.post[order],
            label=rows.is_positive[order],
            fixed=np.rint(np.ldexp(score, shift)),
            shift=shift,
            start=np.append(np.flatnonzero(np.diff(score, prepend=-np.inf) > 0), len(score)),
        )

    def dealt_out(
        self, drawn: NDArray[np.uint8], weights: Weights, n_bins: int
    ) -> tuple[Counts, Counts, Floats]:
        """Rows, positives and sum of scores by bin, each of shape (B, M), as `bins_of` deals them out.

        Parameters
        ----------
        drawn : how often each unit is drawn, shape (B, P).
        weights : the same as float64.
        n_bins : M, at least 1.
        """
        size = max(1, BLOCK_BYTES // (4 * max(len(self.unit), 1)))
        blocks = [slice(at, at + size) for at in range(0, len(drawn), size)]
        parts = [self._of_block(drawn[block].T, weights[block].T, n_bins) for block in blocks]
        n, n_pos, sums = (np.concatenate(columns, axis=1).T for columns in zip(*parts, strict=True))
        return n, n_pos, np.ldexp(sums, -self.shift)

    def _of_block(
        self, drawn: NDArray[np.uint8], weights: Floats, n_bins: int
    ) -> tuple[Counts, Counts, Floats]:
        """As `dealt_out`, units first: each of shape (M, b)."""
        n_below, pos_below = _rows_below(drawn, self.unit), _rows_below(drawn, self.unit[self.label])
        total, column = n_below[-1].astype(np.int64), np.arange(drawn.shape[1])
        due = -(-np.arange(1, n_bins)[:, None] * total // n_bins)
        edges = np.zeros((n_bins + 1, len(total)), np.intp)
        edges[1:-1] = self._next_start[n_under(n_below, due)]
        edges[-1] = len(self.unit)
        n = _steps(n_below[edges, column].astype(np.int64))
        positives = np.append(0, np.cumsum(self.label))[edges]
        n_pos = _steps(pos_below[positives, column].astype(np.int64))
        return n, n_pos, _steps(self._sum_below(weights, edges))

    def _sum_below(self, weights: Floats, edges: Places) -> Floats:
        """Sums of the scores of the rows before each edge; shape of ``edges``."""
        n_rows, column = len(self.unit), np.arange(weights.shape[1])
        stride = np.arange(n_rows) // STRIDE
        shape = (n_rows // STRIDE + 1, len(weights))
        of_strides = sparse.csr_array((self.fixed, (stride, self.unit)), shape=shape) @ weights
        first = edges // STRIDE * STRIDE
        total = running(of_strides)[first // STRIDE, column]
        flat = np.ascontiguousarray(weights).reshape(-1)
        fixed, unit = np.append(self.fixed, 0.0), np.append(self.unit, 0) * len(column)
        for step in range(STRIDE - 1):
            row = np.where(first + step < edges, first + step, n_rows)
            total += fixed[row] * flat[unit[row] + column]
        return np.asarray(total)


def _steps(below: NDArray[Any]) -> NDArray[Any]:
    """From what lies below each edge to what lies between two."""
    return np.asarray(below[1:] - below[:-1])


def _rows_below(drawn: NDArray[np.uint8], unit: Places) -> NDArray[Any]:
    """How many rows are drawn before each row, and of all, last; shape (N + 1, b)."""
    most = int(np.bincount(unit, minlength=len(drawn)) @ drawn.max(axis=1, initial=0).astype(np.int64))
    # The smaller the numbers, the less memory is written: that is what takes the time.
    return running(drawn.astype(np.uint16 if most < 1 << 16 else np.int32)[unit])
