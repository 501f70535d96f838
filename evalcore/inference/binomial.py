"""Exact bounds for a share of independent trials, and the sample sizes that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Sides = Literal[1, 2]
End = Literal["both", "low", "high"]
"""Which bounds are asked for: an inverse of the beta distribution is slow."""


@dataclass(frozen=True)
class Interval:
    """Lower and upper bounds of shares, of one shape, in [0, 1]; NaN where there are no trials."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


WORTH_SORTING = 32
"""From so many pairs of counts on it pays to look for equal ones."""


def clopper_pearson(
    successes: ArrayLike, n: ArrayLike, *, confidence: float = 0.95, sides: Sides = 2, end: End = "both"
) -> Interval:
    """Exact bounds of a share: at every true share they hold with at least the stated confidence.

    Trials must be independent; rows of one post are not, and there the bounds are somewhat too narrow.

    Parameters
    ----------
    successes, n
        Counts of one shape or broadcastable, 0 ≤ successes ≤ n. An effective sample size may be a fraction.
    confidence
        In (0, 1).
    sides
        2: both bounds hold together. 1: each bound holds by itself at the confidence.
    end
        Which bounds are computed; the other one is NaN.

    Returns
    -------
    Interval
        Bounds in [0, 1], NaN where n is 0.

    Source
    ------
    Clopper and Pearson 1934; beta quantiles as in Newcombe 1998, method 5.

    Examples
    --------
    >>> clopper_pearson(1377, 1379, sides=1).low.round(5).item()
    0.99544
    """
    x, n_trials = _trials(successes, n)
    tail = (1.0 - confidence) / sides
    low = np.full(x.shape, np.nan)
    high = np.full(x.shape, np.nan)
    if end != "high":
        low = _where(x > 0, lambda x, n: special.betaincinv(x, n - x + 1.0, tail), x, n_trials, otherwise=0.0)
    if end != "low":
        high = _where(
            x < n_trials, lambda x, n: special.betainccinv(x + 1.0, n - x, tail), x, n_trials, otherwise=1.0
        )
    return _defined(low, high, n_trials)


def wilson(successes: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Two-sided score bounds of a share: the confidence on average over true shares, not at each of them.

    Parameters
    ----------
    successes, n
        Counts of one shape or broadcastable, 0 ≤ successes ≤ n.
    confidence
        In (0, 1).

    Returns
    -------
    Interval
        Bounds in [0, 1], NaN where n is 0.

    Source
    ------
    Wilson 1927; Newcombe 1998, method 3.

    Examples
    --------
    >>> interval = wilson(81, 263)
    >>> interval.low.round(4).item(), interval.high.round(4).item()
    (0.2553, 0.3662)
    """
    x, n_trials = _trials(successes, n)
    z = float(special.ndtri((1.0 + confidence) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = x / n_trials
        weight = 1 + z * z / n_trials
        centre = share + z * z / (2 * n_trials)
        half = z * np.sqrt(share * (1 - share) / n_trials + (z / (2 * n_trials)) ** 2)
        low = np.where(x > 0, (centre - half) / weight, 0.0)
        high = np.where(x < n_trials, (centre + half) / weight, 1.0)
    return _defined(low, high, n_trials)


def max_misses(n: int, target: float, confidence: float = 0.95) -> int:
    """Most failures among n trials at which the one-sided lower bound of the share still reaches the target.

    Parameters
    ----------
    n
        Number of trials, 0 or more.
    target
        Share to be shown, in (0, 1].
    confidence
        Of the one-sided Clopper–Pearson bound, in (0, 1).

    Returns
    -------
    int
        0 … n; −1 when not even a perfect result shows the target.

    Examples
    --------
    >>> max_misses(1379, 0.995), max_misses(1103, 0.995), max_misses(597, 0.995)
    (2, 1, -1)
    """

    def reaches(misses: int) -> bool:
        return n > 0 and lower_bound(n - misses, n, confidence) >= target

    if not reaches(0):
        return -1
    known, beyond = 0, n + 1
    while beyond - known > 1:
        middle = (known + beyond) // 2
        known, beyond = (middle, beyond) if reaches(middle) else (known, middle)
    return known


def positives_needed(misses: int, target: float, confidence: float = 0.95, *, design: float = 1.0) -> int:
    """Fewest trials among which so many failures still show the target with the confidence.

    Parameters
    ----------
    misses
        Number of failures, 0 or more.
    target
        Share to be shown, in (0, 1).
    confidence
        Of the one-sided Clopper–Pearson bound, in (0, 1).
    design
        How many trials stand for one independent one, at least 1.

    Returns
    -------
    int
        At least misses + 1.

    Examples
    --------
    >>> [positives_needed(misses, 0.995) for misses in range(4)]
    [598, 947, 1258, 1549]
    """

    def reaches(n: int) -> bool:
        return lower_bound((n - misses) / design, n / design, confidence) >= target

    too_few, enough = misses, max(2 * misses, 1)
    while not reaches(enough):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if reaches(middle) else (middle, enough)
    return enough


def min_alerts(target: float, confidence: float = 0.95) -> int:
    """Fewest alerts that can show a precision target: all right, ⌈ln α / ln target⌉.

    Parameters
    ----------
    target
        Precision to be shown, in (0, 1).
    confidence
        Of the one-sided bound, in (0, 1).

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> min_alerts(0.9)
    29
    """
    return math.ceil(math.log1p(-confidence) / math.log(target))


def lower_bound(successes: float, n: float, confidence: float = 0.95) -> float:
    """One-sided Clopper–Pearson lower bound of one share; NaN when n is 0.

    Examples
    --------
    >>> round(lower_bound(1379, 1379), 5)
    0.99783
    """
    return float(clopper_pearson(successes, n, confidence=confidence, sides=1, end="low").low)


def _trials(successes: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, n_trials = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(n, np.float64))
    return x, n_trials


def _where(
    mask: NDArray[np.bool_],
    bound: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    x: NDArray[np.float64],
    n: NDArray[np.float64],
    *,
    otherwise: float,
) -> NDArray[np.float64]:
    """The bound at the places of a mask, each distinct pair of counts once."""
    found = np.full(x.shape, otherwise)
    if x.size < WORTH_SORTING:
        found[mask] = bound(x[mask], n[mask])
        return found
    pairs, at = np.unique(x[mask] + 1j * n[mask], return_inverse=True)
    found[mask] = bound(pairs.real, pairs.imag)[at]
    return found


def _defined(low: NDArray[np.float64], high: NDArray[np.float64], n: NDArray[np.float64]) -> Interval:
    return Interval(np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan))
