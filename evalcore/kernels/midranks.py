"""Ranks of values that may be equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value, from 1; equal values share the mean of theirs.

    ``scipy.stats.rankdata`` is the same, and takes longer to import than most evaluations take.

    Parameters
    ----------
    values : finite, shape (N,) or, each row for itself, (M, N).

    Examples
    --------
    >>> midranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    found = np.empty(values.shape)
    for ranks, row in zip(np.atleast_2d(found), np.atleast_2d(values), strict=True):
        _, at, n = np.unique(row, return_inverse=True, return_counts=True)
        ranks[:] = (np.cumsum(n) - (n - 1) / 2)[at]
    return found
