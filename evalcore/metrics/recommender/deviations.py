"""Mean absolute deviations: how unlike the gains and scores of groups of items and of users are.

An item or user of no known group enters no spread. Of one group of items, its mean is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.kernels import gains
from evalcore.metrics.recommender.accuracy import ndcg
from evalcore.metrics.recommender.facts import (
    EMPTY,
    FROM_0,
    NO_LIST,
    NO_RELEVANT,
    NO_TEST,
    ONE_GROUP,
    TOO_LARGE,
    cut,
    declared,
    gain,
    mean_absolute_deviation,
    quotient,
)
from evalcore.metrics.recommender.fairness import n_lists, of_items
from evalcore.recommendations import USER_GROUP
from evalcore.spec import Declared, OfTotals, Spread, Undefined
from evalcore.tallies.recommended import ItemGroups, RecommendationLists

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
NO_USER_GROUPS = Undefined(lambda lists: USER_GROUP not in lists.slices, "no groups of users")
TOO_LARGE_RATING = Undefined(lambda one: bool(np.isnan(gain(one.lists.relevant["rating"])).any()), TOO_LARGE)
FEW_FINDERS = "most_items_are_found_by_few_users"
NO_LIST_SCORES = Undefined(lambda one: not one.has_list_scores, "the lists have ranks, not scores")


def _of_differences(
    columns: Any,
    of_groups: Callable[[Floats], Floats],
    n: int,
    *,
    bounds: tuple[float, float] | None = None,
) -> OfTotals:
    """How the figures of groups differ, of totals."""
    return OfTotals(
        columns,
        lambda totals: mean_absolute_deviation(of_groups(totals)),
        n,
        bounds=bounds,
        spread=Spread(of_groups, mean_absolute_deviation),
    )


def _sums_and_counts(values: Floats, user: Codes, code: Codes, shape: tuple[int, int]) -> sparse.csr_array:
    """The sum of each user's values of each code, and then how many they are; shape (Q, 2 · C) for (Q, C)."""
    n_users, n_codes = shape
    data = np.concatenate([values, np.ones(len(values))])
    at = np.tile(user, 2), np.concatenate([code, code + n_codes])
    return sparse.csr_array((data, at), shape=(n_users, 2 * n_codes))


def _of_means(groups: ItemGroups, k: int, values: Floats, is_counted: Mask, n: int) -> OfTotals:
    """Of the mean of each item over rows of the first K, the means of groups of items, and how these differ.

    Only items of the groups that are looked at, with a row that is counted, are summed up.
    """
    lists, (group, n_groups) = groups.lists, groups.counted
    kept = lists.within(k) & is_counted & (group[lists.lists["item"]] >= 0)
    items, item = np.unique(lists.lists["item"][kept], return_inverse=True)
    n_items = max(len(items), 1)
    columns = _sums_and_counts(values[kept], lists.lists.user[kept], item, (len(lists), n_items))
    member = np.zeros((n_items, n_groups))
    member[np.arange(len(items)), group[items]] = 1.0

    def of_groups(sums: Floats) -> Floats:
        total, count = sums[..., :n_items], sums[..., n_items:]
        means = quotient(total, count)
        has_mean = count > 0
        return quotient(np.where(has_mean, means, 0.0) @ member, has_mean @ member)

    if groups.code is not None:
        # Users drawn with repetition lose the items that few of them have.
        return OfTotals(columns, lambda sums: of_groups(sums)[..., 0], n, lambda _: EMPTY, lies_beside=True)
    return replace(_of_differences(columns, of_groups, n), reason=lambda _: ONE_GROUP)


@of_items(
    "Item MAD of ranking@K",
    "mean of |ḡ_c − ḡ_c'| over pairs of groups; ḡ_c: mean over items of mean (2^r − 1) / log₂(rank + 1)",
    "ItemMADRanking@K",
    NO_LIST,
    NO_TEST,
    TOO_LARGE_RATING,
    better="lower",
    bounds=FROM_0,
)
def item_mad_ranking(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How unlike the discounted gain of items of different groups is: 0 alike.

    Parameters
    ----------
    groups : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; of one group the mean over its recommended items of their mean gain.

    Raises
    ------
    InputError : for an illegal K.
    """
    lists = groups.lists
    k = cut(lists, k)
    is_known = lists.has_test.any() and not np.isnan(gain(lists.relevant["rating"])).any()
    gained = gain(lists.lists["rating"]) if is_known else np.zeros(len(lists.lists["rating"]))
    discounted = gained * gains.in_top(lists.lists.place, k, gains.discount)
    return _of_means(groups, k, discounted, np.full(len(gained), is_known), n_lists(groups))


@of_items(
    "Item MAD of rating@K",
    "mean of |s̄_c − s̄_c'| over pairs of groups; s̄_c: mean over items of their mean score over hits",
    "ItemMADRating@K",
    NO_LIST_SCORES,
    NO_RELEVANT,
    better="lower",
    bounds=FROM_0,
    population="users_with_relevant",
)
def item_mad_rating(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How unlike the predicted scores of relevant items of different groups are: 0 alike.

    Parameters
    ----------
    groups : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; of one group the mean over its items that are found of their mean score.

    Raises
    ------
    InputError : for an illegal K.
    """
    lists = groups.lists
    k = cut(lists, k)
    score = lists.lists["score"]
    is_hit = (lists.lists["rating"] > 0) & np.isfinite(score)
    found = _of_means(groups, k, score, is_hit, int(lists.members("users_with_relevant").sum()))
    # Users left out in turn show too little of items that a few have found (docs/coverage.md).
    return replace(found, no_interval=FEW_FINDERS)


def _over_user_groups(lists: RecommendationLists, values: Floats, highest: float = math.inf) -> OfTotals:
    """How the means of groups of users differ; NaN values do not enter.

    Parameters
    ----------
    lists : Q users.
    values : shape (Q,).
    highest : the largest value that a user can have, where 0 is the lowest.
    """
    code, names = lists.slices.get(USER_GROUP, (np.full(len(lists), -1), ()))
    entered = ~np.isnan(values) & lists.members("users_with_relevant") & (code >= 0)
    at, n_groups = np.flatnonzero(entered), max(len(names), 1)
    columns = _sums_and_counts(values[at], at, code[at], (len(lists), n_groups))
    return _of_differences(
        columns,
        lambda totals: quotient(totals[..., :n_groups], totals[..., n_groups:]),
        len(at),
        bounds=(0.0, highest),
    )


def _of_users(label: str, formula: str, section: str, *undefined: Undefined) -> Declared:
    return declared(
        label,
        formula,
        section,
        NO_USER_GROUPS,
        *undefined,
        NO_RELEVANT,
        otherwise=(ONE_GROUP,),
        better="lower",
        bounds=FROM_0,
        population="users_with_relevant",
    )


@_of_users(
    "User MAD of ranking@K",
    "mean of |n̄_g − n̄_g'| over pairs of groups of users; n̄_g: mean nDCG@K",
    "UserMADRanking@K",
)
def user_mad_ranking(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """How unlike the nDCG of different groups of users is: 0 alike.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; NaN with fewer than two groups.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _over_user_groups(lists, ndcg(lists, k=k).values, highest=1.0)


@_of_users(
    "User MAD of rating@K",
    "mean of |s̄_g − s̄_g'| over pairs of groups of users; s̄_g: mean over users of their mean score in L^K",
    "UserMADRating@K",
    NO_LIST_SCORES,
)
def user_mad_rating(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """How unlike the scores of what different groups of users are shown are: 0 alike.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; NaN with fewer than two groups. A user without a scored list does not enter.

    Raises
    ------
    InputError : for an illegal K.
    """
    score = lists.lists["score"]
    kept = lists.within(cut(lists, k)) & np.isfinite(score)
    total = gains.totals(lists.lists.user, np.where(kept, score, 0.0), len(lists))
    return _over_user_groups(lists, quotient(total, gains.totals(lists.lists.user, kept, len(lists))))
