"""Popularity bias: whether lists show what is popular anyway, and what that does to the rest.

The head of the catalogue are the most popular items that together reach ``pop_ratio`` of the interactions of
train; the others are its tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.kernels import gains
from evalcore.metrics.recommender.facts import (
    EMPTY,
    FROM_0,
    MEAN_0,
    NO_LIST,
    NO_RELEVANT,
    ONE_GROUP,
    SHARE,
    USERS_WITH_LIST,
    cut,
    declared,
    deviation,
    known,
    quotient,
    relative,
    spread,
    why_no_spread,
)
from evalcore.metrics.recommender.novelty import NO_TRAIN
from evalcore.problems import InputError, problem
from evalcore.spec import Declared, OfTotals, PerQuery, Spread, Undefined
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
HEADS = {
    "default": "the head reaches pop_ratio of the interactions",
    "item_share": "the head is pop_ratio of the items (the text of document 004)",
}
POP_RATIO = 0.8
TOO_FEW = (ONE_GROUP, MEAN_0)


def head_of(lists: RecommendationLists, pop_ratio: float, variant: str) -> NDArray[np.bool_]:
    """Which items are of the head, shape (I,).

    Raises
    ------
    InputError : OPT-003 for a ratio outside (0, 1] and an unknown variant.
    """
    by_items = known(variant, HEADS) == "item_share"
    if not 0 < pop_ratio <= 1:
        expected = "a share above 0, at most 1"
        raise InputError([problem("OPT-003", name="pop_ratio", found=pop_ratio, expected=expected)])
    return lists.catalogue.head(pop_ratio, of_items=by_items)


def _note(
    lists: RecommendationLists, *, pop_ratio: float = POP_RATIO, variant: str = "default", **_: Any
) -> str:
    head = head_of(lists, pop_ratio, variant)
    return f"head: {int(head.sum()):,} of {len(head):,} items"


def _of_tail(label: str, formula: str, section: str, *undefined: Undefined, **facts: Any) -> Declared:
    return declared(
        label,
        formula,
        section,
        NO_TRAIN,
        NO_LIST,
        *undefined,
        params=("k", "pop_ratio"),
        variants=HEADS,
        remark=_note,
        **facts,
    )


@declared(
    "ARP@K",
    "mean over users of Σ interactions of the items of L^K / K",
    "ARP@K",
    NO_TRAIN,
    NO_LIST,
    better="neither",
    bounds=FROM_0,
    headline=("family",),
)
def arp(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Mean popularity of what the first K places show, an empty place counting 0.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), from 0 on.

    Raises
    ------
    InputError : for an illegal K.
    """
    k = cut(lists, k)
    if not lists.catalogue.popularity.any():
        return PerQuery(np.full(len(lists), np.nan))
    popularity = lists.catalogue.popularity[lists.lists["item"]] * lists.within(k)
    return PerQuery(gains.totals(lists.lists.user, popularity, len(lists)) / k)


def _n_of_tail(lists: RecommendationLists, k: int, pop_ratio: float, variant: str) -> Floats:
    if not lists.catalogue.popularity.any():
        return np.full(len(lists), np.nan)
    of_tail = ~head_of(lists, pop_ratio, variant)[lists.lists["item"]]
    return gains.totals(lists.lists.user, of_tail & lists.within(k), len(lists))


@_of_tail("ACLT@K", "mean over users of |L^K ∩ tail|", "ACLT@K", bounds=FROM_0)
def aclt(
    lists: RecommendationLists, *, k: int | None, pop_ratio: float = POP_RATIO, variant: str = "default"
) -> PerQuery:
    """Number of items of the tail among the first K places.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    pop_ratio : share that the head reaches, in (0, 1].
    variant : ``default`` or ``item_share``.

    Returns
    -------
    PerQuery of shape (Q,), from 0 to K.

    Raises
    ------
    InputError : for an illegal K, ratio or variant.
    """
    return PerQuery(_n_of_tail(lists, cut(lists, k), pop_ratio, variant))


@_of_tail("APLT@K", "mean over users of |L^K ∩ tail| / K", "APLT@K", compared=9)
def aplt(
    lists: RecommendationLists, *, k: int | None, pop_ratio: float = POP_RATIO, variant: str = "default"
) -> PerQuery:
    """Share of the first K places that show an item of the tail.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    pop_ratio : share that the head reaches, in (0, 1].
    variant : ``default`` or ``item_share``.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1].

    Raises
    ------
    InputError : for an illegal K, ratio or variant.
    """
    k = cut(lists, k)
    return PerQuery(_n_of_tail(lists, k, pop_ratio, variant) / k)


def found_rates(
    lists: RecommendationLists, k: int, group: NDArray[np.intp], n_groups: int, *, code: int | None = None
) -> OfTotals:
    """How unlike the shares of the groups' relevant items are that the first K places show."""
    is_found = gains.in_top(lists.relevant["rank"], k, gains.one)
    parts = [lists.by_group(lists.relevant, group, n_groups, one) for one in (is_found, None)]

    def of_groups(totals: Floats) -> Floats:
        return quotient(totals[..., :n_groups], totals[..., n_groups:])

    n = int(lists.members("users_with_relevant").sum())
    return _unlike(sparse.hstack(parts, format="csr"), of_groups, n_groups, n, code)


def shown_rates(
    lists: RecommendationLists, k: int, group: NDArray[np.intp], n_groups: int, *, code: int | None = None
) -> OfTotals:
    """How unlike the shares of the groups' recommendable pairs are that the first K places recommend.

    A pair is recommendable where its user has a list, and the item is not in their train.
    """
    has_list = lists.members(USERS_WITH_LIST)
    size = np.bincount(group[group >= 0], minlength=n_groups)
    shown = lists.by_group(lists.lists, group, n_groups, lists.within(k).astype(float))
    had = lists.by_group(lists.train, group, n_groups, has_list[lists.train.user].astype(float))
    one_each = sparse.csr_array(has_list.astype(float)[:, None])

    def of_groups(totals: Floats) -> Floats:
        pairs = totals[..., -1:] * size - totals[..., n_groups:-1]
        return quotient(totals[..., :n_groups], pairs)

    columns = sparse.hstack([shown, had, one_each], format="csr")
    return _unlike(columns, of_groups, n_groups, int(has_list.sum()), code)


def _unlike(
    columns: sparse.csr_array,
    of_groups: Callable[[Floats], Floats],
    n_groups: int,
    n: int,
    code: int | None,
) -> OfTotals:
    """How unlike the rates of groups are, or the rate of the one that is looked at."""
    if code is not None:
        return OfTotals(columns, lambda totals: of_groups(totals)[..., 0], n, lambda _: EMPTY, bounds=SHARE)
    return OfTotals(
        columns,
        lambda totals: spread(of_groups(totals)),
        n,
        lambda totals: why_no_spread(of_groups(totals)),
        bounds=(0.0, math.sqrt(max(n_groups - 1, 0))),
        spread=Spread(lambda totals: relative(of_groups(totals)), deviation),
    )


def _halves(lists: RecommendationLists, pop_ratio: float, variant: str) -> NDArray[np.intp]:
    """The group of each item: 0 head, 1 tail; −1 without train, for then nothing is popular."""
    half = np.where(head_of(lists, pop_ratio, variant), 0, 1)
    return half if lists.catalogue.popularity.any() else np.full(len(half), -1)


@_of_tail(
    "PopRSP@K",
    "std / mean over head and tail of: recommendations / recommendable pairs",
    "PopRSP@K",
    otherwise=TOO_FEW,
    better="lower",
)
def pop_rsp(
    lists: RecommendationLists, *, k: int | None, pop_ratio: float = POP_RATIO, variant: str = "default"
) -> OfTotals:
    """How unlike head and tail are recommended, whatever is relevant: 0 alike, 1 only one of them.

    Parameters
    ----------
    lists : Q users.
    k, pop_ratio, variant : as of `aclt`.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of them has no recommendable pair, or nothing is recommended.

    Raises
    ------
    InputError : for an illegal K, ratio or variant.
    """
    half = _halves(lists, pop_ratio, variant)
    return shown_rates(lists, cut(lists, k), half, 2)


@_of_tail(
    "PopREO@K",
    "std / mean over head and tail of: hits / relevant items",
    "PopREO@K",
    NO_RELEVANT,
    otherwise=TOO_FEW,
    better="lower",
    population="users_with_relevant",
)
def pop_reo(
    lists: RecommendationLists, *, k: int | None, pop_ratio: float = POP_RATIO, variant: str = "default"
) -> OfTotals:
    """How unlike relevant items of head and tail are found: 0 alike, 1 only one of them.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    pop_ratio : share that the head reaches, in (0, 1].
    variant : ``default`` or ``item_share``.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of them has no relevant item, or nothing is found.

    Raises
    ------
    InputError : for an illegal K, ratio or variant.
    """
    half = _halves(lists, pop_ratio, variant)
    return found_rates(lists, cut(lists, k), half, 2)
