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
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def keep_freed() -> None:
    """Make arrays out of what others gave back from now on: new pages take longer to get than to fill."""
    _set_option(_TRIM_THRESHOLD, KEPT_FREE)
    give_back_from(MAPPED_FROM)


def give_back_from(n_bytes: int) -> None:
    """Let arrays of so many bytes and more be the system's again as soon as they are let go of.

    glibc does so up to a size that it raises by itself, to 32 MiB, as such arrays come and go.
    """
    _set_option(_MMAP_THRESHOLD, n_bytes)


KEPT_FREE, MAPPED_FROM = 1 << 26, 1 << 24
"""Bytes that are kept for the next arrays, and from how many on an array is not among these."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # in malloc.h


def _set_option(option: int, value: int) -> None:
    set_option = _of_glibc("mallopt")
    if set_option is not None:
        set_option(option, value)


@cache
def _of_glibc(name: str) -> Any:
    """A function of glibc; None in another library of C."""
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # none of its names, or no such thing as on Windows
        return None
