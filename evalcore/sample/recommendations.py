"""Synthetic recommendation lists of two models, with what users liked before and after.

Six hundred users and four hundred films. What is watched has a long tail; a rating follows from the film and
from whether its genre is one that the user favours. ``popularity`` recommends to everybody what most watched;
``two_towers`` knows the favoured genres of users that it has seen much of, spreads over the catalogue, and
has neither scores for new films nor lists for new users. Casual users watch little, and what everybody does:
for them the plain model is the better one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalcore.sample.draws import bell, rank_within, shuffled, stream, uniform

N_USERS = 600
N_ITEMS = 400
LIST_LENGTH = 20
GENRES = ("action", "animation", "comedy", "documentary", "drama", "thriller")
_N_NEW_USERS = 12
_N_UNTESTED = 10
_N_UNGROUPED = 8
_NEW_ITEMS = range(30, N_ITEMS, 30)
"""Places in the order of popularity of films that came out after train."""
_TESTED = 0.25
_FIRST_WEIGHT = 15
_ROUND = 1000


@dataclass(frozen=True)
class MadeLists:
    """The tables by name, and of each model the users, items and scores of a matrix."""

    tables: Mapping[str, pd.DataFrame]
    scores: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class _World:
    """What is true of users and films, which are numbered from the most popular one.

    Parameters
    ----------
    user_id, item_id : ids, shapes (U,), (I,).
    is_casual : bool, shape (U,).
    has_genre : bool, shape (I, G).
    suits : bool, shape (U, I), whether a film is of a genre that the user favours.
    quality : float64, shape (I,), about 0 with deviation 1.
    group : of films, shape (I,): ``major``, ``independent``, ``local`` or empty.
    """

    user_id: Any
    item_id: Any
    is_casual: Any
    has_genre: Any
    suits: Any
    quality: Any
    group: Any


@dataclass(frozen=True)
class _Watched:
    """Rows (user, item, rating), and which of them lie after train."""

    user: Any
    item: Any
    rating: Any
    is_test: Any


def recommendation_lists(seed: int = 0) -> MadeLists:
    """Lists, train, test, groups and features as tables, and the scores of both models.

    Raises
    ------
    ValueError : for a negative seed.

    Examples
    --------
    >>> sorted(recommendation_lists().tables)
    ['item_features', 'item_groups', 'lists', 'test', 'train', 'user_groups']
    """
    bits = stream(seed, "recommendations")
    world = _world(bits)
    watched = _watched(bits, world)
    in_train = ~watched.is_test
    is_known_user = np.bincount(watched.user[in_train], minlength=N_USERS) > 0
    count = np.bincount(watched.item[in_train], minlength=N_ITEMS)
    scores = {
        "popularity": (np.arange(N_USERS), np.broadcast_to(_rescaled(count), (N_USERS, N_ITEMS))),
        "two_towers": (np.flatnonzero(is_known_user), _two_towers(bits, world, count > 0)[is_known_user]),
    }
    seen = np.zeros((N_USERS, N_ITEMS), dtype=bool)
    seen[watched.user[in_train], watched.item[in_train]] = True
    lists = [_lists(world, name, users, values, seen) for name, (users, values) in scores.items()]
    ungrouped = shuffled(bits, N_USERS)[:_N_UNGROUPED]
    user_group = np.where(world.is_casual, "casual", "regular").astype(object)
    user_group[ungrouped] = ""
    in_order = np.argsort(world.item_id)
    tables = {
        "lists": pd.concat(lists, ignore_index=True),
        "train": _interactions(world, watched, in_train),
        "test": _interactions(world, watched, watched.is_test),
        "user_groups": pd.DataFrame({"user_id": world.user_id, "user_group": user_group}),
        "item_groups": pd.DataFrame({"item_id": world.item_id, "item_group": world.group}).iloc[in_order],
        "item_features": pd.DataFrame({"item_id": world.item_id, "genres": _joined(world)}).iloc[in_order],
    }
    matrices = {
        name: {
            "users": world.user_id[users].astype(str),
            "items": world.item_id[in_order].astype(str),
            "scores": (values[:, in_order] / _ROUND).astype(np.float32),
        }
        for name, (users, values) in scores.items()
    }
    return MadeLists(tables, matrices)


def _world(bits: np.random.PCG64) -> _World:
    place = np.arange(N_ITEMS)
    is_casual = np.zeros(N_USERS, dtype=bool)
    is_casual[shuffled(bits, N_USERS)[: N_USERS * 3 // 10]] = True
    has_genre = np.zeros((N_ITEMS, len(GENRES)), dtype=bool)
    has_genre[place, bits.random_raw(N_ITEMS) % np.uint64(len(GENRES))] = True
    is_mixed = uniform(bits, N_ITEMS) < 0.4
    has_genre[place[is_mixed], (bits.random_raw(N_ITEMS) % np.uint64(len(GENRES)))[is_mixed]] = True
    has_genre[uniform(bits, N_ITEMS) < 0.02] = False
    favours = np.zeros((N_USERS, len(GENRES)), dtype=bool)
    for _ in range(2):
        favours[np.arange(N_USERS), bits.random_raw(N_USERS) % np.uint64(len(GENRES))] = True
    suits = (favours[:, None, :] & has_genre[None, :, :]).any(axis=2)
    # Films of the large houses come first: the chance falls from .9 to .1 down the order of popularity.
    draw = uniform(bits, N_ITEMS)
    is_major = draw < 0.9 - 0.8 * place / N_ITEMS
    is_local = ~is_major & (uniform(bits, N_ITEMS) < 0.4)
    group = np.where(is_major, "major", np.where(is_local, "local", "independent")).astype(object)
    group[draw > 0.99] = ""
    return _World(
        user_id=np.array([f"u{number:03d}" for number in range(1, N_USERS + 1)], dtype=object),
        item_id=np.array([f"i{number + 1:03d}" for number in shuffled(bits, N_ITEMS)], dtype=object),
        is_casual=is_casual,
        has_genre=has_genre,
        suits=suits,
        quality=bell(bits, N_ITEMS).astype(np.float64),
        group=group,
    )


def _watched(bits: np.random.PCG64, world: _World) -> _Watched:
    """Films by weights that fall with the place; a casual user looks at nothing but what is popular."""
    shape = (N_USERS, N_ITEMS)
    weight = 1 / (np.arange(N_ITEMS) + _FIRST_WEIGHT)
    of_casual = 50 * weight * weight
    weights = np.where(world.is_casual[:, None], of_casual, weight * (1 + 8 * world.suits))
    key = (uniform(bits, N_USERS * N_ITEMS).reshape(shape) / weights).ravel()
    several = bits.random_raw(N_USERS)
    n_watched = np.where(world.is_casual, 5 + several % np.uint64(8), 20 + several % np.uint64(31))
    user = np.repeat(np.arange(N_USERS), N_ITEMS)
    at = np.flatnonzero(rank_within(user, key) < n_watched.astype(np.int64)[user])
    user, item = user[at], at % N_ITEMS
    liking = 3.3 + 0.5 * world.quality[item] + 0.9 * world.suits[user, item] + 0.7 * bell(bits, len(at))
    is_test = uniform(bits, len(at)) < _TESTED
    few = shuffled(bits, N_USERS)
    is_test[np.isin(user, few[:_N_UNTESTED])] = False
    is_test[np.isin(item, _NEW_ITEMS)] = True
    is_test[np.isin(user, few[_N_UNTESTED : _N_UNTESTED + _N_NEW_USERS])] = True
    return _Watched(user, item, np.clip(np.rint(liking), 1, 5).astype(np.int64), is_test)


def _rescaled(count: Any) -> Any:
    """Counts on the scale of ratings, in thousandths: 1 for none, 5 for the most."""
    return np.rint(_ROUND * (1 + 4 * count / count.max()))


def _two_towers(bits: np.random.PCG64, world: _World, is_known_item: Any) -> Any:
    """Predicted ratings in thousandths, NaN for a film that train does not hold."""
    shape = (N_USERS, N_ITEMS)
    noise = bell(bits, N_USERS * N_ITEMS).reshape(shape).astype(np.float64)
    strangers = shuffled(bits, N_USERS)
    # Of a casual user too little is known: the favoured genres are those of somebody else.
    suits = np.where(world.is_casual[:, None], world.suits[strangers], world.suits)
    spread = np.where(world.is_casual, 0.5, 0.36)[:, None]
    fame = 60 / (np.arange(N_ITEMS) + 60)
    value = 2 + 0.2 * world.quality + 0.9 * suits + 1.3 * fame + spread * noise
    return np.where(is_known_item, np.rint(_ROUND * np.clip(value, 1, 5)), np.nan)


def _lists(world: _World, model: str, users: Any, values: Any, seen: Any) -> pd.DataFrame:
    """The best films of each user that the user has not seen, ties by id."""
    by_id = np.argsort(np.argsort(world.item_id))
    left_out = seen[users] | np.isnan(values)
    order = np.lexsort((np.broadcast_to(by_id, values.shape), -values, left_out), axis=1)[:, :LIST_LENGTH]
    row = np.repeat(np.arange(len(users)), LIST_LENGTH)
    item = order.ravel()
    return pd.DataFrame(
        {
            "model": model,
            "user_id": world.user_id[users[row]],
            "item_id": world.item_id[item],
            "rank": np.tile(np.arange(1, LIST_LENGTH + 1), len(users)),
            "score": values[row, item] / _ROUND,
        }
    )


def _interactions(world: _World, watched: _Watched, mask: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "user_id": world.user_id[watched.user[mask]],
            "item_id": world.item_id[watched.item[mask]],
            "rating": watched.rating[mask],
        }
    )


def _joined(world: _World) -> list[str]:
    return ["|".join(name for name, has in zip(GENRES, row, strict=True) if has) for row in world.has_genre]
