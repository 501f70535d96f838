"""Diversity: how evenly the catalogue is recommended, and how many of a user's topics a list covers."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

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
Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
NOTHING = Undefined(lambda lists: not len(lists.lists["item"]), "nothing is recommended")
ONE_ITEM = Undefined(lambda lists: len(lists.catalogue) < 2, "the catalogue has one item")
NO_FEATURES = Undefined(lambda lists: lists.catalogue.features is None, "no features of items")
NO_TOPICS = Undefined(lambda lists: not s_recall_base(lists).any(), "no user's relevant items have a feature")
_CELLS = 10_000_000
"""Rows × features that are looked at together."""
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


def _n_features(lists: RecommendationLists, k: int | None) -> tuple[Counts, Counts]:
    """How many features the relevant items of each user have, and how many of these the first K show.

    So many users at a time that their rows by features stay small.
    """
    features = lists.catalogue.features
    assert features is not None
    n_wanted, n_shown = np.zeros((2, len(lists)), np.int64)
    n_rows = np.maximum(lists.relevant.n + (lists.lists.n if k is not None else 0), 1)
    block = np.cumsum(n_rows * max(features.shape[1], 1)) // _CELLS
    starts = [*np.flatnonzero(np.diff(block, prepend=-1)).tolist(), len(lists)]
    for first, last in pairwise(starts):
        users = lists.relevant.take(np.arange(first, last))
        wanted = _has_feature(features, users.user, users["item"], last - first)
        n_wanted[first:last] = wanted.sum(axis=1)
        if k is not None:
            users = lists.lists.take(np.arange(first, last))
            within = users.place <= k
            shown = _has_feature(features, users.user[within], users["item"][within], last - first)
            n_shown[first:last] = (shown & wanted).sum(axis=1)
    return n_wanted, n_shown


def _has_feature(features: Mask, user: Codes, item: Codes, n: int) -> Mask:
    """Whether any item of each of n users has a feature, shape (n, F); rows user after user."""
    found = np.zeros((n, features.shape[1]), bool)
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    if len(starts):
        found[user[starts]] = np.logical_or.reduceat(features[item], starts, axis=0)
    return found


def s_recall_base(lists: RecommendationLists) -> Counts:
    """How many features the relevant items of each user have, shape (Q,); 0 without features."""
    if lists.catalogue.features is None:
        return np.zeros(len(lists), np.int64)
    return _n_features(lists, None)[0]


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
    wanted, shown = _n_features(lists, k)
    found = quotient(shown, wanted)
    return PerQuery(np.where(lists.n_relevant > 0, found, 0.0))
