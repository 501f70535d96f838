"""Recommendations of an input in parts: the lists of the users of each.

A user's lists, test and train stand in one part. What items there are, how popular they are and of which
group is planned over all parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.gather import Gathering
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.items import contradictions
from evalcore.evaluation.recommender.joining import whole
from evalcore.evaluation.recommender.listing import Pairs, Shown, first_places
from evalcore.evaluation.recommender.planning import Planned, planned, recoded, renamed
from evalcore.evaluation.recommender.scores import Scored, scored
from evalcore.problems import Problem, problem
from evalcore.recommendations import (
    ITEM_GROUP,
    USER_GROUP,
    Groups,
    Interactions,
    ItemLists,
    Recommendations,
    ScoreMatrix,
)
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.places import by_code
from evalcore.tallies.recommended import NO_SCORES, ByUser, Catalogue, RecommendationLists
from evalcore.tallies.units import Units

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.intp]
Columns = dict[str, NDArray[Any]]
MOST_TOLD, LONGEST_TOLD = 3, 80
"""Names that a message holds, and their signs."""
Rows = TypeVar("Rows", bound=Interactions | ItemLists | ScoreMatrix)


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
        models = ((name, one.merge(other.models[name])) for name, one in self.models.items())
        return GatheredLists(self.users.merge(other.users), _sharing(models, self.models, other.models))

    def ordered(self) -> GatheredLists:
        """The users in the one order that all parts together have."""
        users = self.users.ordered()
        order = np.argsort(users.code, kind="stable")
        if (order == np.arange(len(order))).all():
            return GatheredLists(users, self.models)
        models = ((name, one.take(order)) for name, one in self.models.items())
        return GatheredLists(users.take(order), _sharing(models, self.models))

    def with_catalogue(self, plan: Planned) -> GatheredLists:
        """The same with what the plan of all users knows of items, and with those of its groups that it has.

        Parameters
        ----------
        plan : one by which these were gathered but for that; its groups are some of theirs.
        """
        models: dict[str, RecommendationLists] = {}
        slices: dict[str, Groups] = {}
        catalogue = {name: one.catalogue for one in (plan, *plan.apart) for name in one.models}
        for name, lists in self.models.items():
            if not slices:
                slices = {
                    column: renamed(found, plan.levels[column]) for column, found in lists.slices.items()
                }
            models[name] = replace(lists, catalogue=catalogue[name], slices=slices)
        return GatheredLists(self.users, models)

    def flaws(self, _: Data) -> Flaws:
        """What does not agree in lists that were opened."""
        n = len(self.users.code)
        yield from flaws.within("users", self.users.flaws(n))
        for name, lists in self.models.items():
            yield from flaws.within(f"models/{name}", lists.flaws())
            yield from flaws.unless(len(lists) == n, f"models/{name}", f"{len(lists):,} users", f"{n:,}")

    def flaws_beside(self, table: pd.DataFrame, options: Options) -> Flaws:
        """What the values of an opened report say otherwise: of other models, cut-offs or groups."""
        known: dict[str, tuple[str, ...]] = {}
        for lists in self.models.values():
            for column, (_, names) in {**lists.slices, **lists.catalogue.groups}.items():
                known[column] = names
        ks = {f"k={k}" for k in options.ks}
        cut_offs = {text.partition(";")[0] for text in table["params"].unique().tolist()}
        others = [str(name) for name in table["model"].unique() if name not in self.models]
        others += [name for name in options.by if name not in known]
        others += sorted(name for name in cut_offs if name.startswith("k=") and name not in ks)
        of_users = tuple(name for name in options.by if name != ITEM_GROUP)
        joined = {";".join(of_users), ";".join((*of_users, ITEM_GROUP)), f"{USER_GROUP};{ITEM_GROUP}"}
        for column, group in table[["group_by", "group"]].drop_duplicates().itertuples(index=False):
            if column in known:
                is_known = group in known[column]
            elif column in joined and column.endswith(f";{ITEM_GROUP}"):
                is_known = any(group.endswith(f";{name}") for name in known.get(ITEM_GROUP, ()))
            else:
                is_known = column in joined if column else not group
            others += [] if is_known else [f"{column} {group}".strip()]
        told = ", ".join(name[:LONGEST_TOLD] for name in others[:MOST_TOLD])
        expected = "models, cut-offs and groups of the lists"
        yield from flaws.unless(not others, "tables, values", f"values of {told}", expected)

    def torn(self) -> Iterator[Problem]:
        """Users of whom two parts have rows."""
        n = len(self.users.code) - len(np.unique(self.users.code))
        if n:
            yield problem("QRY-243", n=n)


def _sharing(
    made: Iterable[tuple[str, RecommendationLists]], *of: Mapping[str, RecommendationLists]
) -> dict[str, RecommendationLists]:
    """Lists by model that were made of others: what those of all models share, these share too.

    Parameters
    ----------
    made : one after the other, so that no more than one has a copy of its own.
    of : those that they were made of.
    """
    found: dict[str, RecommendationLists] = {}
    first: dict[tuple[int, ...], RecommendationLists] = {}
    for name, lists in made:
        known = first.setdefault(tuple(id(one[name].train) for one in of), lists)
        found[name] = replace(lists, train=known.train, slices=known.slices, has_test=known.has_test)
    return found


def gathered_lists(part: Recommendations, options: Options, plan: Planned, _: str) -> GatheredLists:
    """The lists of the users of one part, in the order that their users have with those of all parts."""
    if plan.apart:
        found = [gathered_lists(part, options, one, _) for one in plan.apart]
        models = {name: lists for one in found for name, lists in one.models.items()}
        return GatheredLists(found[0].users, {name: models[name] for name in plan.models})
    hashed = hashes(part.user_ids)
    order = np.argsort(hashed, kind="stable")
    n_users, n_items = len(order), len(plan.item_ids)
    user_place: NDArray[Any] = np.empty(n_users, np.int32)
    user_place[order] = np.arange(n_users)
    item_place: NDArray[Any] = (
        np.arange(n_items, dtype=np.int32)
        if part.item_ids is plan.item_ids
        else np.array([plan.place.get(str(name), -1) for name in part.item_ids.tolist()], np.int32)
    )

    def placed(rows: Rows) -> Rows:
        return replace(rows, user=user_place[rows.user], item=item_place[rows.item])

    depth = max(options.ks, default=1)
    train = _by_user(part.train and placed(part.train), n_users, n_items)
    train_pairs = Pairs.of(train.user, train["item"], n_users, n_items)[0]
    test = _by_user(part.test and placed(part.test), n_users, n_items)
    relevant = test.where(test["rating"] > 0)
    train = ByUser(train.n, {"item": train["item"]})
    slices = {}
    for column, levels in plan.levels.items():
        codes, names = recoded(part, column, levels)
        slices[column] = codes[order], names
    models = {}
    for name in plan.models:
        given, scores = part.lists.get(name), part.scores.get(name)
        of_scores = None
        if scores is not None:
            scores = placed(scores)
            of_scores = scored(scores, n_users, n_items, train_pairs, relevant, depth)
        if given is not None:
            given = placed(given)
            shown = first_places(given, n_users, n_items, train_pairs, depth)
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
            has_test=test.n > 0,
            pairs=_scored_pairs(
                test, _rated(scores, given) if plan.has_ratings else None, train_pairs, n_items
            ),
        )
    return GatheredLists(Units(np.arange(n_users), hashed[order], "users"), models)


def _by_user(rows: Interactions | None, n_users: int, n_items: int) -> ByUser:
    """Interactions by user and item; none where there are none."""
    if rows is None:
        return ByUser(np.zeros(n_users, np.int64), {"item": np.zeros(0, np.int32), "rating": np.zeros(0)})
    pairs, order = Pairs.of(rows.user, rows.item, n_users, n_items)
    columns: Columns = {"item": pairs.item.astype(np.int32), "rating": rows.rating[order]}
    return ByUser(np.bincount(pairs.user, minlength=n_users), columns)


def _rated(scores: ScoreMatrix | ItemLists | None, given: ItemLists | None) -> ScoreMatrix | ItemLists | None:
    """Where the predicted ratings of a model are: its scores, else its lists where these are such ratings."""
    return given if scores is None and given is not None and given.is_rated else scores


def _scored_pairs(test: ByUser, scores: ScoreMatrix | ItemLists | None, train: Pairs, n_items: int) -> ByUser:
    """The test pairs with a score, which is held against their rating; an item of train has none."""
    n_users = len(test.n)
    if scores is None:
        return ByUser(np.zeros(n_users, np.int64), {"rating": np.zeros(0), "score": np.zeros(0)})
    pairs = Pairs.of(test.user, test["item"], n_users, n_items)[0]
    score = _scores_at(scores, pairs, n_users, n_items)
    score[train.find(pairs.key)[0]] = np.nan
    columns = {"rating": test["rating"], "score": score}
    return ByUser(test.n, columns).where(~np.isnan(score))


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
    of_scores, order = Pairs.of(scores.user, scores.item, n_users, n_items)
    known, at = of_scores.find(pairs.key)
    found[known] = scores.score[order[at]]
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
    wanted = Pairs.of(relevant.user, relevant["item"], n_users, n_items)[0]
    hit, at = wanted.among(lists, n_items)
    rating = np.zeros(len(lists["item"]))
    rating[hit] = relevant["rating"][at]
    rank = np.zeros(len(relevant["item"]), np.int64)
    rank[at] = hit - (np.cumsum(lists.n) - lists.n)[wanted.user[at]] + 1
    nothing = np.zeros(len(rank), np.int64)
    below, equal = (nothing, nothing) if of_scores is None else (of_scores.below, of_scores.equal)
    # First those in the list by rank, then the others by item.
    order = by_code(np.where(rank > 0, rank, depth + 1), depth + 2)
    order = order[by_code(relevant.user[order], n_users)]
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


TABLES = (Gathering("recommendations", planned, gathered_lists, whole, contradictions=contradictions),)
"""What the task ``recommender`` gathers."""
