"""Work on a Dask cluster: a task an item, results merged there two by two; no rows are sent about."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from evalcore.engines.cluster import n_workers_of
from evalcore.engines.versions import own_versions
from evalcore.engines.waiting import in_time
from evalcore.problems import InputError, problem
from evalcore.settings import Settings

Item = TypeVar("Item")
RETRIES = 2
"""How often a task that fails is begun again."""
_SOON = 10
"""Dask's priority of what frees memory, before further items are begun."""
_LOOK_EVERY = 1.0


class Tree(Generic[Item]):
    """``function(given, item)`` of every item: what is told of it, and a part to be merged, or None.

    A task that fails is begun again, elsewhere if need be, and so is one whose worker is gone. Parts are
    merged in the order of the items whatever the order in which they are done.

    Parameters
    ----------
    client : of the cluster.
    function : named in a module that workers can import, as ``merge``.
    merge : of two parts.
    given : what all items need.
    items : one after the other.
    """

    def __init__(
        self,
        client: Any,
        function: Callable[[Any, Item], tuple[Any, Any]],
        merge: Callable[[Any, Any], Any],
        given: Any,
        items: Sequence[Item],
    ) -> None:
        self._client, self.items = client, items
        self._limit = Settings.read().cluster_seconds
        self._looked = self._had_workers = time.monotonic()
        run = uuid.uuid4().hex[:8]

        def named(step: str, n: int) -> list[str]:
            return [f"evalcore-{step}-{run}-{at}" for at in range(n)]

        # A task of its own, not data that are spread: lost with a worker, it is made anew.
        (job,) = client.map(_itself, [(own_versions(), given)], key=named("job", 1), pure=False)
        n = len(items)
        how: dict[str, Any] = {"pure": False, "retries": RETRIES}
        done = client.map(_worked, [function] * n, [job] * n, items, key=named("item", n), **how)
        self._told = client.map(_told_of, done, key=named("told", n), priority=_SOON, **how)
        level, parts = 0, client.map(_part_of, done, key=named("part", n), priority=_SOON, **how)
        while len(parts) > 1:
            level, pairs = level + 1, list(zip(parts[::2], parts[1::2], strict=False))
            left, right = [list(one) for one in zip(*pairs, strict=True)]
            odd = parts[len(pairs) * 2 :]
            names = named(f"merge-{level}", len(pairs))
            parts = client.map(
                _merged, [merge] * len(pairs), left, right, key=names, priority=_SOON + level, **how
            )
            parts += odd
        (self._whole,) = parts

    def told(self) -> Iterator[tuple[int, Any]]:
        """The place of each item, and what is told of it or the error it failed with, in their order.

        Raises
        ------
        InputError : CLU-002 where the scheduler is gone, CLU-003 where there is no worker any more, CLU-006
            where workers end while they are at an item.
        """
        for at in range(len(self.items)):
            future = self._told[at]
            while not future.done():
                self._look()
                time.sleep(0.02)
            self._told[at] = None
            yield at, self._result(future)

    def n_done(self) -> int:
        """How many items are done."""
        return sum(one is None or one.done() for one in self._told)

    def whole(self) -> Any:
        """All parts as one; None where there is none. Errors as of `told`."""
        while not self._whole.done():
            self._look()
            time.sleep(0.02)
        found = self._result(self._whole)
        if isinstance(found, Exception):
            raise found
        return found

    def cancel(self) -> None:
        """Leave what is not done."""
        futures = [one for one in [*self._told, self._whole] if one is not None]
        self._client.cancel(futures, asynchronous=False)

    def _result(self, future: Any) -> Any:
        from distributed import CancelledError, KilledWorker

        try:
            return in_time(future.result, self._limit, self._look)
        except KilledWorker:
            raise InputError([problem("CLU-006", n=RETRIES + 1)]) from None
        except (CancelledError, TimeoutError):  # it was lost with the scheduler that knew of it
            self._lost("the connection ended")
        except InputError:
            raise
        except Exception as error:
            return error

    def _look(self) -> None:
        """Look now and then whether anybody is there to work."""
        now = time.monotonic()
        if now - self._looked < _LOOK_EVERY:
            return
        try:
            n_workers = n_workers_of(self._client, self._limit)
        except (OSError, TimeoutError) as error:
            self._lost(str(error) or type(error).__name__)
        self._looked = time.monotonic()
        if n_workers:
            self._had_workers = self._looked
        elif self._looked - self._had_workers > self._limit:
            raise InputError([problem("CLU-003", n=self._limit)])

    def _lost(self, reason: str) -> Any:
        reason = reason.splitlines()[0][:200].rstrip(". ")
        raise InputError([problem("CLU-002", found="the scheduler", reason=reason, n=self._limit)]) from None


def _itself(given: Any) -> Any:
    return given


def _worked(function: Callable[[Any, Any], Any], job: tuple[dict[str, Any], Any], item: Any) -> Any:
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


def _told_of(done: tuple[Any, Any]) -> Any:
    return done[0]


def _part_of(done: tuple[Any, Any]) -> Any:
    return done[1]


def _merged(merge: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else merge(one, other)
