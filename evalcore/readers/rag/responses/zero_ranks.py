"""Ranks that begin at 0: read as they stand, the first chunk of every list would count as not retrieved."""

from __future__ import annotations

from collections import defaultdict

from evalcore.problems import Findings
from evalcore.readers.rag.parts import ResponsePart


def check_zero_ranks(part: ResponsePart, findings: Findings) -> None:
    """Report lists whose ranks begin at 0.

    Where the number of retrieved chunks says so it is an error; where only every list looks so, a warning: a
    chunk at rank 0 may have been judged without being retrieved.

    Parameters
    ----------
    part : responses about chunks.
    findings : gets RAG-120 or RAG-121.
    """
    if not (part.rank == 0).any():
        return
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
    is_one_based = any(
        retrieved[record] >= 1 and found[-1] == retrieved[record] for record, found in lists.items()
    )
    if sure and not is_one_based:
        _add("RAG-120", part, sure, findings)
    elif from_zero and len(from_zero) == len(lists) and not is_one_based:
        _add("RAG-121", part, from_zero, findings)


def _add(code: str, part: ResponsePart, records: list[int], findings: Findings) -> None:
    at = int((part.record.codes == records[0]).argmax())
    where = {"file": part.files[part.file[at]], "column": "chunk_rank"}
    findings.add(code, **where, n=len(records), record=part.record.at(at))
