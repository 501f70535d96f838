"""Novelty: whether the relevant items that a list shows are ones that few users know."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains
from evalcore.metrics.recommender.facts import (
    FROM_0,
    NO_RELEVANT,
    SHARE,
    TOO_LARGE,
    USERS_WITH_RELEVANT,
    cut,
    declared,
    gain,
    known,
)
from evalcore.problems import InputError, problem
from evalcore.spec import Declared, PerQuery, Undefined
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
NO_TRAIN = Undefined(lambda lists: not lists.catalogue.popularity.any(), "no train interactions")
POPULARITY = {
    "default": "p = interactions of the item / all interactions",
    "p_over_users": "p = interactions of the item / users (document 004)",
}
DISCOUNTED = "discounted"


def _declared(label: str, formula: str, section: str, **facts: Any) -> Declared:
    return declared(label, formula, section, NO_TRAIN, NO_RELEVANT, population=USERS_WITH_RELEVANT, **facts)


def _mean_novelty(lists: RecommendationLists, k: int, novelty: Floats, relevance: str | None) -> PerQuery:
    """Σ of relevance · novelty · discount of the first K places, as a share of the discounts."""
    if not lists.catalogue.popularity.any():
        return PerQuery(np.full(len(lists), np.nan))
    if relevance not in (None, "binary", DISCOUNTED):
        expected = f"binary or {DISCOUNTED}"
        raise InputError([problem("OPT-003", name="relevance", found=relevance, expected=expected)])
    relevant = lists.relevant
    weight = gains.in_top(relevant["rank"], k, gains.discount) * novelty[relevant["item"]]
    if relevance == DISCOUNTED:
        gained = gain(relevant["rating"])
        if np.isnan(gained).any():
            return PerQuery(np.full(len(lists), np.nan))
        weight = weight * gained
    whole = gains.discount(np.arange(1, k + 1, dtype=np.int64)).sum()
    return PerQuery(gains.totals(relevant.user, weight, len(lists)) / whole)


@_declared(
    "EFD@K",
    "Σ r · (−log₂ p) / log₂(rank + 1) over L^K / Σ 1 / log₂(i + 1)",
    "EFD@K",
    otherwise=(TOO_LARGE,),
    bounds=FROM_0,
    params=("k", "relevance"),
    variants=POPULARITY,
)
def efd(
    lists: RecommendationLists, *, k: int | None, relevance: str | None = None, variant: str = "default"
) -> PerQuery:
    """Expected free discovery: the discounted surprise of the relevant items shown, in bits.

    An item without an interaction is most novel: it counts as one with one.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    relevance : None for binary relevance, ``discounted`` for the gain 2^rating − 1.
    variant : ``default`` or ``p_over_users``.

    Returns
    -------
    PerQuery of shape (Q,), from 0 on; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K, relevance or variant.
    """
    popularity = np.maximum(lists.catalogue.popularity, 1)
    by_users = known(variant, POPULARITY) == "p_over_users"
    n = lists.catalogue.n_users if by_users else int(lists.catalogue.popularity.sum())
    return _mean_novelty(lists, cut(lists, k), -np.log2(popularity / max(n, 1)), relevance)


@_declared(
    "EPC@K",
    "Σ r · (1 − p) / log₂(rank + 1) over L^K / Σ 1 / log₂(i + 1)",
    "EPC@K",
    bounds=SHARE,
)
def epc(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Expected popularity complement: how few users know the relevant items shown, discounted by rank.

    An item's novelty is 1 − interactions / users; one without an interaction is most novel.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    p = lists.catalogue.popularity / max(lists.catalogue.n_users, 1)
    return _mean_novelty(lists, cut(lists, k), 1 - p, None)
