"""Intervals from the values that a statistic takes over bootstrap replicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.quantiles import between

MIN_DEFINED = 2
"""Fewer defined replicates than this are no interval."""


@dataclass(frozen=True, eq=False)
class PercentileInterval:
    """Percentile bounds of statistics, and on how many replicates they rest.

    Parameters
    ----------
    low, high : float64, shape (...); NaN where fewer than two replicates are defined.
    n_undefined : int64, shape (...), replicates without a value, left out.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_undefined: NDArray[np.int64]


def percentile_interval(replicates: ArrayLike, *, confidence: float = 0.95) -> PercentileInterval:
    """The two-sided percentile interval, quantiles linear between replicates.

    Parameters
    ----------
    replicates : shape (B, ...); NaN where a replicate has no value.
    confidence : in (0, 1).

    Returns
    -------
    PercentileInterval of shape (...).

    Source
    ------
    Efron 1979; statistics.md, Intervals.

    Examples
    --------
    >>> interval = percentile_interval([0.0, 0.1, 0.2, 0.3, 0.4, float("nan")], confidence=0.5)
    >>> interval.low.item(), interval.high.item(), interval.n_undefined.item()
    (0.1, 0.3, 1)
    """
    values = np.asarray(replicates, np.float64)
    shape = values.shape[1:]
    columns = np.sort(values.reshape(len(values), -1).T, axis=1)  # NaN comes last
    n_undefined = np.isnan(columns).sum(axis=1)
    tail = (1 - confidence) / 2
    n = len(values) - n_undefined
    is_defined = n >= MIN_DEFINED
    bounds = np.full((2, len(columns)), np.nan)
    for at, share in enumerate((tail, 1 - tail)):
        bounds[at, is_defined] = _linear(columns[is_defined], n[is_defined], share)
    return PercentileInterval(
        bounds[0].reshape(shape), bounds[1].reshape(shape), np.asarray(n_undefined.reshape(shape))
    )


def _linear(ordered: NDArray[np.float64], n: NDArray[np.intp], share: float) -> NDArray[np.float64]:
    """The quantile of the first n values of each row, to the bit that of ``np.quantile``."""
    place = np.asarray(share * (n - 1), np.float64)
    below = place.astype(np.intp)
    row = np.arange(len(ordered))
    return between(ordered[row, below], ordered[row, np.minimum(below + 1, n - 1)], place - below)
