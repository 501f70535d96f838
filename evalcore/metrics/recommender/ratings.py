"""Ratings: how far predicted ratings lie from those that users gave, over test pairs with both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains
from evalcore.metrics.recommender.facts import FROM_0, declared, known, quotient
from evalcore.spec import Declared, OfTotals, PerQuery, Undefined
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
NO_PREDICTED = Undefined(
    lambda lists: not (lists.pairs.n.any() or lists.has_scores),
    "no predicted ratings: give scores, or say that those of the lists are ratings",
)
NO_PAIRS = Undefined(lambda lists: not lists.pairs.n.any(), "no test pair has a rating and a score")
WITH_PAIRS = "users_with_pairs"
MEANS = {
    "default": "over test pairs",
    "macro": f"the mean over users of that over their pairs; its population is `{WITH_PAIRS}`",
}


def _declared(label: str, formula: str, section: str) -> Declared:
    return declared(
        label,
        formula,
        section,
        NO_PREDICTED,
        NO_PAIRS,
        better="lower",
        population="test_pairs",
        bounds=FROM_0,
        params=(),
        variants=MEANS,
    )


def _mean_error(
    lists: RecommendationLists,
    variant: str,
    loss: Callable[[Floats], Floats],
    root: Callable[[Floats], Floats] = np.asarray,
) -> OfTotals | PerQuery:
    """The mean loss, over pairs or within each user, or what is made of it."""
    pairs = lists.pairs
    total = gains.totals(pairs.user, loss(pairs["score"] - pairs["rating"]), len(lists))
    if known(variant, MEANS) == "macro":
        return PerQuery(root(quotient(total, pairs.n)), population=WITH_PAIRS)
    columns = np.stack([total, pairs.n], axis=1)
    return OfTotals(
        columns, lambda totals: root(quotient(totals[..., 0], totals[..., 1])), int(pairs.n.sum())
    )


@_declared("MAE", "Σ |r̂ − r| / N", "MAE")
def mae(lists: RecommendationLists, *, variant: str = "default") -> OfTotals | PerQuery:
    """Mean absolute difference between score and rating.

    Parameters
    ----------
    lists : Q users.
    variant : ``default`` over pairs, ``macro`` over users.

    Returns
    -------
    OfTotals or, of ``macro``, PerQuery of shape (Q,); from 0 on, NaN for a user without a pair.
    """
    return _mean_error(lists, variant, np.abs)


@_declared("MSE", "Σ (r̂ − r)² / N", "MSE")
def mse(lists: RecommendationLists, *, variant: str = "default") -> OfTotals | PerQuery:
    """Mean squared difference between score and rating.

    Parameters
    ----------
    lists : Q users.
    variant : ``default`` over pairs, ``macro`` over users.

    Returns
    -------
    OfTotals or, of ``macro``, PerQuery of shape (Q,); from 0 on, NaN for a user without a pair.

    Raises
    ------
    InputError : for an unknown variant.
    """
    return _mean_error(lists, variant, np.square)


@_declared("RMSE", "√(Σ (r̂ − r)² / N)", "RMSE")
def rmse(lists: RecommendationLists, *, variant: str = "default") -> OfTotals | PerQuery:
    """Root of the mean squared difference between score and rating.

    Parameters
    ----------
    lists : Q users.
    variant : ``default`` over pairs, ``macro`` over users.

    Returns
    -------
    OfTotals or, of ``macro``, PerQuery of shape (Q,); from 0 on, NaN for a user without a pair.

    Raises
    ------
    InputError : for an unknown variant.
    """
    return _mean_error(lists, variant, np.square, np.sqrt)
