"""Adjustment of several p-values that are looked at together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """P-values adjusted so that among all tests a false alarm at level α has at most probability α.

    Tests without a p-value leave the family: the others are not made to pay for them.

    Parameters
    ----------
    p : shape (M,), in [0, 1], NaN where a test is undefined.

    Returns
    -------
    float64, shape (M,), in [0, 1], never below ``p``; NaN where ``p`` is.

    Source
    ------
    Holm 1979, Scandinavian Journal of Statistics 6:65.

    Examples
    --------
    >>> holm([0.01, float("nan"), 0.04, 0.03]).tolist()
    [0.03, nan, 0.06, 0.06]
    """
    given = np.asarray(p, np.float64)
    adjusted = np.full(given.shape, np.nan)
    family = np.flatnonzero(~np.isnan(given))
    in_order = family[np.argsort(given[family], kind="stable")]
    n_left = np.arange(len(family), 0, -1)
    adjusted[in_order] = np.minimum(np.maximum.accumulate(given[in_order] * n_left), 1.0)
    return adjusted
