"""Fairness: whether groups of items are shown alike, and groups of users served alike.

An item or user of no known group enters no spread. Of one group of items, what enters the spread is given:
its rate, or its mean.
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
from evalcore.metrics.recommender.bias import TOO_FEW, rates, shown_rates
from evalcore.metrics.recommender.facts import (
    EMPTY,
    FROM_0,
    NO_LIST,
    NO_RELEVANT,
    NO_TEST,
    ONE_GROUP,
    TOO_LARGE,
    USERS_WITH_LIST,
    cut,
    declared,
    gain,
    mean_absolute_deviation,
    quotient,
)
from evalcore.metrics.recommender.novelty import NO_TRAIN
from evalcore.recommendations import USER_GROUP
from evalcore.spec import Declared, OfTotals, Spread, Undefined
from evalcore.tallies.recommended import ByUser, ItemGroups, RecommendationLists

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
MINUS_1 = (-1.0, float("inf"))
NO_ITEM_GROUPS = Undefined(lambda one: not one.groups[1], "no groups of items")
NO_USER_GROUPS = Undefined(lambda lists: USER_GROUP not in lists.slices, "no groups of users")
OF_ALL = Undefined(lambda one: one.code is None, "one value for each group of items, none of all")
NOTHING_COUNTED = "nothing at all is counted"
NOT_IN_TRAIN = "nothing of the group stands in train"
FEW_OR_EMPTY = (*TOO_FEW, EMPTY)
TOO_LARGE_RATING = Undefined(lambda one: bool(np.isnan(gain(one.lists.relevant["rating"])).any()), TOO_LARGE)
FEW_FINDERS = "most_items_are_found_by_few_users"
NO_LIST_SCORES = Undefined(lambda one: not one.has_list_scores, "the lists have ranks, not scores")


def _of_items(
    label: str,
    formula: str,
    section: str,
    *undefined: Undefined,
    otherwise: tuple[str, ...] = FEW_OR_EMPTY,
    **facts: Any,
) -> Declared:
    return declared(label, formula, section, NO_ITEM_GROUPS, *undefined, otherwise=otherwise, **facts)


@_of_items(
    "REO@K",
    "std / mean over groups of items of: hits / relevant items",
    "REO@K",
    NO_RELEVANT,
    better="lower",
    bounds=FROM_0,
    population="users_with_relevant",
)
def reo(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How unlike relevant items of different groups are found: 0 alike.

    Parameters
    ----------
    groups : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; of one group the share of its relevant items that is found.

    Raises
    ------
    InputError : for an illegal K.
    """
    lists, (group, n_groups) = groups.lists, groups.counted
    found = gains.in_top(lists.relevant["rank"], cut(lists, k), gains.one)
    hits, relevant = (lists.by_group(lists.relevant, group, n_groups, one) for one in (found, None))
    n = int(lists.members("users_with_relevant").sum())
    return rates(hits, relevant, n, code=groups.code)


def _n_lists(groups: ItemGroups) -> int:
    return int(groups.members(USERS_WITH_LIST).sum())


@_of_items(
    "RSP@K",
    "std / mean over groups of items of: recommendations / recommendable pairs",
    "RSP@K",
    NO_LIST,
    better="lower",
    bounds=FROM_0,
)
def rsp(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How unlike different groups of items are recommended, whatever is relevant: 0 alike.

    Parameters
    ----------
    groups : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; of one group the share of its recommendable pairs, those outside the user's
    train, that is recommended.

    Raises
    ------
    InputError : for an illegal K.
    """
    lists, (group, n_groups) = groups.lists, groups.counted
    return shown_rates(lists, cut(lists, k), group, n_groups, code=groups.code)


def _bias(groups: ItemGroups, rows: ByUser, is_counted: Floats, n: int) -> OfTotals:
    """The share of a group of items in the rows that users have, over its share in the catalogue."""
    if groups.code is None:
        return OfTotals(np.zeros((len(groups), 1)), lambda totals: totals[..., 0] * np.nan, n)
    lists, (group, n_groups) = groups.lists, groups.counted
    share = float((group == 0).mean())
    of_group = lists.by_group(rows, group, n_groups, is_counted).toarray()[:, 0]
    columns = np.stack([of_group, gains.totals(rows.user, is_counted, len(lists))], axis=1)
    return OfTotals(columns, lambda totals: quotient(quotient(totals[..., 0], totals[..., 1]), share), n)


def _of_pairs(label: str, formula: str, section: str, *undefined: Undefined, **facts: Any) -> Declared:
    facts = {"better": "neither", "otherwise": (NOTHING_COUNTED, NOT_IN_TRAIN), **facts}
    return _of_items(label, formula, section, OF_ALL, *undefined, **facts)


@_of_pairs(
    "Bias in recommendations@K",
    "P_rec(u, c) / P_rec(u) / share of c in the catalogue",
    "BiasDisparityBR@K",
    NO_LIST,
    bounds=FROM_0,
    short="BR@K",
)
def bias_disparity_br(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How much more a group of items is recommended to users than its share in the catalogue: 1 as much.

    Parameters
    ----------
    groups : Q users, and the group of items.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 on; NaN for all groups of items together, and where nothing is recommended.

    Raises
    ------
    InputError : for an illegal K.
    """
    lists = groups.lists
    return _bias(groups, lists.lists, lists.within(cut(lists, k)).astype(float), _n_lists(groups))


@_of_pairs(
    "Bias in train",
    "P_train(u, c) / P_train(u) / share of c in the catalogue",
    "BiasDisparityBS",
    NO_TRAIN,
    bounds=FROM_0,
    params=(),
    population="users_with_train",
    short="BS",
)
def bias_disparity_bs(groups: ItemGroups) -> OfTotals:
    """How much more users have of a group of items in train than its share in the catalogue: 1 as much.

    Parameters
    ----------
    groups : Q users, and the group of items that is looked at, or all.

    Returns
    -------
    OfTotals, from 0 on; NaN for all groups of items together, and without train.
    """
    train = groups.lists.train
    return _bias(groups, train, np.ones(len(train["item"])), int((train.n > 0).sum()))


@_of_pairs(
    "Bias disparity@K",
    "(BR − BS) / BS",
    "BiasDisparityBD@K",
    NO_TRAIN,
    NO_LIST,
    bounds=MINUS_1,
    short="BD@K",
)
def bias_disparity_bd(groups: ItemGroups, *, k: int | None) -> OfTotals:
    """How much more lists show of a group of items than users had of it in train: 0 as much.

    Parameters
    ----------
    groups : Q users, and the group of items that is looked at, or all.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from −1 on; NaN for all groups of items together, and where train has nothing of the group.

    Raises
    ------
    InputError : for an illegal K.
    """
    shown, had = bias_disparity_br(groups, k=k), bias_disparity_bs(groups)
    width = shown.columns.shape[1]

    def value(totals: Floats) -> Floats:
        br, bs = shown.value(totals[..., :width]), had.value(totals[..., width:])
        return quotient(br - bs, bs)

    def why(totals: Floats) -> str:
        has_both = bool(totals[1]) and bool(totals[width + 1])
        return NOT_IN_TRAIN if has_both else NOTHING_COUNTED

    columns = np.concatenate([shown.columns, had.columns], axis=1)
    return OfTotals(columns, value, shown.n, why if groups.code is not None else None)


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


def _of_means(groups: ItemGroups, k: int, values: Floats, is_counted: Mask, n: int) -> OfTotals:
    """Of the mean of each item over rows of the first K, the means of groups of items, and how these differ.

    Only items of the groups that are looked at, with a row that is counted, are summed up.
    """
    lists, (group, n_groups) = groups.lists, groups.counted
    kept = lists.within(k) & is_counted & (group[lists.lists["item"]] >= 0)
    items, item = np.unique(lists.lists["item"][kept], return_inverse=True)
    n_items = max(len(items), 1)
    shape, place = (len(lists), 2 * n_items), (lists.lists.user[kept], item)
    columns = sparse.csr_array(
        (
            np.concatenate([values[kept], np.ones(len(item))]),
            (np.tile(place[0], 2), np.concatenate([item, item + n_items])),
        ),
        shape=shape,
    )
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


@_of_items(
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
    return _of_means(groups, k, discounted, np.full(len(gained), is_known), _n_lists(groups))


@_of_items(
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
    columns = sparse.csr_array(
        (
            np.concatenate([values[at], np.ones(len(at))]),
            (np.tile(at, 2), np.concatenate([code[at], code[at] + n_groups])),
        ),
        shape=(len(lists), 2 * n_groups),
    )
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
