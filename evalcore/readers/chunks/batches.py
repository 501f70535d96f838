"""A file as chunks of rows: a query that crosses a group of rows, or a batch, stays in one chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.readers.chunks.files import batches_of, opened
from evalcore.readers.columns.ids import in_order
from evalcore.readers.formats.arrays import arrow_array, plain_array

BATCH_ROWS = 1 << 18


@dataclass(frozen=True)
class Chunk:
    """Some rows of one file.

    Parameters
    ----------
    file : which of the files of the input.
    first_row : the data row of the file that the first one is, from 1.
    rows : the columns that are needed, as an Arrow table.
    beside : rows of another table with the same posts, or None.
    in_order : the columns of texts that are coded by those that they have, in the order in which they come.
    """

    file: int
    first_row: int
    rows: Any
    beside: Chunk | None = None
    in_order: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.rows.num_rows) + (len(self.beside) if self.beside is not None else 0)

    def __reduce__(self) -> tuple[Any, ...]:
        """As an Arrow stream: what is pickled otherwise may be all that the rows were cut from."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.rows.schema) as stream:
            stream.write_table(self.rows)
        content = sink.getvalue().to_pybytes()
        return _from_stream, (self.file, self.first_row, content, self.beside, self.in_order)


def _from_stream(file: int, first_row: int, content: bytes, *others: Any) -> Chunk:
    return Chunk(file, first_row, pa.ipc.open_stream(pa.py_buffer(content)).read_all(), *others)


def chunks_of(
    path: str,
    file: int,
    columns: Sequence[str],
    ids: Sequence[str],
    chunk_rows: int,
    coded: Sequence[str] = (),
) -> Iterator[Chunk]:
    """The rows of a file in chunks of about so many; more where one query has more.

    Parameters
    ----------
    path, file : where it lies, and which of the files it is.
    columns : those that are needed.
    ids : the columns that name a query whose rows belong together; none: every row stands by itself.
    chunk_rows : how many rows a chunk has at least, but for the last of a file.
    coded : those of texts that are read as codes.

    Raises
    ------
    pyarrow.ArrowException, OSError : for a file that is damaged.
    """
    with opened(path, coded) as source:
        batches = batches_of(source, min(BATCH_ROWS, chunk_rows), list(columns))
        for chunk in chunks_from(batches, file, 1, ids, chunk_rows):
            yield _with_own_levels(chunk, coded)


def _with_own_levels(chunk: Chunk, coded: Sequence[str]) -> Chunk:
    """A chunk whose texts are coded by those that it has, in the order in which they come."""
    rows = chunk.rows
    for name in coded:
        column = rows.column(name).unify_dictionaries()
        if column.null_count:
            own = pa.chunked_array([one.dictionary_decode() for one in column.chunks])
        else:
            levels = column.chunk(0).dictionary
            codes, old = in_order(
                plain_array(pa.chunked_array([one.indices for one in column.chunks])), len(levels)
            )
            own = pa.DictionaryArray.from_arrays(
                arrow_array(codes.astype(np.int32)), levels.take(arrow_array(old))
            )
        rows = rows.set_column(rows.column_names.index(name), name, own)
    whole = tuple(name for name in coded if not rows.column(name).null_count)
    return replace(chunk, rows=rows, in_order=whole)


def chunks_from(
    batches: Iterable[Any], file: int, first_row: int, ids: Sequence[str], chunk_rows: int
) -> Iterator[Chunk]:
    """As `chunks_of`, from batches of rows of which the first is ``first_row`` of its file."""
    waiting: list[Any] = []
    n_waiting = n_alike = 0
    for batch in batches:
        waiting.append(batch)
        n_waiting += batch.num_rows
        if n_waiting < chunk_rows:
            continue
        n = _last_change(waiting, ids, n_alike) if ids else n_waiting
        if not n:
            n_alike = len(waiting)
            continue
        rows = pa.Table.from_batches(waiting)
        yield Chunk(file, first_row, rows.slice(0, n))
        waiting = rows.slice(n).to_batches()
        n_waiting, first_row, n_alike = n_waiting - n, first_row + n, len(waiting)
    if n_waiting:
        yield Chunk(file, first_row, pa.Table.from_batches(waiting))


def _last_change(batches: Sequence[Any], ids: Sequence[str], n_alike: int) -> int:
    """How many rows stand before the run of the last query; 0 where that is all there is.

    The first ``n_alike`` batches are known to be of one query: one row stands for all of them.
    """
    last = {name: batches[-1].column(name)[-1] for name in ids}
    n_before = sum(batch.num_rows for batch in batches)
    for at in range(len(batches) - 1, max(n_alike - 1, 0) - 1, -1):
        batch = batches[at]
        n_before -= batch.num_rows
        looked_at = batch.slice(0, 1) if at < n_alike else batch
        others = np.zeros(looked_at.num_rows, bool)
        for name, value in last.items():
            others |= _is_other(looked_at.column(name), value)
        if others.any():
            return int(n_before + (batch.num_rows if at < n_alike else np.flatnonzero(others)[-1] + 1))
    return 0


def first_other(batch: Any, ids: Mapping[str, Any]) -> int:
    """How many rows a batch has before the first one of another query; all where there is none.

    Parameters
    ----------
    ids : column that names a query → its value.
    """
    others = np.zeros(batch.num_rows, bool)
    for name, value in ids.items():
        others |= _is_other(batch.column(name), value)
    return int(np.argmax(others)) if others.any() else int(batch.num_rows)


def _is_other(column: Any, value: Any) -> Any:
    if not value.is_valid:
        return np.asarray(pc.is_valid(column))
    if pa.types.is_dictionary(column.type):
        column, value = column.dictionary_decode(), value.value
    is_same = pc.fill_null(pc.equal(column, value), False)
    return ~np.asarray(is_same)
