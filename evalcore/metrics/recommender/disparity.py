"""Bias disparity: how much more of a group of items users are shown, and had, than its share of all items.

Each is of one group of items, and there is none of all together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains
from evalcore.metrics.recommender.facts import (
    FROM_0,
    NO_LIST,
    cut,
    quotient,
)
from evalcore.metrics.recommender.fairness import n_lists, of_items
from evalcore.metrics.recommender.novelty import NO_TRAIN
from evalcore.spec import Declared, OfTotals, Undefined
from evalcore.tallies.recommended import ByUser, ItemGroups

Floats = NDArray[np.float64]
MINUS_1 = (-1.0, float("inf"))
OF_ALL = Undefined(lambda one: one.code is None, "one value for each group of items, none of all")
NOTHING_COUNTED = "nothing at all is counted"
NOT_IN_TRAIN = "nothing of the group stands in train"


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
    return of_items(label, formula, section, OF_ALL, *undefined, **facts)


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
    return _bias(groups, lists.lists, lists.within(cut(lists, k)).astype(float), n_lists(groups))


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
