"""What is known of the items, whoever is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.recommended.by_user import Counts, Groups, Mask


@dataclass(frozen=True, eq=False)
class Catalogue:
    """What is known of the items, whoever is looked at: I items in the order of their ids.

    Parameters
    ----------
    popularity : int64, shape (I,), interactions of each item in train; all 0 without train.
    n_users : how many users train and test have.
    groups : column → group of each item, −1 where unknown, and the groups' names.
    features : bool, shape (I, F), which features an item has; None without features.
    """

    popularity: Counts
    n_users: int
    groups: Mapping[str, Groups] = field(default_factory=dict)
    features: Mask | None = None

    def __len__(self) -> int:
        return len(self.popularity)

    def flaws(self) -> Flaws:
        """What does not agree in the facts of items."""
        yield from flaws.counts("popularity", self.popularity, len(self))
        yield from flaws.columns("groups", self.groups, len(self))
        if self.features is not None:
            shape = (len(self), self.features.shape[-1])
            yield from flaws.flags("features", self.features, shape)

    def head(self, pop_ratio: float, *, of_items: bool = False) -> Mask:
        """The most popular items that together reach a share of the interactions, shape (I,).

        Parameters
        ----------
        pop_ratio : the share, in (0, 1].
        of_items : whether it is a share of the items in place of the interactions.

        Source
        ------
        contract.md, Recommender, head; equal popularity by item id.

        Examples
        --------
        >>> Catalogue(np.array([1, 5, 0, 4]), 3).head(0.8).tolist()
        [False, True, False, True]
        """
        order = np.argsort(-self.popularity, kind="stable")
        found = np.zeros(len(self), bool)
        if of_items:
            # To the nearest, halves up; rounded first, for 0.35 · 10 must not be less than 3.5.
            found[order[: int(np.floor(np.round(pop_ratio * len(self), 9) + 0.5))]] = True
            return found
        reached = np.cumsum(self.popularity[order])
        total = int(reached[-1]) if len(reached) else 0
        if total:
            enough = reached >= np.round(pop_ratio * total, 9)
            found[order[: int(np.argmax(enough)) + 1]] = True
        return found
