"""How alike the scores of one post are at most: what tells how failures cluster before any is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evalcore.kernels.midranks import midranks
from evalcore.spec import Side

UNKNOWN = 1.0
"""Where nothing tells how alike the cases of a post are, they may be one and the same."""


@dataclass(frozen=True)
class ScoreCorrelation:
    """Upper bounds of the correlation of scores within posts, weighted to the low and to the high end.

    Parameters
    ----------
    low, high : float in [0, 1].
    """

    low: float
    high: float

    @staticmethod
    def of(
        score: NDArray[np.float64], post: NDArray[np.intp], *, confidence: float = 0.95
    ) -> ScoreCorrelation:
        """The bounds of the scores of some cases.

        A share near 0 or 1 fails at one end of the scores, and posts that are alike there only (duplicates,
        empty posts) hardly move a correlation of ranks: these count as −log of the share at or beyond.

        Parameters
        ----------
        score : float64, shape (N,).
        post : int codes from 0, shape (N,), of the post of each case.
        confidence : of each one-sided bound, in (0, 1).

        Returns
        -------
        ScoreCorrelation; 1 where no post has two cases or all scores are the same: nothing is known then.

        Source
        ------
        Intraclass correlation over pairs with its linearised error between posts; exponential scores of
        ranks, Savage 1956, Annals of Mathematical Statistics 27:590.

        Examples
        --------
        >>> post = np.repeat(np.arange(400), 2)
        >>> ScoreCorrelation.of(np.repeat(np.arange(400.0), 2), post)
        ScoreCorrelation(low=1.0, high=1.0)
        >>> ScoreCorrelation.of(np.random.default_rng(0).random(800), post).low < 0.2
        True
        """
        codes, post = np.unique(post, return_inverse=True)
        size = np.bincount(post, minlength=len(codes))
        if len(codes) < 2 or size.max() < 2:
            return ScoreCorrelation(UNKNOWN, UNKNOWN)
        place = (midranks(score) - 0.5) / len(score)
        low, high = (_upper(-np.log(share), post, size, confidence) for share in (place, 1 - place))
        return ScoreCorrelation(low, high)

    @staticmethod
    def of_pairs(
        n_cases: NDArray[np.int64],
        pairs: NDArray[np.int64],
        n_posts: int,
        *,
        confidence: float = 0.95,
    ) -> ScoreCorrelation:
        """The bounds where it is known how often two scores stand in one post, and not which posts these are.

        They are those of `of` where no post has more than two cases. Of larger ones the error between posts
        is not known: it is taken as large as these pairs allow (Cauchy–Schwarz), so that a bound is higher.

        Parameters
        ----------
        n_cases : int64, shape (K,), cases at each distinct score that has one, ascending.
        pairs : int64, shape (M, 4): of the posts with so many cases, at least 2, two places of scores and how
            many pairs of cases of one post lie there.
        n_posts : posts with a case.

        Examples
        --------
        >>> post, score = np.repeat(np.arange(400), 2), np.random.default_rng(0).permutation(800)
        >>> pairs = np.column_stack([np.full(400, 2), score.reshape(-1, 2), np.ones(400, int)])
        >>> by_pairs = ScoreCorrelation.of_pairs(np.ones(800, int), pairs, 400)
        >>> abs(by_pairs.low - ScoreCorrelation.of(score * 1.0, post).low) < 1e-12
        True
        """
        if n_posts < 2 or not len(pairs):
            return ScoreCorrelation(UNKNOWN, UNKNOWN)
        place = (np.cumsum(n_cases) - n_cases / 2) / n_cases.sum()
        low, high = (
            _upper_of_pairs(-np.log(share), n_cases, pairs, n_posts, confidence)
            for share in (place, 1 - place)
        )
        return ScoreCorrelation(low, high)

    def of_share(self, successes: ArrayLike, n: ArrayLike, succeed: Side) -> NDArray[np.float64]:
        """The bound at that end of the scores where the rarer outcome of a share lies.

        Parameters
        ----------
        successes, n : counts, of one shape or broadcastable.
        succeed : where the successes lie.
        """
        is_failure_rarer = 2 * np.asarray(successes) >= np.asarray(n)
        return np.where(is_failure_rarer == (succeed == "above"), self.low, self.high)


INDEPENDENT = ScoreCorrelation(0.0, 0.0)


def _upper(
    value: NDArray[np.float64], post: NDArray[np.intp], size: NDArray[np.intp], confidence: float
) -> float:
    """The bound for values of any distribution."""
    value = value - value.mean()
    n, n_posts, n_pairs = len(value), len(size), float((size * (size - 1.0)).sum())
    total, squares = (np.bincount(post, weights=one, minlength=n_posts) for one in (value, value * value))
    together, variance = total * total - squares, squares.sum() / n
    if not variance > 0:
        return UNKNOWN
    covariance = together.sum() / n_pairs
    correlation = covariance / variance
    influence = (
        (together - covariance * size * (size - 1.0)) / n_pairs
        - correlation * (squares - variance * size) / n
    ) / variance
    between_posts = np.sqrt((influence**2).sum() * n_posts / (n_posts - 1))
    return _bound(correlation, between_posts, n_pairs, int(np.count_nonzero(size > 1)), confidence)


def _upper_of_pairs(
    value: NDArray[np.float64],
    n_cases: NDArray[np.int64],
    pairs: NDArray[np.int64],
    n_posts: int,
    confidence: float,
) -> float:
    """The bound for values at distinct scores, from the pairs of cases within posts."""
    n, (size, first, second, times) = int(n_cases.sum()), pairs.T
    value = value - (n_cases * value).sum() / n
    squares = value * value
    n_pairs, variance = 2.0 * int(times.sum()), (n_cases * squares).sum() / n
    if not variance > 0:
        return UNKNOWN
    product = value[first] * value[second]
    covariance = 2 * (times * product).sum() / n_pairs
    correlation = covariance / variance
    beyond = squares - variance
    own = (beyond[first] + beyond[second]) / (2 * (size - 1))
    influence = ((product - covariance) / n_pairs - correlation * own / n) / variance
    # The influence of a post is the sum over its ordered pairs: its square is at most their number times the
    # sum of their squares, and exactly that of two cases.
    of_pairs = (size * (size - 1) * 2 * times * influence**2).sum()
    in_pairs = np.zeros(len(value))
    for place in (first, second):
        np.add.at(in_pairs, place, times / (size - 1))
    of_single = ((n_cases - in_pairs) * (correlation * beyond / n / variance) ** 2).sum()
    between_posts = np.sqrt((of_pairs + of_single) * n_posts / (n_posts - 1))
    n_several = round(float((times / (size * (size - 1) / 2)).sum()))
    return _bound(correlation, between_posts, n_pairs, n_several, confidence)


def _bound(
    correlation: float, between_posts: float, n_pairs: float, n_several: int, confidence: float
) -> float:
    """The bound from an estimate, its error between posts, its ordered pairs and the posts that have any."""
    # With few pairs their spread is a matter of luck: the error is at least that of as many normal pairs.
    error = max(between_posts, (1 - correlation**2) / np.sqrt(n_pairs / 2))
    freedom = max(n_several - 1, 1)
    upper = correlation + special.stdtrit(freedom, confidence) * error
    # What rounds to 1 is 1: then the cases of a post count as exactly one.
    return UNKNOWN if upper > 1 - 1e-9 else max(float(upper), 0.0)
