"""Numbers of a report as a person reads them."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

LONGEST = 10**15
"""From here on the digits of a number would not be its own, and it is written with its power of ten."""


def number(value: float, *, is_count: bool = False, beside: float = 0.0) -> str:
    """A value as a person reads it: four digits, more where it would round to 0 or 1 without being it.

    Two digits do from 100 on, and beside a number as large, ``beside``.

    Examples
    --------
    >>> number(0.897213), number(0.99998), number(0.00001234), number(1.0), number(14770.0, is_count=True)
    ('0.8972', '0.99998', '1.234e-05', '1.0000', '14,770')
    >>> number(float("nan")), number(1e300), number(69.184, beside=174.9)
    ('n/a', '1e+300', '69.18')
    """
    if math.isnan(value):
        return "n/a"
    if abs(value) >= LONGEST:
        return f"{value:.4g}"
    if is_count and value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 100 or (abs(beside) >= 100 and abs(value) >= 1):
        return f"{value:,.2f}"
    if 0 < abs(value) < 0.001:
        return f"{value:.4g}"
    digits = 4
    while digits < 16 and abs(round(value, digits)) == 1 and abs(value) != 1:
        digits += 1
    return f"{value:.{digits}f}"


def bound(value: float, *, is_low: bool, is_count: bool = False, beside: float = 0.0) -> str:
    """A bound of an interval with the digits of `number`, rounded outward: the text never claims more.

    The ends for a number of things are such numbers.

    Examples
    --------
    >>> bound(0.995449, is_low=True), bound(0.995441, is_low=False), bound(0.25, is_low=False)
    ('0.9954', '0.9955', '0.2500')
    >>> bound(0.00012347, is_low=True), bound(1234.561, is_low=False), bound(-0.00001, is_low=True)
    ('0.0001234', '1,234.57', '-1e-05')
    >>> bound(118.38, is_low=True, is_count=True), bound(1234.2, is_low=False, is_count=True)
    ('118', '1,235')
    >>> bound(1.23456e300, is_low=True), bound(1.23456e300, is_low=False)
    ('1.234e+300', '1.235e+300')
    """
    if is_count and abs(value) < LONGEST:
        return f"{math.floor(value) if is_low else math.ceil(value):,}"
    if math.isnan(value) or value == 0:
        return number(value)
    digits = 2 if abs(value) >= 100 or (abs(beside) >= 100 and abs(value) >= 1) else 4
    if abs(value) < 0.001 or abs(value) >= LONGEST:
        digits = 3 - math.floor(math.log10(abs(value)))
    # From the shortest text of the float64: 0.3 is no binary fraction, and is 0.3000 all the same.
    rounding = ROUND_FLOOR if is_low else ROUND_CEILING
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding)
    is_plain = Decimal("0.001") <= abs(rounded) < LONGEST
    return f"{rounded:,}" if is_plain else f"{float(rounded):.4g}"
