"""Panels: the first K retrieved chunks of every query, and which of them are wholly annotated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import UNSAID, Codes
from evalcore.rows import joined, rows_of_lists, taken
from evalcore.tallies.judgements.chunks import JudgedChunks
from evalcore.tallies.judgements.votes import FILLS, Mask, Said, state_of, treated


@dataclass(frozen=True, eq=False)
class Panels:
    """The judged lists of Q queries, cut at K, with what is done about labels that are not settled.

    Parameters
    ----------
    k : cut-off, from 1 on; None for the whole list.
    n_listed : int, shape (Q,), chunks within the cut-off; −1 where it is not known.
    is_used : bool, shape (Q,), whether the query enters: its panel is complete, or the treatment lets it in.
    is_incomplete : bool, shape (Q,), whether a place within the cut-off was not annotated.
    query : int codes, shape (C,), ascending.
    rank : int, shape (C,), ascending within a query; 0 for a chunk that was not retrieved, which comes last.
    is_listed : bool, shape (C,), whether the chunk stands within the cut-off.
    state : label → int8, shape (C,): `YES`, `NO`, `TIED` or `UNSAID`.
    """

    k: int | None
    n_listed: NDArray[np.int64]
    is_used: Mask
    is_incomplete: Mask
    query: Codes
    rank: NDArray[np.int64]
    is_listed: Mask
    state: Mapping[str, Said]

    def __len__(self) -> int:
        return len(self.n_listed)

    @staticmethod
    def from_lists(k: int | None, **labels: Sequence[Sequence[int]]) -> Panels:
        """Panels of queries whose retrieved chunks are all judged, best first, a list of states a query.

        Examples
        --------
        >>> Panels.from_lists(2, topically_relevant=[[1, 0, 1], [0]]).n_listed.tolist()
        [2, 1]
        """
        lists = next(iter(labels.values()))
        n = np.array([len(states) for states in lists], np.int64)
        query = np.repeat(np.arange(len(n)), n)
        rank = np.arange(len(query)) - np.repeat(np.cumsum(n) - n, n) + 1
        state = {
            name: np.array([one for of in given for one in of], np.int8) for name, given in labels.items()
        }
        judged = np.ones(len(query), bool)
        return panels_at(
            JudgedChunks(np.arange(len(n)), n, query, np.arange(len(query)), rank, judged, state), k
        )

    def of(self, label: str) -> Said:
        """The judgements of one label, shape (C,); `UNSAID` throughout where the data lack it."""
        return state_of(self.state, label, len(self.query))

    def per_query(self, mask: Mask) -> NDArray[np.int64]:
        """How many chunks of a mask of shape (C,) each query has, shape (Q,)."""
        return np.bincount(self.query[mask], minlength=len(self))

    def where(self, mask: Mask) -> Panels:
        """The queries of a mask, with all their chunks."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> Panels:
        """The queries at these places, in their order; one that is named twice is there twice."""
        query, chunk = rows_of_lists(np.bincount(self.query, minlength=len(self)), at)
        return taken(taken(self, _PER_QUERY, at, query=query), ("rank", "is_listed", "state"), chunk)

    def merge(self, other: Panels) -> Panels:
        """The queries of both, which have none in common."""
        names = dict.fromkeys((*self.state, *other.state))
        return joined(
            self,
            other,
            (*_PER_QUERY, "rank", "is_listed"),
            query=np.concatenate([self.query, other.query + len(self)]),
            state={name: np.concatenate([self.of(name), other.of(name)]) for name in names},
        )


_PER_QUERY = ("n_listed", "is_used", "is_incomplete")


def panels_at(judged: JudgedChunks, k: int | None, treatment: str = "default") -> Panels:
    """The panels of the first K chunks.

    Parameters
    ----------
    judged : every chunk that somebody saw.
    k : cut-off, from 1 on; None for the whole list.
    treatment : one of `TREATMENTS`. Under ``fill_0`` and ``fill_1`` every place that nobody annotated is
        filled, and every query whose list is known enters.

    Source
    ------
    contract.md, RAG labels, incomplete panels.
    """
    limit = np.iinfo(np.int64).max if k is None else k
    n_listed = np.minimum(judged.n_listed, limit)
    query, rank, state = judged.query, judged.rank, dict(judged.state)
    is_listed = (rank > 0) & (rank <= limit)
    n_judged = _distinct_places(query, rank, is_listed & judged.is_judged, len(judged))
    is_incomplete = n_judged < n_listed
    if treatment in FILLS:
        new_query, new_rank = _open_places(query, rank, is_listed, n_listed, is_incomplete)
        query, rank = np.concatenate([query, new_query]), np.concatenate([rank, new_rank])
        is_listed = np.concatenate([is_listed, np.ones(len(new_query), bool)])
        unsaid = np.full(len(new_query), UNSAID, np.int8)
        order = np.lexsort((np.where(rank > 0, rank, np.iinfo(np.int64).max), query))
        query, rank, is_listed = query[order], rank[order], is_listed[order]
        state = {name: np.concatenate([said, unsaid])[order] for name, said in state.items()}
    is_filled = treatment in FILLS  # a chunk beyond the list that nobody judged stays out of the ideal
    is_used = n_listed >= 0
    if treatment == "as_is":
        is_used &= (n_judged > 0) | (n_listed == 0)
    elif not is_filled:
        is_used &= ~is_incomplete
    return Panels(
        k=k,
        n_listed=n_listed,
        is_used=is_used,
        is_incomplete=is_incomplete,
        query=query,
        rank=rank,
        is_listed=is_listed,
        state={
            name: np.where(is_listed | (not is_filled), treated(said, treatment), said)
            for name, said in state.items()
        },
    )


def _distinct_places(query: Codes, rank: NDArray[np.int64], mask: Mask, n: int) -> NDArray[np.int64]:
    """How many ranks of each query have a chunk in the mask; rows come by query and rank."""
    query, rank = query[mask], rank[mask]
    is_new = np.ones(len(query), bool)
    is_new[1:] = (query[1:] != query[:-1]) | (rank[1:] != rank[:-1])
    return np.bincount(query[is_new], minlength=n)


def _open_places(
    query: Codes, rank: NDArray[np.int64], is_listed: Mask, n_listed: NDArray[np.int64], is_asked: Mask
) -> tuple[Codes, NDArray[np.int64]]:
    """The places of the queries of a mask at which no chunk stands."""
    n = np.where(is_asked, np.maximum(n_listed, 0), 0)
    of_query = np.repeat(np.arange(len(n)), n)
    place = np.arange(len(of_query)) - np.repeat(np.cumsum(n) - n, n) + 1
    widest = int(n.max(initial=0)) + 1
    taken = is_listed & is_asked[query]
    is_open = ~np.isin(of_query * widest + place, query[taken] * widest + rank[taken])
    return of_query[is_open], place[is_open]
