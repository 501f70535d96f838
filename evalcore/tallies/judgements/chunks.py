"""One judgement a chunk: the retrieved list of every query with what is known of each place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import Codes, Responses
from evalcore.rows import rows_of_lists, taken
from evalcore.tallies.judgements.votes import Mask, Said, consolidated, counted

UNKNOWN = -1
_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class JudgedChunks:
    """Every chunk that somebody saw, once, by query and then by rank; chunks not retrieved come last.

    Parameters
    ----------
    record : int codes, shape (Q,), ascending, into ``record_ids``: queries with a response, discarded or not.
    n_listed : int, shape (Q,), how many chunks were retrieved; −1 where no file says so and no chunk has a
        rank. Where only ranks are known it is the greatest of them.
    query : int codes, shape (C,), of each chunk into ``record``.
    chunk : int codes, shape (C,), into ``chunk_ids``.
    rank : int, shape (C,), 1 is best; 0: judged, but not retrieved.
    is_judged : bool, shape (C,), whether a submitted response or an adjudicator says anything of the chunk.
    state : label → int8, shape (C,): `YES`, `NO`, `TIED` or `UNSAID`.
    """

    record: Codes
    n_listed: NDArray[np.int64]
    query: Codes
    chunk: Codes
    rank: NDArray[np.int64]
    is_judged: Mask
    state: Mapping[str, Said]

    def __len__(self) -> int:
        return len(self.record)

    def where(self, mask: Mask) -> JudgedChunks:
        """The queries of a mask, with all their chunks."""
        n_chunks = np.bincount(self.query, minlength=len(self))
        query, chunk = rows_of_lists(n_chunks, np.flatnonzero(mask))
        part = taken(self, ("chunk", "rank", "is_judged", "state"), chunk, query=query)
        return taken(part, ("record", "n_listed"), mask)


def judged_chunks(responses: Responses, *, annotators: Collection[str] | None = None) -> JudgedChunks:
    """What annotators said of retrieved chunks, as one judgement a chunk and label.

    Strict majority over submitted responses; an adjudicated value comes first; a tie stays undecided. The
    order of the rows has no influence.

    Parameters
    ----------
    responses : of the task ``retrieval``; one chunk of a query has one rank.
    annotators : whose responses count, in the queries that they saw; their panels keep every chunk, so one
        that they saw in part is incomplete. None for all.

    Raises
    ------
    InputError : OPT-003 for an annotator who is not in the data.

    Source
    ------
    contract.md, RAG labels.
    """
    responses, is_counted = counted(responses, annotators)
    record, query_of_row = np.unique(responses.record, return_inverse=True)
    n_listed = np.full(len(record), UNKNOWN)
    np.maximum.at(n_listed, query_of_row, responses.n_retrieved)
    has_chunk = responses.chunk >= 0  # a query for which nothing was retrieved has a row without
    if not has_chunk.all():
        responses, is_counted = responses.where(has_chunk), is_counted[has_chunk]
        query_of_row = query_of_row[has_chunk]
    n_chunks = max(len(responses.chunk_ids), 1)
    pair, unit = np.unique(query_of_row * n_chunks + responses.chunk, return_inverse=True)
    query, chunk = pair // n_chunks, pair % n_chunks
    rank = np.full(len(pair), _LAST)
    np.minimum.at(rank, unit, np.where(responses.rank > 0, responses.rank, _LAST))
    is_ranked = rank < _LAST
    np.maximum.at(n_listed, query[is_ranked], rank[is_ranked])
    state = consolidated(responses, unit, len(pair), is_counted)
    is_judged = np.bincount(unit[is_counted & responses.is_submitted], minlength=len(pair)) > 0
    for said in responses.adjudicated.values():
        is_judged |= np.bincount(unit[said >= 0], minlength=len(pair)) > 0
    order = np.lexsort((chunk, rank, query))
    return JudgedChunks(
        record=record,
        n_listed=n_listed,
        query=query[order],
        chunk=chunk[order],
        rank=np.where(is_ranked, rank, 0)[order],
        is_judged=is_judged[order],
        state={name: said[order] for name, said in state.items()},
    )
