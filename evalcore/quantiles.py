"""Linear quantiles, and sums and spreads of values that stand for several each, to the bit in any order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
Times = NDArray[np.int64]
_HALF = 26
"""Bits of the half of a number, so that a product of two halves is exact."""


def quantiles(ordered: Values, shares: ArrayLike, times: Times | None = None) -> list[float]:
    """The quantiles of ascending values, at least one: to the bit those of ``np.quantile``.

    Parameters
    ----------
    ordered : ascending.
    shares : from 0 to 1.
    times : how often each value is there, at least once; None: once each.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 5.0]), (0.5, 0.75))
    [2.0, 3.5]
    >>> quantiles(np.array([1.0, 5.0]), (0.5, 0.75), np.array([2, 1]))
    [1.0, 3.0]
    """
    n = len(ordered) if times is None else int(times.sum())
    place = np.asarray(shares) * (n - 1)
    below = place.astype(np.intp)
    above = np.minimum(below + 1, n - 1)
    if times is not None:
        ends = np.cumsum(times)
        first, second = (ordered[np.searchsorted(ends, one, side="right")] for one in (below, above))
    else:
        first, second = ordered[below], ordered[above]
    found: list[float] = between(first, second, place - below).tolist()
    return found


def between(first: Values, second: Values, part: NDArray[np.floating]) -> Values:
    """What lies a part of the way from one value to the next."""
    step = second - first
    return np.where(part >= 0.5, second - step * (1 - part), first + step * part)


def counted_values(values: Values, times: Times | None = None) -> tuple[Values, Times]:
    """The distinct values, ascending, and how often each is there.

    Examples
    --------
    >>> [one.tolist() for one in counted_values(np.array([2.0, 1.0, 2.0]), np.array([1, 1, 3]))]
    [[1.0, 2.0], [1, 4]]
    """
    order = None if times is None else np.argsort(values, kind="stable")
    ordered = np.sort(values) if order is None else values[order]
    is_first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    if times is None or order is None:
        return ordered[starts], np.diff(starts, append=len(ordered))
    return ordered[starts], np.add.reduceat(times[order], starts) if len(starts) else times


def exact_sum(values: Values, times: Times | None = None) -> float:
    """The sum of values, each as often as it is there, rounded once: the same in any order.

    Parameters
    ----------
    values : finite, or infinite with one sign, which is then the sum.
    times : from 0 on; None: once each.

    Examples
    --------
    >>> exact_sum(np.array([0.1, 1e16, -1e16]), np.array([3, 1, 1])) == math.fsum([0.1] * 3)
    True
    >>> exact_sum(np.array([0.5, np.inf]), np.array([3, 2])), exact_sum(np.array([0.5, np.inf]))
    (inf, inf)
    """
    # A sum of many zeros is the sum of the rest, and most queries have no gold.
    is_some = values != 0
    if times is None:
        return math.fsum(values[is_some].tolist())
    is_some &= times > 0
    values, times = values[is_some], times[is_some]
    if not np.isfinite(values).all():  # has no halves
        return math.fsum(values.tolist())
    fraction, exponent = np.frexp(values)
    high = np.ldexp(np.rint(np.ldexp(fraction, _HALF)), exponent - _HALF)
    parts = []
    for half in (high, values - high):
        parts += (half * (times & ((1 << _HALF) - 1))).tolist()
        parts += (half * (times >> _HALF << _HALF)).tolist()
    return math.fsum(parts)


def standard_deviation(values: Values, times: Times) -> float:
    """Of values of which each is there so often, at least one: over all of them (1/N), in any order.

    Examples
    --------
    >>> standard_deviation(np.array([1.0, 3.0]), np.array([2, 2]))
    1.0
    """
    n = int(times.sum())
    mean = exact_sum(values, times) / n
    return math.sqrt(exact_sum((values - mean) ** 2, times) / n)
