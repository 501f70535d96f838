"""What reads files of strangers in a process of its own, which is sent one file after another.

There it is a package of its own whose modules import each other and nothing else of evalcore, so that it
starts fast. Nothing is unpickled on either side of the socket. Tables travel as an Arrow stream whose every
column was validated here first: what comes out is safe to compute with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from .refusals import RefusedError as RefusedError
from .refusals import reason_of as reason_of
from .tables import head, json_lines, read
from .unpacked import arrays, unzstd

TASKS: dict[str, Callable[[Any, dict[str, Any]], tuple[dict[str, Any], Any]]] = {
    "head": head,
    "read": read,
    "json": json_lines,
    "unzstd": unzstd,
    "arrays": arrays,
}


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
