"""What a task does beside its work, as workers import it: it is slow, leaves a trace, or fails."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import Any

from evalcore.evaluation.chunks.on_cluster import gather_range
from tests.dask import nodes

assert nodes


def traced(folder: str, seconds: float, given: Any, one: Any) -> Any:
    """The tallies of a range, after some time; a file says who began it."""
    (Path(folder) / f"{one.file}-{one.first}_{os.getpid()}_{uuid.uuid4().hex}").touch()
    time.sleep(seconds)
    return gather_range(given, one)


def failing(folder: str, times: int, given: Any, one: Any) -> Any:
    """Fails so many times, then works; a file says that it did."""
    if one.first and len(list(Path(folder).iterdir())) < times:
        (Path(folder) / uuid.uuid4().hex).touch()
        raise RuntimeError("planted\n  at a line of a library\n")
    return gather_range(given, one)


def begun(folder: str) -> dict[str, list[int]]:
    """Each range that was begun, and the processes that did."""
    found: dict[str, list[int]] = {}
    for path in Path(folder).iterdir():
        name, pid, _ = path.name.split("_")
        found.setdefault(name, []).append(int(pid))
    return found
