"""What is counted at the thresholds that a trade-off shows: rows, posts and sums over posts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.operating_point.tradeoff.post_counts import PostCounts, count_posts
from evalcore.operating_point.tradeoff.post_sums import PostSums, post_sums
from evalcore.tallies.scores import ScoredRows, ScoreTable

MAX_SCORES = 50_000
"""Up to so many distinct scores every one is a point; beyond, a grid of the data's own scores."""

GRID_POINTS = 10_001
"""Quantiles of all rows, and as many of the positives, that make up the grid."""


@dataclass(frozen=True, eq=False)
class Points:
    """The S distinct scores that thresholds are named by, and all that is counted at them.

    Parameters
    ----------
    table : the counts at each distinct score.
    kept : int, shape (S,), ascending: which of these scores are points.
    previous : float64, shape (S,): the highest score that a row below a point can have; −inf for the first.
    is_grid : whether there are thresholds that no point decides like.
    sums, counts : at the points, and last beyond all: shape (S + 1,).
    n_rows : rows.
    data_id : names the scores and labels.
    """

    table: ScoreTable
    kept: NDArray[np.intp]
    previous: NDArray[np.float64]
    is_grid: bool
    sums: PostSums
    counts: PostCounts
    n_rows: int
    data_id: str

    @property
    def score(self) -> NDArray[np.float64]:
        """The points."""
        return self.table.score[self.kept]


def points_of(rows: ScoredRows, also: tuple[float, ...] = ()) -> Points:
    """The points of rows: every distinct score or, of very many, a grid of them.

    Parameters
    ----------
    rows : scored rows.
    also : thresholds that must be countable exactly even on a grid.
    """
    table = rows.table
    kept = kept_scores(table, also)
    score, previous = table.score[kept], np.where(kept > 0, table.score[kept - 1], -np.inf)
    # The point whose threshold is the last that a row is not below: sums over rows at or above a point need
    # no more, and what lies between two points is never counted apart.
    at = np.searchsorted(score, rows.score, side="right") - 1
    return Points(
        table=table,
        kept=kept,
        previous=previous,
        is_grid=len(kept) < len(table.score),
        sums=post_sums(rows, at, len(score)),
        counts=count_posts(rows, at, len(score)),
        n_rows=len(rows),
        data_id=_data_id(table, rows),
    )


def kept_scores(table: ScoreTable, also: tuple[float, ...]) -> NDArray[np.intp]:
    """Positions of the scores that become points: all, or quantiles of the rows and of the positives."""
    n_scores = len(table.score)
    if n_scores <= MAX_SCORES:
        return np.arange(n_scores)
    asked = np.searchsorted(table.score, np.asarray(also, np.float64), side="left")
    ends = np.array([0, n_scores - 1])
    kept = np.concatenate(
        [ends, _quantiles(table.pos_below), _quantiles(table.pos_below + table.neg_below), asked]
    )
    return np.unique(kept[kept < n_scores])


def _quantiles(n_below: NDArray[np.int64]) -> NDArray[np.intp]:
    """Positions of the scores at evenly spaced ranks of the counted rows."""
    n_counted = int(n_below[-1])
    if n_counted == 0:
        return np.empty(0, np.intp)
    rank = np.arange(GRID_POINTS) * (n_counted - 1) // (GRID_POINTS - 1)
    return np.searchsorted(n_below, rank, side="right") - 1


def _data_id(table: ScoreTable, rows: ScoredRows) -> str:
    """By every score with its counts, and by the lowest positive and the highest row of every post."""
    lowest, highest = np.full(rows.n_posts, np.inf), np.full(rows.n_posts, -np.inf)
    np.minimum.at(lowest, rows.post[rows.is_positive], rows.score[rows.is_positive] + 0.0)
    np.maximum.at(highest, rows.post, rows.score + 0.0)
    digest = hashlib.blake2b(digest_size=8)
    for array in (table.score, table.n_pos, table.n_neg, np.sort(lowest), np.sort(highest)):
        digest.update(array.data)
    return digest.hexdigest()
