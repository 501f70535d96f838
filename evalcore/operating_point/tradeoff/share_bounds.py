"""Bounds and intervals of a share at many thresholds, with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import Interval
from evalcore.inference.clustered import ClusterSums, Mode, share_interval


@dataclass(frozen=True, eq=False)
class ShareBounds:
    """Bounds of a share at each of some thresholds, arrays of one shape; NaN where there are no cases.

    Parameters
    ----------
    low : one-sided lower bound, in [0, 1].
    best : the same bound if no case had failed.
    interval : two-sided.
    is_independence_assumed : where no post differs from another, so that the cases count as independent.
    """

    low: NDArray[np.float64]
    best: NDArray[np.float64]
    interval: Interval
    is_independence_assumed: NDArray[np.bool_]

    def at(self, index: NDArray[np.intp]) -> ShareBounds:
        """The bounds at some of the thresholds, repeated as often as they are asked for."""
        return ShareBounds(
            self.low[index],
            self.best[index],
            Interval(self.interval.low[index], self.interval.high[index]),
            self.is_independence_assumed[index],
        )


def share_bounds(
    sums: ClusterSums, *, confidence: float, interval_level: float, has_posts: bool
) -> ShareBounds:
    """Bounds that take the rows of a post as related.

    Parameters
    ----------
    sums : over posts, at each threshold.
    confidence : of the one-sided bound, in (0, 1).
    interval_level : of the two-sided interval, in (0, 1).
    has_posts : False where every row is its own post: then the exact bounds hold.
    """
    mode: Mode = "auto" if has_posts else "clopper_pearson"
    low = share_interval(sums, confidence=confidence, sides=1, mode=mode, end="low")
    both = share_interval(sums, confidence=interval_level, sides=2, mode=mode)
    best = best_low(sums, confidence=confidence, has_posts=has_posts)
    return ShareBounds(low.low, best, Interval(both.low, both.high), low.is_independence_assumed)


def best_low(sums: ClusterSums, *, confidence: float, has_posts: bool = True) -> NDArray[np.float64]:
    """The one-sided lower bound that shares would have if no case had failed; NaN without a case.

    Parameters
    ----------
    sums, confidence, has_posts : as for `share_bounds`.
    """
    n_at_best = np.where(sums.is_heavily_clustered, sums.n_kish, sums.n_if_unseen) if has_posts else sums.n
    with np.errstate(divide="ignore"):
        return np.where(sums.n > 0, (1 - confidence) ** (1 / n_at_best), np.nan)
