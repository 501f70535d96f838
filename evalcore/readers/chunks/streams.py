"""The rows of an input as chunks, by the layout of its files: aligned, or brought together by post first."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes
from evalcore.problems import Findings
from evalcore.readers.chunks.batches import BATCH_ROWS, Chunk, chunks_of
from evalcore.readers.chunks.files import batches_of, opened
from evalcore.readers.chunks.reading import ROW, Prepared, rows_of
from evalcore.readers.chunks.spelling import Spelled
from evalcore.readers.columns.ids import Keys
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows, keys_of
from evalcore.readers.formats.signatures import reason_of

MOST_PARTS = 256
"""So many temporary files are open at a time, or half as many for each of two tables."""
_IDS = ("post_id", "criterion_id", "query_id")


def aligned(prepared: Prepared, chunk_rows: int, findings: Findings) -> Iterator[Chunk]:
    """The chunks of one file after the other; ``findings`` gets files that are damaged."""
    for at, file in enumerate(prepared.files):
        ids = prepared.ids(at) if prepared.mapped[at].kind == "candidates" else []
        try:
            columns, coded = prepared.columns(at), prepared.coded(at)
            yield from chunks_of(file.path, at, columns, ids, chunk_rows, coded)
        except (pa.ArrowException, OSError) as error:
            findings.add("FILE-007", file=file.name, kind="Parquet", reason=reason_of(error))


def ids_alone(mapped: Mapped) -> Mapped:
    """A table of which the ids alone have a role."""
    roles = {role: names for role, names in mapped.roles.items() if role in _IDS}
    return replace(mapped, roles=roles, groups=(), numbers=(), units=())


def ids_in(prepared: Prepared, chunk: Chunk) -> tuple[Rows, Keys] | None:
    """The rows of a chunk that have ids, with these alone, and their queries; None without any."""
    rows = rows_of(prepared, chunk, ids_alone(prepared.mapped[chunk.file]), Findings())
    keys = None if rows is None else keys_of(rows, Findings())
    return None if rows is None or keys is None else (rows, keys)


def together(prepared: Prepared) -> Prepared:
    """The input as one file of each kind, with the rows of all its files in their order."""
    files, mapped = [], []
    for kind in dict.fromkeys(one.kind for one in prepared.mapped):
        own = [at for at, one in enumerate(prepared.mapped) if one.kind == kind]
        parts = [prepared.files[at] for at in own]
        name = parts[0].name if len(parts) == 1 else f"{len(parts):,} files from {parts[0].name} on"
        digest = hashlib.sha256("".join(one.sha256 for one in parts).encode()).hexdigest()
        files.append(
            replace(
                parts[0],
                path="",
                name=name,
                n_rows=sum(one.n_rows for one in parts),
                n_bytes=sum(one.n_bytes for one in parts),
                sha256=digest if len(parts) > 1 else parts[0].sha256,
                partitions={},
            )
        )
        first = prepared.mapped[own[0]]
        table = replace(first.table, name=name, sha256=files[-1].sha256, n_bytes=files[-1].n_bytes)
        mapped.append(replace(first, table=table))
    options = replace(prepared.options, files_as=None)
    return replace(prepared, files=tuple(files), mapped=tuple(mapped), options=options)


class Parted:
    """The rows of an input by a hash of their posts, in temporary files that have no name.

    A file without a name is gone with the process that opened it, however that ends.

    Parameters
    ----------
    prepared : the input.
    n_parts : how many parts there are to be, at most.
    findings : gets files that are damaged, and columns that files store in ways that do not fit.
    whole_rows : whether all columns are kept, not only those that are needed.
    """

    def __init__(
        self, prepared: Prepared, n_parts: int, findings: Findings, *, whole_rows: bool = False
    ) -> None:
        self._prepared, self._findings, self._whole_rows = prepared, findings, whole_rows
        self.kinds = list(dict.fromkeys(str(one.kind) for one in prepared.mapped))
        self.n_parts = max(1, min(n_parts, MOST_PARTS // len(self.kinds)))
        self._open = contextlib.ExitStack()
        self._files: dict[tuple[int, int], Any] = {}
        self._writers: dict[tuple[int, int], Any] = {}
        self._spelled = Spelled()

    def __enter__(self) -> Parted:
        """Read every file once and part its rows."""
        try:
            for kind in range(len(self.kinds)):
                self._fill(kind)
            for writer in self._writers.values():
                writer.close()
            self._check_spelling()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def tables(self, part: int) -> list[Any]:
        """The rows of a part by kind, in the order of the input; None where it has none."""
        found = []
        for kind in range(len(self.kinds)):
            file = self._files.get((kind, part))
            if file is not None:
                file.seek(0)
            found.append(None if file is None else pa.ipc.open_stream(file).read_all())
        return found

    def chunks(self) -> Iterator[Chunk]:
        """Each part as a chunk of the input `together`."""
        for part in range(self.n_parts):
            own = [Chunk(kind, 1, table) for kind, table in enumerate(self.tables(part)) if table is not None]
            if own:
                yield replace(own[0], beside=own[1] if len(own) > 1 else None)

    def _fill(self, kind: int) -> None:
        own = [at for at, one in enumerate(self._prepared.mapped) if one.kind == self.kinds[kind]]
        schema = self._schema(own)
        n_before = 0
        for at in own if schema is not None else ():
            file = self._prepared.files[at]
            try:
                with opened(file.path) as source:
                    first_row = 1
                    for batch in batches_of(source, BATCH_ROWS, self._columns(at)):
                        rows, part = self._parted(at, first_row, batch)
                        row = pa.array(np.arange(n_before + first_row, n_before + first_row + len(part)))
                        self._write(kind, _fitted(rows, schema).append_column(ROW, row), part)
                        first_row += len(part)
            except (pa.ArrowException, OSError) as error:
                self._findings.add("FILE-007", file=file.name, kind="Parquet", reason=reason_of(error))
            n_before += file.n_rows

    def _columns(self, at: int) -> list[str] | None:
        return None if self._whole_rows else self._prepared.columns(at)

    def _schema(self, own: list[int]) -> Any:
        """One schema for the files of a kind, ids as text; None where they do not fit, which is reported."""
        schemas = []
        for at in own:
            with opened(self._prepared.files[at].path) as source:
                schema = source.schema_arrow.remove_metadata()
            names = self._columns(at) or schema.names
            fields = [_plain(schema.field(name)) for name in names]
            keys = self._prepared.files[at].partitions
            fields += [pa.field(name, pa.string()) for name in keys if name not in names]
            ids = set(self._prepared.ids(at))
            schemas.append(
                pa.schema([pa.field(one.name, pa.string()) if one.name in ids else one for one in fields])
            )
        for at, schema in zip(own, schemas, strict=True):
            try:
                pa.unify_schemas([schemas[0], schema], promote_options="permissive")
            except pa.ArrowException:
                name = self._prepared.files[at].name
                self._findings.add("CHK-008", file=name, first=self._prepared.files[own[0]].name)
                return None
        return pa.unify_schemas(schemas, promote_options="permissive")

    def _parted(self, at: int, first_row: int, batch: Any) -> tuple[Any, NDArray[np.intp]]:
        """Rows with their ids as the text that they are read as, and the part of each."""
        rows = pa.Table.from_batches([batch])
        part = np.zeros(len(rows), np.intp)
        if (ids := ids_in(self._prepared, Chunk(at, first_row, rows))) is not None:
            found, keys = ids
            posts = hashes(keys.post.levels)
            if len(self.kinds) > 1:
                self._spelled.add(self.kinds.index(str(found.mapped.kind)), keys, posts)
            of_level = (posts % np.uint64(self.n_parts)).astype(np.intp)
            part[found.columns.row - first_row] = of_level[keys.post.codes]
            for name, texts in found.columns.texts.items():
                if name in rows.column_names and len(texts.codes) == len(rows):
                    levels = pa.array(texts.levels.tolist(), pa.string())
                    text = pa.DictionaryArray.from_arrays(pa.array(texts.codes), levels).dictionary_decode()
                    rows = rows.set_column(rows.column_names.index(name), name, text)
        for name, value in self._prepared.files[at].partitions.items():
            if name not in rows.column_names:
                rows = rows.append_column(name, pa.repeat(pa.scalar(value, pa.string()), len(rows)))
        return rows, part

    def _check_spelling(self) -> None:
        """Refuse ids that the two kinds of files write otherwise: no part has both."""
        if len(self.kinds) < 2:
            return
        whole, found = together(self._prepared), Findings()
        names = {kind: file.name for kind, file in enumerate(whole.files)}
        self._spelled.report(names, lambda kind, role: self._levels(whole, kind, role), found)
        is_refused = bool(found.errors)
        found.hand_over(self._findings)
        if is_refused:
            self._findings.raise_errors()

    def _levels(self, whole: Prepared, kind: int, role: str) -> Iterator[NDArray[np.object_]]:
        """The posts or criteria of a kind, a part at a time."""
        for part in range(self.n_parts):
            table = self.tables(part)[kind]
            ids = None if table is None else ids_in(whole, Chunk(kind, 1, table.drop_columns([ROW])))
            texts = None if ids is None else ids[1].post if role == "post" else ids[1].criterion
            if texts is not None:
                yield texts.levels

    def _write(self, kind: int, rows: Any, part: NDArray[np.intp]) -> None:
        order = np.argsort(part, kind="stable")
        rows = rows.take(pa.array(order))
        bounds = np.searchsorted(part[order], np.arange(self.n_parts + 1))
        for at in np.flatnonzero(np.diff(bounds)).tolist():
            key = kind, at
            if key not in self._writers:
                self._files[key] = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the others
                self._writers[key] = pa.ipc.new_stream(self._files[key], rows.schema)
            self._writers[key].write_table(rows.slice(int(bounds[at]), int(bounds[at + 1] - bounds[at])))


def _plain(field: Any) -> Any:
    """A field without its codes: each batch has codes of its own."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, kind)


def _fitted(rows: Any, schema: Any) -> Any:
    """Rows with the columns of a schema, empty where the file lacks one."""
    cells = []
    for field in schema:
        if field.name not in rows.column_names:
            cells.append(pa.nulls(len(rows), field.type))
            continue
        cells.append(rows.column(field.name).cast(field.type))
    return pa.table(cells, schema=schema)
