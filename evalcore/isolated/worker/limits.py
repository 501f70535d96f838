"""How much a file may hold, and the time and memory that reading it may take."""

from __future__ import annotations

import contextlib
from typing import Any

from .refusals import RefusedError

OWN_BYTES = 400_000_000
"""Memory of this process before a file comes, its libraries and their threads included."""


def check_columns(schema: Any, facts: dict[str, Any]) -> None:
    """Refuse a table of more columns than may be read."""
    if len(schema) > facts["max_columns"]:
        raise RefusedError("columns", n=len(schema))


def check_size(n_bytes: int, facts: dict[str, Any]) -> None:
    """Refuse what takes more bytes than may be unpacked."""
    if n_bytes > facts["max_bytes"]:
        raise RefusedError("size")


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
