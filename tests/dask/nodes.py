"""A scheduler and workers as processes over TCP, forked off one that has imported all."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import sys
import types
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import dask
import distributed

import evalcore.chunked
from evalcore.engines.loopback import HOST

assert evalcore.chunked
_FORKED = multiprocessing.get_context("forkserver")


class Nodes:
    """A scheduler and its workers, each ended by its own process, the workers first.

    Parameters
    ----------
    tls : what the nodes are made secure by, as of `distributed.Security`; empty for plain TCP.
    is_bare : whether the scheduler knows nothing of this package.
    """

    def __init__(self, tls: dict[str, str] | None = None, is_bare: bool = False) -> None:
        self.tls = tls or {}
        self.workers: list[Any] = []
        self._scheduler, self.address = self._started(None, is_bare)

    def start(self, n: int) -> list[Any]:
        """Start workers until there are so many that live; all of them."""
        self.workers = [one for one in self.workers if one.is_alive()]
        while len(self.workers) < n:
            self.workers.append(self._started(self.address)[0])
        return self.workers

    def end(self) -> None:
        """End the workers, then the scheduler."""
        for one in [*self.workers, self._scheduler]:
            one.kill()
            one.join()

    def _started(self, scheduler: str | None, is_bare: bool = False) -> tuple[Any, str]:
        ours, theirs = _FORKED.Pipe()
        process = _FORKED.Process(target=serve, args=(theirs, scheduler, self.tls, is_bare), daemon=True)
        with _no_program():
            process.start()
        theirs.close()
        address = ours.recv()
        ours.close()
        return process, address


@contextlib.contextmanager
def nodes(tls: dict[str, str] | None = None, is_bare: bool = False) -> Iterator[Nodes]:
    """A scheduler, ended afterwards with its workers."""
    _FORKED.set_forkserver_preload(["tests.dask.faults"])
    found = Nodes(tls, is_bare)
    try:
        yield found
    finally:
        found.end()


@contextlib.contextmanager
def _no_program() -> Iterator[None]:
    """A process that is begun runs the program that began it: after a test of pages, that is `app.py`."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def serve(told: Connection, scheduler: str | None, tls: dict[str, str], is_bare: bool) -> None:
    """What a process does until it is ended."""
    if is_bare:
        for name in [one for one in sys.modules if one.partition(".")[0] == "evalcore"]:
            sys.modules[name] = None  # type: ignore[assignment]  # as where it is not installed
    asyncio.run(_serving(told, scheduler, tls))


async def _serving(told: Connection, scheduler: str | None, tls: dict[str, str]) -> None:
    security = distributed.Security(require_encryption=True, **tls) if tls else None
    how: dict[str, Any] = {"host": HOST, "security": security, "protocol": "tls" if tls else "tcp"}
    dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []})
    if scheduler is None:
        node = distributed.Scheduler(port=0, dashboard_address=f"{HOST}:0", dashboard=False, **how)
    else:
        node = distributed.Worker(scheduler, nthreads=1, memory_limit=0, **how)
    async with node:
        told.send(node.address)
        await node.finished()
