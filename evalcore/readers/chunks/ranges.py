"""An input as ranges: which groups of rows of which file, for whoever reads them elsewhere."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.readers.chunks.batches import BATCH_ROWS, Chunk, chunks_from, first_other
from evalcore.readers.chunks.files import as_bytes, batches_of, opened
from evalcore.readers.chunks.reading import Prepared

Ids = Mapping[str, Any]
"""Column → its value: what a query is known by."""


@dataclass(frozen=True)
class Range:
    """Groups of rows of a file that follow each other. A query is of the range that its first row is in.

    Parameters
    ----------
    file : which of the files of the input.
    first, end : the first group, and the one behind the last.
    fingerprint : of the file, as `fingerprint`: whoever reads it must see the same.
    """

    file: int
    first: int
    end: int
    fingerprint: str


class OtherFileError(OSError):
    """A file that is not the one that was looked at."""


def ranges_of(prepared: Prepared, chunk_rows: int) -> Iterator[Range]:
    """The whole input as ranges of at least so many rows each, but for the last of a file."""
    for at, file in enumerate(prepared.files):
        with opened(file.path) as source:
            sizes = _sizes(source)
        seen = fingerprint(file.path)
        first = n_rows = 0
        for group, size in enumerate(sizes):
            n_rows += size
            if n_rows >= chunk_rows or group + 1 == len(sizes):
                yield Range(at, first, group + 1, seen)
                first, n_rows = group + 1, 0


def fingerprint(path: str) -> str:
    """A digest of how long a Parquet file is and of its end, which says where each of its pieces lies.

    Raises
    ------
    OSError : for a file that cannot be read.
    """
    with as_bytes(path) as file:
        n_bytes = file.seek(0, io.SEEK_END)
        file.seek(max(0, n_bytes - 8))
        n_end = min(n_bytes, 8 + int.from_bytes(file.read(4), "little"))
        file.seek(n_bytes - n_end)
        return hashlib.sha256(b"%d " % n_bytes + file.read(n_end)).hexdigest()


def chunks_of_range(prepared: Prepared, given: Range, chunk_rows: int) -> Iterator[Chunk]:
    """The rows of a range as chunks: without the end of a query that begins before it, with that of its last.

    Raises
    ------
    pyarrow.ArrowException, OSError : for a file that cannot be read, or is another one.
    """
    at = given.file
    path = prepared.files[at].path
    ids = prepared.ids(at) if prepared.mapped[at].kind == "candidates" else []
    if fingerprint(path) != given.fingerprint:
        raise OtherFileError("it is not the file that was looked at first, but another of its name")
    with opened(path) as source:
        pieces = _Pieces(source, given, prepared.columns(at), ids, min(BATCH_ROWS, chunk_rows))
        yield from chunks_from(iter(pieces), at, pieces.first_row, ids, chunk_rows)


class _Pieces:
    """The batches of a range, as `chunks_of_range` says."""

    def __init__(
        self, source: Any, given: Range, columns: Sequence[str], ids: Sequence[str], batch_rows: int
    ) -> None:
        self._source, self._given, self._columns, self._ids = source, given, list(columns), list(ids)
        self._batch_rows = batch_rows
        sizes = _sizes(source)
        self._begin, self._end = sum(sizes[: given.first]), sum(sizes[: given.end])
        self._n_groups = len(sizes)
        self._batches = self._cut()
        self._first = next(self._batches, None)

    first_row: int = 1

    def __iter__(self) -> Iterator[Any]:
        if self._first is not None:
            yield self._first
            yield from self._batches

    def _cut(self) -> Iterator[Any]:
        """The batches; ``first_row`` is known when there is a first."""
        groups = range(self._given.first, self._n_groups if self._ids else self._given.end)
        read = batches_of(self._source, self._batch_rows, self._columns, groups)
        last, at = self._before(), self._begin
        is_begun = last is None
        self.first_row = at + 1
        for batch in read:
            if not is_begun and last is not None:
                n = first_other(batch, last)
                at, batch = at + n, batch.slice(n)
                if at >= self._end:
                    return
                if not batch.num_rows:
                    continue
                is_begun, self.first_row = True, at + 1
            n_within = min(max(self._end - at, 0), batch.num_rows)
            if n_within and self._ids:
                last = {name: batch.column(name)[n_within - 1] for name in self._ids}
            n_behind = batch.num_rows - n_within
            n_more = 0 if not n_behind or last is None else first_other(batch.slice(n_within), last)
            if n_within + n_more:
                yield batch.slice(0, n_within + n_more)
            if n_more < n_behind:
                return
            at += batch.num_rows

    def _before(self) -> Ids | None:
        """The query of the last row before the range; None where none can go on in it."""
        groups = [one for one in range(self._given.first) if self._source.metadata.row_group(one).num_rows]
        if not self._ids or not groups:
            return None
        last: Ids | None = None
        for batch in batches_of(self._source, BATCH_ROWS, self._ids, groups[-1:]):
            if batch.num_rows:
                last = {name: batch.column(name)[-1] for name in self._ids}
        return last


def _sizes(source: Any) -> list[int]:
    metadata = source.metadata
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
