"""Recommendation lists against the interactions: what leaves them, who has none, what is known nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.results import CheckResult, result
from evalcore.data import Data
from evalcore.problems import Problem, problem
from evalcore.recommendations import (
    ITEM_GROUP,
    MOST_PAIRS,
    USER_GROUP,
    Interactions,
    ItemLists,
    Recommendations,
)

Mask = NDArray[np.bool_]
MOST_MODELS = 5
"""That a message names."""


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of lists and interactions, as far as there are both."""
    table = data.recommendations
    if table is None:
        return
    named = len(table.models) > 1
    lists = [
        _Lists.of(table, f" of model {model}" if named else "", rows)
        for model, rows in table.lists.items()
        if len(rows)
    ]
    if lists and table.train is not None:
        n_rows = sum(len(one.rows) for one in lists)
        what = "No list holds an item that its user has in train."
        yield result("Train items in lists", what, n_rows, _of_train(lists))
    if lists:
        n_lists = sum(len(one.lengths) for one in lists)
        yield result(
            "Lengths of lists", "The lists of a model are as long as its longest.", n_lists, _short(lists)
        )
        scored = [one for one in lists if one.rows.has_scores]
        if scored:
            n_scored = sum(len(one.lengths) for one in scored)
            what = "No two items of a list have the same score."
            yield result("Ties within lists", what, n_scored, _tied(scored))
    known = [one for one in (table.train, table.test) if one is not None]
    if lists and known:
        yield from _strangers(table, lists, known)
    what = "There are test interactions to judge the lists by."
    lacking = [] if table.test is not None else [problem("RCM-100")]
    yield result("Test interactions", what, 0 if table.test is None else len(table.test), lacking)
    if table.test is not None:
        yield from _of_test(table, lists)
    if table.n_pairs:
        what = f"Groups of users and of items are at most {MOST_PAIRS:,} pairs."
        yield result("Pairs of groups", what, table.n_pairs, _too_many_pairs(table))


def _too_many_pairs(table: Recommendations) -> Iterator[Problem]:
    if table.n_pairs > MOST_PAIRS:
        n_users, n_items = len(table.slices[USER_GROUP][1]), len(table.item_groups[ITEM_GROUP][1])
        yield problem("RCM-111", n_users=n_users, n_items=n_items, n=table.n_pairs, most=MOST_PAIRS)


@dataclass(frozen=True, eq=False)
class _Lists:
    """The lists of a model.

    Parameters
    ----------
    whose : the model in words, where there are several: one alone is called after its file.
    lengths : of each list, the users of which are ``users``.
    in_train : which rows hold an item that its user has in train.
    """

    whose: str
    rows: ItemLists
    users: NDArray[np.intp]
    lengths: NDArray[np.intp]
    in_train: Mask

    @staticmethod
    def of(table: Recommendations, whose: str, rows: ItemLists) -> _Lists:
        """The lists of a model, looked at once."""
        n_of_user = np.bincount(rows.user, minlength=len(table.user_ids))
        users = np.flatnonzero(n_of_user)
        return _Lists(whose, rows, users, n_of_user[users], _are_in(table, rows, table.train))


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


def _of_train(lists: list[_Lists]) -> Iterator[Problem]:
    for one in lists:
        n = int(np.count_nonzero(one.in_train))
        if n:
            n_lists = len(np.unique(one.rows.user[one.in_train]))
            yield problem("RCM-030", n=n, n_lists=n_lists, n_all=len(one.lengths), whose=one.whose)


def _short(lists: list[_Lists]) -> Iterator[Problem]:
    for one in lists:
        longest = int(one.lengths.max())
        n = int(np.count_nonzero(one.lengths < longest))
        if n:
            n_all, shortest = len(one.lengths), int(one.lengths.min())
            yield problem("RCM-031", n=n, n_all=n_all, whose=one.whose, longest=longest, shortest=shortest)


def _tied(lists: list[_Lists]) -> Iterator[Problem]:
    told = []
    for one in lists:
        user, score = one.rows.user, one.rows.score
        same = user[1:] == user[:-1]
        n_runs = len(user) - int(np.count_nonzero(same))
        if n_runs > len(one.users) or not bool(((score[1:] <= score[:-1]) | ~same).all()):
            order = np.lexsort((score, user))
            user, score = user[order], score[order]
            same = user[1:] == user[:-1]
        n = len(np.unique(user[1:][same & (score[1:] == score[:-1])]))
        if n:
            told.append(f"{n:,} of {len(one.lengths):,} lists{one.whose}")
    if told:
        n_more = len(told) - MOST_MODELS
        more = [f"those of {n_more:,} more models"] if n_more > 0 else []
        yield problem("RCM-036", told=", ".join([*told[:MOST_MODELS], *more]))


def _strangers(
    table: Recommendations, lists: list[_Lists], known: list[Interactions]
) -> Iterator[CheckResult]:
    """Users and items of lists that no interaction has."""
    for unit, ids, code in (("user", table.user_ids, "RCM-032"), ("item", table.item_ids, "RCM-033")):
        is_known, is_listed = np.zeros(len(ids), bool), np.zeros(len(ids), bool)
        for pairs in known:
            is_known[getattr(pairs, unit)] = True
        for one in lists:
            is_listed[getattr(one.rows, unit)] = True
        others = np.flatnonzero(is_listed & ~is_known)
        problems = [problem(code, n=len(others), found=str(ids[others[0]]))] if len(others) else []
        name, n = f"{unit.capitalize()}s of lists", int(np.count_nonzero(is_listed))
        what = f"Every {unit} of a list has an interaction in train or test."
        yield result(name, what, n, problems)


def _of_test(table: Recommendations, lists: list[_Lists]) -> Iterator[CheckResult]:
    """Who has relevant items, who has no list, and what is in train already."""
    test = table.test
    assert test is not None
    n_users = len(table.user_ids)
    in_test, is_served = np.zeros(n_users, bool), np.zeros(n_users, bool)
    in_test[test.user] = True
    is_served[test.user[test.rating > 0]] = True
    n_test, n_served = int(np.count_nonzero(in_test)), int(np.count_nonzero(is_served))
    problems = [problem("RCM-034", n=n_test - n_served, n_all=n_test)] if n_served < n_test else []
    what = "Every user of the test has a relevant item, one with a rating above 0."
    yield result("Users with relevant items", what, n_test, problems)
    if lists and n_served:
        what = "Every user with a relevant item has a list, of every model."
        yield result("Lists of users of the test", what, n_served, _without_list(lists, is_served))
    if table.train is not None and len(test):
        n = int(np.count_nonzero(_are_in(table, test, table.train)))
        problems = [problem("RCM-037", n=n, n_all=len(test))] if n else []
        what = "No test interaction stands in train."
        yield result("Train and test apart", what, len(test), problems)


def _without_list(lists: list[_Lists], is_served: Mask) -> Iterator[Problem]:
    for one in lists:
        has_list = np.zeros(len(is_served), bool)
        has_list[one.users] = True
        n = int(np.count_nonzero(is_served & ~has_list))
        if n:
            n_all = int(np.count_nonzero(is_served))
            yield problem("RCM-035", n=n, n_all=n_all, whose=one.whose)
