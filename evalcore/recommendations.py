"""Recommendation lists and the interactions that they are judged by, frozen.

A reader makes it; the tallies of recommender metrics are built from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
Groups = tuple[Codes, tuple[str, ...]]
"""The group of each user or item, −1 where unknown, and the groups' names as text."""


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
    """

    user: Codes
    item: Codes
    score: NDArray[np.float64]
    has_scores: bool

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

    def group_columns(self, most: int) -> list[str]:
        """The columns of users to break down by, of at most so many groups."""
        return [name for name, (_, levels) in self.slices.items() if len(levels) <= most]

    def cluster_columns(self) -> list[str]:
        """None: users are what is drawn."""
        return []
