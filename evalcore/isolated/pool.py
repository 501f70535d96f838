"""The processes that read files of strangers: started when needed, kept warm, replaced when they die."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from evalcore.isolated.worker import RefusedError, messages
from evalcore.settings import Settings

BYTES_A_SECOND = 5_000_000
WALL_SECONDS, WALL_FACTOR = 30, 10
"""How much longer the clock may run than the processor, which others use too, before a process is ended."""


class _Worker:
    """One process and the socket to it."""

    def __init__(self) -> None:
        self.is_fresh = True
        self.key: str | None = None
        ours, theirs = socket.socketpair()
        # A group of its own: Ctrl-C in a terminal is for the caller, at whose end this process ends too.
        # It needs no setting and no secret of the caller.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).parent), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: text for name, text in os.environ.items() if not name.startswith("EVALCORE_")}
            | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
            process_group=0,
        )
        theirs.close()
        self._socket = ours

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, facts: dict[str, Any], content: Any) -> tuple[dict[str, Any], memoryview]:
        """The answer to one request.

        Raises
        ------
        RefusedError : where the process does not live to answer, or not in time.
        """
        self.key = facts.get("key")
        start = time.monotonic()
        self._socket.settimeout(WALL_SECONDS + WALL_FACTOR * facts["seconds"])
        try:
            messages.send(self._socket, facts, content)
            found = messages.receive(self._socket)
        except TimeoutError:
            # What uses up its time is ended by the system. A process that only waits is stuck: where others
            # came before, by what they left behind, and the file is read anew in a fresh one.
            raise RefusedError("time" if self.is_fresh else "death") from None
        except OSError:  # a broken pipe: it died while it was sent the file
            found = None
        if found is None:
            # A file cannot have used up more time than all processors had since it came.
            n_seconds = (time.monotonic() - start) * (os.cpu_count() or 1)
            raise RefusedError(self._cause_of_death(is_of_time=n_seconds >= facts["seconds"]))
        self.is_fresh = False
        return found

    def _cause_of_death(self, *, is_of_time: bool) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        return "time" if is_of_time and self._process.returncode == -signal.SIGXCPU else "death"

    def end(self) -> None:
        """End the process and collect it."""
        self._socket.close()
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


class Pool:
    """A bounded number of processes, each for one file at a time.

    Parameters
    ----------
    size : the most that run at the same time; who comes when all are busy waits for the first that is free.
    """

    def __init__(self, size: int) -> None:
        self._turns = threading.BoundedSemaphore(size)
        self._free: list[_Worker] = []
        self._lock = threading.Lock()

    def ask(self, facts: dict[str, Any], content: Any) -> tuple[dict[str, Any], memoryview]:
        """The answer of a warm process; one that dies or lacks memory is replaced by a fresh one, once."""
        with self._turns:
            for is_second in (False, True):
                one = _Worker() if is_second else self._taken(facts.get("key"))
                was_fresh = one.is_fresh
                try:
                    found = self._asked(one, facts, content)
                except BaseException as error:
                    one.end()
                    if was_fresh or not isinstance(error, RefusedError) or error.facts["refused"] != "death":
                        raise
                    continue
                if found[0].get("refused") == "memory":
                    one.end()  # it may be full of what others left behind
                    if was_fresh:
                        return found
                    continue
                with self._lock:
                    self._free.append(one)
                return found
            raise AssertionError("the second process is fresh")

    @staticmethod
    def _asked(one: _Worker, facts: dict[str, Any], content: Any) -> tuple[dict[str, Any], memoryview]:
        """The answer of one process, which is sent the file unless it holds it still."""
        if facts.get("key") is not None and one.key == facts.get("key"):
            found = one.ask(facts | {"again": True}, b"")
            if found[0].get("refused") != "gone":
                return found
        return one.ask(facts, content)

    def _taken(self, key: str | None) -> _Worker:
        """A process that waits, the one that was sent the file before the last that was free."""
        with self._lock:
            self._free.sort(key=lambda one: key is not None and one.key == key)
            while self._free:
                one = self._free.pop()
                if one.is_alive:
                    return one
                one.end()
        return _Worker()

    def warm_up(self) -> None:
        """Start the first process now, in good time before a file comes."""
        with self._lock:
            if not self._free:
                self._free.append(_Worker())

    def close(self) -> None:
        """End the processes that wait."""
        with self._lock:
            while self._free:
                self._free.pop().end()


_POOLS: dict[int, Pool] = {}
_POOLS_LOCK = threading.Lock()


def shared_pool() -> Pool:
    """The pool of this process; a process that was forked off has one of its own."""
    with _POOLS_LOCK:
        pid = os.getpid()
        if pid not in _POOLS:
            _POOLS.clear()
            _POOLS[pid] = Pool(Settings.read().max_readers)
            atexit.register(_POOLS[pid].close)
        return _POOLS[pid]


def ask(
    task: str, content: Any, *, key: str | None = None, **facts: Any
) -> tuple[dict[str, Any], memoryview]:
    """What a process of its own makes of a file.

    Parameters
    ----------
    task : a name of `worker.TASKS`.
    content : the bytes.
    key : names these bytes and no others; they are sent once for questions that follow each other.
    facts : what the task needs to know.

    Raises
    ------
    RefusedError : ``refused`` among its facts is one word: ``damaged`` with a ``reason``, ``text`` with
        ``columns``, ``twice`` with ``names``, ``columns`` with ``n``, ``size`` or ``memory`` (too large once
        unpacked), ``time``, or ``death`` (the process that read it died).
    """
    settings = Settings.read()
    max_bytes = settings.unpacked_limit(len(content))
    request = {
        "task": task,
        "key": key,
        "max_bytes": max_bytes,
        "max_columns": settings.max_columns,
        "seconds": settings.max_reading_seconds + len(content) // BYTES_A_SECOND,
        "memory": len(content) + 2 * max_bytes,
        **facts,
    }
    found, buffer = shared_pool().ask(request, content)
    if "refused" in found:
        raise RefusedError(found.pop("refused"), **found)
    return found, buffer
