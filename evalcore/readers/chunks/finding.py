"""Where the rows of a query stand that more than one chunk holds: by file and row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.drawn.weights import hashes
from evalcore.problems import SHOWN, Findings, Problem, problem
from evalcore.readers.chunks.batches import BATCH_ROWS, Chunk
from evalcore.readers.chunks.files import batches_of, opened
from evalcore.readers.chunks.reading import Prepared, rows_of
from evalcore.readers.chunks.streams import ids_alone
from evalcore.readers.columns.ids import Keys
from evalcore.readers.evidence.rankings import query_words
from evalcore.readers.evidence.rows import keys_of

Query = tuple[int, str]
"""The hash of a post, and a criterion."""


@dataclass
class _Run:
    """Rows of one query that follow each other in a file."""

    file: int
    first: int
    last: int


def standing_twice(prepared: Prepared, tallies: Iterable[Any]) -> Iterator[Problem]:
    """CHK-001 or CHK-002 for the first queries that stand twice, with the places where they do.

    Parameters
    ----------
    prepared : the input.
    tallies : of scored rows or ranked queries, in their one order.
    """
    runs: dict[Query, list[_Run]] = {query: [] for tally in tallies for query in _twice(tally)}
    words: dict[Query, str] = {}
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


def _twice(tally: Any) -> list[Query]:
    """The first queries that stand in a tally more than once."""
    key = tally.query_key()
    if hasattr(tally, "model"):
        key = key * len(tally.models) + tally.model
    at = np.flatnonzero(np.diff(key) == 0)[:SHOWN]
    criteria = [*map(str, tally.criterion_ids), ""]
    return [(int(tally.post_ids[tally.post[i]]), criteria[tally.criterion[i]]) for i in at.tolist()]


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


def _rows_of(keys: Keys, wanted: Iterable[Query]) -> Iterator[tuple[Query, Any]]:
    """The rows of each query that is looked for, of those that are here."""
    of_level = hashes(keys.post.levels)
    for query in wanted:
        post = np.flatnonzero(of_level == np.uint64(query[0]))
        if not len(post):
            continue
        is_it = np.isin(keys.post.codes, post)
        if keys.criterion is not None:
            is_it &= keys.criterion.codes == _code(keys.criterion.levels, query[1])
        rows = np.flatnonzero(is_it)
        if len(rows):
            yield query, rows


def _code(levels: Any, text: str) -> int:
    found = np.flatnonzero(levels == text)
    return int(found[0]) if len(found) else -1
