"""Recommendation lists against the interactions: what leaves them, who has none, what is known nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from evalcore.checks.recommended_users import Counted, OfModel, counted
from evalcore.checks.results import CheckResult, result
from evalcore.data import Data
from evalcore.problems import Problem, problem
from evalcore.recommendations import MOST_PAIRS

MOST_MODELS = 5
"""That a message names."""


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of lists and interactions, as far as there are both."""
    if data.recommendations is not None:
        yield from results(counted(data.recommendations))


Lists = Sequence[tuple[str, OfModel]]
"""Each model in words, where there are several, and its lists: one alone is called after its file."""


def results(found: Counted) -> Iterator[CheckResult]:
    """The checks of all users, as far as there are both lists and interactions."""
    named = found.n_models > 1
    lists = [(f" of model {name}" if named else "", one) for name, one in found.models.items() if one.n_rows]
    if lists and found.has_train:
        n_rows = sum(one.n_rows for _, one in lists)
        what = "No list holds an item that its user has in train."
        yield result("Train items in lists", what, n_rows, _of_train(lists))
    if lists:
        n_lists = sum(one.n_lists for _, one in lists)
        yield result(
            "Lengths of lists", "The lists of a model are as long as its longest.", n_lists, _short(lists)
        )
        scored = [(whose, one) for whose, one in lists if one.has_scores]
        if scored:
            n_scored = sum(one.n_lists for _, one in scored)
            what = "No two items of a list have the same score."
            yield result("Ties within lists", what, n_scored, _tied(scored))
    if lists and (found.has_train or found.has_test):
        yield from _strangers(found)
    what = "There are test interactions to judge the lists by."
    yield result("Test interactions", what, found.n_test, [] if found.has_test else [problem("RCM-100")])
    if found.has_test:
        yield from _of_test(found, lists)
    n_pairs = found.n_user_groups * found.n_item_groups
    if n_pairs:
        what = f"Groups of users and of items are at most {MOST_PAIRS:,} pairs."
        facts: dict[str, Any] = {"n_users": found.n_user_groups, "n_items": found.n_item_groups, "n": n_pairs}
        are_many = [problem("RCM-111", **facts, most=MOST_PAIRS)] if n_pairs > MOST_PAIRS else []
        yield result("Pairs of groups", what, n_pairs, are_many)


def _of_train(lists: Lists) -> Iterator[Problem]:
    for whose, one in lists:
        if one.n_train_rows:
            facts: dict[str, Any] = {
                "n": one.n_train_rows,
                "n_lists": one.n_train_lists,
                "n_all": one.n_lists,
            }
            yield problem("RCM-030", **facts, whose=whose)


def _short(lists: Lists) -> Iterator[Problem]:
    for whose, one in lists:
        lengths = np.flatnonzero(one.lengths[1:]) + 1
        n_shorter = one.n_lists - int(one.lengths[lengths[-1]])
        if n_shorter:
            longest, shortest = int(lengths[-1]), int(lengths[0])
            facts: dict[str, Any] = {
                "n": n_shorter,
                "n_all": one.n_lists,
                "longest": longest,
                "shortest": shortest,
            }
            yield problem("RCM-031", **facts, whose=whose)


def _tied(lists: Lists) -> Iterator[Problem]:
    told = [f"{one.n_tied:,} of {one.n_lists:,} lists{whose}" for whose, one in lists if one.n_tied]
    if told:
        n_more = len(told) - MOST_MODELS
        more = [f"those of {n_more:,} more models"] if n_more > 0 else []
        yield problem("RCM-036", told=", ".join([*told[:MOST_MODELS], *more]))


def _strangers(found: Counted) -> Iterator[CheckResult]:
    """Users and items of lists that no interaction has."""
    others = np.flatnonzero(found.is_listed & ~found.is_known)
    item, n_items = (str(found.item_ids[others[0]]) if len(others) else ""), int(found.is_listed.sum())
    for unit, code, n, stranger, n_all in (
        ("user", "RCM-032", found.n_strangers, found.stranger, found.n_listed),
        ("item", "RCM-033", len(others), item, n_items),
    ):
        problems = [problem(code, n=n, found=stranger)] if n else []
        what = f"Every {unit} of a list has an interaction in train or test."
        yield result(f"{unit.capitalize()}s of lists", what, n_all, problems)


def _of_test(found: Counted, lists: Lists) -> Iterator[CheckResult]:
    """Who has relevant items, who has no list, and what is in train already."""
    n_test, n_served = found.n_in_test, found.n_served
    problems = [problem("RCM-034", n=n_test - n_served, n_all=n_test)] if n_served < n_test else []
    what = "Every user of the test has a relevant item, one with a rating above 0."
    yield result("Users with relevant items", what, n_test, problems)
    if lists and n_served:
        what = "Every user with a relevant item has a list, of every model."
        yield result("Lists of users of the test", what, n_served, _without_list(lists, n_served))
    if found.has_train and found.n_test:
        problems = [problem("RCM-037", n=found.n_known, n_all=found.n_test)] if found.n_known else []
        what = "No test interaction stands in train."
        yield result("Train and test apart", what, found.n_test, problems)


def _without_list(lists: Lists, n_served: int) -> Iterator[Problem]:
    for whose, one in lists:
        if one.n_lacking:
            yield problem("RCM-035", n=one.n_lacking, n_all=n_served, whose=whose)
