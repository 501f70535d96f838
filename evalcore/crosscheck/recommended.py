"""Recommendation lists as plain dictionaries and sets of ids: what the second implementations read."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from evalcore.recommendations import Interactions, ItemLists, Recommendations, ScoreMatrix

Ratings = dict[str, dict[str, float]]
"""User → item → number."""
Group = tuple[str, str]
"""Column and name."""


@dataclass(frozen=True)
class Recommended:
    """What one model recommended, and what it is judged by.

    A user's own items of train are in no list and have no score; an item without a finite score is in no list
    that was made from scores.

    Parameters
    ----------
    items : the catalogue, in the order in which ties are broken: ids as whole numbers where all of them are,
        else as text.
    lists : user → items, best first, empty where all are in the user's train; users without one are left out.
    predicted : user → listed item → its predicted rating: the score of the list, or of the scores where the
        list has ranks alone.
    scores : user → item → score of all items; None without them.
    rated : user → item → predicted rating: the scores, or those of lists that are such ratings; None without.
    train : user → item → rating; None without interactions before.
    test : user → item → rating; None without interactions after.
    has_ratings : whether the ratings of test came from the file.
    features : item → its features; None without any.
    user_groups, item_groups : column → id → group; unknown ones are left out.
    values_of_users : what was computed, for the next figure about the same values.
    """

    items: list[str]
    lists: dict[str, list[str]]
    predicted: Ratings
    scores: Ratings | None
    rated: Ratings | None
    train: Ratings | None
    test: Ratings | None
    has_ratings: bool
    features: dict[str, set[str]] | None
    user_groups: Mapping[str, Mapping[str, str]]
    item_groups: Mapping[str, Mapping[str, str]]
    values_of_users: dict[tuple[Any, ...], list[float]] = field(default_factory=dict)
    _liked: Ratings = field(default_factory=dict)
    _shares: dict[tuple[str, bool], dict[str, float]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _heads: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def groups(self, columns: str, names: str) -> tuple[Group | None, Group | None] | None:
        """Column and name of the group of users and of the group of items that a row of the table names.

        None for what is not named, and over all where no column of the data is meant.
        """
        if not columns:
            return None, None
        if columns in self.user_groups:
            return (columns, names), None
        if columns in self.item_groups:
            return None, (columns, names)
        for user_column, user_groups in self.user_groups.items():
            for item_column, item_groups in self.item_groups.items():
                if columns != f"{user_column};{item_column}":
                    continue
                for of_users in set(user_groups.values()):
                    for of_items in set(item_groups.values()):
                        if names == f"{of_users};{of_items}":
                            return (user_column, of_users), (item_column, of_items)
        return None

    def relevant(self, user: str) -> dict[str, float]:
        """Item → rating, of the items that the user liked: those rated above 0."""
        if user not in self._liked:
            rated = (self.test or {}).get(user, {})
            self._liked[user] = {item: rating for item, rating in rated.items() if rating > 0}
        return self._liked[user]

    def before(self, user: str) -> dict[str, float]:
        """The user's own items of train."""
        return (self.train or {}).get(user, {})

    def users(self, population: str) -> list[str]:
        """The users of a population, those of test before those that only have a list."""
        tested = [*(self.test or {})]
        if population == "users_with_relevant":
            return [user for user in tested if self.relevant(user)]
        if population == "users_with_list":
            return [*self.lists]
        return [*tested, *(user for user in self.lists if user not in (self.test or {}))]

    @cached_property
    def n_known_users(self) -> int:
        """Users in train or test."""
        return len({*(self.train or {}), *(self.test or {})})

    @property
    def popularity(self) -> dict[str, int]:
        """Item → interactions of train, 0 for a cold item; empty where train has none."""
        if not self._counts and self.train:
            self._counts.update(dict.fromkeys(self.items, 0))
            for of_user in self.train.values():
                for item in of_user:
                    self._counts[item] += 1
        return self._counts

    def head(self, ratio: str, variant: str) -> set[str]:
        """The popular items: by default the fewest that hold a share of the interactions.

        Parameters
        ----------
        ratio : the share as written.
        variant : ``item_share`` for that share of the catalogue, rounded, halves up.
        """
        key = (ratio, variant)
        if key in self._heads:
            return self._heads[key]
        count = self.popularity
        ordered = sorted(self.items, key=lambda item: -count[item])
        if variant == "item_share":
            found = set(ordered[: math.floor(Fraction(ratio) * len(ordered) + Fraction(1, 2))])
        else:
            wanted, held, found = Fraction(ratio) * sum(count.values()), 0, set()
            for item in ordered:
                if held >= wanted:
                    break
                found.add(item)
                held += count[item]
        return self._heads.setdefault(key, found)

    def negatives(self, user: str) -> list[str]:
        """The catalogue without the user's items of train and relevant items."""
        out = {*self.before(user), *self.relevant(user)}
        return [item for item in self.items if item not in out]

    def shares_below(self, user: str, *, is_strict: bool = False) -> dict[str, float]:
        """Relevant item → share of the user's negatives scored below it, NaN without negatives.

        A tie counts half, or nothing where that is strict. An item without a score lies below every scored
        one and ties with the others; a user without any score counts 0, as one without a list does.
        """
        key = (user, is_strict)
        if key not in self._shares:
            scores = (self.scores or {}).get(user, {})
            negatives = sorted(scores.get(item, -math.inf) for item in self.negatives(user))
            self._shares[key] = {}
            for item in self.relevant(user):
                own = scores.get(item, -math.inf)
                below = bisect_left(negatives, own)
                tied = 0 if is_strict or not scores else bisect_right(negatives, own) - below
                self._shares[key][item] = (below + tied / 2) / len(negatives) if negatives else math.nan
        return self._shares[key]


def recommended(table: Recommendations, model: str) -> Recommended | None:
    """The plain data of a model; None where no file holds it."""
    if model not in table.models:
        return None
    users, items = (list(map(str, ids.tolist())) for ids in (table.user_ids, table.item_ids))
    alone = _of_others_alone(table, model)
    own = [item for at, item in enumerate(items) if at not in alone]
    ordered = sorted(own, key=_tie_order(own))
    train, test = (_interactions(given, users, items) for given in (table.train, table.test))
    lists, scores = (
        None if model not in some else _ratings(_rows(some[model]), users, items, train or {})
        for some in (table.lists, table.scores)
    )
    place = {item: at for at, item in enumerate(ordered)}
    ranked = scores if lists is None else lists
    assert ranked is not None
    has_scores = model not in table.lists or table.lists[model].has_scores
    return Recommended(
        items=ordered,
        lists={
            user: sorted(of_user, key=lambda item: (-of_user[item], place[item]))
            for user, of_user in ranked.items()
        },
        predicted=ranked if has_scores else scores or {},
        scores=scores,
        rated=lists if scores is None and model in table.lists and table.lists[model].is_rated else scores,
        train=train,
        test=test,
        has_ratings=table.test is not None and table.test.has_rating,
        features=None
        if table.features is None
        else {
            item: {table.feature_names[at] for at in row.nonzero()[0].tolist()}
            for item, row in zip(items, table.features, strict=True)
        },
        user_groups=_groups(table.slices, users),
        item_groups=_groups(table.item_groups, items),
    )


def _of_others_alone(table: Recommendations, model: str) -> set[int]:
    """Items that are there only because another model names them."""
    named: dict[str, set[int]] = defaultdict(set)
    for of_models in (table.lists, table.scores):
        for name, one in of_models.items():
            named[name] |= set(one.item.tolist())
    known = {*named[model]}
    for pairs in (table.train, table.test):
        known |= set() if pairs is None else set(pairs.item.tolist())
    if table.is_described is not None:
        known |= {at for at, is_in in enumerate(table.is_described.tolist()) if is_in}
    else:
        for codes, _ in table.item_groups.values():
            known |= {at for at, code in enumerate(codes.tolist()) if code >= 0}
        if table.features is not None:
            known |= {at for at, has in enumerate(table.features.tolist()) if any(has)}
    return set().union(*named.values()) - known


def _tie_order(items: list[str]) -> Any:
    if all(re.fullmatch(r"[+-]?[0-9]{1,100}", item) for item in items):
        return lambda item: (int(item), item)
    return lambda item: item


def _interactions(given: Interactions | None, users: list[str], items: list[str]) -> Ratings | None:
    if given is None:
        return None
    rows = zip(given.user.tolist(), given.item.tolist(), given.rating.tolist(), strict=True)
    return _ratings(rows, users, items, {})


def _rows(of_model: ItemLists | ScoreMatrix) -> Iterator[tuple[int, int, float]]:
    """User, item and score; of a matrix the cells that have one."""
    if isinstance(of_model, ItemLists):
        yield from zip(of_model.user.tolist(), of_model.item.tolist(), of_model.score.tolist(), strict=True)
        return
    for user, row in zip(of_model.user.tolist(), of_model.values, strict=True):
        for item, score in zip(of_model.item.tolist(), row.tolist(), strict=True):
            if math.isfinite(score):
                yield user, item, score


def _ratings(rows: Any, users: list[str], items: list[str], without: Ratings) -> Ratings:
    found: Ratings = defaultdict(dict)
    for user_code, item_code, number in rows:
        user, item = users[user_code], items[item_code]
        own = found[user]
        if item not in without.get(user, {}):
            own[item] = number
    return dict(found)


def _groups(columns: Mapping[str, Any], ids: list[str]) -> dict[str, dict[str, str]]:
    return {
        name: {one: levels[code] for one, code in zip(ids, codes.tolist(), strict=True) if code >= 0}
        for name, (codes, levels) in columns.items()
    }
