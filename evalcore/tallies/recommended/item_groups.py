"""The lists of users by groups of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evalcore.recommendations import ITEM_GROUP
from evalcore.tallies.recommended.by_user import Codes, Groups, Mask
from evalcore.tallies.recommended.catalogue import Catalogue
from evalcore.tallies.recommended.lists import RecommendationLists


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """The lists of users by groups of items: of all groups beside each other, or of one of them.

    Parameters
    ----------
    lists : of the users.
    code : the group that is looked at; None for all.
    """

    lacking: ClassVar[str] = "as not both have recommendation lists"

    lists: RecommendationLists
    code: int | None = None

    def __len__(self) -> int:
        return len(self.lists)

    @property
    def catalogue(self) -> Catalogue:
        """As of the lists."""
        return self.lists.catalogue

    @property
    def groups(self) -> Groups:
        """The group of each item, and the groups' names; no group where none are known."""
        nothing = np.full(len(self.lists.catalogue), -1)
        return self.lists.catalogue.groups.get(ITEM_GROUP, (nothing, ()))

    @property
    def counted(self) -> tuple[Codes, int]:
        """The group of each item, and how many there are; of the one group that is looked at 0, else −1."""
        group, names = self.groups
        return (group, max(len(names), 1)) if self.code is None else (np.where(group == self.code, 0, -1), 1)

    @property
    def has_list_scores(self) -> bool:
        """As of the lists."""
        return self.lists.has_list_scores

    def members(self, population: str) -> Mask:
        """The users of a population, shape (Q,)."""
        return self.lists.members(population)

    def take(self, at: Codes) -> ItemGroups:
        """The users at these places, in their order, each as often as named."""
        return ItemGroups(self.lists.take(at), self.code)

    def where(self, mask: Mask) -> ItemGroups:
        """The users of a mask."""
        return self.take(np.flatnonzero(mask))

    def merge(self, other: ItemGroups) -> ItemGroups:
        """These users and others of the same catalogue."""
        return ItemGroups(self.lists.merge(other.lists), self.code)
