"""Ranks that begin at 0: read as they stand, the first chunk of every list would count as not retrieved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.rag.parts import ResponsePart


class ListOf(NamedTuple):
    """The list of one record, by a file that it stands in."""

    file: str
    record: str


class ZeroRanks(NamedTuple):
    """How the ranks of lists begin.

    Parameters
    ----------
    n_lists : lists with a rank above 0.
    n_from_zero, from_zero : those whose ranks are 0, 1 and so on, and the first of them.
    n_sure, sure : those of which the number of retrieved chunks says so, and the first of them.
    is_any_zero : whether any rank is 0.
    is_one_based : whether a list ends with the rank that is the number of its retrieved chunks.
    """

    n_lists: int = 0
    n_from_zero: int = 0
    from_zero: ListOf | None = None
    n_sure: int = 0
    sure: ListOf | None = None
    is_any_zero: bool = False
    is_one_based: bool = False

    def and_of(self, other: ZeroRanks) -> ZeroRanks:
        """The same of these records and of others."""
        return ZeroRanks(
            self.n_lists + other.n_lists,
            self.n_from_zero + other.n_from_zero,
            self.from_zero or other.from_zero,
            self.n_sure + other.n_sure,
            self.sure or other.sure,
            self.is_any_zero or other.is_any_zero,
            self.is_one_based or other.is_one_based,
        )

    def tell(self, findings: Findings) -> None:
        """Report lists whose ranks begin at 0.

        Where the number of retrieved chunks says so it is an error; where only every list looks so, a
        warning: a chunk at rank 0 may have been judged without being retrieved.
        """
        if not self.is_any_zero or self.is_one_based:
            return
        code, n, first = "RAG-120", self.n_sure, self.sure
        if first is None and self.n_from_zero == self.n_lists:
            code, n, first = "RAG-121", self.n_from_zero, self.from_zero
        if first is not None:
            findings.add(code, file=first.file, column="chunk_rank", n=n, record=first.record)


def zero_ranks(part: ResponsePart) -> ZeroRanks:
    """How the ranks of responses about chunks begin."""
    # A chunk that stands in a list more than once has the rank of its last row.
    unit = part.record.codes.astype(np.int64) * max(len(part.chunk.levels), 1) + part.chunk.codes
    rows = len(unit) - 1 - np.unique(unit[::-1], return_index=True)[1]
    record, at = np.unique(part.record.codes[rows], return_inverse=True)
    order = np.lexsort((part.rank[rows], at))
    rank, at = part.rank[rows][order], at[order]
    n_chunks = np.bincount(at, minlength=len(record))
    ends = np.cumsum(n_chunks)
    is_counted = rank == np.arange(len(rank)) - (ends - n_chunks)[at]
    is_from_zero = np.bincount(at, is_counted, minlength=len(record)) == n_chunks
    retrieved = np.full(len(record), -1)
    np.maximum.at(retrieved, np.searchsorted(record, part.record.codes), part.n_retrieved)
    last = rank[ends - 1]
    is_list = last > 0
    from_zero = is_list & is_from_zero
    sure = from_zero & (retrieved == n_chunks)
    return ZeroRanks(
        int(is_list.sum()),
        int(from_zero.sum()),
        _list_of(part, record[from_zero]),
        int(sure.sum()),
        _list_of(part, record[sure]),
        bool((part.rank == 0).any()),
        bool((is_list & (retrieved >= 1) & (last == retrieved)).any()),
    )


def _list_of(part: ResponsePart, records: NDArray[np.int32]) -> ListOf | None:
    """The list of these records that stands first."""
    if not len(records):
        return None
    at = int(np.isin(part.record.codes, records).argmax())
    return ListOf(part.files[part.file[at]], part.record.at(at))
