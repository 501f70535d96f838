"""What a place in a ranked list is worth, and what lists are worth by it: one definition for every family.

Places count from 1; place 0 is that of an item which is not in the list, and worth nothing. Rows stand by
query; Q queries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.places import nth_of_run, run_starts

Values = NDArray[np.float64]
Positions = NDArray[np.int64]
Codes = NDArray[np.intp]
Weight = Callable[[Positions], Values]

WHOLE_LIST = int(np.iinfo(np.int64).max)
"""A cut-off beyond the end of any list."""


def one(position: Positions) -> Values:
    """Every place counts the same: sums are hits."""
    return np.ones(len(position))


def reciprocal(position: Positions) -> Values:
    """1/i at place i."""
    return 1 / position


def discount(position: Positions) -> Values:
    """1/log₂(i + 1) at place i: sums of gains are DCG (Järvelin and Kekäläinen 2002)."""
    return np.asarray(1 / np.log2(position + 1))


def in_top(position: Positions, cut: int, weight: Weight) -> Values:
    """The weight of each place within the first ``cut``, 0 below them and at place 0; shape of ``position``.

    Examples
    --------
    >>> in_top(np.array([0, 1, 2, 3]), 2, reciprocal).tolist()
    [0.0, 1.0, 0.5, 0.0]
    """
    deepest = min(cut, int(position.max(initial=0)))
    of_place = np.append(0.0, weight(np.arange(1, deepest + 1, dtype=np.int64)))
    return np.asarray(of_place[np.where(position <= cut, position, 0)])


def totals(query: Codes, values: NDArray[Any], n_queries: int) -> Values:
    """The sum of each query's rows, shape (Q,); 0 without a row."""
    return np.bincount(query, weights=values, minlength=n_queries).astype(float)


def firsts(query: Codes, values: Values, n_queries: int) -> Values:
    """The value of each query's first row, shape (Q,); 0 without a row.

    Of the weights of relevant places, first place first, it is the reciprocal rank or whether there is a hit.

    Examples
    --------
    >>> firsts(np.array([0, 0, 2]), np.array([0.5, 0.25, 1.0]), 3).tolist()
    [0.5, 0.0, 1.0]
    """
    found = np.zeros(n_queries)
    is_first = run_starts(query)
    found[query[is_first]] = values[is_first]
    return found


def ideal_dcg(query: Codes, gain: Values, n_queries: int, cut: int | Positions) -> Values:
    """DCG of the list that shows these gains best first, shape (Q,).

    Parameters
    ----------
    query, gain : rows by query and, within one, by descending gain.
    cut : places that count, one for all or one a query, shape (Q,).

    Examples
    --------
    >>> ideal_dcg(np.array([0, 0]), np.array([3.0, 1.0]), 1, 1).tolist()
    [3.0]
    """
    if len(gain) and (gain == gain[0]).all():
        n = np.bincount(query, minlength=n_queries)
        of_first = gain[0] * discount(np.arange(1, n.max() + 1))
        return np.append(0.0, np.cumsum(of_first))[np.minimum(n, cut)]
    nth = nth_of_run(run_starts(query))
    counts = nth <= (cut[query] if isinstance(cut, np.ndarray) else cut)
    return totals(query, gain * in_top(nth, WHOLE_LIST, discount) * counts, n_queries)


def shares(numerator: NDArray[Any], denominator: NDArray[Any]) -> Values:
    """The quotients; 0 where the denominator is 0, and 1 where rounding made it more."""
    quotient = np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)
    return np.asarray(np.minimum(quotient, 1.0))
