"""Swaps of two systems in whole units, as draws of the units of both.

The rows of two systems stand in one tally, the first's with units 0 … P − 1, the second's with the same units
as P … 2·P − 1. To change places in a unit is to draw it from the other half: weights [1 − s, s] make the
first system after the swap, [s, 1 − s] the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BLOCK_BYTES = 1 << 24


@dataclass(frozen=True, eq=False)
class Swaps:
    """In which units two systems change places, in b swaps; as draws these are 2·b replicates of 2·P units.

    Replicate 2·j is the first system after swap j, replicate 2·j + 1 the second.

    Parameters
    ----------
    swapped : uint8, shape (P, b), 1 where the two change places.

    Examples
    --------
    >>> swaps = Swaps(np.array([[0, 1], [1, 1]], np.uint8))
    >>> swaps.drawn.tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]]
    >>> swaps.times(np.array([[1.0, 2, 10, 20]])).tolist()
    [[21.0, 12.0, 30.0, 3.0]]
    """

    swapped: NDArray[np.uint8]
    _halves: dict[int, tuple[Any, Any, Floats, Floats]] = field(default_factory=dict, repr=False)

    @property
    def n_replicates(self) -> int:
        """2·b."""
        return 2 * int(self.swapped.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(2·b, 2·P)."""
        return self.n_replicates, 2 * len(self.swapped)

    @cached_property
    def drawn(self) -> NDArray[np.uint8]:
        """How often each unit is drawn in each replicate, shape (2·b, 2·P), as of a `Resampling`."""
        swapped = self.swapped.T
        first = np.concatenate([1 - swapped, swapped], axis=1)
        return np.stack([first, 1 - first], axis=1).reshape(self.shape)

    def weights(self) -> Swaps:
        """What the units are multiplied by: this, by `times`."""
        return self

    def blocks(self, n_cells: int, _kind: type[np.floating[Any]] = np.float64) -> Iterator[Swaps]:
        """The swaps in blocks such that ``n_cells`` counts of both systems in each fit into memory."""
        size = max(1, BLOCK_BYTES // (16 * max(n_cells, 1)))
        for start in range(0, self.swapped.shape[1], size):
            yield Swaps(self.swapped[:, start : start + size], self._halves)

    def times(self, matrix: Any) -> Floats:
        """Totals over the drawn units, shape (J, 2·b), from values that add without rounding.

        Parameters
        ----------
        matrix : values of the units, dense or sparse, shape (J, 2·P).
        """
        change, first, second = self._change(matrix)
        found = np.empty((matrix.shape[0], self.swapped.shape[1], 2))
        size = max(1, BLOCK_BYTES // (8 * max(len(self.swapped), 1)))
        for start in range(0, self.swapped.shape[1], size):
            stop = start + size
            moved = np.asarray(change @ self.swapped[:, start:stop].astype(np.float64))
            np.add(first[:, None], moved, out=found[:, start:stop, 0])
            np.subtract(second[:, None], moved, out=found[:, start:stop, 1])
        return found.reshape(matrix.shape[0], self.n_replicates)

    def _change(self, matrix: Any) -> tuple[Any, Floats, Floats]:
        """The second system's values − the first's, and the totals of each, made once for all blocks."""
        known = self._halves.get(id(matrix))
        if known is None or known[0] is not matrix:
            n_units = len(self.swapped)
            first, second = matrix[:, :n_units], matrix[:, n_units:]
            totals = (np.asarray(half.sum(axis=1), np.float64) for half in (first, second))
            known = self._halves[id(matrix)] = (matrix, second - first, *totals)
        return known[1:]


def times(matrix: Any, weights: NDArray[Any] | Swaps) -> Floats:
    """Totals over units in every replicate, shape (J, B).

    Parameters
    ----------
    matrix : values of the units, dense or sparse, shape (J, P).
    weights : shape (B, P), or swaps.
    """
    return weights.times(matrix) if isinstance(weights, Swaps) else np.asarray(matrix @ weights.T)
