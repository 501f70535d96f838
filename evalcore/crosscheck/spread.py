"""One number for the values of many queries or posts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import pstdev


def quantile(values: Sequence[float], q: float) -> float:
    """Linear between the two values around the place q · (n − 1); NaN without values.

    >>> quantile([4, 1, 2], 0.75)
    3.0
    """
    if not values:
        return math.nan
    ascending, place = sorted(values), q * (len(values) - 1)
    low, high = ascending[math.floor(place)], ascending[math.ceil(place)]
    return float(low + (high - low) * (place % 1))


def summary(values: Sequence[float], stat: str = "mean") -> float:
    """Mean, ``sd`` (of the population), ``p25``, ``median`` or ``p75`` of the values that are not NaN.

    >>> [summary([1, 3, math.nan], stat) for stat in ("mean", "sd", "median")]
    [2.0, 1.0, 2.0]
    """
    kept = [value for value in values if not math.isnan(value)]
    if not kept:
        return math.nan
    if stat == "mean":
        return math.fsum(kept) / len(kept)
    if stat == "sd":
        return pstdev(map(float, kept))
    return quantile(kept, {"p25": 0.25, "median": 0.5, "p75": 0.75}[stat])
