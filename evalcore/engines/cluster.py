"""A Dask cluster and the connection to it: one that a user has, or one of processes of this machine.

Dask sends functions, what they are called with and what they return as pickles: who can connect to a
scheduler can run code on its workers, and here. A scheduler is trusted, or it is not named.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import ssl
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalcore.engines.local import most_processes
from evalcore.engines.loopback import loopback
from evalcore.engines.versions import own_versions
from evalcore.engines.waiting import in_time
from evalcore.problems import InputError, problem
from evalcore.settings import Settings

_ADDRESS = re.compile(r"(tcp|tls)://.*[^:/]:[0-9]{1,5}")
_LARGE_JOB = "1 GiB"
"""A job names every file with its columns, once: of thousands of files that is more than Dask expects."""


@dataclass(frozen=True)
class Cluster:
    """Which cluster works, as a user names it; nothing: processes of this machine, for this run alone.

    Parameters
    ----------
    scheduler : its address, ``tcp://HOST:PORT`` or ``tls://HOST:PORT``.
    scheduler_file : a file that a scheduler wrote, which says its address.
    tls_ca, tls_cert, tls_key : files of the authority, and of this client's certificate and key.
    workers : how many processes, without a scheduler; None: as many as there are processors.
    """

    scheduler: str | None = None
    scheduler_file: str | Path | None = None
    tls_ca: str | Path | None = None
    tls_cert: str | Path | None = None
    tls_key: str | Path | None = None
    workers: int | None = None


@contextlib.contextmanager
def connected(where: Cluster) -> Iterator[Any]:
    """A `distributed.Client` of the cluster, which has workers of the same versions as this process.

    Raises
    ------
    InputError : CLU-001 where Dask is not installed, CLU-002 where no scheduler answers in time, CLU-003
        where no worker is there, CLU-004 for workers of other versions, OPT-003 and OPT-008 for what is
        named wrongly.
    """
    import asyncio  # takes as long as all of NumPy, and only a cluster needs it

    try:
        import dask
        import distributed
    except ImportError:
        raise InputError([problem("CLU-001")]) from None
    with contextlib.ExitStack() as stack:
        log = logging.getLogger("distributed")
        stack.callback(log.setLevel, log.level)
        log.setLevel(logging.CRITICAL + 1)  # what goes wrong is said once, and without traces
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE_JOB}))
        address = _address(where)
        security = None if address is None else _security(where, address)
        if address is None:
            address, security = stack.enter_context(loopback(where.workers or most_processes()))
        limit = Settings.read().cluster_seconds
        try:
            # What is no scheduler may never answer, for which a client would wait for ever.
            in_time(lambda: asyncio.run(_greeted(address, security, limit)), limit + 5)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what differs is looked at below, and refused by name
                client = distributed.Client(
                    address, security=security, timeout=limit, set_as_default=False, name="evalcore"
                )
        except Exception as error:  # whatever answers there: it may be no scheduler at all
            told = str(error).strip() or "it says nothing"
            raise InputError([problem("CLU-002", found=address, reason=_first(told), n=limit)]) from None
        stack.callback(client.close, timeout=limit)
        _check_workers(client, limit)
        yield client


async def _greeted(address: str, security: Any, seconds: float) -> None:
    """Connect to a scheduler, and go."""
    import asyncio

    from distributed.comm.core import connect

    how = {} if security is None else security.get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=seconds, **how), seconds)
    await comm.close()


def _address(where: Cluster) -> str | None:
    """The address of the scheduler; None where none is named."""
    expected = "a scheduler, or processes of this machine"
    if where.scheduler is not None and where.scheduler_file is not None:
        found, advice = "two schedulers", "Leave one out."
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])
    is_named = where.scheduler is not None or where.scheduler_file is not None
    if is_named and where.workers is not None:
        advice = "A scheduler has workers of its own."
        found = "workers beside a scheduler"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    address, name = where.scheduler, "scheduler"
    if where.scheduler_file is not None:
        address, name = _in_file(Path(where.scheduler_file)), f"address in {Path(where.scheduler_file).name}"
    given = [name for name in ("tls_ca", "tls_cert", "tls_key") if getattr(where, name) is not None]
    if address is not None and not _ADDRESS.fullmatch(address):
        expected = "tcp://HOST:PORT or tls://HOST:PORT"
        raise InputError([problem("OPT-003", name=name, found=address, expected=expected)])
    if given and (address is None or not address.startswith("tls://")):
        advice = "Name the scheduler by tls://HOST:PORT, or leave the certificates out."
        found, expected = "certificates without a scheduler that uses them", "a scheduler at tls://"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    return address


def _in_file(path: Path) -> str:
    """The address that a scheduler wrote."""
    try:
        address = json.loads(path.read_text())["address"]
    except OSError as error:
        reason = error.strerror or str(error)
    except (ValueError, KeyError, TypeError):
        reason = "it names no address"
    else:
        return str(address)
    expected = "a file that a scheduler wrote"
    found = f"{path.name} ({reason})"
    raise InputError([problem("OPT-003", name="scheduler file", found=found, expected=expected)])


def _security(where: Cluster, address: str) -> Any:
    """What a connection is made secure by; None for one that is not."""
    from distributed.security import Security

    if not address.startswith("tls://"):
        return None
    given = {"tls_ca_file": where.tls_ca, "tls_client_cert": where.tls_cert, "tls_client_key": where.tls_key}
    try:
        named = {name: str(path) for name, path in given.items() if path is not None}
        for path in named.values():
            Path(path).open("rb").close()
        security = Security(require_encryption=True, **named)
        missing = [option for name, option in _OPTIONS.items() if getattr(security, name) is None]
        if not missing:
            security.get_connection_args("client")
    except (OSError, ValueError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        file = getattr(error, "filename", None)
        name = Path(file).name if file else "certificates"
        expected = "files of a certificate authority, a certificate and its key"
        raise InputError([problem("OPT-003", name=name, found=_first(reason), expected=expected)]) from None
    if missing:
        expected, advice = ", ".join(missing), "Name them, or set them in Dask's own configuration."
        raise InputError([problem("OPT-008", found=address, expected=expected, advice=advice)])
    return security


_OPTIONS = {"tls_ca_file": "--tls-ca", "tls_client_cert": "--tls-cert", "tls_client_key": "--tls-key"}


def n_threads_of(client: Any, seconds: float) -> int:
    """How many tasks the workers that the scheduler has now can be at; 0 without any.

    Raises
    ------
    OSError, TimeoutError : where it does not answer.
    """
    return sum(client.sync(client.scheduler.ncores, callback_timeout=seconds).values())


def _check_workers(client: Any, limit: int) -> None:
    """Wait for a first worker, and compare what the scheduler and all workers have installed.

    Workers that come later are looked at by their first task.
    """
    end = time.monotonic() + limit
    try:
        while not n_threads_of(client, limit):
            if time.monotonic() > end:
                raise InputError([problem("CLU-003", n=limit)])
            time.sleep(0.1)
        found = {"scheduler": _of_scheduler(client, limit)}
        workers = in_time(lambda: client.run(own_versions, on_error="return"), limit)
        found |= {f"worker {address}": theirs for address, theirs in sorted(workers.items())}
    except (OSError, TimeoutError) as error:
        told = str(error).strip() or type(error).__name__
        raise InputError([problem("CLU-002", found="the scheduler", reason=_first(told), n=limit)]) from None
    own, wrong = own_versions(), []
    for node, theirs in found.items():
        if not isinstance(theirs, dict):  # it knows nothing of this package, or of this function
            theirs = {**own, "evalcore": None}
        other = [name for name in own if theirs.get(name) != own[name]]
        if other:
            told, expected = (
                ", ".join(f"{name} {of.get(name) or 'missing or older'}" for name in other)
                for of in (theirs, own)
            )
            wrong.append(problem("CLU-004", node=node, found=told, expected=expected))
    if wrong:
        raise InputError(wrong)


def _of_scheduler(client: Any, limit: float) -> Any:
    """What the scheduler has, which unpickles what it hands on; an error where it lacks this package."""
    try:
        return in_time(lambda: client.run_on_scheduler(own_versions), limit)
    except (OSError, TimeoutError):
        raise
    except Exception as error:
        return error


def _first(text: str) -> str:
    """The first line of what a library says."""
    return text.splitlines()[0][:200].rstrip(". ")
