"""The groups of users and items of each model, and the tallies that each gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.evaluation.gathering.gather import Gathered
from evalcore.evaluation.gathering.samples import Draws, Groups, OfModel
from evalcore.evaluation.gathering.tallies import Tally
from evalcore.evaluation.groups import Mask, groups, natural_key
from evalcore.evaluation.intervals.bounds import Sample
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import GatheredLists
from evalcore.recommendations import ITEM_GROUP, MOST_PAIRS, USER_GROUP, n_pairs
from evalcore.tallies.recommended import Groups as Column
from evalcore.tallies.recommended import ItemGroups, RecommendationLists


@dataclass(frozen=True, eq=False)
class Who:
    """Users, and the group of items that is looked at; None for all items."""

    mask: Mask
    items: int | None = None

    def __and__(self, other: Who) -> Who:
        return Who(self.mask & other.mask, self.items if other.items is None else other.items)

    def any(self) -> bool:
        """Whether there is a user."""
        return bool(self.mask.any())


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

    def everything(self) -> Who:
        """All users, all items."""
        return Who(np.ones(len(self.lists), bool) if self.known is None else self.known)

    def levels(self, column: str) -> dict[str, Who] | None:
        """The users of each group, or all users and a group of items, in natural order."""
        everyone = self.everything().mask
        if column in self.slices:
            codes, names = self.slices[column]
            found = {name: Who((codes == code) & everyone) for code, name in enumerate(names)}
        elif column == ITEM_GROUP and column in self.lists.catalogue.groups:
            names = self.lists.catalogue.groups[column][1]
            found = {name: Who(everyone, code) for code, name in enumerate(names)}
        else:
            return None
        return {name: found[name] for name in sorted(found, key=natural_key)}

    def cells(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
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

    def tallies(who: Who) -> Iterator[Tally]:
        if not np.array_equal(
            last[0][0], who.mask
        ):  # groups of items come one after the other for one of users
            last[0] = who.mask, of_model if who.mask.all() else of_model.where(who.mask)
        of_users = last[0][1]
        if who.items is None:
            yield "RecommendationLists", {}, of_users
        yield "ItemGroups", {}, ItemGroups(of_users, who.items)

    def group(who: Who, how: Options) -> tuple[Iterator[Tally], Sample]:
        present, before = lists.users.where(who.mask).present()
        return tallies(who), Sample(present, None, drawn.where(before) if how.bootstrap else None)

    return group
