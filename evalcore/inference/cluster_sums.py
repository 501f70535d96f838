"""Sums over posts: all that the spread of a share between posts needs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

HEAVILY_CLUSTERED = 2.0
"""Above so many cases a post, seen from the average case, only the strict bounds keep their level."""


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over posts behind one share or many: x of the m cases of a post are successes.

    Parameters
    ----------
    successes, n : Σx and Σm, int64 of one shape (...).
    n_posts : posts with m > 0.
    sum_xx, sum_xm, sum_mm : Σx², Σx·m and Σm².
    """

    successes: NDArray[np.int64]
    n: NDArray[np.int64]
    n_posts: NDArray[np.int64]
    sum_xx: NDArray[np.int64]
    sum_xm: NDArray[np.int64]
    sum_mm: NDArray[np.int64]

    @staticmethod
    def from_posts(x: ArrayLike, m: ArrayLike) -> ClusterSums:
        """The sums from the successes and cases of each post, counts of shape (..., P).

        Examples
        --------
        >>> ClusterSums.from_posts([2, 0, 0], [2, 1, 0]).n_posts.item()
        2
        """
        successes, cases = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(m, np.int64))
        return ClusterSums(
            successes=_sum(successes),
            n=_sum(cases),
            n_posts=_sum(cases > 0),
            sum_xx=_sum(successes * successes),
            sum_xm=_sum(successes * cases),
            sum_mm=_sum(cases * cases),
        )

    @staticmethod
    def from_rows(
        is_success: NDArray[np.bool_], is_case: NDArray[np.bool_], post: NDArray[np.intp], n_posts: int
    ) -> ClusterSums:
        """The sums from rows: which are cases of the share, which of these succeed, and each row's post.

        Parameters
        ----------
        is_success, is_case : bool, shape (N,); a success that is no case is not counted.
        post : int codes 0 … n_posts − 1, shape (N,).
        n_posts : number of posts.

        Examples
        --------
        >>> sums = ClusterSums.from_rows(
        ...     np.array([True, False, True]), np.array([True, True, True]), np.array([0, 0, 1]), 2
        ... )
        >>> sums.successes.item(), sums.n.item(), sums.sum_xm.item(), sums.sum_mm.item()
        (2, 3, 3, 5)
        """
        return ClusterSums.from_posts(
            np.bincount(post[is_success & is_case], minlength=n_posts),
            np.bincount(post[is_case], minlength=n_posts),
        )

    @staticmethod
    def of_flawless_posts(x: ArrayLike, m: ArrayLike) -> ClusterSums:
        """The post as the unit: posts all of whose cases succeed, of the posts with a case.

        Beside the share of cases it says in how many posts nothing was missed; it is lower where the failures
        are spread over posts with many cases.

        Examples
        --------
        >>> sums = ClusterSums.of_flawless_posts([3, 0, 1, 0], [3, 1, 2, 0])
        >>> sums.successes.item(), sums.n.item()
        (1, 3)
        """
        successes, cases = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(m, np.int64))
        has_case = cases > 0
        return ClusterSums.from_posts(has_case & (successes == cases), has_case)

    def where(self, mask: NDArray[np.bool_]) -> ClusterSums:
        """The sums of some of the shares; a mask of the shape that all sums have."""
        return ClusterSums(*(np.asarray(getattr(self, one.name))[mask] for one in fields(self)))

    @property
    def share(self) -> NDArray[np.float64]:
        """Σx/Σm; NaN without a case."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.successes / np.asarray(self.n, np.float64))

    @property
    def n_kish(self) -> NDArray[np.float64]:
        """Kish's effective number of cases, (Σm)²/Σm²; NaN without a case.

        Examples
        --------
        >>> ClusterSums.from_posts([5, 4], [5, 5]).n_kish.item()
        2.0
        """
        n = np.asarray(self.n, np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(n * n / self.sum_mm)

    @property
    def is_heavily_clustered(self) -> NDArray[np.bool_]:
        """Whether the average case shares its post with more than one other, Σm²/Σm > 2."""
        return np.asarray(self.sum_mm > HEAVILY_CLUSTERED * self.n)

    @property
    def variance(self) -> NDArray[np.float64]:
        """Of the share, between posts: P/(P − 1)·Σ(x − R·m)²/n².

        Exactly 0 where no post differs; NaN with fewer than two posts.

        Examples
        --------
        >>> ClusterSums.from_posts([2, 0, 1, 1], [2, 2, 2, 2]).variance.round(6).item()
        0.041667
        """
        n, n_posts, share = (
            np.asarray(self.n, np.float64),
            np.asarray(self.n_posts, np.float64),
            self.share,
        )
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            squares = self.sum_xx - 2 * share * self.sum_xm + share * share * self.sum_mm
            # n²·Σ(x − R·m)² is a whole number; modulo 2⁶⁴ it is exact, where the sum above only nears 0.
            x, m = self.successes, self.n
            whole = m * m * self.sum_xx - 2 * m * x * self.sum_xm + x * x * self.sum_mm
            squares = np.where((whole == 0) & (squares < 0.5), 0.0, np.maximum(squares, 0.0))
            variance = n_posts / (n_posts - 1) * squares / (n * n)
        return np.where(n_posts > 1, variance, np.nan)


def _sum(values: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(values.sum(axis=-1, dtype=np.int64))
