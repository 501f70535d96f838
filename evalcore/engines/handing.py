"""How items are handed to those who work at them: processes of this machine, or workers of a Dask cluster."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

from evalcore.engines.run import Run, packed, worked
from evalcore.engines.spawned import spawned

Item = TypeVar("Item")
Result = TypeVar("Result")


class HandOut(Protocol):
    """What gives ``function(given, item)`` of each item, in their order, whoever works at it."""

    def __call__(
        self, function: Callable[[Any, Item], Result], given: Any, items: Iterable[Item]
    ) -> Iterator[Result]:
        """Parameters as of `evalcore.engines.spawned.spawned`."""


def hand_out_to(client: Any | None, workers: int) -> HandOut:
    """How items are handed to the workers of a cluster or, without one, to so many processes."""
    return partial(spawned, workers=workers) if client is None else partial(handed, client)


def handed(
    client: Any, function: Callable[[Any, Item], Result], given: Any, items: Iterable[Item]
) -> Iterator[Result]:
    """``function(given, item)`` of each item, in their order; at most two a thread of a worker are held.

    An item that fails is begun again, elsewhere if need be, and so is one whose worker is gone with it or its
    result: the scheduler has each item until its result is here. Nothing is worked at here.

    Parameters
    ----------
    client : of the cluster.
    function : named in a module that workers can import.
    given : what all items need; sent once.
    items : taken one by one as results are.

    Raises
    ------
    InputError : as of `evalcore.engines.run.Run.result`.
    """
    run = Run(client, given)
    coming = enumerate(items)
    due: deque[Any] = deque()
    is_more = True
    while True:
        run.look()
        while is_more and len(due) < 2 * run.n_threads:
            at, item = next(coming, (-1, None))
            is_more = at >= 0
            if is_more:
                due.append(run.sent(f"item-{at}", _unpacked, run.job, packed((function, item))))
        if not due:
            return
        yield run.result(due.popleft())


def _unpacked(job: Any, content: bytes) -> Any:
    function, item = pickle.loads(content)
    return worked(function, job, item)
