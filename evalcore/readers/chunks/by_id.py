"""The rows of files by a hash of an id, in one temporary file that has no name."""

from __future__ import annotations

import contextlib
import tempfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes
from evalcore.problems import Findings
from evalcore.readers.chunks.batches import BATCH_ROWS, Chunk
from evalcore.readers.chunks.files import PartFile, batches_of, opened
from evalcore.readers.chunks.reading import ROW, rows_of_file
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.storage import plain
from evalcore.readers.formats.table import Texts

Told = Callable[[str], None]
SomeRows = tuple[Chunk, ...]
"""All rows of some ids: of each file that has any, in the order of the files."""
MOST_PARTS = 1024
"""With more, what is written at a time of each would be few rows."""
ROWS_A_PIECE = 16
"""What is written at a time of a part has about so many rows; with fewer it would be more head than rows."""


class Facts(Protocol):
    """What is known of the rows of a file so far."""

    def add(self, rows: Rows) -> None:
        """Take in some rows."""

    def look_at(self, cells: Mapping[str, Texts]) -> None:
        """Take in the cells of columns that have no role."""


class ById:
    """The rows of files, parted so that all rows of an id, such as a user, are in one part.

    What is written is gone with the process that opened it, however that ends.

    Parameters
    ----------
    files, mapped : each file, and the roles of its columns.
    role : of the column of the ids.
    facts : of each file; they take in all of its rows.
    chunk_rows : about how many rows a part has; more where there would be over `MOST_PARTS` parts.
    findings : gets files that are damaged.
    progress : is told how many rows are parted.
    looked_at : of each file, columns without a role that its facts are shown; none without.
    """

    def __init__(
        self,
        files: tuple[PartFile, ...],
        mapped: tuple[Mapped, ...],
        role: str,
        facts: Sequence[Facts],
        chunk_rows: int,
        findings: Findings,
        progress: Told,
        looked_at: Sequence[Sequence[str]] = (),
    ) -> None:
        self._files, self._mapped, self._role, self._facts = files, mapped, role, facts
        self._findings, self._tell, self._looked_at = findings, progress, looked_at or [()] * len(files)
        self._n_rows, self._chunk_rows = sum(one.n_rows for one in files), chunk_rows
        self._n_parts = min(max(1, -(-self._n_rows // chunk_rows)), MOST_PARTS)
        self._schemas: dict[int, Any] = {}
        # Of each piece of a part: which file it is of, where it begins, and how many bytes it has.
        self._pieces = [array("q") for _ in range(self._n_parts)]
        self._open = contextlib.ExitStack()
        self._n_done = 0

    def __enter__(self) -> ById:
        """Read every file once, note its facts and part its rows."""
        try:
            self._file = self._open.enter_context(tempfile.TemporaryFile())
            for at in range(len(self._files)):
                self._part(at)
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def parts(self) -> Iterator[SomeRows]:
        """All rows of some ids, after those of others."""
        for pieces in self._pieces:
            by_file: dict[int, list[Any]] = {}
            for at, begin, n_bytes in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
                self._file.seek(begin)
                batch = pa.ipc.read_record_batch(pa.py_buffer(self._file.read(n_bytes)), self._schemas[at])
                by_file.setdefault(at, []).append(batch)
            if by_file:
                yield tuple(
                    Chunk(at, 1, pa.Table.from_batches(batches).combine_chunks())
                    for at, batches in sorted(by_file.items())
                )

    def _part(self, at: int) -> None:
        file = self._files[at]
        mapped, asked = self._mapped[at], self._looked_at[at]
        columns = [name for name in dict.fromkeys([*mapped.forms(), *asked]) if name not in file.partitions]
        try:
            with opened(file.path) as source:
                first_row, n_waiting = 1, 0
                waiting: list[tuple[Any, NDArray[np.intp]]] = []
                for batch in batches_of(source, min(BATCH_ROWS, self._chunk_rows), columns):
                    rows = pa.Table.from_batches([batch])
                    part = self._seen(at, Chunk(at, first_row, rows), mapped, asked)
                    if part is None:
                        return
                    waiting.append((self._kept(at, rows, first_row), part))
                    first_row, n_waiting = first_row + len(part), n_waiting + len(part)
                    if n_waiting >= max(self._chunk_rows, ROWS_A_PIECE * self._n_parts):
                        self._write(at, waiting)
                        waiting, n_waiting = [], 0
                    self._n_done += len(part)
                    self._tell(f"{self._n_done:,} of {self._n_rows:,} rows by {self._role.partition('_')[0]}")
                if waiting:
                    self._write(at, waiting)
        except (pa.ArrowException, OSError) as error:
            self._findings.add("FILE-007", file=file.name, kind="Parquet", reason=reason_of(error))

    def _seen(self, at: int, chunk: Chunk, mapped: Mapped, asked: Sequence[str]) -> NDArray[np.intp] | None:
        """The part of each row; what is known of the rows is noted. None where they cannot be read."""
        part = np.zeros(len(chunk), np.intp)
        own = Findings()
        rows = rows_of_file(self._files[at], chunk, mapped, own)
        own.problems = [one for one in own.problems if one.code != "FILE-008"]
        own.hand_over(self._findings)
        if rows is None:  # what is wrong was told, or all of them are empty
            return None if own.errors else part
        facts = self._facts[at]
        facts.add(rows)
        if asked:
            read = rows.mapped.table.read(dict.fromkeys(asked, "text"))
            kept = np.isin(read.row, rows.row)
            facts.look_at({name: texts.where(kept) for name, texts in read.texts.items()})
        ids = rows.text(self._role)
        assert ids is not None
        of_level = (hashes(ids.levels) % np.uint64(self._n_parts)).astype(np.intp)
        part[rows.row - chunk.first_row] = of_level[ids.codes]
        return part

    def _kept(self, at: int, rows: Any, first_row: int) -> Any:
        """The columns that are needed, with the number of each row."""
        kept = [name for name in self._mapped[at].forms() if name in rows.column_names]
        row = pa.array(np.arange(first_row, first_row + rows.num_rows))
        table = pa.table({**{name: plain(rows.column(name)) for name in kept}, ROW: row})
        return table.cast(self._schemas.setdefault(at, _without_codes(table.schema)))

    def _write(self, at: int, waiting: list[tuple[Any, NDArray[np.intp]]]) -> None:
        part = np.concatenate([of_rows for _, of_rows in waiting])
        if not len(part):
            return
        order = np.argsort(part, kind="stable")
        rows = pa.concat_tables([rows for rows, _ in waiting]).take(pa.array(order)).combine_chunks()
        (batch,) = rows.to_batches()
        bounds = np.searchsorted(part[order], np.arange(self._n_parts + 1))
        for one in np.flatnonzero(np.diff(bounds)).tolist():
            piece = batch.slice(int(bounds[one]), int(bounds[one + 1] - bounds[one])).serialize()
            self._pieces[one].extend((at, self._file.tell(), piece.size))
            self._file.write(piece)


def _without_codes(schema: Any) -> Any:
    """A schema of values without codes, which are others in each batch."""
    fields = [
        pa.field(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type)
        for one in schema
    ]
    return pa.schema(fields)
