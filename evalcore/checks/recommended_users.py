"""What the checks of recommendation lists need of users: counts, which add up with those of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.recommendations import (
    ITEM_GROUP,
    USER_GROUP,
    Interactions,
    ItemLists,
    Recommendations,
    in_order,
)

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OfModel:
    """The lists of a model.

    Parameters
    ----------
    lengths : how many lists there are of each length from 0 on.
    n_train_rows, n_train_lists : items that their user has in train, and lists with such.
    has_scores : whether lists have scores, and not ranks alone.
    n_tied : lists with two items of one score.
    n_lacking : users with relevant items who have no list.
    """

    lengths: Counts
    n_train_rows: int
    n_train_lists: int
    has_scores: bool
    n_tied: int
    n_lacking: int

    @property
    def n_rows(self) -> int:
        """Rows of all lists."""
        return int(self.lengths @ np.arange(len(self.lengths)))

    @property
    def n_lists(self) -> int:
        """Lists that have a row."""
        return int(self.lengths[1:].sum())

    def and_of(self, other: OfModel) -> OfModel:
        """The lists of these users and of others."""
        lengths = np.zeros(max(len(self.lengths), len(other.lengths)), np.int64)
        for one in (self.lengths, other.lengths):
            lengths[: len(one)] += one
        return OfModel(
            lengths,
            self.n_train_rows + other.n_train_rows,
            self.n_train_lists + other.n_train_lists,
            self.has_scores or other.has_scores,
            self.n_tied + other.n_tied,
            self.n_lacking + other.n_lacking,
        )


@dataclass(frozen=True, eq=False)
class Counted:
    """What the checks need of users.

    Parameters
    ----------
    models, n_models : the lists of each that has some, and how many there are.
    n_listed, n_strangers, stranger : users with a list; those without an interaction, and the first of them.
    item_ids, is_listed, is_known : items; whether a list has each, and whether an interaction has.
    has_train, has_test : whether there are such interactions.
    n_test, n_known : test interactions, and those that stand in train.
    n_in_test, n_served : users of the test, and those with relevant items.
    n_user_groups, n_item_groups : groups of which there are pairs.
    """

    models: Mapping[str, OfModel]
    n_models: int
    n_listed: int
    n_strangers: int
    stranger: str
    item_ids: NDArray[np.object_]
    is_listed: Mask
    is_known: Mask
    has_train: bool
    has_test: bool
    n_test: int
    n_known: int
    n_in_test: int
    n_served: int
    n_user_groups: int
    n_item_groups: int

    def and_of(self, other: Counted) -> Counted:
        """What is counted of these users and of others, whose items are the same."""
        strangers = in_order(filter(None, (self.stranger, other.stranger)))
        return replace(
            self,
            models={name: one.and_of(other.models[name]) for name, one in self.models.items()},
            n_listed=self.n_listed + other.n_listed,
            n_strangers=self.n_strangers + other.n_strangers,
            stranger=strangers[0] if strangers else "",
            is_listed=self.is_listed | other.is_listed,
            is_known=self.is_known | other.is_known,
            has_train=self.has_train or other.has_train,
            has_test=self.has_test or other.has_test,
            n_test=self.n_test + other.n_test,
            n_known=self.n_known + other.n_known,
            n_in_test=self.n_in_test + other.n_in_test,
            n_served=self.n_served + other.n_served,
        )


def counted(table: Recommendations) -> Counted:
    """What the checks need of the users of a table."""
    n_users, n_items = len(table.user_ids), len(table.item_ids)
    known = [one for one in (table.train, table.test) if one is not None]
    is_listed, is_known = (_having(table.lists.values(), n_users), _having(known, n_users))
    is_served, test = np.zeros(n_users, bool), table.test
    if test is not None:
        is_served[test.user[test.rating > 0]] = True
    strangers = np.flatnonzero(is_listed & ~is_known)
    return Counted(
        {name: _of_model(table, rows, is_served) for name, rows in table.lists.items()},
        len(table.models),
        int(np.count_nonzero(is_listed)),
        len(strangers),
        str(table.user_ids[strangers[0]]) if len(strangers) else "",
        table.item_ids,
        _having(table.lists.values(), n_items, of_items=True),
        _having(known, n_items, of_items=True),
        table.train is not None,
        test is not None,
        0 if test is None else len(test),
        0 if test is None else int(np.count_nonzero(_are_in(table, test, table.train))),
        0 if test is None else int(np.count_nonzero(_having([test], n_users))),
        int(np.count_nonzero(is_served)),
        len(table.slices[USER_GROUP][1]) if USER_GROUP in table.slices else 0,
        len(table.item_groups[ITEM_GROUP][1]) if ITEM_GROUP in table.item_groups else 0,
    )


def _having(rows: Iterable[ItemLists | Interactions], n: int, *, of_items: bool = False) -> Mask:
    """Which users, or items, any of the rows has."""
    found = np.zeros(n, bool)
    for one in rows:
        found[one.item if of_items else one.user] = True
    return found


def _of_model(table: Recommendations, rows: ItemLists, is_served: Mask) -> OfModel:
    n_of_user = np.bincount(rows.user, minlength=len(table.user_ids))
    in_train = _are_in(table, rows, table.train)
    return OfModel(
        np.bincount(n_of_user, minlength=1).astype(np.int64),
        int(np.count_nonzero(in_train)),
        len(np.unique(rows.user[in_train])),
        rows.has_scores,
        _n_tied(rows, int(np.count_nonzero(n_of_user))) if rows.has_scores else 0,
        int(np.count_nonzero(is_served & (n_of_user == 0))),
    )


def _n_tied(rows: ItemLists, n_lists: int) -> int:
    """Lists in which two items have one score."""
    user, score = rows.user, rows.score
    same = user[1:] == user[:-1]
    n_runs = len(user) - int(np.count_nonzero(same))
    if n_runs > n_lists or not bool(((score[1:] <= score[:-1]) | ~same).all()):
        order = np.lexsort((score, user))
        user, score = user[order], score[order]
        same = user[1:] == user[:-1]
    return len(np.unique(user[1:][same & (score[1:] == score[:-1])]))


def _are_in(table: Recommendations, rows: ItemLists | Interactions, pairs: Interactions | None) -> Mask:
    """Which rows have a pair that is among others; those are in the order of users and items."""
    if pairs is None or not len(pairs):
        return np.zeros(len(rows), bool)
    n_items = len(table.item_ids)
    key, known = rows.user * n_items + rows.item, pairs.user * n_items + pairs.item
    if (known[1:] < known[:-1]).any():
        known = np.sort(known)
    at = np.searchsorted(known, key)
    found: Mask = known[np.minimum(at, len(known) - 1)] == key
    return found
