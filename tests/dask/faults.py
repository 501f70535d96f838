"""What a task does beside its work, as workers import it: it is slow, leaves a trace, or fails."""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evalcore.evaluation.chunks.on_cluster import gather_range
from evalcore.problems import InputError, problem
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


def handed(folder: str, seconds: float, name: str, given: Any, item: Any) -> Any:
    """What the function of this name gives of an item, after some time; files say who began and did it."""
    one = hashlib.sha256(pickle.dumps(item)).hexdigest()[:12]
    (Path(folder) / f"{one}_{os.getpid()}_{uuid.uuid4().hex}").touch()
    time.sleep(seconds)
    (Path(folder) / f"done-{one}_{os.getpid()}").touch()
    return _named(name)(given, item)


def met(folder: str, n_processes: int, name: str, given: Any, item: Any) -> Any:
    """What the function gives, once so many processes have begun: no quick one does everything alone."""
    until = time.monotonic() + 60
    (Path(folder) / f"{uuid.uuid4().hex}_{os.getpid()}_").touch()
    while len(set().union(*begun(folder).values())) < n_processes and time.monotonic() < until:
        time.sleep(0.01)
    return _named(name)(given, item)


def fails(folder: str, times: int, is_refused: bool, name: str, given: Any, item: Any) -> Any:
    """Fails so many times, or refuses its item, then works; a file says that it did."""
    if len(list(Path(folder).iterdir())) < times:
        (Path(folder) / uuid.uuid4().hex).touch()
        if is_refused:
            raise InputError([problem("OPT-008", found="planted", expected="nothing", advice="")], 3)
        raise RuntimeError("planted\n  at a line of a library\n")
    return _named(name)(given, item)


def doubled(seconds: float, item: int) -> int:
    """Twice the item, after some time."""
    time.sleep(seconds)
    return 2 * item


def _named(name: str) -> Callable[[Any, Any], Any]:
    """A function as a worker has it; here another one may stand in its place."""
    module, _, function = name.partition(":")
    found: Callable[[Any, Any], Any] = getattr(importlib.import_module(module), function)
    return found


def begun(folder: str) -> dict[str, list[int]]:
    """Each range that was begun, and the processes that did."""
    found: dict[str, list[int]] = {}
    for path in Path(folder).glob("*_*_*"):
        name, pid, _ = path.name.split("_")
        found.setdefault(name, []).append(int(pid))
    return found


def is_at_work(folder: str, pid: int) -> bool:
    """Whether a process is at an item, and has not done it."""
    n_begun = sum(pids.count(pid) for pids in begun(folder).values())
    return n_begun > len(list(Path(folder).glob(f"done-*_{pid}")))
