"""Processes that work at chunks: started afresh, sent one chunk after the other, ended with what asked them.

They are programs of their own, not copies of this process: threads and open files here do no harm, and a
notebook or server may use them too. Chunks and results travel as pickles over a pipe that only the two ends
have; nothing is read from or written to a disk.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_ROOT = Path(__file__).parents[2]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from evalcore.engines.spawned import work; work()"


def spawned(
    function: Callable[[Any, Item], Result], given: Any, items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """``function(given, item)`` of each item, in their order; at most two items a worker are held at a time.

    An item at which a worker dies is worked at here, and the others go on; one that raises, raises here.

    Parameters
    ----------
    function : named in a module, so that a worker can find it.
    given : what all items need; sent once.
    items : taken one by one as workers are free.
    workers : how many; below 2 every item is worked at here.
    """
    if workers < 2:
        yield from (function(given, item) for item in items)
        return
    team = _Team(function, given)
    try:
        team.start(workers)
        yield from team.results(iter(items))
    finally:
        team.end()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        self.ours, theirs = Pipe()
        self.at: int | None = None
        number = theirs.fileno()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(_ROOT), str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for the process that was started, with which this one ends
        )
        theirs.close()

    def end(self) -> None:
        self.ours.close()
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


class _Team:
    def __init__(self, function: Callable[[Any, Any], Any], given: Any) -> None:
        self._function, self._given = function, given
        self._workers: list[_Worker] = []

    def start(self, n: int) -> None:
        """Start so many workers; one that dies before it knows what to do is done without."""
        job = pickle.dumps((self._function, self._given), pickle.HIGHEST_PROTOCOL)
        for _ in range(n):
            worker = _Worker()
            self._workers.append(worker)
            try:
                worker.ours.send_bytes(job)
            except OSError:
                self._leave(worker)

    def results(self, items: Iterator[Any]) -> Iterator[Any]:
        """The results in the order of the items."""
        held: dict[int, Any] = {}
        done: dict[int, tuple[bool, Any]] = {}
        due: deque[int] = deque()
        n_taken, is_more = 0, True
        while is_more or due:
            for worker in self._workers:
                if worker.at is None and is_more and len(due) < 2 * max(len(self._workers), 1):
                    item = next(items, _END)
                    if item is _END:
                        is_more = False
                        break
                    held[n_taken] = item
                    due.append(n_taken)
                    self._hand(worker, n_taken, item)
                    n_taken += 1
            if not self._workers and is_more:  # all have died: what is left is worked at here
                for item in items:
                    held[n_taken] = item
                    due.append(n_taken)
                    n_taken += 1
                    break
                else:
                    is_more = False
            while due and (due[0] in done or not self._is_at_work(due[0])):
                at = due.popleft()
                is_done, result = done.pop(at, (False, None))
                item = held.pop(at)
                yield result if is_done else self._function(self._given, item)
            if due:
                self._receive(done)

    def _is_at_work(self, at: int) -> bool:
        return any(worker.at == at for worker in self._workers)

    def _hand(self, worker: _Worker, at: int, item: Any) -> None:
        worker.at = at
        try:
            worker.ours.send(item)
        except OSError:  # it died: the item is nobody's now, and worked at here
            self._leave(worker)

    def _receive(self, done: dict[int, tuple[bool, Any]]) -> None:
        """Wait for the next result, or for the end of a worker."""
        by_pipe = {worker.ours: worker for worker in self._workers if worker.at is not None}
        for ours in wait(list(by_pipe)):
            assert isinstance(ours, Connection)
            worker = by_pipe[ours]
            try:
                found = ours.recv()
            except (EOFError, OSError):
                self._leave(worker)
            else:
                assert worker.at is not None
                done[worker.at] = found
                worker.at = None

    def _leave(self, worker: _Worker) -> None:
        worker.at = None
        self._workers.remove(worker)
        worker.end()

    def end(self) -> None:
        """End the processes, whatever they are at."""
        for worker in self._workers:
            worker.end()


_END = object()


def work() -> None:
    """What a worker does: each item that it is sent, until nobody sends one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_inheritable(int(sys.argv[2]), False)
    theirs = Connection(int(sys.argv[2]))
    with contextlib.suppress(EOFError, OSError):
        function, given = theirs.recv()
        while True:
            item = theirs.recv()
            try:
                found = True, function(given, item)
            except Exception:  # it is worked at where its result is due, and fails there
                found = False, None
            theirs.send(found)
