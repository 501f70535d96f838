"""Recommendations of an input in parts: the catalogue of all parts, and the lists of the users of each.

A user's lists, test and train stand in one part. What items there are, how popular they are and of which
group is planned over all parts, so that every part names its items alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.gather import Gathering
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.listing import Pairs, Scored, Shown, first_places, scored
from evalcore.problems import Problem, problem
from evalcore.recommendations import Groups, Interactions, ItemLists, Recommendations, ScoreMatrix
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.recommended import NO_SCORES, ByUser, Catalogue, RecommendationLists
from evalcore.tallies.units import Units

Codes = NDArray[np.intp]
Columns = dict[str, NDArray[Any]]
WHOLE = re.compile(r"[+-]?\d+")


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
    """

    item_ids: NDArray[np.object_]
    catalogue: Catalogue
    models: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    feature_names: tuple[str, ...]
    has_ratings: bool

    def group_columns(self, most: int) -> list[str]:
        """The columns of users to break down by, of at most so many groups."""
        return [name for name, levels in self.levels.items() if len(levels) <= most]

    def cluster_columns(self) -> list[str]:
        """None: users are what is drawn."""
        return []

    @cached_property
    def place(self) -> dict[str, int]:
        """Item id → its code."""
        return {name: at for at, name in enumerate(self.item_ids.tolist())}


def in_order(ids: Sequence[str]) -> list[str]:
    """Ids in the order that settles equal scores.

    Examples
    --------
    >>> in_order(["10", "9"]), in_order(["10", "9", "a"])
    (['9', '10'], ['10', '9', 'a'])
    """
    if all(WHOLE.fullmatch(name) for name in ids):
        return sorted(ids, key=lambda name: (int(name), name))
    return sorted(ids)


def planned(parts: Sequence[Recommendations]) -> Planned:
    """The catalogue, models and groups of all parts."""
    names = in_order([*dict.fromkeys(str(name) for part in parts for name in part.item_ids)])
    item_ids = np.array(names, object)
    place = {name: at for at, name in enumerate(names)}
    popularity = np.zeros(len(names), np.int64)
    n_users = 0
    groups: dict[str, Groups] = {}
    features: dict[str, NDArray[np.bool_]] = {}
    levels: dict[str, dict[str, None]] = {}
    for part in parts:
        at = np.array([place[str(name)] for name in part.item_ids], np.intp)
        if part.train is not None:
            popularity += np.bincount(at[part.train.item], minlength=len(names))
        n_users += int(_has_rows(part).sum())
        for column, (group, named) in part.item_groups.items():
            known = groups.setdefault(column, (np.full(len(names), -1), ()))
            every = tuple(dict.fromkeys([*known[1], *named]))
            own = np.array([every.index(name) for name in named] + [-1])[group]
            known[0][at[own >= 0]] = own[own >= 0]
            groups[column] = known[0], every
        for number, feature in enumerate(part.feature_names):
            has = features.setdefault(feature, np.zeros(len(names), bool))
            assert part.features is not None
            has[at[part.features[:, number]]] = True
        for column, (_, named) in part.slices.items():
            levels.setdefault(column, {}).update(dict.fromkeys(named))
    catalogue = Catalogue(
        popularity,
        n_users,
        {column: _sorted_groups(*found) for column, found in groups.items()},
        np.stack([features[name] for name in sorted(features)], axis=1) if features else None,
    )
    return Planned(
        item_ids,
        catalogue,
        tuple(dict.fromkeys(name for part in parts for name in part.models)),
        {column: tuple(sorted(named)) for column, named in levels.items()},
        tuple(sorted(features)),
        all(part.test.has_rating for part in parts if part.test is not None),
    )


def _sorted_groups(codes: Codes, names: tuple[str, ...]) -> Groups:
    order = sorted(range(len(names)), key=lambda code: names[code])
    new = np.argsort(order) if order else np.zeros(0, np.intp)
    return np.append(new, -1)[codes], tuple(names[code] for code in order)


def _has_rows(part: Recommendations) -> NDArray[np.bool_]:
    """The users that train or test has."""
    found = np.zeros(len(part.user_ids), bool)
    for pairs in (part.train, part.test):
        if pairs is not None:
            found[pairs.user] = True
    return found


@kept_as("recommendations")
@dataclass(frozen=True, eq=False)
class GatheredLists:
    """The lists of all models, for the same users.

    Parameters
    ----------
    users : one row a user.
    models : model → its lists.
    """

    users: Units
    models: Mapping[str, RecommendationLists]

    def merge(self, other: GatheredLists) -> GatheredLists:
        """These users and those of another part."""
        models = {name: one.merge(other.models[name]) for name, one in self.models.items()}
        return GatheredLists(self.users.merge(other.users), models)

    def ordered(self) -> GatheredLists:
        """The users in the one order that all parts together have."""
        users = self.users.ordered()
        order = np.argsort(users.code, kind="stable")
        if (order == np.arange(len(order))).all():
            return GatheredLists(users, self.models)
        return GatheredLists(users.take(order), {name: one.take(order) for name, one in self.models.items()})

    def flaws(self, _: Data) -> Flaws:
        """What does not agree in lists that were opened."""
        n = len(self.users.code)
        yield from flaws.within("users", self.users.flaws(n))
        for name, lists in self.models.items():
            yield from flaws.within(f"models/{name}", lists.flaws())
            yield from flaws.unless(len(lists) == n, f"models/{name}", f"{len(lists):,} users", f"{n:,}")

    def torn(self) -> Iterator[Problem]:
        """Users of whom two parts have rows."""
        n = len(self.users.code) - len(np.unique(self.users.code))
        if n:
            yield problem("QRY-243", n=n)


def gathered_lists(part: Recommendations, options: Options, plan: Planned, _: str) -> GatheredLists:
    """The lists of the users of one part."""
    n_users, n_items = len(part.user_ids), len(plan.item_ids)
    place = np.array([plan.place[str(name)] for name in part.item_ids], np.intp)
    depth = max(options.ks, default=1)
    train = _train_of(part, place, n_items)
    train_pairs = Pairs.of(train.user, train["item"], n_items)[0]
    relevant = _relevant_of(part, place, n_items)
    slices = {column: _recoded(part, column, levels) for column, levels in plan.levels.items()}
    has_test = np.zeros(n_users, bool)
    if part.test is not None:
        has_test[part.test.user] = True
    models = {}
    for name in plan.models:
        given, scores = part.lists.get(name), _placed(part.scores.get(name), place)
        of_scores = None
        if scores is not None:
            of_scores = scored(scores, n_users, n_items, train, relevant, depth)
        if given is not None:
            rows = replace(given, item=place[given.item])
            shown = first_places(rows, n_users, n_items, train_pairs, depth)
        elif of_scores is not None:
            shown = of_scores.shown
        else:
            nothing = ItemLists(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), has_scores=True)
            shown = first_places(nothing, n_users, n_items, train_pairs, depth)
        models[name] = lists_of(
            plan.catalogue,
            shown,
            of_scores,
            relevant,
            depth=depth,
            slices=slices,
            train=train,
            has_test=has_test,
            pairs=_scored_pairs(part, place, scores if plan.has_ratings else None, train_pairs),
        )
    users = Units(np.arange(n_users), hashes(part.user_ids), "users")
    return GatheredLists(users, models)


def _placed(scores: ScoreMatrix | ItemLists | None, place: Codes) -> ScoreMatrix | ItemLists | None:
    return None if scores is None else replace(scores, item=place[scores.item])


def _train_of(part: Recommendations, place: Codes, n_items: int) -> ByUser:
    n_users = len(part.user_ids)
    if part.train is None:
        return ByUser(np.zeros(n_users, np.int64), {"item": np.zeros(0, np.int32)})
    pairs, _ = Pairs.of(part.train.user, place[part.train.item], n_items)
    return ByUser(np.bincount(pairs.user, minlength=n_users), {"item": pairs.item.astype(np.int32)})


def _relevant_of(part: Recommendations, place: Codes, n_items: int) -> ByUser:
    """Relevant test items by user and item."""
    n_users = len(part.user_ids)
    test = part.test
    if test is None:
        nothing: Columns = {"item": np.zeros(0, np.int32), "rating": np.zeros(0)}
        return ByUser(np.zeros(n_users, np.int64), nothing)
    test = test.where(test.rating > 0)
    pairs, order = Pairs.of(test.user, place[test.item], n_items)
    columns: Columns = {"item": pairs.item.astype(np.int32), "rating": test.rating[order]}
    return ByUser(np.bincount(pairs.user, minlength=n_users), columns)


def _recoded(part: Recommendations, column: str, levels: tuple[str, ...]) -> Groups:
    """The group of each user, by the names of all parts."""
    codes, named = part.slices.get(column, (np.full(len(part.user_ids), -1), ()))
    return np.array([levels.index(name) for name in named] + [-1])[codes], levels


def _scored_pairs(
    part: Recommendations, place: Codes, scores: ScoreMatrix | ItemLists | None, train: Pairs
) -> ByUser:
    """The test pairs with a rating and a score; an item of the user's train has no score."""
    n_users, n_items = len(part.user_ids), len(place)
    test = part.test
    if test is None or scores is None:
        return ByUser(np.zeros(n_users, np.int64), {"rating": np.zeros(0), "score": np.zeros(0)})
    pairs, order = Pairs.of(test.user, place[test.item], n_items)
    score = _scores_at(scores, pairs, n_users, n_items)
    score[train.find(pairs.key)[0]] = np.nan
    kept = ~np.isnan(score)
    columns = {"rating": test.rating[order][kept], "score": score[kept]}
    return ByUser(np.bincount(pairs.user[kept], minlength=n_users), columns)


def _scores_at(
    scores: ScoreMatrix | ItemLists, pairs: Pairs, n_users: int, n_items: int
) -> NDArray[np.float64]:
    """The score of each pair, NaN without one."""
    found = np.full(len(pairs.key), np.nan)
    if isinstance(scores, ScoreMatrix):
        row, column = np.full(n_users, -1), np.full(n_items, -1)
        row[scores.user], column[scores.item] = np.arange(len(scores.user)), np.arange(len(scores.item))
        has_one = (row[pairs.user] >= 0) & (column[pairs.item] >= 0)
        found[has_one] = scores.values[row[pairs.user[has_one]], column[pairs.item[has_one]]]
        return found
    of_scores, order = Pairs.of(scores.user, scores.item, n_items)
    has_one, at = of_scores.find(pairs.key)
    found[has_one] = scores.score[order][at[has_one]]
    return found


def lists_of(
    catalogue: Catalogue,
    shown: Shown,
    of_scores: Scored | None,
    relevant: ByUser,
    *,
    depth: int,
    **of_users: Any,
) -> RecommendationLists:
    """The tally of one model: where the lists show what is relevant, and what is relevant where."""
    n_users, n_items = len(shown.n_ranked), len(catalogue)
    lists = shown.lists
    wanted = Pairs.of(relevant.user, relevant["item"], n_items)[0]
    is_hit, at = wanted.find(lists.user.astype(np.int64) * n_items + lists["item"])
    rating = np.zeros(len(is_hit))
    rating[is_hit] = relevant["rating"][at[is_hit]]
    rank = np.zeros(len(relevant["item"]), np.int64)
    rank[at[is_hit]] = lists.place[is_hit]
    nothing = np.zeros(len(rank), np.int64)
    below, equal = (nothing, nothing) if of_scores is None else (of_scores.below, of_scores.equal)
    # First those in the list by rank, then the others by item.
    order = np.lexsort((np.where(rank > 0, rank, depth + 1), relevant.user))
    columns = {**relevant.columns, "rank": rank, "below": below, "equal": equal}
    return RecommendationLists(
        catalogue=catalogue,
        depth=depth,
        lists=ByUser(lists.n, {**lists.columns, "rating": rating}),
        n_ranked=shown.n_ranked,
        relevant=ByUser(relevant.n, {name: values[order] for name, values in columns.items()}),
        n_negatives=np.full(n_users, NO_SCORES, np.int64) if of_scores is None else of_scores.n_negatives,
        has_list=shown.has_list,
        **of_users,
    )


def whole(parts: Sequence[Recommendations], _: Sequence[str]) -> Recommendations:
    """The rows of all parts as one table; users of two parts are others."""
    if len(parts) == 1:
        return parts[0]
    users = np.concatenate([part.user_ids for part in parts])
    items = np.array([*dict.fromkeys(name for part in parts for name in part.item_ids.tolist())], object)
    code = {name: at for at, name in enumerate(items.tolist())}
    places = [np.array([code[name] for name in part.item_ids.tolist()], np.intp) for part in parts]
    starts = np.cumsum([0, *(len(part.user_ids) for part in parts)])[:-1]
    each = list(zip(parts, places, starts.tolist(), strict=True))
    plan = planned(parts)
    by_plan = np.array([plan.place[name] for name in items.tolist()], np.intp)
    features = plan.catalogue.features
    return Recommendations(
        user_ids=users,
        item_ids=items,
        lists={
            name: _joined([(part.lists[name], at, start) for part, at, start in each if name in part.lists])
            for name in dict.fromkeys(name for part in parts for name in part.lists)
        },
        scores={
            name: _long([(part.scores[name], at, start) for part, at, start in each if name in part.scores])
            for name in dict.fromkeys(name for part in parts for name in part.scores)
        },
        train=_interactions([(part.train, at, start) for part, at, start in each]),
        test=_interactions([(part.test, at, start) for part, at, start in each]),
        slices={
            column: (np.concatenate([_recoded(part, column, levels)[0] for part in parts]), levels)
            for column, levels in plan.levels.items()
        },
        item_groups={
            column: (codes[by_plan], names) for column, (codes, names) in plan.catalogue.groups.items()
        },
        features=None if features is None else features[by_plan],
        feature_names=plan.feature_names,
    )


Placed = list[tuple[Any, Codes, int]]


def _joined(parts: Placed) -> ItemLists:
    return ItemLists(
        np.concatenate([one.user + start for one, _, start in parts]),
        np.concatenate([at[one.item] for one, at, _ in parts]),
        np.concatenate([one.score for one, _, _ in parts]),
        all(one.has_scores for one, _, _ in parts),
    )


def _long(parts: Placed) -> ItemLists:
    """Scores of parts in long form, for their matrices may have other columns."""
    return _joined([(_as_rows(one), at, start) for one, at, start in parts])


def _as_rows(scores: ScoreMatrix | ItemLists) -> ItemLists:
    if isinstance(scores, ItemLists):
        return scores
    row, column = np.nonzero(~np.isnan(scores.values))
    values = scores.values[row, column].astype(np.float64)
    return ItemLists(scores.user[row], scores.item[column], values, has_scores=True)


def _interactions(parts: Placed) -> Interactions | None:
    having = [one for one in parts if one[0] is not None]
    if not having:
        return None
    return Interactions(
        np.concatenate([one.user + start for one, _, start in having]),
        np.concatenate([at[one.item] for one, at, _ in having]),
        np.concatenate([one.rating for one, _, _ in having]),
        all(one.has_rating for one, _, _ in having),
    )


TABLES = (Gathering("recommendations", planned, gathered_lists, whole),)
"""What the task ``recommender`` gathers."""
