"""How alike the scores of one post are at most: what tells how failures cluster before any is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

UNKNOWN = 1.0
"""Where nothing tells how alike the cases of a post are, they may be one and the same."""


def score_correlation(
    score: NDArray[np.float64], post: NDArray[np.intp], *, confidence: float = 0.95
) -> float:
    """An upper bound of the correlation of scores within posts, weighted to the ends of their order.

    A share near 0 or 1 fails at one end of the scores, and posts that are alike there only (duplicates, empty
    posts) hardly move a correlation of ranks. Ranks therefore count as −log of the share at or beyond them:
    of the correlation at the low end and that at the high end the larger one.

    Parameters
    ----------
    score : float64, shape (N,), of the cases.
    post : int codes from 0, shape (N,), of the post of each case.
    confidence : of the one-sided bound, in (0, 1).

    Returns
    -------
    float in [0, 1]; 1 where no post has two cases or all scores are the same: nothing is known then.

    Source
    ------
    Intraclass correlation over pairs with its linearised error between posts; exponential scores of ranks,
    Savage 1956, Annals of Mathematical Statistics 27:590.

    Examples
    --------
    >>> post = np.repeat(np.arange(400), 2)
    >>> score_correlation(np.repeat(np.arange(400.0), 2), post)
    1.0
    >>> score_correlation(np.random.default_rng(0).random(800), post) < 0.2
    True
    """
    codes, post = np.unique(post, return_inverse=True)
    size = np.bincount(post, minlength=len(codes))
    if not (size > 1).any() or len(codes) < 2:
        return UNKNOWN
    place = (stats.rankdata(score) - 0.5) / len(score)
    ends = (_upper(-np.log(share), post, size, confidence) for share in (place, 1 - place))
    return float(np.clip(max(ends), 0.0, UNKNOWN))


def _upper(
    value: NDArray[np.float64], post: NDArray[np.intp], size: NDArray[np.intp], confidence: float
) -> float:
    """The bound, not yet cut to [0, 1], for values of any distribution."""
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
    return float(correlation + special.stdtrit(freedom, confidence) * error)
