"""Recommendations of two inputs as one: users and items joined by id, what both know the same in both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.compare.pairing import Codes, Mask
from evalcore.data import Data
from evalcore.problems import InputError, Problem, problem
from evalcore.recommendations import Groups, Interactions, Recommendations

SHOWN = 3


@dataclass(frozen=True, eq=False)
class Joined:
    """The models that are compared, in one input.

    Parameters
    ----------
    table : their lists and scores, and what all of them are judged by.
    names : of the models, as the result calls them.
    is_other : which users have other rows of test or train in each of two inputs, shape (U,).
    """

    table: Recommendations
    names: tuple[str, ...]
    is_other: Mask

    def of(self, names: tuple[str, ...]) -> Joined:
        """Some of the models of one input, and the users and items that are theirs or every model's."""
        table = _of_models(self.table, {name: name for name in names})
        return Joined(table, names, np.zeros(len(table.user_ids), bool))

    def is_smaller(self, other: Joined) -> bool:
        """Whether it has fewer users or items."""
        own, others = self.table, other.table
        return (len(own.user_ids), len(own.item_ids)) != (len(others.user_ids), len(others.item_ids))


def of_one(data: Data, names: Sequence[str] | None) -> Joined:
    """Some models of one input; all of them where none is named.

    Raises
    ------
    InputError : OPT-008 for names that the input does not hold, and for fewer than two different ones.
    """
    table = _table(data)
    names = tuple(table.models if names is None else dict.fromkeys(names))
    unknown = [name for name in names if name not in table.models]
    found = f"no model {', '.join(map(repr, unknown))}" if unknown else f"{_listed(names)} alone"
    if unknown or len(names) < 2:
        advice = "Check --models, or give two inputs."
        expected = f"two or more of {_listed(table.models)}"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    return Joined(table, table.models, np.zeros(len(table.user_ids), bool)).of(names)


def of_two(data: Sequence[Data], names: Sequence[str | None]) -> Joined:
    """A model of each of two inputs, joined by the ids of users and items.

    Parameters
    ----------
    data : the first one's and the second's.
    names : of the models; None where an input has only one.

    Raises
    ------
    InputError : OPT-008 for names that an input does not hold or that are missing; OPT-041 where users or
        items are of other groups, or items have other features, in each input.
    """
    tables = [_table(one) for one in data]
    models = [_model(table, name) for table, name in zip(tables, names, strict=True)]
    called = list(models)
    if called[0] == called[1]:
        files = [one.sources[0].name if one.sources else "" for one in data]
        if files[0] == files[1]:
            files = [f"{file} ({at})".strip() for at, file in enumerate(files, 1)]
        called = [f"{file}: {model}" for file, model in zip(files, models, strict=True)]
    first, second = (
        _of_models(table, {model: name}) for table, model, name in zip(tables, models, called, strict=True)
    )
    table, is_other = _together(first, second, _Places.of(first, second))
    return Joined(table, (called[0], called[1]), is_other)


def _table(data: Data) -> Recommendations:
    if data.recommendations is None:
        found, expected = "no recommendation lists", "recommendation lists"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice="Check the inputs.")])
    return data.recommendations


def _model(table: Recommendations, name: str | None) -> str:
    if name is None and len(table.models) == 1:
        return table.models[0]
    if name not in table.models:
        found = f"no model {name!r}" if name is not None else _listed(table.models)
        expected, advice = f"one model of each input, of {_listed(table.models)}", "Name them: --models A,B."
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    return str(name)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "no model"


def _of_models(table: Recommendations, called: dict[str, str]) -> Recommendations:
    """Only some models, under other names, without the users and items that only the others name."""
    items, users = table.items_of_all, np.zeros(len(table.user_ids), bool)
    for pairs in (table.train, table.test):
        if pairs is not None:
            users[pairs.user] = True
    others = np.zeros((2, max(len(items), len(users))), bool)
    for model in table.models:
        for of_models in (table.lists, table.scores):
            if model in of_models:
                one = of_models[model]
                if model in called:
                    items[one.item], users[one.user] = True, True
                else:
                    others[0, one.item], others[1, one.user] = True, True
    items |= ~others[0, : len(items)]
    users |= ~others[1, : len(users)]
    found = replace(
        table,
        lists={name: table.lists[model] for model, name in called.items() if model in table.lists},
        scores={name: table.scores[model] for model, name in called.items() if model in table.scores},
    )
    return found if items.all() and users.all() else _within(found, users, items)


def _within(table: Recommendations, users: Mask, items: Mask) -> Recommendations:
    """The same rows, whose users and items are all among these, over these alone."""
    user, item = np.cumsum(users) - 1, np.cumsum(items) - 1
    return replace(
        table,
        user_ids=table.user_ids[users],
        item_ids=table.item_ids[items],
        lists={
            name: replace(one, user=user[one.user], item=item[one.item]) for name, one in table.lists.items()
        },
        scores={
            name: replace(one, user=user[one.user], item=item[one.item]) for name, one in table.scores.items()
        },
        train=_placed(table.train, user, item),
        test=_placed(table.test, user, item),
        slices={name: (codes[users], levels) for name, (codes, levels) in table.slices.items()},
        item_groups={name: (codes[items], levels) for name, (codes, levels) in table.item_groups.items()},
        features=None if table.features is None else table.features[items],
        is_described=None if table.is_described is None else table.is_described[items],
    )


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the users and items of two inputs stand among those of both.

    Parameters
    ----------
    user_ids, item_ids : of both.
    users, items : of each input, codes into these.
    """

    user_ids: NDArray[np.object_]
    item_ids: NDArray[np.object_]
    users: tuple[Codes, Codes]
    items: tuple[Codes, Codes]

    @staticmethod
    def of(first: Recommendations, second: Recommendations) -> _Places:
        users, of_users = _numbered(first.user_ids, second.user_ids)
        items, of_items = _numbered(first.item_ids, second.item_ids)
        return _Places(users, items, of_users, of_items)


def _numbered(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[np.object_], tuple[Codes, Codes]]:
    place = {name: at for at, name in enumerate(dict.fromkeys([*map(str, first), *map(str, second)]))}
    codes = [np.array([place[str(name)] for name in ids], np.intp) for ids in (first, second)]
    return np.array([*place], object), (codes[0], codes[1])


def _together(
    first: Recommendations, second: Recommendations, places: _Places
) -> tuple[Recommendations, Mask]:
    """Both tables as one, and the users whose test or train differs."""
    sides = (first, second)
    n_users, n_items = len(places.user_ids), len(places.item_ids)
    is_known = [np.isin(np.arange(n_users), users) for users in places.users]
    is_other = np.zeros(n_users, bool)
    both: dict[str, Any] = {}
    for name in ("train", "test"):
        one, other = (
            _placed(getattr(side, name), *at)
            for side, *at in zip(sides, places.users, places.items, strict=True)
        )
        both[name] = one if other is None else other if one is None else _union(one, other, n_items)
        if one is not None and other is not None:
            is_other |= _differing(one, other, n_users, n_items, with_rating=name == "test")
    problems: list[Problem] = []
    user_columns = dict.fromkeys([*first.slices, *second.slices])
    slices = {
        column: _joined_groups(
            [(side.slices.get(column), at) for side, at in zip(sides, places.users, strict=True)],
            places.user_ids,
            f"{column} of users",
            problems,
        )
        for column in user_columns
    }
    item_columns = dict.fromkeys([*first.item_groups, *second.item_groups])
    item_groups = {
        column: _joined_groups(
            [(side.item_groups.get(column), at) for side, at in zip(sides, places.items, strict=True)],
            places.item_ids,
            f"{column} of items",
            problems,
        )
        for column in item_columns
    }
    features, feature_names = _joined_features(sides, places, problems)
    if problems:
        raise InputError(problems)
    of_models = [
        {
            kind: {
                name: replace(one, user=users[one.user], item=items[one.item])
                for name, one in getattr(side, kind).items()
            }
            for kind in ("lists", "scores")
        }
        for side, users, items in zip(sides, places.users, places.items, strict=True)
    ]
    is_described = np.zeros(n_items, bool)
    for side, at in zip(sides, places.items, strict=True):
        if side.is_described is not None:
            is_described[at[side.is_described]] = True
    table = Recommendations(
        user_ids=places.user_ids,
        item_ids=places.item_ids,
        lists=of_models[0]["lists"] | of_models[1]["lists"],
        scores=of_models[0]["scores"] | of_models[1]["scores"],
        slices=slices,
        item_groups=item_groups,
        features=features,
        feature_names=feature_names,
        is_described=None if all(side.is_described is None for side in sides) else is_described,
        **both,
    )
    return table, is_other & is_known[0] & is_known[1]


def _placed(rows: Interactions | None, users: Codes, items: Codes) -> Interactions | None:
    return None if rows is None else replace(rows, user=users[rows.user], item=items[rows.item])


def _keys(rows: Interactions, n_items: int) -> NDArray[np.int64]:
    return np.asarray(rows.user.astype(np.int64) * n_items + rows.item)


def _union(one: Interactions, other: Interactions, n_items: int) -> Interactions:
    """Every pair of either, once."""
    rows = Interactions(
        np.concatenate([one.user, other.user]),
        np.concatenate([one.item, other.item]),
        np.concatenate([one.rating, other.rating]),
        one.has_rating and other.has_rating,
    )
    _, first = np.unique(_keys(rows, n_items), return_index=True)
    kept = np.zeros(len(rows), bool)
    kept[first] = True
    return rows.where(kept)


def _differing(
    one: Interactions, other: Interactions, n_users: int, n_items: int, *, with_rating: bool
) -> Mask:
    """Users whose items, or ratings of them, are not the same in both, shape (U,)."""
    keys = _keys(one, n_items), _keys(other, n_items)
    alone = np.setxor1d(*keys, assume_unique=True)
    found = np.zeros(n_users, bool)
    found[alone // max(n_items, 1)] = True
    if with_rating:
        shared, first, second = np.intersect1d(*keys, assume_unique=True, return_indices=True)
        found[shared[one.rating[first] != other.rating[second]] // max(n_items, 1)] = True
    return found


def _joined_groups(
    parts: Iterable[tuple[Groups | None, Codes]], ids: NDArray[np.object_], what: str, problems: list[Problem]
) -> Groups:
    """The groups of both; who is of another group in each is a problem."""
    known = [(codes, names, at) for groups, at in parts if groups is not None for codes, names in [groups]]
    every = tuple(sorted({name for _, names, _ in known for name in names}))
    found = np.full(len(ids), -1)
    is_other = np.zeros(len(ids), bool)
    for codes, names, at in known:
        own = np.array([*(every.index(name) for name in names), -1], np.intp)[codes]
        before = found[at]
        is_other[at] |= (own >= 0) & (before >= 0) & (own != before)
        found[at] = np.where(own >= 0, own, before)
    _tell(is_other, ids, what, problems)
    return found, every


def _joined_features(
    sides: tuple[Recommendations, Recommendations], places: _Places, problems: list[Problem]
) -> tuple[Mask | None, tuple[str, ...]]:
    """The features of both; an item of which both know some, but not the same, is a problem."""
    names = tuple(sorted({name for side in sides for name in side.feature_names}))
    if all(side.features is None for side in sides):
        return None, ()
    found = np.zeros((2, len(places.item_ids), len(names)), bool)
    for side, at, of_side in zip(sides, places.items, found, strict=True):
        if side.features is not None:
            columns = np.array([names.index(name) for name in side.feature_names], np.intp)
            of_side[np.ix_(at, columns)] = side.features
    one, other = found
    _tell(
        one.any(axis=1) & other.any(axis=1) & (one != other).any(axis=1),
        places.item_ids,
        "features of items",
        problems,
    )
    return one | other, names


def _tell(is_other: Mask, ids: NDArray[np.object_], what: str, problems: list[Problem]) -> None:
    if is_other.any():
        named = ", ".join(repr(name) for name in sorted(map(str, ids[is_other]))[:SHOWN])
        problems.append(problem("OPT-041", what=what, n=int(is_other.sum()), ids=named))
