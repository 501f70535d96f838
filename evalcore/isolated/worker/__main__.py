"""The process: it answers on the socket whose number it is given."""

from __future__ import annotations

import select
import socket
import sys
from typing import Any

import pyarrow as pa

from . import answer
from .limits import limit
from .messages import receive, send

KEPT_SECONDS = 5
"""How long a file is kept for the next question about it."""


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
