"""Ranked queries as counts: those whose golds stand at the same places are one, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.places import Codes, Counts, run_starts
from evalcore.tallies.ranked import PER_GOLD, PER_QUERY, RankedQueries

Tally = TypeVar("Tally")


@dataclass(frozen=True)
class CountedQueries(RankedQueries):
    """`RankedQueries` of which each stands for all that are as it is.

    Which of them a query is, is not kept: it is what a bootstrap needs and nothing else.

    Parameters
    ----------
    times : int64, shape (Q,), how many queries each stands for, at least 1.
    """

    times: Counts = field(kw_only=True)

    @property
    def of_each(self) -> Counts:
        """How many queries each stands for."""
        return self.times

    @property
    def total(self) -> int:
        """Number of queries."""
        return int(self.times.sum())

    def n_of(self, mask: NDArray[np.bool_]) -> int:
        """How many queries those of a mask of shape (Q,) stand for."""
        return int(self.times[mask].sum())

    def each(self) -> RankedQueries:
        """One row for each query: what a metric takes that nobody prepared for counts."""
        plain = RankedQueries(**{one.name: getattr(self, one.name) for one in fields(RankedQueries)})
        return plain.take(np.repeat(np.arange(len(self)), self.times))

    def take(self, at: Codes) -> CountedQueries:
        """The queries at these places, in their order."""
        found = super().take(at)
        return taken(self, ("times",), at, **{name: getattr(found, name) for name in _OF_QUERIES})

    def merge(self, other: RankedQueries) -> CountedQueries:
        """These queries followed by those of another part of the data; no query is in both."""
        assert isinstance(other, CountedQueries)
        found = super().merge(other)
        return with_times(found, np.concatenate([self.times, other.times]))

    def flaws(self, n: int) -> Flaws:
        """What does not agree in counts of ``n`` kinds of queries that were opened."""
        yield from super().flaws(n)
        yield from flaws.counts("times", self.times, n, least=1)


_OF_QUERIES = ("query", *PER_GOLD, *PER_QUERY)


def with_times(queries: RankedQueries, times: Counts) -> CountedQueries:
    """The same queries, each of which stands for so many."""
    own = {one.name: getattr(queries, one.name) for one in fields(RankedQueries)}
    return CountedQueries(**own, times=times)


def each(tally: Tally) -> Tally | RankedQueries:
    """A tally with one row for each query, where it has one for several."""
    return tally.each() if isinstance(tally, CountedQueries) else tally


def alike(columns: Sequence[Codes], lists: Sequence[RankedQueries], times: Counts) -> tuple[Codes, Counts]:
    """The first of each kind of queries, kinds in one order whatever that of the queries, and their numbers.

    Parameters
    ----------
    columns : codes from −1 on, shape (Q,), in which queries of a kind agree.
    lists : of each model, the same Q queries.
    times : how many queries each stands for, shape (Q,).
    """
    n_gold = lists[0].n_gold if lists else np.zeros(len(times), np.int64)
    first, n = [np.zeros(0, np.intp)], [np.zeros(0, np.int64)]
    for n_golds in np.unique(n_gold).tolist():
        at = np.flatnonzero(n_gold == n_golds)
        keys = _keys([one[at] for one in columns], lists, at, n_golds)
        order = np.lexsort(keys[::-1]) if keys else np.arange(len(at))
        starts = np.flatnonzero(run_starts(*(key[order] for key in keys))) if keys else np.zeros(1, np.intp)
        first.append(at[order[starts]])
        n.append(np.add.reduceat(times[at[order]], starts))
    return np.concatenate(first), np.concatenate(n)


def _keys(
    columns: Sequence[Codes], lists: Sequence[RankedQueries], at: Codes, n_golds: int
) -> list[NDArray[Any]]:
    """What queries with so many golds differ in, as narrow as it goes: what all have alike is left out."""
    keys: list[NDArray[Any]] = list(columns)
    for queries in lists:
        keys += [queries.n_ranked[at], queries.n_candidates[at]]
        start = queries.first[at]
        for nth in range(n_golds):
            of_gold = [getattr(queries, name)[start + nth] for name in PER_GOLD]
            same = [name for name in of_gold[1:2] if np.array_equal(name, of_gold[0])]
            keys += [one for one in of_gold if not any(one is other for other in same)]
    kept = []
    for key in keys:
        low, high = int(key.min()), int(key.max())
        if low < high:
            kept.append((key - low).astype(np.uint16 if high - low < 1 << 16 else np.int64))
    return kept
