"""Recommendation lists and the interactions that they are judged by, frozen.

A reader makes it; the tallies of recommender metrics are built from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ITEM_GROUP, USER_GROUP = "item_group", "user_group"
"""The columns of groups that metrics of fairness are over."""
MOST_PAIRS = 400
"""Of a group of users and a group of items, such as 20 times 20; each has rows of its own in every table."""
Codes = NDArray[np.intp]
Groups = tuple[Codes, tuple[str, ...]]
"""The group of each user or item, −1 where unknown, and the groups' names as text."""


_WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
"""A number as an id; nobody counts in longer ones, which Python refuses to take as numbers at some length."""


def in_order(ids: Iterable[str]) -> list[str]:
    """Ids in the order that settles equal scores: as numbers where all are whole numbers, else as text.

    >>> in_order(["10", "9"]), in_order(["10", "9", "a"])
    (['9', '10'], ['10', '9', 'a'])
    """
    found = list(ids)
    if all(map(_WHOLE.fullmatch, found)):
        return sorted(sorted(found), key=int)
    return sorted(found)


def columns_of(of_users: Mapping[str, Groups], of_items: Mapping[str, Groups], most: int) -> list[str]:
    """The columns that lists can be broken down by, of at most so many groups of users."""
    found = [name for name, (_, levels) in of_users.items() if len(levels) <= most]
    return [*found, ITEM_GROUP] if ITEM_GROUP in of_items else found


def n_pairs(of_users: Mapping[str, Groups], of_items: Mapping[str, Groups]) -> int:
    """How many pairs of a group of users and a group of items there can be; 0 where one has none."""
    nothing: tuple[None, tuple[str, ...]] = (None, ())
    return len(of_users.get(USER_GROUP, nothing)[1]) * len(of_items.get(ITEM_GROUP, nothing)[1])


class Contradiction(NamedTuple):
    """What two files say otherwise of one user or item.

    Parameters
    ----------
    place : its code.
    what : the column of groups, or ``features``.
    file, value : the later file, and what it says.
    first, other : the earlier file, and what that says.
    """

    place: int
    what: str
    file: str
    value: str
    first: str
    other: str

    def told_of(self, unit: str) -> dict[str, Any]:
        """The facts of its problem, of a user or an item in words."""
        named = {"file": self.file, "column": self.what, "unit": unit}
        return named | {"value": self.value, "other": self.other, "first": self.first}


def joined_groups(
    found: Sequence[tuple[str, Mapping[str, Groups]]], n: int
) -> tuple[dict[str, Groups], list[Contradiction]]:
    """The groups that several files name of the same users or items, and what they say otherwise.

    Parameters
    ----------
    found : the name of each file, and its groups by column, of the same n codes.
    n : how many users or items there are.
    """
    joined: dict[str, Groups] = {}
    unlike: list[Contradiction] = []
    for column in dict.fromkeys(name for _, groups in found for name in groups):
        names: dict[str, int] = {}
        code, said_in = np.full(n, -1, np.intp), np.zeros(n, np.intp)
        for at, (file, groups) in enumerate(found):
            own, levels = groups.get(column, (np.full(n, -1, np.intp), ()))
            given = np.array([names.setdefault(name, len(names)) for name in levels] + [-1], np.intp)[own]
            every = [*names]
            unlike += [
                Contradiction(
                    place, column, file, every[given[place]], found[said_in[place]][0], every[code[place]]
                )
                for place in np.flatnonzero((given >= 0) & (code >= 0) & (given != code)).tolist()
            ]
            is_new = (given >= 0) & (code < 0)
            code[is_new], said_in[is_new] = given[is_new], at
        joined[column] = code, tuple(names)
    return joined, unlike


class Features(NamedTuple):
    """Features of items as one file or part has them.

    Parameters
    ----------
    file : its name.
    kind : what they are features of one kind by, such as the name of their column.
    has : bool, shape (I, F); an item without any is not described.
    names : F names.
    """

    file: str
    kind: str
    has: NDArray[np.bool_]
    names: tuple[str, ...]


def joined_features(found: Sequence[Features]) -> tuple[Features, list[Contradiction]]:
    """The features of all files, each once, and the items that two files describe otherwise.

    Features of one kind, or with a name in common, must be alike for every item that both files describe.
    """
    names = list(dict.fromkeys(name for one in found for name in one.names))
    place = {name: at for at, name in enumerate(names)}
    unlike: dict[int, Contradiction] = {}
    for at, later in enumerate(found):
        for earlier in found[:at]:
            is_one_kind = later.kind == earlier.kind or {*later.names} & {*earlier.names}
            if later.file == earlier.file or not is_one_kind:
                continue
            both = sorted({*later.names, *earlier.names}, key=place.__getitem__)
            sides = _spread_over(both, [later]), _spread_over(both, [earlier])
            described = sides[0].any(axis=1) & sides[1].any(axis=1)
            for item in np.flatnonzero(described & (sides[0] != sides[1]).any(axis=1)).tolist():
                value, other = (", ".join(np.array(both, object)[has[item]]) for has in sides)
                said = Contradiction(item, "features", later.file, value, earlier.file, other)
                unlike.setdefault(item, said)
    return Features("", "", _spread_over(names, found), tuple(names)), list(unlike.values())


def _spread_over(names: Sequence[str], found: Sequence[Features]) -> NDArray[np.bool_]:
    """Which of all these features each item has in any of some files, shape (I, F)."""
    place = {name: at for at, name in enumerate(names)}
    has = np.zeros((len(found[0].has) if found else 0, len(names)), bool)
    for one in found:
        for at, name in enumerate(one.names):
            has[:, place[name]] |= one.has[:, at]
    return has


@dataclass(frozen=True, eq=False)
class Interactions:
    """Pairs of a user and an item, each pair once.

    Parameters
    ----------
    user, item : int codes, shape (N,), into the ids of `Recommendations`.
    rating : float64, shape (N,), finite; 1 throughout where the file has no rating.
    has_rating : whether they are those of the file: others are relevance alone, and nothing to predict.
    """

    user: Codes
    item: Codes
    rating: NDArray[np.float64]
    has_rating: bool = False

    def __len__(self) -> int:
        return len(self.user)

    def where(self, mask: NDArray[np.bool_]) -> Interactions:
        """The pairs of a mask."""
        return Interactions(self.user[mask], self.item[mask], self.rating[mask], self.has_rating)


@dataclass(frozen=True, eq=False)
class ItemLists:
    """The recommendation lists of one model in long form, rows in the order of the file.

    Parameters
    ----------
    user, item : int codes, shape (R,), no item twice in the list of a user.
    score : float64, shape (R,), finite: higher is better; for lists that have ranks alone it is minus the
        rank.
    has_scores : whether the scores came from the file (then there may be ties, and predicted ratings).
    is_rated : whether the scores are predicted ratings, as the user said: on the scale of the test's ratings.
    """

    user: Codes
    item: Codes
    score: NDArray[np.float64]
    has_scores: bool
    is_rated: bool = False

    def __len__(self) -> int:
        return len(self.user)


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of all items for users, of one model.

    Parameters
    ----------
    user : int codes, shape (n,), the user of each row.
    item : int codes, shape (m,), the item of each column.
    values : float32 or float64, shape (n, m), higher is better; NaN where an item has no score.
    """

    user: Codes
    item: Codes
    values: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Recommendations:
    """What was recommended to users, by one or more models, and what they liked.

    Parameters
    ----------
    user_ids : user ids as text, shape (U,): everybody in lists, scores, train or test.
    item_ids : item ids as text, shape (I,): every item in lists, scores, train, test, groups of items or
        features of items. The catalogue of a model has them but for those that only others' lists and scores
        name.
    lists : model → its lists; a model without lists has scores, which its lists are then made from.
    scores : model → `ScoreMatrix`, or `ItemLists` for scores in long form; empty without scores of all items.
    train, test : interactions; None without such a file.
    slices : column → group of each user: ``user_group``, and any other column by users.
    item_groups : column → group of each item: ``item_group``.
    features : bool, shape (I, F), which features an item has; None without features.
    feature_names : the features' names, F of them.
    is_described : bool, shape (I,), which items a file of groups or features names; None: those with a group
        or a feature.
    """

    user_ids: NDArray[np.object_]
    item_ids: NDArray[np.object_]
    lists: Mapping[str, ItemLists]
    scores: Mapping[str, ScoreMatrix | ItemLists] = field(default_factory=dict)
    train: Interactions | None = None
    test: Interactions | None = None
    slices: Mapping[str, Groups] = field(default_factory=dict)
    item_groups: Mapping[str, Groups] = field(default_factory=dict)
    features: NDArray[np.bool_] | None = None
    feature_names: tuple[str, ...] = ()
    is_described: NDArray[np.bool_] | None = None

    def items_of(self, model: str) -> NDArray[np.bool_]:
        """The items that the lists and scores of a model name, shape (I,)."""
        found = np.zeros(len(self.item_ids), bool)
        for of_models in (self.lists, self.scores):
            if model in of_models:
                found[of_models[model].item] = True
        return found

    @property
    def items_of_all(self) -> NDArray[np.bool_]:
        """The items of every model's catalogue: those of train, test, groups and features, shape (I,)."""
        found = np.zeros(len(self.item_ids), bool)
        for pairs in (self.train, self.test):
            if pairs is not None:
                found[pairs.item] = True
        if self.is_described is not None:
            return found | self.is_described
        for codes, _ in self.item_groups.values():
            found |= codes >= 0
        return found if self.features is None else found | self.features.any(axis=1)

    @property
    def models(self) -> tuple[str, ...]:
        """Those of the lists, then those of scores alone."""
        return tuple(dict.fromkeys([*self.lists, *self.scores]))

    @property
    def longest(self) -> int:
        """How many places the longest list has, a user's own train items among them; 0 without lists."""
        given = [*self.lists.values(), *(self.scores[name] for name in self.models if name not in self.lists)]
        return max(map(_longest, given), default=0)

    def group_columns(self, most: int) -> list[str]:
        """The columns to break down by: those of users of at most so many groups, and the groups of items."""
        return columns_of(self.slices, self.item_groups, most)

    def cluster_columns(self) -> list[str]:
        """None: users are what is drawn."""
        return []

    @property
    def n_pairs(self) -> int:
        """How many pairs of a group of users and a group of items there can be."""
        return n_pairs(self.slices, self.item_groups)


def _longest(given: ItemLists | ScoreMatrix) -> int:
    if isinstance(given, ScoreMatrix):
        return len(given.item) if len(given.user) else 0
    return int(np.bincount(given.user).max(initial=0))
