"""What a gold's place in the list is worth, also where equal scores leave it open.

Where the order of equal scores is left open (``ties`` is ``expected``) every function returns the mean over
all orders, in closed form. K is a whole number here; `cutoff` turns what a user gave into one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.gains import WHOLE_LIST, Positions, Values, Weight, firsts, in_top, reciprocal, totals
from evalcore.problems import InputError, problem
from evalcore.tallies.places import nth_of_run, run_starts
from evalcore.tallies.ranked import RankedQueries

LARGEST_K = 1_000_000
"""Longer lists are whole lists; what divides by K or adds up its places needs as much time and memory."""


def check_k(k: object) -> int | None:
    """The cut-off K as a whole number from 1 on, or None for the whole list.

    Parameters
    ----------
    k : a whole number, or None or ``"ALL"`` for the whole list.

    Raises
    ------
    InputError : OPT-001 for zero, a negative number, a fraction, a truth value or other text; OPT-003 for one
        above `LARGEST_K`.

    Source
    ------
    contract.md, Ranking, K.

    Examples
    --------
    >>> check_k(10), check_k("ALL")
    (10, None)
    >>> check_k(0)
    Traceback (most recent call last):
        ...
    evalcore.problems.reporting.InputError: found K = 0, expected a whole number from 1 on, or ALL for ...
    """
    if k is None or (isinstance(k, str) and k.strip().upper() == "ALL"):
        return None
    if isinstance(k, int | np.integer) and not isinstance(k, bool) and k >= 1:
        if k <= LARGEST_K:
            return int(k)
        found = f"{int(k):,}" if k < 10**18 else "a number beyond 10¹⁸"
        expected = f"at most {LARGEST_K:,}, or ALL for the whole list"
        raise InputError([problem("OPT-003", name="K", found=found, expected=expected)])
    raise InputError([problem("OPT-001", found=repr(k) if isinstance(k, str) else str(k))])


def cutoff(k: object) -> int:
    """The number of places that count: K, or more than any list has for the whole list."""
    checked = check_k(k)
    return WHOLE_LIST if checked is None else min(checked, WHOLE_LIST)


def by_query(queries: RankedQueries, values: NDArray[Any]) -> Values:
    """Sum over the golds of each query, shape (Q,); 0 for a query without gold."""
    return totals(queries.query, values, len(queries))


def weight_in_top(queries: RankedQueries, k: int, weight: Weight) -> Values:
    """The weight of each gold's place, 0 below place K and where the list lacks the gold; shape (G,).

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1, "c": 1, "z": 1}], [["a", "b", "c"]])
    >>> weight_in_top(queries, 3, reciprocal).round(3).tolist()
    [1.0, 0.333, 0.0]
    """
    if queries.ties != "expected":
        return in_top(queries.rank, k, weight)
    below = np.cumsum(_table(queries, k, weight))
    before, end = _tie_ends(queries, len(below) - 1)
    return np.asarray((below[end] - below[before]) / np.maximum(queries.tie_size, 1))


def first_weight_in_top(queries: RankedQueries, k: int, weight: Weight) -> Values:
    """The weight of the place of each query's first gold, 0 where the first K places hold none; shape (Q,).

    Source
    ------
    With open ties the first gold of g among m tied candidates stands at offset j with probability
    g/(m − j) · Π_{i<j} (m − g − i)/(m − i).
    """
    if queries.ties != "expected":
        return firsts(queries.query, in_top(queries.rank, k, weight), len(queries))
    has_gold = queries.n_gold > 0
    first = queries.first[has_gold]
    values = np.zeros(len(queries))
    ties = np.stack([queries.tie_start, queries.tie_size, queries.tie_golds])[:, first]
    kinds, kind = np.unique(ties, axis=1, return_inverse=True)
    means = [_mean_first_weight(start, size, golds, k, weight) for start, size, golds in kinds.T.tolist()]
    values[has_gold] = np.array(means, float)[kind]
    return values


def _mean_first_weight(start: int, size: int, golds: int, k: int, weight: Weight) -> float:
    if size == 0 or start > k:
        return 0.0
    offset = np.arange(size - golds + 1)
    none_before = np.cumprod(np.append(1.0, (size - golds - offset[:-1]) / (size - offset[:-1])))
    chance = none_before * golds / (size - offset)
    seen = offset < k - start + 1
    return min(float(chance[seen] @ weight(start + offset[seen])), 1.0)


def precision_in_top(queries: RankedQueries, k: int) -> Values:
    """Precision at the place of each gold, 0 below place K and where the list lacks the gold; shape (G,).

    Source
    ------
    For open ties: McSherry and Najork, "Computing information retrieval performance measures efficiently in
    the presence of tied scores", ECIR 2008.
    """
    nth = _nth_gold(queries)
    if queries.ties != "expected":
        is_within = (queries.rank > 0) & (queries.rank <= k)
        return np.where(is_within, nth / np.maximum(queries.rank, 1), 0.0)
    reciprocals = np.cumsum(_table(queries, k, reciprocal))
    before, end = _tie_ends(queries, len(reciprocals) - 1)
    sum_reciprocals = reciprocals[end] - reciprocals[before]
    golds_above = nth - nth_of_run(run_starts(queries.query, queries.tie_start))
    other_golds = (queries.tie_golds - 1) / np.maximum(queries.tie_size - 1, 1)
    mean_offsets = end - before - queries.tie_start * sum_reciprocals
    total = (golds_above + 1) * sum_reciprocals + other_golds * mean_offsets
    return np.asarray(total / np.maximum(queries.tie_size, 1))


def _nth_gold(queries: RankedQueries) -> Positions:
    """Number of each gold within its query, from 1; shape (G,)."""
    return np.arange(len(queries.query), dtype=np.int64) - queries.first[queries.query] + 1


def _table(queries: RankedQueries, k: int, weight: Weight) -> Values:
    """Weights of the places 1, 2, … that golds can have within the first K; 0 at place 0."""
    deepest = int((queries.tie_start + queries.tie_size).max(initial=1)) - 1
    return np.append(0.0, weight(np.arange(1, min(k, deepest) + 1, dtype=np.int64)))


def _tie_ends(queries: RankedQueries, last: int) -> tuple[Positions, Positions]:
    """The place before each gold's tied candidates and the last place of these, both at most ``last``."""
    before = np.clip(queries.tie_start - 1, 0, last)
    return before, np.clip(queries.tie_start + queries.tie_size - 1, 0, last)
