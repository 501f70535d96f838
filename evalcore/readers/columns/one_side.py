"""Whether scores lie on one side of 0.5, as those of the predicted one of two classes do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MIDDLE = 0.5
MANY = 20
"""Rows from which on that no score lies below 0.5 says something by itself."""

_FEW = 0.01
_ROUNDING = 1e-3
"""What writing a score with few digits can take from 0.5."""


def are_of_one_side(score: NDArray[np.float64]) -> bool:
    """Whether no score, or at most a few of many, lies below 0.5: one rounded score settles nothing.

    Parameters
    ----------
    score : float64, shape (N,); False without scores, with NaN, or above 1.

    >>> are_of_one_side(np.array([0.5, 0.9])), are_of_one_side(np.array([0.4, 0.9]))
    (True, False)
    """
    if not len(score) or not np.isfinite(score).all() or (score > 1).any():
        return False
    allowed = max(1, int(_FEW * len(score))) if len(score) >= MANY else 0
    return int(np.count_nonzero(score < MIDDLE)) <= allowed


def is_too_low(score: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a score cannot be that of the predicted one of two classes, whose share is half or more.

    Parameters
    ----------
    score : float64, shape (N,).

    >>> is_too_low(np.array([0.4, 0.4999, 0.5])).tolist()
    [True, False, False]
    """
    return score < MIDDLE - _ROUNDING
