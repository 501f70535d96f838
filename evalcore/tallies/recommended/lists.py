"""The recommendation lists of users and what these like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.recommended.by_user import ByUser, Codes, Counts, Floats, Groups, Mask
from evalcore.tallies.recommended.catalogue import Catalogue

COLUMNS = {
    "lists": ("item", "score", "rating"),
    "relevant": ("item", "rating", "rank", "below", "equal"),
    "pairs": ("rating", "score"),
    "train": ("item",),
}
"""The columns of each kind of rows of `RecommendationLists`."""
NO_SCORES = -1
"""In place of a number of negatives where a model has no scores of all items."""


@dataclass(frozen=True, eq=False)
class RecommendationLists:
    """The lists of one model for Q users, what each user likes, and the catalogue.

    A user's own items of train are in no list, and no score of theirs counts.

    Parameters
    ----------
    catalogue : of all users.
    slices : column → group of each user, −1 where unknown, and the groups' names.
    depth : how many places of a list are kept.
    lists : best first, equal scores by item: ``item``, ``score`` (NaN where only ranks are known) and
        ``rating``, the user's own of a relevant item, 0 for others.
    n_ranked : int64, shape (Q,), the length of each list before it was cut.
    relevant : the relevant items of each user, first those in the list by rank, then the others by item:
        ``item``, ``rating`` above 0, ``rank`` (0: not within ``depth``), and how many negatives score lower
        (``below``) and the same (``equal``).
    n_negatives : int64, shape (Q,), items of the catalogue that are neither relevant nor in the user's
        train; `NO_SCORES` for a model without scores of all items. Nothing is below what a user
        without any score likes.
    pairs : test pairs with a rating and a score: ``rating`` and ``score``.
    train : the ``item``s that each user has in train.
    has_list, has_test : bool, shape (Q,), whether the input has a list, and a test row, of the user.
    """

    lacking: ClassVar[str] = "as not both have recommendation lists"

    catalogue: Catalogue
    slices: Mapping[str, Groups]
    depth: int
    lists: ByUser
    n_ranked: Counts
    relevant: ByUser
    n_negatives: Counts
    pairs: ByUser
    train: ByUser
    has_list: Mask
    has_test: Mask

    def __len__(self) -> int:
        return len(self.n_ranked)

    @property
    def n_relevant(self) -> Counts:
        """Relevant items of each user, shape (Q,)."""
        return self.relevant.n

    @property
    def is_evaluated(self) -> Mask:
        """Users with a list or a test row, shape (Q,)."""
        return self.has_list | self.has_test

    def members(self, population: str) -> Mask:
        """The users of a population, shape (Q,)."""
        match population:
            case "users_with_relevant":
                return self.n_relevant > 0
            case "users_with_list":
                return self.has_list
            case "users_with_test":
                return self.has_test
            case "users_with_pairs":
                return self.pairs.n > 0
            case "all_users":
                return self.is_evaluated
            case _:
                return np.ones(len(self), bool)

    @cached_property
    def has_scores(self) -> bool:
        """Whether any user has scores of all items."""
        return bool((self.n_negatives != NO_SCORES).any())

    @cached_property
    def has_list_scores(self) -> bool:
        """Whether lists have scores, and not ranks alone."""
        return bool(np.isfinite(self.lists["score"]).any())

    @cached_property
    def found(self) -> ByUser:
        """The relevant items that the list shows, by user and rank: columns as of ``relevant``."""
        return self.relevant.where(self.relevant["rank"] > 0)

    @cached_property
    def best_first(self) -> Codes:
        """Order of the relevant items by user and descending rating."""
        rating = self.relevant["rating"]
        if not len(rating) or (rating == rating[0]).all():
            return np.arange(len(rating))
        return np.lexsort((-rating, self.relevant.user))

    @cached_property
    def relevant_gain(self) -> Floats:
        """2^rating − 1 of each relevant item, as a share of 2 to the power of the user's highest rating.

        nDCG does not see a factor that a user's gains have in common, and no rating overflows.
        """
        rating = self.relevant["rating"]
        highest = np.zeros(len(self))
        np.maximum.at(highest, self.relevant.user, rating)
        return np.asarray(np.exp2(rating - highest[self.relevant.user]) * -np.expm1(-rating * np.log(2)))

    def take(self, at: Codes) -> Self:
        """The users at these places, in their order, each as often as named."""
        found: dict[str, Any] = {
            "slices": {name: (codes[at], levels) for name, (codes, levels) in self.slices.items()}
        }
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, ByUser):
                found[one.name] = value.take(at)
            elif isinstance(value, np.ndarray):
                found[one.name] = value[at]
        return replace(self, **found)

    def where(self, mask: Mask) -> Self:
        """The users of a mask."""
        return self.take(np.flatnonzero(mask))

    def merge(self, other: Self) -> Self:
        """These users and others of the same catalogue."""
        found: dict[str, Any] = {
            "slices": {
                name: (np.concatenate([codes, other.slices[name][0]]), levels)
                for name, (codes, levels) in self.slices.items()
            }
        }
        for one in fields(self):
            value, more = getattr(self, one.name), getattr(other, one.name)
            if isinstance(value, ByUser):
                found[one.name] = value.merge(more)
            elif isinstance(value, np.ndarray):
                found[one.name] = np.concatenate([value, more])
        return replace(self, **found)

    def flaws(self) -> Flaws:
        """What does not agree in lists that were opened."""
        n, n_items = len(self), len(self.catalogue)
        wrong = [
            *flaws.within("catalogue", self.catalogue.flaws()),
            *flaws.columns("slices", self.slices, n),
            *flaws.unless(self.depth >= 1, "depth", str(self.depth), "a whole number from 1 on"),
            *flaws.counts("n_ranked", self.n_ranked, n),
            *flaws.counts("n_negatives", self.n_negatives, n, least=NO_SCORES),
            *flaws.flags("has_list", self.has_list, n),
            *flaws.flags("has_test", self.has_test, n),
        ]
        for name, columns in COLUMNS.items():
            wrong += flaws.within(name, getattr(self, name).flaws(n, columns))
        yield from wrong
        if not wrong:
            yield from self._flaws_of_rows(n_items)

    def _flaws_of_rows(self, n_items: int) -> Flaws:
        for name in ("lists", "relevant", "train"):
            rows: ByUser = getattr(self, name)
            yield from flaws.codes(f"{name}/item", rows["item"], len(rows["item"]), n_items)
        n = len(self.relevant["rank"])
        for name in ("below", "equal", "rank"):
            high = self.depth if name == "rank" else n_items
            yield from flaws.codes(f"relevant/{name}", self.relevant[name], n, high + 1)
        yield from flaws.numbers("relevant/rating", self.relevant["rating"], n, low=0)
        yield from flaws.numbers("lists/rating", self.lists["rating"], len(self.lists["item"]), low=0)
        yield from flaws.numbers("lists/score", self.lists["score"], len(self.lists["item"]), may_lack=True)
        for name in ("rating", "score"):
            yield from flaws.numbers(f"pairs/{name}", self.pairs[name], int(self.pairs.n.sum()))

    def within(self, k: int) -> Mask:
        """Which rows of the lists stand among the first K, shape (R,)."""
        return self.lists.place <= k

    def recommended(self, k: int, values: Floats | None = None) -> sparse.csr_array:
        """How often each item stands among the first K of each user, shape (Q, I), or the sum of values.

        Parameters
        ----------
        k : whole number from 1 on.
        values : of each row of the lists, shape (R,); None counts rows.
        """
        kept = self.within(k)
        data = np.ones(int(kept.sum())) if values is None else values[kept]
        shape = (len(self), len(self.catalogue))
        return sparse.csr_array((data, (self.lists.user[kept], self.lists["item"][kept])), shape=shape)

    def by_group(
        self, rows: ByUser, group: Codes, n_groups: int, values: Floats | None = None
    ) -> sparse.csr_array:
        """How many rows of each user are of each group of items, or the sum of their values, shape (Q, C).

        Parameters
        ----------
        rows : with a column ``item``.
        group : of each item, shape (I,), −1 for none.
        n_groups : C.
        values : of each row; None counts rows.
        """
        of_row = group[rows["item"]]
        kept = of_row >= 0 if values is None else (of_row >= 0) & (values != 0)
        data = np.ones(int(kept.sum())) if values is None else values[kept]
        return sparse.csr_array((data, (rows.user[kept], of_row[kept])), shape=(len(self), n_groups))
