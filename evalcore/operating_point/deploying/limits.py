"""A rule as comparisons of float64 alone, whatever precision a score is rounded to first."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np

from evalcore.operating_point.document.rule import Rule


@dataclass(frozen=True)
class Limits:
    """A score below ``neg`` is NEG, one from ``pos`` on POS; outside ``low`` to ``high`` it is none.

    Where a rule rounds scores to float32 first, these are the float64 at which the rounded score passes the
    rule's own numbers: rounding never changes the order of two scores, so that there is one such number for
    each, and no other language has to round.

    Parameters
    ----------
    neg, pos : None where the zone is empty.
    low, high : None without a limit; no score is infinite.
    """

    neg: float | None
    pos: float | None
    low: float | None
    high: float | None


def limits_of(rule: Rule) -> Limits:
    """The float64 that a rule compares scores with.

    Examples
    --------
    >>> limits_of(Rule(0.25, 0.5, 0, 1))
    Limits(neg=0.25, pos=0.5, low=0.0, high=1.0)
    >>> limits_of(Rule(None, 0.5, 0, 1, dtype="float32")).pos  # half-way to the float32 below
    0.4999999850988388
    """
    if rule.dtype == "float64":
        low, high = (None if one is None else float(one) for one in (rule.low, rule.high))
        return Limits(rule.tau_neg, rule.tau_pos, low, high)
    neg, pos = (None if one is None else _first_from(one) for one in (rule.tau_neg, rule.tau_pos))
    above = math.inf if rule.high is None else math.nextafter(rule.high, math.inf)
    below = math.nextafter(-math.inf, 0.0) if rule.low is None else rule.low
    return Limits(neg, pos, _first_from(below), math.nextafter(_first_from(above), -math.inf))


def _first_from(bound: float) -> float:
    """The least float64 whose float32 is not below a bound."""
    low, high = _place(-math.inf), _place(math.inf)
    while low < high:
        middle = (low + high) // 2
        if _as_float32(_at(middle)) >= bound:
            high = middle
        else:
            low = middle + 1
    return _at(low)


def _as_float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _place(value: float) -> int:
    """The place of a number among all float64 in their order."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _at(place: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<q", abs(place)))[0]
    return math.copysign(value, place) if place else 0.0
