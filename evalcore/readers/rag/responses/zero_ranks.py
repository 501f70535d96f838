"""Ranks that begin at 0: read as they stand, the first chunk of every list would count as not retrieved."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

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
    ranks: defaultdict[int, dict[int, int]] = defaultdict(dict)
    retrieved: dict[int, int] = {}
    rows = zip(
        part.record.codes.tolist(),
        part.chunk.codes.tolist(),
        part.rank.tolist(),
        part.n_retrieved.tolist(),
        strict=True,
    )
    for record, chunk, rank, n in rows:
        ranks[record][chunk] = rank
        retrieved[record] = max(n, retrieved.get(record, -1))
    lists = {record: sorted(found.values()) for record, found in ranks.items() if any(found.values())}
    from_zero = [record for record, found in lists.items() if found == list(range(len(found)))]
    sure = [record for record in from_zero if retrieved[record] == len(lists[record])]
    return ZeroRanks(
        len(lists),
        len(from_zero),
        _list_of(part, from_zero),
        len(sure),
        _list_of(part, sure),
        bool((part.rank == 0).any()),
        any(retrieved[record] >= 1 and found[-1] == retrieved[record] for record, found in lists.items()),
    )


def _list_of(part: ResponsePart, records: list[int]) -> ListOf | None:
    if not records:
        return None
    at = int((part.record.codes == records[0]).argmax())
    return ListOf(part.files[part.file[at]], part.record.at(at))
