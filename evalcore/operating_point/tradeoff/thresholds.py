"""The threshold with the fewest digits among all that decide alike on the data."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np
from numpy.typing import NDArray

MAX_DIGITS = 17
"""Significant decimal digits that always read back as the same float64."""

_EXACT_DIGITS = 15
_EXACT_PLACES = 22
_UNITS = np.array([float(f"1e{places}") for places in range(_EXACT_PLACES + 1)])
_POWERS_OF_TEN = np.array([float(f"1e{exponent}") for exponent in range(-307, 309)])


def shortest_threshold(previous: float, score: float) -> float:
    """The threshold strictly between two scores with the fewest significant digits, and of those the largest.

    Between two neighbouring scores of the data every threshold decides alike; this one reads best. It also
    lies strictly between what the scores become when they are stored as float32, where these differ: a score
    on either side stays there. `float32_changes` tells where they do not.

    Parameters
    ----------
    previous
        The next smaller score of the data; −inf when there is none.
    score
        A score of the data, above ``previous``; finite.

    Returns
    -------
    float
        In (previous, score); the score itself where no float64 lies between, and 0 where a score is 0 or
        becomes 0 as float32: 0 is exact in every format, and nothing just below it reads well.

    Source
    ------
    statistics.md, "Choosing τ_neg".

    Examples
    --------
    >>> shortest_threshold(0.00848, 0.008531), shortest_threshold(0.97, 1.0)
    (0.0085, 0.99)
    >>> shortest_threshold(0.3, 0.30000000000000004)
    0.30000000000000004
    """
    lows, highs = _limits(np.array([previous]), np.array([score]))
    low, high = float(lows[0]), float(highs[0])
    if high == 0:
        return 0.0
    if not low < np.nextafter(high, -np.inf):
        return score + 0.0
    exact = Decimal(high)
    for digits in range(1, MAX_DIGITS + 1):
        context = Context(prec=digits, rounding=ROUND_FLOOR)
        below = context.plus(exact)
        # A decimal below the limit may read as the same float64.
        while float(below) >= high:
            below = below.next_minus(context)
        if float(below) > low:
            return float(below) + 0.0
    return score + 0.0


def shortest_thresholds(score: NDArray[np.float64], previous: NDArray[np.float64]) -> NDArray[np.float64]:
    """``shortest_threshold`` for many scores at once.

    Parameters
    ----------
    score, previous
        float64, shape (S,); ``previous`` is below ``score`` everywhere, −inf where nothing is.

    Returns
    -------
    float64 array, shape (S,)

    Examples
    --------
    >>> shortest_thresholds(np.array([0.0, 0.2, 0.8]), np.array([-np.inf, 0.0, 0.2])).tolist()
    [0.0, 0.1, 0.7]
    """
    low, high = _limits(previous, score)
    threshold = np.full(len(score), np.nan)
    threshold[high == 0] = 0.0
    # The largest decimal below 1 has the exponent of 0.9, the largest below −1 that of −2.
    exponent = np.where(
        high > 0,
        np.searchsorted(_POWERS_OF_TEN, np.abs(high), side="left"),
        np.searchsorted(_POWERS_OF_TEN, np.abs(high), side="right"),
    )
    exponent -= 308
    for digits in range(1, _EXACT_DIGITS + 1):
        places = digits - 1 - exponent
        is_exact = (exponent <= _EXACT_PLACES) & (np.abs(places) <= _EXACT_PLACES)
        open_at = np.flatnonzero(np.isnan(threshold) & is_exact)
        threshold[open_at] = _decimal_between(low[open_at], high[open_at], places[open_at])
    for at in np.flatnonzero(np.isnan(threshold)):
        threshold[at] = shortest_threshold(float(previous[at]), float(score[at]))
    return threshold


def threshold_up_to(previous: float, score: float) -> float:
    """The threshold in (previous, score] with the fewest digits, and of those the largest.

    So documents of schema 1.0 were made: their thresholds may equal a score, which changes sides where it is
    stored as float32.

    Examples
    --------
    >>> threshold_up_to(0.00848, 0.008531), threshold_up_to(0.97, 1.0)
    (0.0085, 1.0)
    """
    exact = Decimal(score)
    for digits in range(1, MAX_DIGITS + 1):
        context = Context(prec=digits, rounding=ROUND_FLOOR)
        below = context.plus(exact)
        # The next decimal up lies above the score, yet may read as the same float64: 0.3 does.
        for candidate in (float(below.next_plus(context)), float(below)):
            if previous < candidate <= score:
                return candidate + 0.0
    return score


def as_float32(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """What scores become when they are stored as float32, shape as given; infinite beyond its range.

    Examples
    --------
    >>> as_float32(np.array([0.5, 0.7])).tolist()
    [0.5, 0.699999988079071]
    """
    with np.errstate(over="ignore"):
        return np.asarray(score, np.float64).astype(np.float32).astype(np.float64)


def float32_changes(score: NDArray[np.float64], *thresholds: float | None) -> NDArray[np.bool_]:
    """Which scores change sides of a threshold when they are stored as float32, shape (N,).

    Parameters
    ----------
    score : float64, shape (N,).
    thresholds : ``p < threshold`` lies below; None is none.

    Examples
    --------
    >>> float32_changes(np.array([0.5, 0.7]), 0.7, None).tolist()
    [False, True]
    """
    stored = as_float32(score)
    changes = np.zeros(np.shape(score), bool)
    for threshold in thresholds:
        if threshold is not None:
            changes |= (score < threshold) != (stored < threshold)
    return changes


def threshold_text(threshold: float) -> str:
    """The shortest decimal text that reads back as the same float64, written as a browser writes it.

    Examples
    --------
    >>> threshold_text(0.0085), threshold_text(2.0), threshold_text(1e-7)
    ('0.0085', '2', '1e-7')
    """
    value = float(threshold) + 0.0  # + 0.0 makes −0 a plain 0
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        return np.format_float_positional(value, trim="-")
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa}e{int(exponent):+d}"


def _limits(
    previous: NDArray[np.float64], score: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What a threshold must lie between: both scores and, where float32 tells them apart, its roundings."""
    low, high = as_float32(previous), as_float32(score)
    is_apart = low < high
    return (
        np.where(is_apart, np.maximum(previous, low), previous),
        np.where(is_apart, np.minimum(score, high), score),
    )


def _decimal_between(
    low: NDArray[np.float64], high: NDArray[np.float64], places: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The largest decimal below ``high`` with so many places, where it lies above ``low``; NaN elsewhere.

    Powers of ten up to 22 and integers below 2**53 are exact, so that their quotient is the float64 nearest
    to the decimal: the same as reading its text.
    """
    unit = _UNITS[np.abs(places)]
    has_places = places >= 0
    whole = np.floor(np.where(has_places, high * unit, high / unit))
    found = np.full(len(high), np.nan)
    for step in (-2.0, -1.0, 0.0, 1.0):
        candidate = np.where(has_places, (whole + step) / unit, (whole + step) * unit)
        found = np.where((low < candidate) & (candidate < high), candidate, found)
    return found
