"""The catalogue, models and groups of all parts of an input, so that every part names its items alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.recommender.items import features_of, groups_of, places_of
from evalcore.recommendations import (
    Groups,
    Recommendations,
    columns_of,
    in_order,
    joined_features,
    joined_groups,
)
from evalcore.tallies.recommended import Catalogue

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Planned:
    """What is decided on the whole input before a list is looked at.

    Parameters
    ----------
    item_ids : of all parts, in the order that settles equal scores: by number where all ids are whole
        numbers, otherwise as text.
    catalogue : what is known of these items.
    models : names of the models, in the order of first appearance.
    levels : column of users → names of its groups.
    feature_names : the features of items, in their order.
    has_ratings : whether every test has ratings, which scores can then be held against.
    apart : the plans of the models of one catalogue each, where items that only other models name leave them
        catalogues of their own; empty where all have this one.
    """

    item_ids: NDArray[np.object_]
    catalogue: Catalogue
    models: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    feature_names: tuple[str, ...]
    has_ratings: bool
    apart: tuple[Planned, ...] = ()

    def group_columns(self, most: int) -> list[str]:
        """The columns to break down by: those of users of at most so many groups, and the groups of items."""
        of_users = {name: (np.zeros(0, np.intp), levels) for name, levels in self.levels.items()}
        return columns_of(of_users, self.catalogue.groups, most)

    def cluster_columns(self) -> list[str]:
        """None: users are what is drawn."""
        return []

    @cached_property
    def place(self) -> dict[str, int]:
        """Item id → its code."""
        return {name: at for at, name in enumerate(self.item_ids.tolist())}


def planned(parts: Sequence[Recommendations]) -> Planned:
    """The catalogue, models and groups of all parts; items that only other models name are in none's."""
    plan = planned_as_one(parts)
    places = places_of(parts, plan.place)

    def over(masks: Iterable[Mask]) -> Mask:
        found = np.zeros(len(plan.item_ids), bool)
        for at, mask in zip(places, masks, strict=True):
            found[at[mask]] = True
        return found

    is_known = over(part.items_of_all for part in parts)
    named = {model: over(part.items_of(model) for part in parts) for model in plan.models}
    # Of no file's rows that are left: those who made the table say that it is an item.
    is_known |= ~np.logical_or.reduce([np.zeros(len(is_known), bool), *named.values()])
    of_catalogue: dict[bytes, list[str]] = {}
    for model, own in named.items():
        of_catalogue.setdefault((is_known | own).tobytes(), []).append(model)
    if all(np.frombuffer(items, bool).all() for items in of_catalogue):
        return plan
    apart = tuple(
        _of_items(plan, np.frombuffer(items, bool), models) for items, models in of_catalogue.items()
    )
    return replace(plan, apart=apart)


def counted(
    plan: Planned, popularity: NDArray[np.int64], n_users: int, levels: Mapping[str, tuple[str, ...]]
) -> Planned:
    """A plan with what only all users tell: how popular items are, how many users there are, their groups.

    Parameters
    ----------
    popularity : of the items of the plan.
    """
    of_others = [
        np.array([plan.place[name] for name in one.item_ids.tolist()], np.intp) for one in plan.apart
    ]
    return replace(
        plan,
        catalogue=replace(plan.catalogue, popularity=popularity, n_users=n_users),
        levels=levels,
        apart=tuple(
            counted(one, popularity[at], n_users, levels)
            for one, at in zip(plan.apart, of_others, strict=True)
        ),
    )


def _of_items(plan: Planned, items: Mask, models: Sequence[str]) -> Planned:
    """A plan of some models over some of the items, in the order that these have without the others."""
    names = in_order(plan.item_ids[items].tolist())
    at = np.array([plan.place[name] for name in names], np.intp)
    whole = plan.catalogue
    catalogue = Catalogue(
        whole.popularity[at],
        whole.n_users,
        {column: (codes[at], levels) for column, (codes, levels) in whole.groups.items()},
        None if whole.features is None else whole.features[at],
    )
    return replace(plan, item_ids=np.array(names, object), catalogue=catalogue, models=tuple(models))


def planned_as_one(parts: Sequence[Recommendations]) -> Planned:
    """One catalogue of all models."""
    names = in_order(dict.fromkeys(name for part in parts for name in map(str, part.item_ids.tolist())))
    item_ids = np.array(names, object)
    place = {name: at for at, name in enumerate(names)}
    popularity = np.zeros(len(names), np.int64)
    n_users = 0
    levels: dict[str, dict[str, None]] = {}
    places = places_of(parts, place)
    for part, at in zip(parts, places, strict=True):
        if part.train is not None:
            popularity += np.bincount(at[part.train.item], minlength=len(names))
        n_users += int(has_rows(part).sum())
        for column, (_, named) in part.slices.items():
            levels.setdefault(column, {}).update(dict.fromkeys(named))
    groups, _ = joined_groups(groups_of(parts, places, len(names)), len(names))
    features, _ = joined_features(features_of(parts, places, len(names)))
    order = sorted(range(len(features.names)), key=features.names.__getitem__)
    catalogue = Catalogue(
        popularity,
        n_users,
        {column: _sorted_groups(*found) for column, found in groups.items()},
        features.has[:, order] if order else None,
    )
    return Planned(
        item_ids,
        catalogue,
        tuple(dict.fromkeys(name for part in parts for name in part.models)),
        {column: tuple(sorted(named)) for column, named in levels.items()},
        tuple(features.names[at] for at in order),
        all(part.test.has_rating for part in parts if part.test is not None),
    )


def _sorted_groups(codes: Codes, names: tuple[str, ...]) -> Groups:
    order = sorted(range(len(names)), key=lambda code: names[code])
    new = np.argsort(order) if order else np.zeros(0, np.intp)
    return np.append(new, -1)[codes], tuple(names[code] for code in order)


def has_rows(part: Recommendations) -> NDArray[np.bool_]:
    """The users that train or test has."""
    found = np.zeros(len(part.user_ids), bool)
    for pairs in (part.train, part.test):
        if pairs is not None:
            found[pairs.user] = True
    return found


def recoded(part: Recommendations, column: str, levels: tuple[str, ...]) -> Groups:
    """The group of each user, by the names of all parts."""
    return renamed(part.slices.get(column, (np.full(len(part.user_ids), -1), ())), levels)


def renamed(groups: Groups, levels: tuple[str, ...]) -> Groups:
    """Groups by other names, among which those stand that anybody is of."""
    codes, named = groups
    place = {name: at for at, name in enumerate(levels)}
    return np.array([place.get(name, -1) for name in named] + [-1])[codes], levels
