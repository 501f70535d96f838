"""Where work runs: in this process, or in several that are forked off it."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from evalcore.engines.memory import keep_freed
from evalcore.settings import Settings

Item = TypeVar("Item")
Result = TypeVar("Result")
MADE_BEFORE_SEARCH = 50_000
"""So many objects a forked process makes before it looks for circles among them: it soon ends."""
PIPE_BYTES = 1 << 20
"""Of results that wait until they are asked for."""


def most_processes() -> int:
    """As many as there are processors for this process, up to `Settings.max_processes`."""
    n_processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return min(n_processors, Settings.read().max_processes)


def can_fork() -> bool:
    """Whether a copy of this process would be whole: on Linux, where no other thread may hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


def mapped(
    function: Callable[[Item], Result], items: Sequence[Item], *, processes: int = 1
) -> Iterator[Result]:
    """The result of each item in their order, as `map`; results come from processes as pickles.

    An item at which a process fails or dies is worked at here, so that its error is raised here too. The
    processes begin at once and end with the iterator, whichever way it ends.

    Parameters
    ----------
    function : of an item; it may be any closure, for a forked process has all that this one has.
    items : what it is called with.
    processes : how many are forked off, where that is possible; with 1 each item is worked at here when its
        result is asked for.

    Examples
    --------
    >>> list(mapped(lambda item: item * item, [3, 1, 2], processes=2))
    [9, 1, 4]
    """
    processes = min(processes, len(items))
    if processes < 2 or not can_fork():
        return map(function, items)
    return _Workers(function, items, processes).results()


class _Workers:
    """Forked processes that each take the next item when they have done one.

    Parameters
    ----------
    function, items, processes : as of `mapped`.
    """

    def __init__(self, function: Callable[[Any], Any], items: Sequence[Any], processes: int) -> None:
        import fcntl  # only where processes can be forked

        self._function, self._items = function, items
        self._ours: list[Connection] = []
        self._processes = []
        context = multiprocessing.get_context("fork")
        # A file has one place for all who have it from here: nobody waits until this one hands them an item.
        due = _file()
        try:
            os.write(due, array("q", range(len(items))).tobytes())
            os.lseek(due, 0, os.SEEK_SET)
            for _ in range(processes):
                ours, theirs = context.Pipe(duplex=False)
                with contextlib.suppress(OSError):  # the system allows less: results wait for this process
                    fcntl.fcntl(ours.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
                self._ours.append(ours)
                given = (function, items, due, theirs, self._ours)
                process = context.Process(target=_work, args=given, daemon=True)
                process.start()
                theirs.close()
                self._processes.append(process)
        finally:
            os.close(due)

    def results(self) -> Iterator[Any]:
        """The results in the order of the items; with them the processes end."""
        try:
            yield from self._results()
        finally:
            self.end()

    def _results(self) -> Iterator[Any]:
        done: dict[int, tuple[bool, Any]] = {}
        alive = list(self._ours)
        for at, item in enumerate(self._items):
            while at not in done and alive:
                for ours in wait(alive):
                    assert isinstance(ours, Connection)
                    try:
                        number, is_done, result = ours.recv()
                    except (EOFError, OSError):
                        alive.remove(ours)
                    else:
                        done[number] = is_done, result
            is_done, result = done.pop(at, (False, None))
            yield result if is_done else self._function(item)

    def end(self) -> None:
        """End the processes, whatever they are at."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        for ours in self._ours:
            ours.close()


def _file() -> int:
    """A file of no name; some builds of Python leave out those in memory."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("items due")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _work(
    function: Callable[[Any], Any],
    items: Sequence[Any],
    due: int,
    theirs: Connection,
    others: Sequence[Connection],
) -> None:
    """What a forked process does: the items whose numbers are next in a file, until there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that was started
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # to look through what is shared would copy it
    gc.set_threshold(MADE_BEFORE_SEARCH)
    keep_freed()
    for ours in others:
        ours.close()  # a pipe ends only when nobody holds its other end
    while number := os.read(due, array("q").itemsize):
        at = int.from_bytes(number, sys.byteorder)
        try:
            found = at, True, function(items[at])
        except Exception:  # the item is worked at where its result is due, and fails there
            found = at, False, None
        try:
            theirs.send(found)
        except OSError:  # whoever asked is gone
            return
