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
    """The threshold in (previous, score] with the fewest significant digits, and of those the largest.

    Between two neighbouring scores of the data every threshold decides alike; this one reads best.

    Parameters
    ----------
    previous
        The next smaller score of the data; −inf when there is none.
    score
        A score of the data, above ``previous``; finite.

    Returns
    -------
    float
        In (previous, score], compared as float64.

    Examples
    --------
    >>> shortest_threshold(0.00848, 0.008531)
    0.0085
    >>> shortest_threshold(0.3, 0.30000000000000004)
    0.30000000000000004
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


def shortest_thresholds(score: NDArray[np.float64], previous: NDArray[np.float64]) -> NDArray[np.float64]:
    """``shortest_threshold`` for many scores at once.

    Parameters
    ----------
    score, previous
        float64, shape (S,); ``previous`` is below ``score`` everywhere, −inf where nothing is.

    Returns
    -------
    float64 array, shape (S,)
        In (previous, score].

    Examples
    --------
    >>> shortest_thresholds(np.array([0.0, 0.2, 0.8]), np.array([-np.inf, 0.0, 0.2])).tolist()
    [0.0, 0.2, 0.8]
    """
    threshold = np.full(len(score), np.nan)
    threshold[score == 0] = 0.0
    exponent = np.searchsorted(_POWERS_OF_TEN, np.abs(score), side="right") - 308
    for digits in range(1, _EXACT_DIGITS + 1):
        places = digits - 1 - exponent
        is_exact = (exponent <= _EXACT_PLACES) & (places <= _EXACT_PLACES)
        open_at = np.flatnonzero(np.isnan(threshold) & is_exact)
        threshold[open_at] = _decimal_between(previous[open_at], score[open_at], places[open_at])
    for at in np.flatnonzero(np.isnan(threshold)):
        threshold[at] = shortest_threshold(float(previous[at]), float(score[at]))
    return threshold


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


def _decimal_between(
    previous: NDArray[np.float64], score: NDArray[np.float64], places: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The largest decimal with so many places in (previous, score]; NaN where there is none.

    Powers of ten up to 22 and integers below 2**53 are exact, so that their quotient is the float64 nearest
    to the decimal: the same as reading its text.
    """
    unit = _UNITS[np.abs(places)]
    has_places = places >= 0
    whole = np.floor(np.where(has_places, score * unit, score / unit))
    found = np.full(len(score), np.nan)
    for step in (-1.0, 0.0, 1.0):
        candidate = np.where(has_places, (whole + step) / unit, (whole + step) * unit)
        found = np.where((previous < candidate) & (candidate <= score), candidate, found)
    return found
