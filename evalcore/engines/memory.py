"""Memory of this process that nothing is in any more."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import pyarrow as pa


def give_back() -> None:
    """Give memory that is free back to the system: allocators keep it, and a process only seems to need it.

    glibc keeps what arrays of up to 32 MiB leave behind, and Arrow has a pool of its own.
    """
    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """What glibc offers for it; None for another library of C."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # none of its names, or no such thing as on Windows
        return None
