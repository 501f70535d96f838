"""Sums over posts: all that the spread of a share between posts needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.inference.correlation import UNKNOWN

HEAVILY_CLUSTERED = 2.0
"""Above so many cases a post, seen from the average case, only the strict bounds keep their level."""

TELLING_POSTS = 10
"""In so many posts the rarer outcome shows by itself how it clusters; in fewer it does in part."""


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over posts behind one share or many: x of the m cases of a post are successes.

    Parameters
    ----------
    successes, n : Σx and Σm, int64 of one shape (...).
    n_posts : posts with m > 0.
    sum_xx, sum_xm, sum_mm : Σx², Σx·m and Σm².
    n_telling : posts in which the rarer outcome occurs: the fewer of those with a success and a failure.
    n_mixed : posts with both a success and a failure, which do not fail or succeed as one.
    correlation : upper bound of the correlation of the outcome within posts, in [0, 1], known without a
        single failure; 1 where nothing is known of it, 0 takes too few failures as independent.
    """

    successes: NDArray[np.int64]
    n: NDArray[np.int64]
    n_posts: NDArray[np.int64]
    sum_xx: NDArray[np.int64]
    sum_xm: NDArray[np.int64]
    sum_mm: NDArray[np.int64]
    n_telling: NDArray[np.int64]
    n_mixed: NDArray[np.int64]
    correlation: NDArray[np.float64]

    @staticmethod
    def from_posts(
        x: ArrayLike,
        m: ArrayLike,
        *,
        times: NDArray[np.int64] | None = None,
        correlation: ArrayLike = UNKNOWN,
    ) -> ClusterSums:
        """The sums from the successes and cases of each post, counts of shape (..., P).

        Parameters
        ----------
        x, m : successes and cases.
        times : for how many posts each stands, shape (P,); None: for one.
        correlation : as for `ClusterSums`.

        Examples
        --------
        >>> sums = ClusterSums.from_posts([2, 0, 0], [2, 1, 0])
        >>> sums.n_posts.item(), sums.n_telling.item(), sums.n_mixed.item()
        (2, 1, 0)
        """
        successes, cases = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(m, np.int64))

        def total(values: NDArray[Any]) -> NDArray[np.int64]:
            return np.asarray((values if times is None else values * times).sum(axis=-1, dtype=np.int64))

        n = total(cases)
        return ClusterSums(
            successes=total(successes),
            n=n,
            n_posts=total(cases > 0),
            sum_xx=total(successes * successes),
            sum_xm=total(successes * cases),
            sum_mm=total(cases * cases),
            n_telling=np.minimum(total(successes > 0), total(successes < cases)),
            n_mixed=total((successes > 0) & (successes < cases)),
            correlation=np.broadcast_to(np.asarray(correlation, np.float64), n.shape),
        )

    @staticmethod
    def from_rows(
        is_success: NDArray[np.bool_],
        is_case: NDArray[np.bool_],
        post: NDArray[np.intp],
        n_posts: int,
        *,
        correlation: ArrayLike = UNKNOWN,
    ) -> ClusterSums:
        """The sums from rows: which are cases of the share, which of these succeed, and each row's post.

        Parameters
        ----------
        is_success, is_case : bool, shape (N,); a success that is no case is not counted.
        post : int codes 0 … n_posts − 1, shape (N,).
        n_posts : number of posts.
        correlation : as for `ClusterSums`.

        Examples
        --------
        >>> sums = ClusterSums.from_rows(
        ...     np.array([True, False, True]), np.array([True, True, True]), np.array([0, 0, 1]), 2
        ... )
        >>> sums.successes.item(), sums.n.item(), sums.sum_xm.item(), sums.sum_mm.item()
        (2, 3, 3, 5)
        """
        cases = np.bincount(post[is_case], minlength=n_posts)
        successes = np.bincount(post[is_success & is_case], minlength=n_posts)
        most = int(cases.max(initial=0)) + 1
        if most * most > n_posts:
            return ClusterSums.from_posts(successes, cases, correlation=correlation)
        cases *= most  # of many posts most are alike, and those with the same two counts are summed up as one
        cases += successes
        times = np.bincount(cases)
        alike = np.flatnonzero(times)
        return ClusterSums.from_posts(
            alike % most, alike // most, times=times[alike], correlation=correlation
        )

    @staticmethod
    def together(parts: Sequence[ClusterSums]) -> ClusterSums:
        """The sums of S single shares as those of one array of shape (S,)."""

        def several(name: str) -> NDArray[Any]:
            kind = np.float64 if name == "correlation" else np.int64
            return np.array([getattr(part, name) for part in parts], kind)

        return ClusterSums(*(several(one.name) for one in fields(ClusterSums)))

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
    def assumed_correlation(self) -> NDArray[np.float64]:
        """What the correlation within posts is taken for while too few posts tell how failures cluster.

        The upper bound where none tells, 0 from `TELLING_POSTS` on, and evenly less in between: with a step
        one more failure could raise a bound. A post with both outcomes says more: each of these takes as
        much from it as the bound of a rate loses by one more case, 1/(1 + their number).

        Examples
        --------
        >>> mixed, alike = (ClusterSums.from_posts([*x, *[2] * 20], [2] * 22) for x in ([1, 1], [0, 0]))
        >>> round(mixed.assumed_correlation.item(), 3), round(alike.assumed_correlation.item(), 3)
        (0.333, 0.8)
        """
        fading = np.maximum(0.0, 1.0 - self.n_telling / TELLING_POSTS)
        return np.asarray(self.correlation * np.minimum(fading, 1.0 / (1.0 + self.n_mixed)))

    @property
    def n_at_most(self) -> NDArray[np.float64]:
        """The most independent cases that these can stand for, n/(1 + ρ·(Σm²/n − 1)); NaN without a case.

        Exactly n where no post has two cases; with ρ = 1 Kish's number.

        Examples
        --------
        >>> pairs = ClusterSums.from_posts([2] * 20, [2] * 20, correlation=0.25)
        >>> pairs.n_at_most.item()
        32.0
        """
        return _n_effective(self, self.assumed_correlation)

    @property
    def n_if_unseen(self) -> NDArray[np.float64]:
        """The same as if no failure were there: what the cases are worth before any is looked at."""
        return _n_effective(self, self.correlation)

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


def _n_effective(sums: ClusterSums, correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    n = np.asarray(sums.n, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(n / (1.0 + correlation * (sums.sum_mm / n - 1.0)))
