"""Intervals from units left out in turn, for values beside which the replicates of a bootstrap lie.

Units drawn with repetition show fewer distinct items than as many others would, and what the rare ones add to
the chance of a number of distinct items, or of a measure of evenness, is lost. To leave units out draws none
twice. The variance is, in the mean, never too small (Efron and Stein 1981).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.evaluation.intervals.replicates import Asked, Replicates
from evalcore.evaluation.populations import value_over
from evalcore.inference.percentile import MIN_DEFINED
from evalcore.spec import OfTotals
from evalcore.tallies.units import Units

Codes = NDArray[np.intp]
BLOCK_CELLS = 1 << 21


def without_each(asked: Asked, units: Units, most: int) -> Replicates:
    """The value without each part of the units in turn, shape (G,).

    Parameters
    ----------
    asked : a value whose tally has a row for each row of ``units``.
    units : P of them; up to ``most`` every one is a part, more stand in parts of equal size by their hashes.
    most : parts at most.
    """
    part = _parts(units, most)[units.code]
    n_parts = int(part.max(initial=-1)) + 1
    if isinstance(asked.result, OfTotals) and len(asked.metric.population) == 1:
        return _of_totals(asked.result, part, n_parts)
    return np.array([_without(asked, np.flatnonzero(part != one)) for one in range(n_parts)])


def _parts(units: Units, most: int) -> Codes:
    """The part of each unit: neighbours by hash, whatever their order."""
    rank = np.argsort(np.argsort(units.hashed))
    return np.asarray(rank // -(-len(units) // most)) if len(units) else rank


def _of_totals(result: OfTotals, part: Codes, n_parts: int) -> Replicates:
    """As `_without`, for all parts: the totals less what each part adds to them."""
    rows = np.arange(len(part))
    by_part = (
        sparse.csr_array((np.ones(len(part)), (part, rows)), shape=(n_parts, len(part))) @ result.columns
    )
    total = np.asarray(result.columns.sum(axis=0), np.float64)
    size = max(1, BLOCK_CELLS // max(len(total), 1))
    found = [np.empty(0)]
    for start in range(0, n_parts, size):
        of_parts = by_part[start : start + size]
        dense = of_parts.toarray() if sparse.issparse(of_parts) else of_parts
        found.append(np.asarray(result.value(total - dense), np.float64))
    return np.concatenate(found)


def _without(asked: Asked, kept: Codes) -> float:
    tally = asked.tally.take(kept)
    result = asked.metric(tally, **asked.given)
    return value_over(asked.metric, tally, asked.given, result, asked.population)[0]


def standard_error(without: Replicates) -> float:
    """Of a value, from those without each part; NaN where fewer than two are defined.

    Source
    ------
    Efron and Stein 1981, Annals of Statistics 9:586.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 4.0, 9.0])
    >>> means = (values.sum() - values) / 3
    >>> round(standard_error(means), 12), round(values.std(ddof=1).item() / 2, 12)
    (1.779513042005, 1.779513042005)
    """
    known = without[~np.isnan(without)]
    if len(known) < MIN_DEFINED:
        return math.nan
    n = len(known)
    return float(np.sqrt((n - 1) / n * ((known - known.mean()) ** 2).sum()))


def half_width(without: Replicates, level: float) -> float:
    """From a value to either end of its interval."""
    return NormalDist().inv_cdf((1 + level) / 2) * standard_error(without)
