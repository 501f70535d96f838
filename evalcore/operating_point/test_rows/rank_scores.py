"""Scores that are ranks within each set: they coincide whatever the rows are, for both hold each place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.operating_point.rules import EARLIER
from evalcore.operating_point.test_rows.row_sets import RowSet

PLACES = (-3, -2, -1, 1, 2, 3)
"""By how many places of the order scores are moved, to see what chance makes of like rows."""

_FEWEST_VALUES = 20
_LARGEST_STEP = 0.2
"""Of Kolmogorov's statistic: rows strewn evenly at random are so even less than once in 10,000."""

_MOST_ROWS = 0.5


def are_ranks(tune: RowSet, test: RowSet) -> bool:
    """Whether both sets' scores are spread as evenly as ranks are, over all rows or within criteria.

    Documents of earlier rules did not ask.
    """
    return tune.rules not in EARLIER and all(
        _is_even(rows) or _is_even_by_criterion(rows) for rows in (tune, test)
    )


def moved(rows: RowSet, places: int) -> RowSet:
    """The rows with the scores of those so many places further, in the order within what is ranked.

    Of honest ranks as many are then like the rows of another set as before; of copies few are.
    """
    queries = rows.queries
    group = np.zeros(len(queries), np.intp) if _is_even(rows) else queries.criterion
    order = np.lexsort((queries.score, group))
    score = np.empty_like(queries.score)
    ends = np.flatnonzero(np.append(np.diff(group[order]) != 0, True)) + 1
    for part in np.split(order, ends[:-1]):
        score[part] = np.roll(queries.score[part], places)
    return replace(rows, queries=replace(queries, score=score))


def _is_even_by_criterion(rows: RowSet) -> bool:
    queries = rows.queries
    n_even = 0
    for code in np.unique(queries.criterion[queries.criterion >= 0]):
        score = queries.score[queries.criterion == code]
        n_even += len(score) if is_evenly_spread(score) else 0
    return n_even > _MOST_ROWS * len(queries)


def _is_even(rows: RowSet) -> bool:
    return is_evenly_spread(rows.queries.score)


def is_evenly_spread(score: NDArray[np.float64]) -> bool:
    """Whether scores fill their range more evenly than rows strewn over it at random would.

    Parameters
    ----------
    score : finite, shape (N,).

    Examples
    --------
    >>> is_evenly_spread(np.arange(200) / 200), is_evenly_spread(np.random.default_rng(0).random(200))
    (True, False)
    """
    values, n = np.unique(score, return_counts=True)
    if len(values) < _FEWEST_VALUES:
        return False
    step = (values[-1] - values[0]) / (len(values) - 1)
    place = (values - values[0] + step / 2) / (values[-1] - values[0] + step)
    share = (np.cumsum(n) - n / 2) / len(score)
    return bool(np.abs(share - place).max() * len(score) ** 0.5 < _LARGEST_STEP)
