"""What the workers of a Dask cluster are asked to do, and what came of it, or why nothing did."""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Callable
from typing import Any, NoReturn

from evalcore.engines.cluster import n_threads_of
from evalcore.engines.versions import own_versions
from evalcore.engines.waiting import in_time
from evalcore.problems import InputError, problem
from evalcore.settings import Settings

RETRIES = 2
"""How often a task that fails is begun again."""
AS_TASK: dict[str, Any] = {"pure": False, "retries": RETRIES}
"""How Dask takes a task that may fail: each is one of its own, whatever it is called with."""
_LOOK_EVERY = 1.0


def worked(function: Callable[[Any, Any], Any], job: tuple[dict[str, Any], Any], item: Any) -> Any:
    """``function(given, item)`` on a worker, of the same versions; an error names the worker.

    Parameters
    ----------
    job : of `Run`: the versions that are needed, and what is given.
    """
    from distributed import get_worker

    versions, given = job
    own = own_versions()
    try:
        if own != versions:
            theirs, ours = (
                ", ".join(f"{name} {of[name]}" for name in own if own[name] != versions[name])
                for of in (own, versions)
            )
            raise RuntimeError(f"it has {theirs}, and {ours} is needed")
        return function(given, item)
    except Exception as error:
        error.worker = get_worker().address  # type: ignore[attr-defined]
        raise


def packed(given: Any) -> bytes:
    """What is sent, as bytes: the scheduler hands it on, and neither looks into it nor imports anything."""
    return pickle.dumps(given, pickle.HIGHEST_PROTOCOL)


class Run:
    """Tasks that a cluster is sent, and waited for as long as somebody is there to work at them.

    Parameters
    ----------
    client : of the cluster.
    given : what all items need, sent once.

    Attributes
    ----------
    job : of ``given``, for `worked`. A task of its own, not data that are spread: lost with a worker, it is
        made anew.
    n_threads : how many tasks the workers can be at, as last looked at.
    """

    def __init__(self, client: Any, given: Any) -> None:
        self._client, self._key = client, uuid.uuid4().hex[:8]
        self._limit = Settings.read().cluster_seconds
        self._looked = time.monotonic()
        self._none_since: float | None = None
        self.n_threads = 1
        self.job = self.sent("job", pickle.loads, packed((own_versions(), given)))

    def key(self, step: str) -> str:
        """The name of a task, as no other run has it."""
        return f"evalcore-{step}-{self._key}"

    def sent(self, step: str, function: Callable[..., Any], *given: Any) -> Any:
        """The future of ``function(*given)``; errors as of `result`."""
        from distributed.client import ClosedClientError

        try:
            return self._client.submit(function, *given, key=self.key(step), **AS_TASK)
        except ClosedClientError:
            self._lost("the connection ended")

    def result(self, future: Any) -> Any:
        """The result of a task.

        Raises
        ------
        InputError : that the task raised; CLU-002 where the scheduler is gone, CLU-003 where there is no
            worker any more, CLU-006 where workers end while they are at the task, CLU-007 where it always
            fails.
        """
        found = self.result_or_error(future)
        if isinstance(found, Exception):
            reason = f"{type(found).__name__}: {found}".splitlines()[0][:200].rstrip(". ")
            worker = getattr(found, "worker", "a worker")
            raise InputError([problem("CLU-007", worker=worker, reason=reason, n=RETRIES + 1)])
        return found

    def result_or_error(self, future: Any) -> Any:
        """The result of a task, or the error that it always fails with; other errors as of `result`."""
        from distributed import CancelledError, KilledWorker

        while not future.done():
            self.look()
            time.sleep(0.02)
        try:
            return in_time(future.result, self._limit, self.look)
        except KilledWorker:
            raise InputError([problem("CLU-006", n=RETRIES + 1)]) from None
        except (CancelledError, TimeoutError):  # it was lost with the scheduler that knew of it
            self._lost("the connection ended")
        except InputError:
            raise
        except Exception as error:
            return error

    def look(self) -> None:
        """Look now and then how many are there to work; errors as of `result`."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        if self._client.status == "closed":
            self._lost("the connection ended")
        try:
            n_threads = n_threads_of(self._client, self._limit)
        except (OSError, TimeoutError) as error:
            self._lost(str(error) or type(error).__name__)
        self._looked = time.monotonic()
        if n_threads:
            self.n_threads, self._none_since = n_threads, None
            return
        self._none_since = self._none_since or now
        if self._looked - self._none_since > self._limit:
            raise InputError([problem("CLU-003", n=self._limit)])

    def _lost(self, reason: str) -> NoReturn:
        reason = reason.splitlines()[0][:200].rstrip(". ")
        raise InputError([problem("CLU-002", found="the scheduler", reason=reason, n=self._limit)]) from None
