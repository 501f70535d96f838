"""Neighbours: the rows nearest to a threshold, on one side of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalcore.tallies.scores import ScoreTable

Side = Literal["below", "above"]


@dataclass(frozen=True)
class Neighbours:
    """Rows beside a threshold.

    Parameters
    ----------
    n, n_pos : rows, and rows with evidence.
    low, high : their smallest and largest score; NaN without rows.
    mean_score : their mean score; NaN without rows.
    """

    n: int
    n_pos: int
    low: float
    high: float
    mean_score: float


def neighbours(table: ScoreTable, threshold: float, side: Side, n_rows: int = 200) -> Neighbours:
    """The rows whose scores are nearest to a threshold, strictly below it or from it on.

    Rows of one score stay together, so there may be more than asked for, and fewer where the side has fewer.

    Parameters
    ----------
    table : counts at each distinct score, shape (S,).
    threshold : on the scale of the score.
    side : ``below`` takes rows with ``score < threshold``, ``above`` rows with ``score >= threshold``.
    n_rows : how many rows, at least 1.

    Returns
    -------
    Neighbours

    Examples
    --------
    >>> table = ScoreTable(np.array([0.1, 0.2, 0.3]), np.array([0, 1, 1]), np.array([2, 1, 0]))
    >>> near = neighbours(table, 0.3, "below", n_rows=1)
    >>> near.n, near.n_pos, near.low, near.high  # both rows at 0.2
    (2, 1, 0.2, 0.2)
    """
    n_below = table.pos_below + table.neg_below
    at = table.index(threshold)
    if side == "below":
        start = max(int(np.searchsorted(n_below, n_below[at] - n_rows, side="right")) - 1, 0)
        stop = at
    else:
        start = at
        stop = min(int(np.searchsorted(n_below, n_below[at] + n_rows)), len(table.score))
    n = int(n_below[stop] - n_below[start])
    if n == 0:
        return Neighbours(0, 0, np.nan, np.nan, np.nan)
    score = table.score[start:stop]
    total = float((score * (table.n_pos + table.n_neg)[start:stop]).sum())
    n_pos = int(table.pos_below[stop] - table.pos_below[start])
    return Neighbours(n, n_pos, float(score[0]), float(score[-1]), total / n)
