"""Posts with a missed check, and posts that nobody opens, at every threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.scores import ScoredRows


@dataclass(frozen=True)
class PostCounts:
    """Posts by threshold over all distinct scores.

    Parameters
    ----------
    n, n_pos : posts, and posts with a positive.
    missed : int64, shape (S + 1,): posts with a positive below the threshold.
    unopened : int64, shape (S + 1,): posts with every row below the threshold.
    """

    n: int
    n_pos: int
    missed: NDArray[np.int64]
    unopened: NDArray[np.int64]


def count_posts(rows: ScoredRows, at: NDArray[np.intp], n_scores: int) -> PostCounts:
    """Count posts at every threshold; ``at`` is the position of each row's score among the distinct ones."""
    lowest_positive = np.full(rows.n_posts, n_scores)
    np.minimum.at(lowest_positive, rows.post[rows.is_positive], at[rows.is_positive])
    highest = np.full(rows.n_posts, -1)
    np.maximum.at(highest, rows.post, at)
    lowest_positive, highest = lowest_positive[lowest_positive < n_scores], highest[highest >= 0]
    return PostCounts(
        n=len(highest),
        n_pos=len(lowest_positive),
        missed=_n_below(lowest_positive, n_scores),
        unopened=_n_below(highest, n_scores),
    )


def _n_below(position: NDArray[np.intp], n_scores: int) -> NDArray[np.int64]:
    """How many positions lie below each threshold index 0 … S."""
    return np.append(0, np.cumsum(np.bincount(position, minlength=n_scores)))
