"""Intervals from units left out in turn, for values beside which the replicates of a bootstrap lie.

Units drawn with repetition show fewer distinct items than as many others would, and what the rare ones add to
the chance of a number of distinct items, or of a measure of evenness, is lost. To leave units out draws none
twice. The variance is, in the mean, never too small (Efron and Stein 1981).

Of a value that tells how unlike figures are, the figures are taken without each unit in turn, and the size of
what chance adds to them bounds how far their own size moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.evaluation.intervals.defined_values import Asked, Replicates
from evalcore.evaluation.populations import value_over
from evalcore.inference.percentile import MIN_DEFINED
from evalcore.spec import OfTotals, Spread
from evalcore.tallies.units import Units

Codes = NDArray[np.intp]
BLOCK_CELLS = 1 << 21
N_NORMAL = 10_000
"""Draws of the noise of figures: its quantile is known to about a percent."""


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
        return _of_totals(asked.result, asked.result.value, part, n_parts)
    return np.array([_without(asked, np.flatnonzero(part != one)) for one in range(n_parts)])


def figures_without_each(result: OfTotals, spread: Spread, units: Units, most: int) -> Replicates:
    """The figures of groups without each part of the units, shape (G, C), of the C groups that have one.

    Parameters
    ----------
    result : with a row for each row of ``units``.
    spread : the figures, and their size.
    units, most : as of `without_each`.
    """
    part = _parts(units, most)[units.code]
    found = _of_totals(result, spread.figures, part, int(part.max(initial=-1)) + 1)
    return found[:, ~np.isnan(found).all(axis=0)] if found.ndim > 1 else found.reshape(0, 0)


def _parts(units: Units, most: int) -> Codes:
    """The part of each unit: neighbours by hash, whatever their order."""
    rank = np.argsort(np.argsort(units.hashed))
    return np.asarray(rank // -(-len(units) // most)) if len(units) else rank


def _of_totals(
    result: OfTotals, value: Callable[[Replicates], Replicates], part: Codes, n_parts: int
) -> Replicates:
    """As `_without`, for all parts: the totals less what each part adds to them."""
    at = part, np.arange(len(part))
    rows_of = sparse.csr_array((np.ones(len(part)), at), shape=(n_parts, len(part)))
    by_part = rows_of @ result.columns
    members = None if result.among is None else rows_of @ result.among.astype(float)
    total = np.asarray(result.columns.sum(axis=0), np.float64)
    size = max(1, BLOCK_CELLS // max(len(total), 1))
    found = []
    for start in range(0, n_parts, size):
        of_parts = by_part[start : start + size]
        rest = total - (of_parts.toarray() if sparse.issparse(of_parts) else of_parts)
        if members is not None:
            n_rest = members.sum() - members[start : start + size]
            rest *= (members.sum() / np.maximum(n_rest, 1.0))[:, None]
        found.append(np.asarray(value(rest), np.float64))
    return np.concatenate(found) if found else np.empty(0)


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


def spread_half_width(
    without: Sequence[Replicates], sizes: Sequence[Callable[[Replicates], Replicates]], level: float
) -> float:
    """How far the sizes of figures, or their difference, lie from those without chance; NaN if that is open.

    It is the quantile of the size of what chance adds to the figures, normal with the covariance that units
    left out show. The sizes of two systems' figures differ from the true difference by at most both sizes.

    Parameters
    ----------
    without : of each system, from `figures_without_each`, of the same parts.
    sizes : of each system's figures.
    level : in (0, 1).

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=100)
    >>> figures = np.stack([(values.sum() - values) / 99, np.zeros(100)], axis=1)
    >>> folded = spread_half_width([figures], [lambda z: np.abs(z[..., 0] - z[..., 1])], 0.95)
    >>> round(folded / half_width(figures[:, 0], 0.95), 1)
    1.0
    """
    # Whichever system is named first meets the same normal numbers.
    order = np.argsort([one.var(axis=0).sum() for one in without], kind="stable")
    without, sizes = [without[at] for at in order], [sizes[at] for at in order]
    figures = np.concatenate(without, axis=1)
    n, ends = len(figures), np.cumsum([one.shape[1] for one in without])[:-1]
    if n < MIN_DEFINED or np.isnan(figures).any():
        return math.nan
    moved = figures - figures.mean(axis=0)
    # Not by Cholesky: figures that are shares of one mean depend on each other.
    variance, axes = np.linalg.eigh((n - 1) / n * (moved.T @ moved))
    noise = _normal(figures.shape[1]) @ ((axes * np.sqrt(np.clip(variance, 0, None))) @ axes.T)
    parts = np.split(noise, ends, axis=1)
    total = sum(size(part) for size, part in zip(sizes, parts, strict=True))
    return float(np.quantile(total, level))


@cache
def _normal(n_columns: int) -> Replicates:
    """Normal numbers, the same ones always, shape (`N_NORMAL`, n_columns)."""
    return np.random.default_rng(0).standard_normal((N_NORMAL, n_columns))
