"""A float64 as the languages write it, so that each reads the very same number."""

from __future__ import annotations

import math
from decimal import Decimal

MOST_EXACT = 2**53
"""Whole numbers up to here are float64, in every language."""
DIGITS = 15
"""A whole number divided by a power of ten up to this one is rounded once: to the float64 nearest."""


def shortest(value: float) -> str:
    """The shortest decimal that reads back as the same number, for languages that read decimals exactly.

    Examples
    --------
    >>> shortest(0.35), shortest(1e-7), shortest(1.0)
    ('0.35', '1e-07', '1.0')
    """
    return repr(value)


def hexadecimal(value: float) -> str:
    """The number bit for bit, for R, which reads a decimal one float64 aside now and then.

    Examples
    --------
    >>> hexadecimal(0.35), hexadecimal(1.0)
    ('0x1.6666666666666p-2', '0x1.0000000000000p+0')
    """
    return value.hex()


def sql(value: float) -> str:
    """An expression of whole numbers, none of which any SQL dialect can read as anything else.

    A decimal in SQL may be a DECIMAL, which is compared by rules of its own, or be read one float64 aside.

    Examples
    --------
    >>> sql(0.35), sql(1.0), sql(-0.5)
    ('CAST(35 AS DOUBLE PRECISION) / 100', 'CAST(1 AS DOUBLE PRECISION)', 'CAST(-5 AS DOUBLE PRECISION) / 10')
    >>> sql(0.30000000000000004)
    'CAST(1351079888211149 AS DOUBLE PRECISION) / 4503599627370496'
    """
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    whole = int("".join(map(str, digits))) * (-1 if sign else 1)
    assert isinstance(exponent, int)  # a finite number
    if exponent > 0 and abs(whole) * 10**exponent < MOST_EXACT:
        whole, exponent = whole * 10**exponent, 0
    if abs(whole) < MOST_EXACT and -DIGITS <= exponent <= 0:
        return _cast(whole) + (f" / {10**-exponent}" if exponent else "")
    return _of_powers_of_two(value)


def _of_powers_of_two(value: float) -> str:
    """The significand times or divided by powers of two: every step is exact."""
    fraction, power = math.frexp(value)
    whole, power = int(fraction * MOST_EXACT), power - 53
    while whole % 2 == 0 and power < 0:
        whole, power = whole // 2, power + 1
    steps = [2 ** min(52, abs(power) - done) for done in range(0, abs(power), 52)]
    return _cast(whole) + "".join(f" {'/' if power < 0 else '*'} {step}" for step in steps)


def _cast(whole: int) -> str:
    return f"CAST({whole} AS DOUBLE PRECISION)"
