"""What goes over the socket: the length of the facts and of the bytes, the facts as JSON, and the bytes."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

LENGTHS = struct.Struct("<QQ")
CHUNK = 2**20


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
