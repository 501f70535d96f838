"""Cumulative counts, and places in them, for one set of rows and for many replicates at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


def running(counts: Numbers) -> Numbers:
    """Sums of what lies above each row, and of all, last; from shape (S, b) to shape (S + 1, b).

    Examples
    --------
    >>> running(np.array([[1, 4], [2, 5]])).tolist()
    [[0, 0], [1, 4], [3, 9]]
    """
    found = np.empty((len(counts) + 1, *counts.shape[1:]), counts.dtype)
    found[0] = 0
    for at, row in enumerate(counts):  # ``np.cumsum`` along the first axis takes five times as long
        np.add(found[at], row, out=found[at + 1])
    return found


def accumulated(counts: Numbers) -> Numbers:
    """Each row with the sums of it and what lies above, in its place; of shape (S, b).

    Examples
    --------
    >>> accumulated(np.array([[1, 4], [2, 5]])).tolist()
    [[1, 4], [3, 9]]
    """
    for above, row in pairwise(counts):
        row += above
    return counts


def n_under(below: Numbers, due: Numbers) -> NDArray[np.intp]:
    """How many of the ascending counts are smaller than what is due, by bisection.

    Parameters
    ----------
    below : shape (S,), or (S, b) with every column ascending.
    due : a number, or shape (..., b).

    Returns
    -------
    int, shape of ``due``, each from 0 to S.

    Examples
    --------
    >>> n_under(np.array([[0, 1], [2, 1], [2, 4], [5, 9]]), np.array([3, 1])).tolist()
    [3, 0]
    """
    if below.ndim == 1:
        return np.asarray(np.searchsorted(below, due))
    n_rows, n_columns = below.shape
    column = np.broadcast_to(np.arange(n_columns), np.shape(due))
    if not n_rows:
        return np.zeros(column.shape, np.intp)
    flat, at = below.reshape(-1), column.copy()
    while n_rows > 1:  # the same steps for all: half of the rows left are passed, or not
        half = n_rows // 2
        at += (flat[at + (half - 1) * n_columns] < due) * (half * n_columns)
        n_rows -= half
    return np.asarray((at - column) // n_columns + (flat[at] < due))
