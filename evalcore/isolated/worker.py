"""The process in which native code reads files of strangers: a script that is sent one file after another.

It imports nothing of evalcore, so that it starts fast, and nothing is unpickled on either side of the socket:
a message is the length of its facts and of its bytes, the facts as JSON, and the bytes. Tables travel as an
Arrow stream whose every column was validated here first: what comes out is safe to compute with.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import select
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pyarrow as pa

LENGTHS = struct.Struct("<QQ")
SAMPLE_ROWS = 1000
CHUNK = 2**20
JSON_BLOCK = 2**22
KEPT_SECONDS = 5
"""How long a file is kept for the next question about it."""
OWN_BYTES = 400_000_000
"""Memory of this process before a file comes, its libraries and their threads included."""


class RefusedError(Exception):
    """A file is not read; ``facts`` say why, under ``refused`` in a word."""

    def __init__(self, why: str, **facts: Any) -> None:
        super().__init__(why)
        self.facts = {"refused": why, **facts}


def reason_of(error: BaseException) -> str:
    """The first sentence of a library's message without its stop, or the kind of error where it is mute."""
    first = re.split(r"\n|(?<=\.) ", str(error).strip() or type(error).__name__)[0]
    return first.rstrip(". ")[:160]


def receive(
    connection: socket.socket, ready: Callable[[dict[str, Any]], None] | None = None
) -> tuple[dict[str, Any], memoryview] | None:
    """The facts and bytes of one message, or None where the other side has gone.

    Parameters
    ----------
    ready : is told the facts before there is memory for the bytes.
    """
    lengths = _exactly(connection, LENGTHS.size)
    if lengths is None:
        return None
    n_facts, n_bytes = LENGTHS.unpack(lengths)
    told = _exactly(connection, n_facts)
    if told is None:
        return None
    facts = json.loads(bytes(told))
    if ready is not None:
        ready(facts)
    content = _exactly(connection, n_bytes)
    return None if content is None else (facts, content)


def _exactly(connection: socket.socket, n: int) -> memoryview | None:
    buffer = memoryview(pa.allocate_buffer(n)).cast("B") if n else memoryview(b"")
    at = 0
    while at < n:
        got = connection.recv_into(buffer[at : at + CHUNK])
        if not got:
            return None
        at += got
    return buffer


def head(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Number of rows, and the first of them as a table; names of the columns that are damaged in these."""
    kind = facts["format"]
    if kind == "parquet":
        file = _parquet(content, facts)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        _check_columns(schema, facts)
        batches = file.iter_batches(SAMPLE_ROWS, use_threads=False)
    else:
        table = _arrow(content, None, facts)
        schema, n_rows = table.schema, table.num_rows
        _check_columns(schema, facts)
        batches = iter([table.slice(0, SAMPLE_ROWS)])
    names = [_text(schema, i) for i in range(len(schema))]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise RefusedError("twice", names=twice)
    plain = pa.schema([(name, _plain_type(schema.field(i).type)) for i, name in enumerate(names)])
    try:
        first = next(batches, None) if n_rows else None
    except (pa.ArrowException, OSError, ValueError):
        first = None
    if first is None:
        return {"n_rows": n_rows, "damaged": names}, plain.empty_table()
    columns, damaged = [], []
    for i, name in enumerate(names):
        try:
            columns.append(_valid(first.column(i), name))
        except RefusedError:
            columns.append(pa.nulls(first.num_rows, plain.field(i).type))
            damaged.append(name)
    return {"n_rows": n_rows, "damaged": damaged}, pa.table(columns, schema=plain)


def read(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The columns asked for, each valid in full.

    Threads are Python's: where one cannot be started, Arrow lets go of a file that its others still read,
    and the process dies or waits for ever.
    """
    names = facts["columns"]
    with ThreadPoolExecutor() as threads:
        if facts["format"] == "parquet":
            metadata = _parquet(content, facts).metadata
            read_columns = list(threads.map(lambda name: _parquet_column(content, metadata, name), names))
        else:
            table = _arrow(content, names, facts)
            read_columns = [table.column(name) for name in names]
        _check_size(sum(column.nbytes for column in read_columns), facts)
        columns = list(threads.map(partial(_coded, coded=facts["coded"]), read_columns, names))
    not_text = [found.facts["column"] for found in columns if isinstance(found, RefusedError)]
    if not_text:
        raise RefusedError("text", columns=not_text)
    return {}, pa.table(columns, names=names)


def _parquet_column(content: Any, metadata: Any, name: str) -> Any:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), metadata=metadata, pre_buffer=False)
    return file.read(columns=[name], use_threads=False).column(name)


def _coded(column: Any, name: str, coded: list[str]) -> Any:
    """The valid column, text as codes where the caller needs them so: most of it then travels once.

    Bytes that are no text come back as a refusal, so that every such column can be named.
    """
    if name in coded and pa.types.is_string(column.type):
        column = column.dictionary_encode()
    try:
        return _valid(column, name)
    except RefusedError as refusal:
        if refusal.facts["refused"] != "text":
            raise
        return refusal


def json_lines(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Records of JSON Lines; types as Arrow infers them, times as the text they are."""
    from pyarrow import json as arrow_json

    options = arrow_json.ReadOptions(block_size=JSON_BLOCK)
    table = arrow_json.read_json(pa.BufferReader(content), read_options=options)
    _check_columns(table.schema, facts)
    times = [field.with_type(_timeless(field.type)) for field in table.schema]
    times = [field for field in times if field.type != table.schema.field(field.name).type]
    if times:
        parse = arrow_json.ParseOptions(explicit_schema=pa.schema(times))
        table = arrow_json.read_json(pa.BufferReader(content), read_options=options, parse_options=parse)
    return {}, table


def _timeless(kind: Any) -> Any:
    """The type with text in the place of times, however deep they lie."""
    if pa.types.is_list(kind):
        return pa.list_(_timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(i).with_type(_timeless(kind.field(i).type)) for i in range(len(kind))])
    return pa.string() if pa.types.is_temporal(kind) else kind


def unzstd(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The bytes of a zstd archive, or the first of them."""
    stream = pa.CompressedInputStream(pa.BufferReader(content), "zstd")
    if facts["most"] is not None:
        return {}, stream.read(facts["most"])
    parts: list[bytes] = []
    size = 0
    while part := stream.read(CHUNK * 16):
        parts.append(part)
        size += len(part)
        _check_size(size, facts)
    return {}, parts


def arrays(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """What the arrays of a NumPy file are, of a .npz with their bytes one after the other.

    Each has its name, type, shape, order, and place in the .npy file or in the bytes that come back. Of a
    .npz those with one of the ``names`` are read, in any case of letters, or a single one, and the names of
    the ``others`` told.
    """
    import zipfile

    if bytes(content[:6]) == NPY:
        found = [_array("", content, 0)]
        if found[0]["end"] != facts["n_bytes"]:
            raise RefusedError(
                "damaged", reason=f"{facts['n_bytes']:,} bytes where its header tells of another number"
            )
        return {"arrays": found, "others": []}, b""
    parts: list[bytes] = []
    found, size = [], 0
    with zipfile.ZipFile(_Reading(content)) as archive:
        members = {
            one.filename.removesuffix(".npy"): one
            for one in archive.infolist()
            if one.filename.endswith(".npy")
        }
        if len(members) < sum(one.filename.endswith(".npy") for one in archive.infolist()):
            raise RefusedError("damaged", reason="two arrays of one name")
        wanted = [name for name in members if name.lower() in facts["names"] or len(members) == 1]
        for name in wanted:
            one = members[name]
            if one.flag_bits & ENCRYPTED:
                raise RefusedError("damaged", reason=f"the array {name!r} is encrypted")
            if size + one.file_size > facts["max_bytes"]:
                raise RefusedError("size")
            with archive.open(one) as member:
                data = member.read(one.file_size + 1)
            found.append(_array(name, data, size))
            if found[-1]["end"] != size + len(data):
                raise RefusedError("damaged", reason=f"the array {name!r} is cut off, or longer than told")
            parts += [data, bytes(-len(data) % ALIGNED)]
            size += len(data) + len(parts[-1])
    return {"arrays": found, "others": [name for name in members if name not in wanted]}, parts


HEADER = 2**16
ALIGNED = 64
ENCRYPTED = 1
"""The bit of a member's flags in a zip archive."""
_VERSIONS = ((1, 0), (2, 0), (3, 0))


NPY = b"\x93NUMPY"


class _Reading(io.RawIOBase):
    """Bytes as a file, without a copy of them."""

    def __init__(self, content: Any) -> None:
        self._content, self._at = memoryview(content), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, at: int, whence: int = 0) -> int:
        self._at = max(at + (0, self._at, len(self._content))[whence], 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        found = self._content[self._at : self._at + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


def _array(name: str, data: Any, before: int) -> dict[str, Any]:
    """Type, shape, order and place of one array; objects are refused, as pickles run code."""
    from numpy.lib import format as npy

    head = io.BytesIO(bytes(data[:HEADER]))
    if len(data) < npy.MAGIC_LEN or bytes(data[:6]) != NPY:
        raise RefusedError("damaged", reason="no header of an array")
    version = npy.read_magic(head)
    if version not in _VERSIONS:
        raise RefusedError("damaged", reason=f"the version {version[0]}.{version[1]} of the format")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, is_fortran, dtype = read_header(head)
    except MemoryError:
        raise
    except Exception:  # what it says quotes the header, or tells where in memory a part of it is
        raise RefusedError("damaged", reason="a header that describes no array") from None
    if dtype.hasobject:
        raise RefusedError("objects", name=name)
    if any(isinstance(n, bool) or n < 0 for n in shape):
        raise RefusedError("damaged", reason="lengths in a header that are no whole numbers from 0 on")
    n_bytes = dtype.itemsize
    for n in shape:
        n_bytes *= int(n)
    start = before + head.tell()
    return {
        "name": name,
        "type": dtype.str if dtype.names is None else "fields",
        "shape": list(shape),
        "is_fortran": bool(is_fortran),
        "start": start,
        "end": start + n_bytes,
    }


TASKS: dict[str, Callable[[Any, dict[str, Any]], tuple[dict[str, Any], Any]]] = {
    "head": head,
    "read": read,
    "json": json_lines,
    "unzstd": unzstd,
    "arrays": arrays,
}


def _parquet(content: Any, facts: dict[str, Any]) -> Any:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    metadata = file.metadata
    _check_size(sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)), facts)
    return file


def _arrow(content: Any, names: list[str] | None, facts: dict[str, Any]) -> Any:
    """The table of a Feather file of either version, or of an Arrow stream."""
    if facts["format"] == "arrow stream":
        table = pa.ipc.open_stream(pa.BufferReader(content)).read_all()
        return table if names is None else table.select(names)
    from pyarrow import feather

    return feather.read_table(pa.BufferReader(content), columns=names, use_threads=False)


def _check_columns(schema: Any, facts: dict[str, Any]) -> None:
    if len(schema) > facts["max_columns"]:
        raise RefusedError("columns", n=len(schema))


def _check_size(n_bytes: int, facts: dict[str, Any]) -> None:
    if n_bytes > facts["max_bytes"]:
        raise RefusedError("size")


def _text(schema: Any, at: int) -> str:
    try:
        return str(schema.field(at).name)
    except UnicodeDecodeError:
        raise RefusedError("damaged", reason=f"the name of column {at + 1} is not UTF-8") from None


def _plain_type(kind: Any) -> Any:
    return kind.storage_type if _is_of_a_library(kind) else kind


def _is_of_a_library(kind: Any) -> bool:
    return isinstance(kind, pa.BaseExtensionType) and not isinstance(kind, pa.UuidType)


def _valid(column: Any, name: str) -> Any:
    """The column without a type of a library's own, or a refusal that names it."""
    if _is_of_a_library(column.type):
        column = (
            pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
            if isinstance(column, pa.ChunkedArray)
            else column.storage
        )
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        kind = "text" if "UTF8" in str(error) else "damaged"
        raise RefusedError(kind, reason=reason_of(error), column=name) from None
    return column


def limit(seconds: int, n_bytes: int) -> None:
    """Limit processor time, from now on, and memory; a death leaves no image of the memory behind."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(used.ru_utime + used.ru_stime) + 1 + seconds,
        resource.RLIMIT_DATA: OWN_BYTES + n_bytes,
    }
    for which, value in wanted.items():
        _, most = resource.getrlimit(which)  # stays, so that the limit can be raised for the next file
        with contextlib.suppress(OSError, ValueError):  # a system that does not know this limit
            resource.setrlimit(which, (value if most == resource.RLIM_INFINITY else min(value, most), most))


def answer(task: str, content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The facts of an answer, and a table, parts of bytes, or nothing."""
    try:
        return TASKS[task](content, facts)
    except RefusedError as refusal:
        return refusal.facts, []
    except MemoryError:
        return {"refused": "memory"}, []
    except Exception as error:  # whatever a library makes of hostile bytes is the file's fault
        is_memory = isinstance(error, pa.ArrowException | OSError) and "alloc" in str(error).lower()
        # The stack of a thread found no room: in the words of Python, and of Arrow.
        is_memory |= any(words in str(error) for words in ("start new thread", "launch worker thread"))
        return {"refused": "memory"} if is_memory else {"refused": "damaged", "reason": reason_of(error)}, []


def send(connection: socket.socket, facts: dict[str, Any], content: Any) -> None:
    """Send one message; a table goes out as an Arrow stream, without a copy of it in memory."""
    told = json.dumps(facts).encode()
    if not isinstance(content, pa.Table):
        parts: Iterable[Any] = content if isinstance(content, list) else [content]
        connection.sendall(LENGTHS.pack(len(told), sum(len(part) for part in parts)) + told)
        for part in parts:
            connection.sendall(part)
        return
    measured = pa.MockOutputStream()
    _write(content, measured)
    connection.sendall(LENGTHS.pack(len(told), measured.size()) + told)
    with connection.makefile("wb", buffering=CHUNK) as out:
        _write(content, out)


def _write(table: Any, sink: Any) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def main(connection: socket.socket) -> None:
    """Answer every request until the other side goes.

    A file that is asked about once more soon is kept till then: only its key is sent the second time.
    """
    kept: dict[str, Any] = {}

    def ready(facts: dict[str, Any]) -> None:
        if not facts.get("again"):
            kept.clear()
        limit(facts["seconds"], facts["memory"])

    while True:
        if kept and not select.select([connection], [], [], KEPT_SECONDS)[0]:
            kept.clear()
            pa.default_memory_pool().release_unused()
        request = receive(connection, ready)
        if request is None:
            return
        facts, content = request
        key = facts.get("key")
        if not facts.get("again"):
            kept.update({key: content} if key else {})
            send(connection, *answer(facts["task"], content, facts))
        elif key in kept:
            send(connection, *answer(facts["task"], kept[key], facts))
        else:
            send(connection, {"refused": "gone"}, b"")
        del request, content
        pa.default_memory_pool().release_unused()


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
