"""Totals over rows, as they are and over units drawn with bootstrap weights, and intervals from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.post_values import PostValues
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.weights import hashes
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawnTotals:
    """Totals of J columns over all rows and over the rows of drawn units.

    Parameters
    ----------
    whole : float64, shape (J,).
    drawn : float64, shape (B, J): the totals in each replicate.
    seed : the seed of the draws.
    """

    whole: Floats
    drawn: Floats
    seed: int


@dataclass(frozen=True)
class DrawnInterval:
    """A percentile interval, or why there is none.

    Parameters
    ----------
    low, high : bounds; NaN where the interval is not estimable.
    level : the two-sided confidence, in (0, 1).
    method : kind, units, replicates, undefined replicates and seed; empty without an interval.
    reason : why there is no interval; empty where there is one.
    """

    low: float
    high: float
    level: float
    method: str
    reason: str


def drawn_totals(
    values: Floats, unit: NDArray[np.intp], unit_ids: NDArray[np.object_], *, n_replicates: int, seed: int
) -> DrawnTotals:
    """The totals of rows by column; the order of rows and the codes of units change no bit.

    Parameters
    ----------
    values : shape (N, J), finite.
    unit : int codes, shape (N,), into ``unit_ids``: rows of one unit are drawn together.
    unit_ids : ids as text; those that no row has are left out.
    n_replicates : B.
    seed : whole number from 0 on.

    Examples
    --------
    >>> totals = drawn_totals(
    ...     np.array([[1.0], [2.0], [4.0]]), np.array([0, 0, 1]), np.array(["s_1", "s_2"], object),
    ...     n_replicates=2, seed=0,
    ... )
    >>> totals.whole.tolist(), totals.drawn.tolist()
    ([7.0], [[3.0], [7.0]])
    """
    used, code = np.unique(unit, return_inverse=True)
    sums = PostValues.from_rows(np.asarray(values, np.float64), code, len(used))
    resampling = Resampling.of(hashes(unit_ids[used]), n_replicates, seed)
    return DrawnTotals(
        whole=sums.totals(np.ones((1, len(used))))[0],
        drawn=sums.totals(resampling.weights()),
        seed=seed,
    )


def drawn_interval(
    replicates: Floats, *, word: str, n_units: int, seed: int, confidence: float = 0.95
) -> DrawnInterval:
    """The percentile interval of one statistic over drawn units.

    A statistic that no draw changes has no interval: that nothing varied in few units shows no certainty.

    Parameters
    ----------
    replicates : float64, shape (B,); NaN where a replicate has no value.
    word : what is drawn, in the plural, such as ``records``.
    n_units : how many of them there are.

    Examples
    --------
    >>> drawn_interval(np.array([0.5, 0.5]), word="records", n_units=9, seed=0).reason
    'interval not estimable: every resample gives the same value'
    """
    reason = _why_none(replicates[~np.isnan(replicates)], word, n_units, len(replicates))
    if reason:
        return DrawnInterval(np.nan, np.nan, confidence, "", reason)
    interval = percentile_interval(replicates, confidence=confidence)
    n_undefined = int(interval.n_undefined)
    method = (
        f"cluster_bootstrap({word}={n_units};B={len(replicates)};undefined={n_undefined};seed={seed};sides=2)"
    )
    return DrawnInterval(float(interval.low), float(interval.high), confidence, method, "")


def _why_none(defined: Floats, word: str, n_units: int, n_replicates: int) -> str:
    if n_replicates == 0:
        return "no interval asked for"
    if n_units < MIN_DEFINED:
        return f"interval not estimable: fewer than two {word}"
    if len(defined) < MIN_DEFINED:
        return "interval not estimable: fewer than two resamples have a value"
    if np.ptp(defined) == 0:
        return "interval not estimable: every resample gives the same value"
    return ""
