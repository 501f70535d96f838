"""Diversity: how evenly the catalogue is recommended, and how many of a user's topics a list covers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evalcore.metrics.recommender.facts import (
    FROM_0,
    NO_LIST,
    NO_RELEVANT,
    USERS_WITH_LIST,
    USERS_WITH_RELEVANT,
    cut,
    declared,
    quotient,
)
from evalcore.spec import OfTotals, PerQuery, Undefined
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
NOTHING = Undefined(lambda lists: not len(lists.lists["item"]), "nothing is recommended")
ONE_ITEM = Undefined(lambda lists: len(lists.catalogue) < 2, "the catalogue has one item")
NO_FEATURES = Undefined(lambda lists: lists.catalogue.features is None, "no features of items")
NO_TOPICS = Undefined(lambda lists: not s_recall_base(lists).any(), "no user's relevant items have a feature")
LESS_EVEN = "users drawn with repetition repeat their items"


def _by_item(
    lists: RecommendationLists, k: int | None, value: Callable[[Floats], Floats], most: float
) -> OfTotals:
    counts = lists.recommended(cut(lists, k))
    return OfTotals(counts, value, int(lists.members(USERS_WITH_LIST).sum()), bounds=(0.0, most))


def _gini(counts: Floats) -> Floats:
    n = counts.shape[-1]
    ordered = np.sort(counts, axis=-1)
    weighted = ((2 * np.arange(1, n + 1) - n - 1) * ordered).sum(axis=-1)
    return quotient(weighted, (n - 1) * ordered.sum(axis=-1))


@declared(
    "Gini@K",
    "Σ_j (2j − |I| − 1) c_j / ((|I| − 1) Σ c_j), c ascending",
    "Gini Index@K",
    NO_LIST,
    NOTHING,
    ONE_ITEM,
    better="lower",
    lies_beside=LESS_EVEN,
    headline=("family",),
    compared=8,
)
def gini(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """Inequality of how often the items of the catalogue are recommended: 0 all alike, 1 one item alone.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals in [0, 1]; NaN where nothing is recommended.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _by_item(lists, k, _gini, 1.0)


def _entropy(counts: Floats) -> Floats:
    total = counts.sum(axis=-1)
    p = quotient(counts, total[..., None])
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.where(total > 0, -(p * logs).sum(axis=-1), np.nan)


@declared(
    "Shannon entropy@K",
    "−Σ p log p, p = c / Σ c",
    "Shannon Entropy@K",
    NO_LIST,
    NOTHING,
    bounds=FROM_0,
    lies_beside=LESS_EVEN,
)
def shannon_entropy(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """Entropy of what is recommended, in nats.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 to log |I|; NaN where nothing is recommended.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _by_item(lists, k, _entropy, math.log(max(len(lists.catalogue), 1)))


def _has_feature(lists: RecommendationLists, user: NDArray[np.intp], item: NDArray[np.intp]) -> Mask:
    """Whether any of a user's items has a feature, shape (Q, F)."""
    features = lists.catalogue.features
    assert features is not None
    found = np.zeros((len(lists), features.shape[1]), bool)
    for at in range(features.shape[1]):
        found[user[features[item, at]], at] = True
    return found


def s_recall_base(lists: RecommendationLists) -> NDArray[np.int64]:
    """How many features the relevant items of each user have, shape (Q,); 0 without features."""
    if lists.catalogue.features is None:
        return np.zeros(len(lists), np.int64)
    has = _has_feature(lists, lists.relevant.user, lists.relevant["item"])
    return np.asarray(has.sum(axis=1, dtype=np.int64))


@declared(
    "Subtopic recall@K",
    "|features(L^K) ∩ features(R)| / |features(R)|",
    "SRecall@K",
    NO_FEATURES,
    NO_RELEVANT,
    NO_TOPICS,
    population=USERS_WITH_RELEVANT,
)
def s_recall(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Share of the features of a user's relevant items that the first K places show.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; NaN for a user whose relevant items have no feature, and for all
    without features; 0 for a user without relevant items.

    Raises
    ------
    InputError : for an illegal K.
    """
    k = cut(lists, k)
    if lists.catalogue.features is None:
        return PerQuery(np.full(len(lists), np.nan))
    within = lists.within(k)
    of_relevant = _has_feature(lists, lists.relevant.user, lists.relevant["item"])
    shown = _has_feature(lists, lists.lists.user[within], lists.lists["item"][within])
    found = quotient((shown & of_relevant).sum(axis=1), of_relevant.sum(axis=1))
    return PerQuery(np.where(lists.n_relevant > 0, found, 0.0))
