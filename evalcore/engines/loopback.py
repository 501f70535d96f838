"""A Dask cluster of processes of this machine, for one run: on the loopback address alone, and encrypted.

Other users of the machine can reach that address too; they lack the key, which lies in memory alone. There is
no dashboard and no other port than those of the scheduler and the workers. A process ends with the one that
started it, however that ends, for its standard input ends then.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalcore.engines.waiting import in_time
from evalcore.problems import InputError, problem
from evalcore.settings import Settings

HOST = "127.0.0.1"
_ROOT = Path(__file__).parents[2]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from evalcore.engines.loopback import serve; serve()"


@contextlib.contextmanager
def loopback(workers: int) -> Iterator[tuple[str, Any]]:
    """The address of a scheduler with so many workers, and what a connection to it is made secure by.

    Raises
    ------
    InputError : CLU-001 without `cryptography`, CLU-002 where the scheduler does not start in time.
    """
    from distributed.security import Security

    try:
        security = Security.temporary()
    except ImportError:
        raise InputError([problem("CLU-001")]) from None
    parts = ("ca_file", "scheduler_cert", "scheduler_key", "worker_cert", "worker_key")
    given: dict[str, Any] = {"tls": {f"tls_{part}": getattr(security, f"tls_{part}") for part in parts}}
    limit = Settings.read().cluster_seconds
    with contextlib.ExitStack() as stack:
        # Dask makes a folder for what does not fit into memory; nothing is written there, for that is off.
        given["folder"] = stack.enter_context(tempfile.TemporaryDirectory(prefix="evalcore-"))
        scheduler = stack.enter_context(_process({**given, "role": "scheduler"}))
        try:
            address = in_time(lambda: str(scheduler.stdout.readline()), limit).strip()
        except TimeoutError:
            address = ""
        if not address:
            reason = "its process did not start"
            raise InputError(
                [problem("CLU-002", found="a scheduler of this machine", reason=reason, n=limit)]
            )
        for _ in range(workers):
            stack.enter_context(_process({**given, "role": "worker", "scheduler": address}))
        yield address, security


@contextlib.contextmanager
def _process(given: dict[str, Any]) -> Iterator[Any]:
    """A process that is told what to be, and ended."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _START, str(_ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        process_group=0,  # Ctrl-C is for the process that was started, with which this one ends
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(OSError):
            process.stdin.write(json.dumps(given) + "\n")
            process.stdin.flush()
        yield process
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()


def serve() -> None:
    """What such a process does: it is a scheduler or a worker until nobody holds its standard input."""
    import asyncio

    given = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, args=(given["folder"],), daemon=True).start()
    asyncio.run(_serving(given))


def _end_with_parent(folder: str) -> None:
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)  # whoever made it is gone
    os._exit(0)


async def _serving(given: dict[str, Any]) -> None:
    import dask
    import distributed
    from distributed.security import Security

    dask.config.set(
        {f"distributed.worker.memory.{one}": False for one in ("target", "spill", "pause", "terminate")}
    )
    dask.config.set(
        {"distributed.worker.profile.enabled": False, "distributed.scheduler.work-stealing": True}
    )
    security = Security(require_encryption=True, **given["tls"])
    how: dict[str, Any] = {"host": HOST, "protocol": "tls", "security": security}
    if given["role"] == "scheduler":

        class Scheduler(distributed.Scheduler):
            start_http_server = _no_server

        async with Scheduler(dashboard=False, port=0, **how) as node:
            print(node.address, flush=True)  # noqa: T201 - to whoever started it
            await node.finished()
    else:

        class Worker(distributed.Worker):
            start_http_server = _no_server

        more = {"nthreads": 1, "memory_limit": 0, "local_directory": given["folder"]}
        async with Worker(given["scheduler"], **more, **how) as node:
            await node.finished()


def _no_server(*_: object, **__: object) -> None:
    """In place of the server of pages and metrics that every node has otherwise."""
