"""How a number is written wherever people read it: one rule for pages, reports, figures and printed points.

A share of cases, each of which is so or not, is a percentage: one decimal, two within a percent of 0 or 100,
more where fewer would read as 0, as 100 or as a target that it misses. A bound is rounded outward. A
difference of two shares is in percentage points. Every other value is a number: 0.856. Which metric is such a
share follows from its declaration (`evalcore.spec.Metric.is_percent`). Files for machines hold all digits.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcore.spec import Metric

SIGN = " %"
MINUS = "−"
NO_VALUE = "n/a"
LONGEST = 10**15
"""From here on the digits of a number would not be its own, and it is written with its power of ten."""
_MOST_PLACES = 15
_EXACTLY = Context(prec=400)
"""Of as many digits as the largest float64 has, with places to spare: rounding never fails."""
_END = 1
"""Within so many percent of 0 or 100 a share has a second decimal."""


def percent(share: float) -> str:
    """A share that was given, such as a target or a confidence, with all its digits.

    Examples
    --------
    >>> percent(0.995), percent(0.9)
    ('99.5 %', '90 %')
    """
    return _stripped(Decimal(repr(float(share))) * 100) + SIGN


def percent_of(n: int, of: int, *, target: float | None = None) -> str:
    """The estimate n / of, with as many digits as it takes to stay on its side of the target.

    Examples
    --------
    >>> percent_of(688, 690), percent_of(19899, 20000, target=0.995), percent_of(0, 0)
    ('99.71 %', '99.495 %', 'not defined')
    >>> percent_of(1, 3), percent_of(0, 3), percent_of(3, 3), percent_of(1, 14770)
    ('33.3 %', '0 %', '100 %', '0.01 %')
    """
    if of == 0:
        return "not defined"
    return _estimated(Decimal(int(n)) * 100 / Decimal(int(of)), target)


def percent_of_share(share: float, *, target: float | None = None) -> str:
    """A share that was counted, such as a prevalence.

    Examples
    --------
    >>> percent_of_share(0.0934), percent_of_share(0.5), percent_of_share(0.99995), percent_of_share(1.0)
    ('9.3 %', '50.0 %', '99.995 %', '100 %')
    >>> percent_of_share(float("nan"))
    'n/a'
    """
    if math.isnan(share):
        return NO_VALUE
    return _estimated(Decimal(repr(float(share))) * 100, target)


def rounded_percent(percentage: float) -> str:
    """A percentage that is rounded already, with at least the decimals of any other.

    Examples
    --------
    >>> rounded_percent(9.3), rounded_percent(50.0), rounded_percent(99.495), rounded_percent(100.0)
    ('9.3 %', '50.0 %', '99.495 %', '100 %')
    """
    exact = Decimal(repr(float(percentage)))
    if exact in (0, 100):
        return f"{int(exact)}{SIGN}"
    places = max(_decimals(exact), _digits_after_point(exact))
    return f"{_rounded(exact, places, ROUND_HALF_UP):f}{SIGN}"


def percent_at_least(bound: float) -> str:
    """A lower bound, rounded down.

    Examples
    --------
    >>> percent_at_least(0.995439), percent_at_least(0.9199), percent_at_least(1.0)
    ('99.54 %', '91.9 %', '100 %')
    """
    return _bounded(bound, ROUND_FLOOR)


def percent_at_most(bound: float) -> str:
    """An upper bound, rounded up.

    Examples
    --------
    >>> percent_at_most(0.00312), percent_at_most(0.312)
    ('0.32 %', '31.2 %')
    """
    return _bounded(bound, ROUND_CEILING)


def points(difference: float, *, with_unit: bool = True) -> str:
    """A difference of two shares in percentage points, with its sign: one decimal, two below a tenth.

    Examples
    --------
    >>> points(-0.0312), points(0.0004), points(0.0), points(float("nan")), points(0.02, with_unit=False)
    ('−3.1 points', '+0.04 points', '0.0 points', 'n/a', '+2.0')
    """
    if math.isnan(difference):
        return NO_VALUE
    value = 100 * difference
    text = signed(value, 1 if abs(value) >= 0.095 or not round(value, 2) else 2)
    return f"{text} points" if with_unit else text


def signed(value: float, places: int = 4) -> str:
    """A difference of two numbers with its sign, or n/a.

    Examples
    --------
    >>> signed(-0.0312), signed(0.0), signed(float("nan"))
    ('−0.0312', '0.0000', 'n/a')
    """
    if math.isnan(value):
        return NO_VALUE
    text = f"{value:+.{places}f}".replace("-", MINUS)
    return text[1:] if float(f"{value:.{places}f}") == 0 else text


def number(value: float, *, is_count: bool = False, beside: float = 0.0) -> str:
    """A value that is no share: three decimals, four below 0.1, more where it would round to 1 unless it is.

    Two decimals do from 100 on, and beside a number as large, ``beside``; three digits below 0.001.

    Examples
    --------
    >>> number(0.897213), number(0.02134), number(0.99998), number(0.00001234), number(1.0)
    ('0.897', '0.0213', '0.99998', '1.23e-05', '1.000')
    >>> number(float("nan")), number(1e300), number(69.184, beside=174.9), number(14770.0, is_count=True)
    ('n/a', '1e+300', '69.18', '14,770')
    """
    if math.isnan(value):
        return NO_VALUE
    if value < 0:
        return f"{MINUS}{number(-value, is_count=is_count, beside=beside)}"
    if value >= LONGEST:
        return f"{value:.4g}"
    if is_count and value == int(value):
        return f"{int(value):,}"
    if 0 < value < 0.001:
        return f"{value:.3g}"
    places = _places(value, beside)
    while 2 < places < 16 and round(value, places) == 1 != value:
        places += 1
    return f"{value:,.{places}f}"


def as_given(value: float, digits: int = 6) -> str:
    """A number that was given or set, such as a score or a threshold, with so many of its digits.

    Examples
    --------
    >>> as_given(-0.25), as_given(0.9086), as_given(1234567.0), as_given(-0.0), as_given(float("nan"))
    ('−0.25', '0.9086', '1.23457e+06', '0', 'n/a')
    """
    if math.isnan(value):
        return NO_VALUE
    text = f"{abs(value):.{digits}g}"
    return f"{MINUS}{text}" if value < 0 else text


def bound(value: float, *, is_low: bool, is_count: bool = False, beside: float = 0.0) -> str:
    """A bound of an interval with the digits of `number`, rounded outward: the text never claims more.

    The ends for a number of things are such numbers.

    Examples
    --------
    >>> bound(0.995449, is_low=True), bound(0.995441, is_low=False), bound(0.25, is_low=False)
    ('0.995', '0.996', '0.250')
    >>> bound(0.00012347, is_low=True), bound(1234.561, is_low=False), bound(-0.00001, is_low=True)
    ('0.000123', '1,234.57', '−1e-05')
    >>> bound(118.38, is_low=True, is_count=True), bound(1234.2, is_low=False, is_count=True)
    ('118', '1,235')
    >>> bound(1.23456e300, is_low=True), bound(1.23456e300, is_low=False)
    ('1.23e+300', '1.24e+300')
    """
    if value < 0:
        return f"{MINUS}{bound(-value, is_low=not is_low, is_count=is_count, beside=beside)}"
    if is_count and value < LONGEST:
        return f"{math.floor(value) if is_low else math.ceil(value):,}"
    if math.isnan(value) or value == 0:
        return number(value)
    places = _places(value, beside)
    if value < 0.001 or value >= LONGEST:
        places = 2 - math.floor(math.log10(value))
    # From the shortest text of the float64: 0.3 is no binary fraction, and is 0.3000 all the same.
    rounded = _rounded(Decimal(repr(float(value))), places, ROUND_FLOOR if is_low else ROUND_CEILING)
    is_plain = Decimal("0.0001") <= rounded < LONGEST
    return f"{rounded:,}" if is_plain else f"{float(rounded):.3g}"


def between(low: float, high: float) -> str:
    """Both ends of an interval of what is no share; ``n/a`` without one."""
    if math.isnan(low) or math.isnan(high):
        return NO_VALUE
    return f"{bound(low, is_low=True)} to {bound(high, is_low=False)}"


def value_text(metric: Metric, value: float, *, beside: float = 0.0) -> str:
    """A value of a metric, ``n/a`` where it has none.

    Parameters
    ----------
    metric : whose declaration says what the value is.
    beside : the largest value in the same table: of large numbers all have as many decimals.
    """
    if metric.is_percent:
        return percent_of_share(value)
    # A mean of counts, or another value without an upper bound, that is whole by chance is shown so; 0 beside
    # numbers is written as they are.
    is_whole = metric.bounds[1] == math.inf and value != 0
    return number(value, is_count=metric.counts or is_whole, beside=beside)


def bound_text(
    metric: Metric, value: float, *, is_low: bool, is_count: bool = False, beside: float = 0.0
) -> str:
    """An end of an interval of a metric's value, rounded outward."""
    if metric.is_percent and not math.isnan(value):
        return percent_at_least(value) if is_low else percent_at_most(value)
    return bound(value, is_low=is_low, is_count=is_count, beside=beside)


def sd_text(metric: Metric, sd: float) -> str:
    """A standard deviation of a metric's values: of shares in percentage points."""
    return points(sd).removeprefix("+") if metric.is_percent else number(sd)


def mean_and_sd_text(metric: Metric, mean: float, sd: float) -> str:
    """A mean with its standard deviation, such as over folds."""
    return f"{value_text(metric, mean)} ± {sd_text(metric, sd)}"


def change_text(metric: Metric, value: float, places: int = 4, *, with_unit: bool = True) -> str:
    """A difference between two values of a metric, with its sign: of shares in percentage points.

    Parameters
    ----------
    metric : whose declaration says what the values are.
    places : decimals where they are no shares.
    with_unit : whether ``points`` stands behind one of shares.
    """
    return points(value, with_unit=with_unit) if metric.is_percent else signed(value, places)


def change_between(metric: Metric, low: float, high: float, places: int = 4) -> str:
    """Both ends of an interval of a difference, which stands before it with its unit; ``n/a`` without one."""
    if math.isnan(low) or math.isnan(high):
        return NO_VALUE
    ends = (change_text(metric, end, places, with_unit=False) for end in (low, high))
    return " to ".join(ends)


def between_text(metric: Metric, low: float, high: float) -> str:
    """Both ends of an interval of a metric's value; ``n/a`` without one."""
    if math.isnan(low) or math.isnan(high):
        return NO_VALUE
    ends = (bound_text(metric, low, is_low=True), bound_text(metric, high, is_low=False))
    return " to ".join(ends)


def _places(value: float, beside: float) -> int:
    if abs(value) >= 100 or (abs(beside) >= 100 and abs(value) >= 1):
        return 2
    return 3 if abs(value) >= 0.1 or value == 0 else 4


def _estimated(exact: Decimal, target: float | None) -> str:
    """A percentage to the nearest, that reads neither as all, none nor a target unless it is there."""
    if exact in (0, 100):
        return f"{int(exact)}{SIGN}"
    limit = None if target is None else Decimal(repr(float(target))) * 100
    least = max(_decimals(exact), 0 if limit is None else _digits_after_point(limit))
    for places in range(least, _MOST_PLACES):
        rounded = _rounded(exact, places, ROUND_HALF_UP)
        is_on_its_side = limit is None or (rounded >= limit) == (exact >= limit)
        if is_on_its_side and rounded not in (0, 100):
            break
    return f"{rounded:f}{SIGN}"


def _bounded(bound: float, rounding: str) -> str:
    exact = Decimal(repr(float(bound))) * 100
    if exact in (0, 100):
        return f"{int(exact)}{SIGN}"
    rounded = _rounded(exact, _decimals(exact), rounding)
    return f"{int(rounded)}{SIGN}" if rounded in (0, 100) else f"{rounded:f}{SIGN}"


def _decimals(exact: Decimal) -> int:
    return 1 if _END <= exact <= 100 - _END else 2


def _digits_after_point(value: Decimal) -> int:
    return len(_stripped(value).partition(".")[2])


def _rounded(value: Decimal, places: int, rounding: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=_EXACTLY)


def _stripped(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
