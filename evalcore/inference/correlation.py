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
    # With few pairs their spread is a matter of luck: the error is at least that of as many normal pairs.
    error = max(between_posts, (1 - correlation**2) / np.sqrt(n_pairs / 2))
    freedom = max(int(np.count_nonzero(size > 1)) - 1, 1)
    upper = correlation + special.stdtrit(freedom, confidence) * error
    # What rounds to 1 is 1: then the cases of a post count as exactly one.
    return UNKNOWN if upper > 1 - 1e-9 else max(float(upper), 0.0)
