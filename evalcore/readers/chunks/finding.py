"""Where the rows of a query stand that more than one chunk holds: by file and row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes, paired_hashes
from evalcore.problems import SHOWN, Findings, Problem, problem
from evalcore.readers.chunks.batches import BATCH_ROWS, Chunk
from evalcore.readers.chunks.files import batches_of, opened
from evalcore.readers.chunks.reading import Prepared, rows_of
from evalcore.readers.chunks.streams import ids_alone
from evalcore.readers.columns.ids import Keys
from evalcore.readers.evidence.rankings import query_words
from evalcore.readers.evidence.rows import keys_of

Hashes = NDArray[np.uint64]


@dataclass
class _Run:
    """Rows of one query that follow each other in a file."""

    file: int
    first: int
    last: int


def hashed_queries(tally: Any, at: NDArray[np.intp]) -> Hashes:
    """A hash of the query of each row of a tally at these places: of its post and its criterion."""
    criteria = hashes([*map(str, tally.criterion_ids), ""])
    return paired_hashes(tally.post_ids[tally.post[at]], criteria[tally.criterion[at]])


def queries_twice(queries: Hashes) -> tuple[int, list[int]]:
    """How many queries of a list stand there again, and the first of them; the list is put in order."""
    queries.sort()
    again = queries[1:][queries[1:] == queries[:-1]]
    return len(again), np.unique(again)[:SHOWN].tolist()


def standing_twice(prepared: Prepared, queries: Iterable[int]) -> Iterator[Problem]:
    """CHK-001 or CHK-002 for queries that stand twice, with the places where they do.

    Parameters
    ----------
    prepared : the input.
    queries : their hashes, as of `hashed_queries`.
    """
    runs: dict[int, list[_Run]] = {query: [] for query in queries}
    words: dict[int, str] = {}
    for chunk, keys in _keys(prepared):
        for query, rows in _rows_of(keys, runs):
            words.setdefault(query, query_words(keys, int(rows[0])))
            for row in (chunk.first_row + rows).tolist():
                last = runs[query][-1] if runs[query] else None
                if last is not None and last.file == chunk.file and last.last == row - 1:
                    last.last = row
                else:
                    runs[query].append(_Run(chunk.file, row, row))
    for query, found in list(runs.items())[:SHOWN]:
        for other in found[1:2]:
            first, name = found[0], prepared.files[other.file].name
            told: dict[str, Any] = {"file": name, "row": other.first, "found": words[query]}
            told["first_row"] = first.first
            if first.file == other.file:
                yield problem("CHK-002", **told)
            else:
                yield problem("CHK-001", **told, first=prepared.files[first.file].name)


def _keys(prepared: Prepared) -> Iterator[tuple[Chunk, Keys]]:
    """The queries of the rows of every file, some thousand rows at a time."""
    for at, file in enumerate(one for one in prepared.files if one.path):
        mapped = ids_alone(prepared.mapped[at])
        first_row = 1
        with opened(file.path) as source:
            for batch in batches_of(source, BATCH_ROWS, prepared.ids(at)):
                chunk = Chunk(at, first_row, pa.Table.from_batches([batch]))
                first_row += len(chunk)
                rows = rows_of(prepared, chunk, mapped, Findings())
                keys = None if rows is None else keys_of(rows, Findings())
                if keys is not None:
                    yield chunk, keys


def _rows_of(keys: Keys, wanted: Iterable[int]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """The rows of each query that is looked for, of those that are here."""
    criteria = [""]
    codes: NDArray[Any] = np.zeros(len(keys.post.codes), np.intp)
    if keys.criterion is not None:
        criteria, codes = [*map(str, keys.criterion.levels), ""], keys.criterion.codes
    of_row = paired_hashes(hashes(keys.post.levels)[keys.post.codes], hashes(criteria)[codes])
    for query in wanted:
        rows = np.flatnonzero(of_row == np.uint64(query))
        if len(rows):
            yield query, rows
