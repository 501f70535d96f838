"""Ranked queries and their lists, posts named by a hash of their ids: those of parts can be put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from evalcore.data import Data
from evalcore.problems import Problem, problem
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.levels import Codes, level_order
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import ScoredLists
from evalcore.tallies.units import UnitRows


@dataclass(frozen=True, eq=False)
class UnitList:
    """The lists of one model for Q queries.

    Parameters
    ----------
    ranked : the golds by their places, ties as asked for.
    one_order : the same with every tie in an order, for what is selected from a list; None where not needed.
    pairs : scored candidates, the query of each as its post; None for lists without scores.
    scored : the candidates best first, for a policy; None where none was asked for.
    """

    ranked: RankedQueries
    one_order: RankedQueries | None
    pairs: ScoredRows | None
    scored: ScoredLists | None

    def merge(self, other: UnitList) -> UnitList:
        """The lists of these queries followed by those of another part."""
        return UnitList(
            self.ranked.merge(other.ranked),
            None
            if self.one_order is None or other.one_order is None
            else self.one_order.merge(other.one_order),
            None if self.pairs is None or other.pairs is None else self.pairs.merge(other.pairs),
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

    def flaws(self, n: int) -> Flaws:
        """What does not agree in the lists of ``n`` queries."""
        for name in ("ranked", "one_order", "pairs", "scored"):
            if (one := getattr(self, name)) is not None:
                yield from flaws.within(name, one.flaws(n))


@kept_as("rankings")
@dataclass(frozen=True, eq=False, kw_only=True)
class UnitLists(UnitRows):
    """Ranked queries and their lists by model.

    Parameters
    ----------
    lists : model → its lists of the same N queries.
    """

    lists: Mapping[str, UnitList]

    def take(self, at: Codes) -> UnitLists:
        """The queries at these places, in their order."""
        lists = {name: of_model.take(at) for name, of_model in self.lists.items()}
        return replace(super().take(at), lists=lists)

    def merge(self, other: UnitLists) -> UnitLists:
        """These queries followed by those of another part with lists of the same models."""
        names = list(self.lists)
        if names != list(other.lists):
            names = sorted(names, key=level_order)
        lists = {name: self.lists[name].merge(other.lists[name]) for name in names}
        return replace(super().merge(other), lists=lists)

    def ordered(self) -> UnitLists:
        """The same queries in the one order that all parts together have."""
        found = self.named_in_order()
        return found.take(np.argsort(found.query_key(), kind="stable"))

    def torn(self) -> Iterator[Problem]:
        """Of queries in their one order: those that stand there twice."""
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
