"""Intervals from the values that a statistic takes over bootstrap replicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    n_undefined = np.isnan(values).sum(axis=0)
    tail = (1 - confidence) / 2
    is_enough = len(values) - n_undefined >= MIN_DEFINED
    with np.errstate(invalid="ignore"):
        if not np.any(n_undefined):
            low, high = np.quantile(values, [tail, 1 - tail], axis=0)
        else:
            filled = np.where(is_enough, values, 0.0)  # an all-NaN column would warn
            low, high = np.nanquantile(filled, [tail, 1 - tail], axis=0)
    return PercentileInterval(
        np.where(is_enough, low, np.nan), np.where(is_enough, high, np.nan), n_undefined
    )
