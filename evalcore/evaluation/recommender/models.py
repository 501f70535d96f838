"""The groups of users and items of each model, and the tallies that each gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evalcore.evaluation.gathering.gather import Gathered
from evalcore.evaluation.gathering.samples import Draws, Groups, OfModel
from evalcore.evaluation.gathering.tallies import Tally
from evalcore.evaluation.groups import Levels, Mask, Members, groups, natural_key
from evalcore.evaluation.intervals.bounds import Sample
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import GatheredLists
from evalcore.recommendations import ITEM_GROUP, MOST_PAIRS, USER_GROUP, n_pairs
from evalcore.tallies.recommended import Groups as Column
from evalcore.tallies.recommended import ItemGroups, RecommendationLists


@dataclass(frozen=True, eq=False)
class Divided:
    """The lists of a model, divided by columns of users, and by the groups of items.

    Parameters
    ----------
    lists : of all users.
    known : the users that are divided, shape (Q,); None for all.
    """

    lists: RecommendationLists
    known: Mask | None = None

    @property
    def slices(self) -> Mapping[str, Column]:
        """The columns of users."""
        return self.lists.slices

    def everything(self) -> Members:
        """All users, all items."""
        return Members(len(self.lists), None if self.known is None else np.flatnonzero(self.known))

    def levels(self, column: str) -> Levels | None:
        """The groups of users, or those of items."""
        codes, names = self.slices.get(column, (None, ()))
        if column == ITEM_GROUP and codes is None:
            names = self.lists.catalogue.groups.get(column, (None, ()))[1]
        if codes is None and not names:
            return None
        return Levels(codes, names, sorted(range(len(names)), key=lambda code: natural_key(names[code])))

    def cells(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Members]]:
        """The groups asked for, then those of items and the pairs of both, asked for or not, each once.

        A group of items stands behind the groups of users that it is paired with, wherever it is named. More
        than `MOST_PAIRS` pairs are left out, as a check of the input says.
        """
        has_pairs = n_pairs(self.slices, self.lists.catalogue.groups) <= MOST_PAIRS
        asked = set()
        columns = tuple(name for name in by if has_pairs or name != ITEM_GROUP)
        for group_by, group, who in groups(self, tuple(sorted(columns, key=ITEM_GROUP.__eq__))):
            asked.add(group_by)
            yield group_by, group, who
        for group_by, group, who in groups(self, (USER_GROUP, ITEM_GROUP) if has_pairs else (ITEM_GROUP,)):
            if who.items is not None and group_by not in asked:
                yield group_by, group, who


def models_of(found: Gathered, options: Options) -> Iterator[OfModel]:
    """The lists of each model."""
    lists: GatheredLists = found.tallies["recommendations"]
    draws = Draws(options)
    for name, of_model in lists.models.items():
        # Users of other models alone are none of its units.
        known = of_model.is_evaluated | (of_model.train.n > 0)
        yield OfModel(name, Divided(of_model, known), _groups(lists, of_model, draws))


def _groups(lists: GatheredLists, of_model: RecommendationLists, draws: Draws) -> Groups:
    drawn = draws.of(lists.users)
    last: list[tuple[Mask, RecommendationLists]] = [(np.ones(len(of_model), bool), of_model)]

    def tallies(who: Members, users: Mask) -> Iterator[Tally]:
        # Groups of items come one after the other for one of users.
        if not np.array_equal(last[0][0], users):
            last[0] = users, of_model if users.all() else of_model.where(users)
        of_users = last[0][1]
        if who.items is None:
            yield "RecommendationLists", {}, of_users
        yield "ItemGroups", {}, ItemGroups(of_users, who.items)

    def group(who: Members, how: Options) -> tuple[Iterator[Tally], Sample]:
        users = who.mask
        present, before = lists.users.where(users).present()
        return tallies(who, users), Sample(present, None, drawn.where(before) if how.bootstrap else None)

    return group
