"""Fairness: whether items of different groups are recommended, and relevant ones found, at like rates.

An item of no known group enters no spread. Of one group, its rate is given.
"""

from __future__ import annotations

from typing import Any

from evalcore.metrics.recommender.bias import TOO_FEW, found_rates, shown_rates
from evalcore.metrics.recommender.facts import (
    EMPTY,
    FROM_0,
    NO_LIST,
    NO_RELEVANT,
    USERS_WITH_LIST,
    cut,
    declared,
)
from evalcore.spec import Declared, OfTotals, Undefined
from evalcore.tallies.recommended import ItemGroups

NO_ITEM_GROUPS = Undefined(lambda one: not one.groups[1], "no groups of items")
FEW_OR_EMPTY = (*TOO_FEW, EMPTY)


def of_items(
    label: str,
    formula: str,
    section: str,
    *undefined: Undefined,
    otherwise: tuple[str, ...] = FEW_OR_EMPTY,
    **facts: Any,
) -> Declared:
    """Declare a metric of groups of items; parameters as of `evalcore.metrics.recommender.facts.declared`."""
    return declared(label, formula, section, NO_ITEM_GROUPS, *undefined, otherwise=otherwise, **facts)


@of_items(
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
    return found_rates(lists, cut(lists, k), group, n_groups, code=groups.code)


def n_lists(groups: ItemGroups) -> int:
    """How many users have a list."""
    return int(groups.members(USERS_WITH_LIST).sum())


@of_items(
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
