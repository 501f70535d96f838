"""Ranked queries and their lists, posts named by a hash of their ids: those of parts can be put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data
from evalcore.problems import Problem, problem
from evalcore.rows import order_of
from evalcore.tallies import flaws
from evalcore.tallies.counted_pairs import CountedPairs
from evalcore.tallies.counted_queries import CountedQueries, alike, with_times
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.levels import Codes, level_order, ordered_levels
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import ScoredLists
from evalcore.tallies.units import UnitRows, Units


@dataclass(frozen=True, eq=False)
class UnitList:
    """The lists of one model for Q queries.

    Parameters
    ----------
    ranked : the golds by their places, ties as asked for; or counts of those that are alike.
    one_order : the same with every tie in an order, for what is selected from a list; None where not needed.
    pairs : scored candidates, the query of each as its post, or their counts where nothing is drawn; None for
        lists without scores, and where no metric of them is asked for.
    scored : the candidates best first, for a policy; None where none was asked for.
    """

    ranked: RankedQueries | CountedQueries
    one_order: RankedQueries | None
    pairs: ScoredRows | CountedPairs | None
    scored: ScoredLists | None

    def merge(self, other: UnitList) -> UnitList:
        """The lists of these queries followed by those of another part."""
        return UnitList(
            self.ranked.merge(other.ranked),
            None
            if self.one_order is None or other.one_order is None
            else self.one_order.merge(other.one_order),
            _merged_pairs(self.pairs, other.pairs),
            None if self.scored is None or other.scored is None else self.scored.merge(other.scored),
        )

    def take(self, at: Codes) -> UnitList:
        """The lists of the queries at these places, in their order."""
        return UnitList(
            self.ranked.take(at),
            None if self.one_order is None else self.one_order.take(at),
            None if self.pairs is None else self.pairs.of_posts(at),
            None if self.scored is None else self.scored.take(at),
        )

    def of_kinds(self, at: Codes, times: NDArray[np.int64]) -> UnitList:
        """The lists of kinds of queries, given by the first of each and how many queries are of it."""
        pairs = self.pairs
        if isinstance(pairs, CountedPairs):
            pairs = replace(pairs, of_query=pairs.of_query[at])
        return UnitList(with_times(self.ranked.take(at), times), None, pairs, None)

    def flaws(self, n: int) -> Flaws:
        """What does not agree in the lists of ``n`` queries."""
        for name in ("ranked", "one_order", "pairs", "scored"):
            if (one := getattr(self, name)) is not None:
                yield from flaws.within(name, one.flaws(n))


def _merged_pairs(
    first: ScoredRows | CountedPairs | None, second: ScoredRows | CountedPairs | None
) -> ScoredRows | CountedPairs | None:
    """The pairs of two parts, which are kept alike."""
    if isinstance(first, CountedPairs) and isinstance(second, CountedPairs):
        return first.merge(second)
    if isinstance(first, ScoredRows) and isinstance(second, ScoredRows):
        return first.merge(second)
    return None


@kept_as("rankings")
@dataclass(frozen=True, eq=False, kw_only=True)
class UnitLists(UnitRows):
    """Ranked queries and their lists by model.

    Parameters
    ----------
    lists : model → its lists of the same N queries, or of N kinds of queries where these are counted.
    """

    lists: Mapping[str, UnitList]

    def take(self, at: Codes) -> UnitLists:
        """The queries at these places, in their order."""
        lists = {name: of_model.take(at) for name, of_model in self.lists.items()}
        return replace(super().take(at), lists=lists)

    def with_counted_pairs(self, by: Sequence[str]) -> UnitLists:
        """The same with counts in place of scored pairs, by the values of all columns.

        Folds are broken down by though nobody asks for them; criteria are where they are asked for.
        """
        names = list(self.slices)
        columns = [ordered_levels(self.slices[name]) for name in names]
        if "criterion" in by:
            names.append("criterion")
            columns.append((self.criterion, tuple(map(str, self.criterion_ids))))
        codes = np.stack([np.zeros(len(self), np.intp), *(code for code, _ in columns)], axis=1)
        distinct, cell = np.unique(codes, axis=0, return_inverse=True)
        # A column that this part lacks has no value in it, as that of a part whose rows have none.
        cells = tuple(
            tuple(
                f"{name}={levels[code]}"
                for name, (_, levels), code in zip(names, columns, row[1:].tolist(), strict=True)
                if code >= 0
            )
            for row in distinct
        )
        of_query = cell.reshape(-1).astype(np.int32)
        lists = {
            name: replace(one, pairs=CountedPairs.of(one.pairs, cells, of_query))
            if isinstance(one.pairs, ScoredRows)
            else one
            for name, one in self.lists.items()
        }
        return replace(self, lists=lists)

    @property
    def is_counted(self) -> bool:
        """Whether queries that are alike are one."""
        return any(isinstance(one.ranked, CountedQueries) for one in self.lists.values())

    def counted(self, by: Sequence[str]) -> UnitLists:
        """The same with counts in place of queries and scored pairs: what values without a bootstrap need.

        Queries are alike where they have the same criterion, the same values in all columns, and in the list
        of each model as many candidates, with the golds at the same places.
        """
        found = self.with_counted_pairs(by)
        posts = Units(np.zeros(len(self), np.intp), np.zeros(1, np.uint64), self.posts.word)
        return replace(found, posts=posts, drawn_by=None).folded()

    def folded(self) -> UnitLists:
        """The same with each kind of queries once, in one order."""
        ranked = [one.ranked for one in self.lists.values()]
        of_each = [one.of_each for one in ranked]
        times = next((one for one in of_each if one is not None), np.ones(len(self), np.int64))
        columns = [self.criterion, *(codes for codes, _ in self.slices.values())]
        # A cell has values of columns, too, that were dropped since: its pairs go where its queries go.
        counted = [one.pairs for one in self.lists.values() if isinstance(one.pairs, CountedPairs)]
        columns += [one.of_query.astype(np.intp) for one in counted]
        first, times = alike(columns, ranked, times)
        lists = {name: one.of_kinds(first, times) for name, one in self.lists.items()}
        return replace(super().take(first), lists=lists)

    def merge(self, *others: UnitLists) -> UnitLists:
        """These queries followed by those of other parts with lists of the same models."""
        parts = (self, *others)
        names = list(self.lists)
        if any(names != list(one.lists) for one in others):
            names = sorted(names, key=level_order)
        lists = {name: reduce(UnitList.merge, (one.lists[name] for one in parts)) for name in names}
        found = replace(super().merge(*others), lists=lists)
        return found.folded() if self.is_counted else found

    def ordered(self) -> UnitLists:
        """The same queries in the one order that all parts together have."""
        found = self.named_in_order()
        if self.is_counted:
            return found.folded()
        return found.take(order_of(found.query_key()))

    def torn(self) -> Iterator[Problem]:
        """Of queries in their one order: those that stand there twice; nothing is known of counted ones."""
        if self.is_counted:
            return
        n_repeated = int(np.count_nonzero(np.diff(self.query_key()) == 0))
        if n_repeated:
            yield problem("QRY-243", n=n_repeated)

    def flaws(self, _: Data) -> Flaws:
        """What does not agree in lists that were opened."""
        yield from self.flaws_of_units()
        for name, one in self.lists.items():
            yield from flaws.within(f"lists/{name}", one.flaws(len(self)))

    def shown(self, _: object) -> dict[str, UnitLists]:
        """What stands for the lists in an opened report: these tallies."""
        return {"lists": self}
