"""Work on a Dask cluster: a task an item, results merged there two by two; no rows are sent about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from evalcore.engines.run import AS_TASK, Run, worked

Item = TypeVar("Item")
_SOON = 10
"""Dask's priority of what frees memory, before further items are begun."""


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
        self.items, self._run = items, Run(client, given)

        def named(step: str, n: int) -> list[str]:
            return [self._run.key(f"{step}-{at}") for at in range(n)]

        n = len(items)
        done = client.map(worked, [function] * n, [self._run.job] * n, items, key=named("item", n), **AS_TASK)
        self._told = client.map(_told_of, done, key=named("told", n), priority=_SOON, **AS_TASK)
        level, parts = 0, client.map(_part_of, done, key=named("part", n), priority=_SOON, **AS_TASK)
        while len(parts) > 1:
            level, pairs = level + 1, list(zip(parts[::2], parts[1::2], strict=False))
            left, right = [list(one) for one in zip(*pairs, strict=True)]
            odd = parts[len(pairs) * 2 :]
            names = named(f"merge-{level}", len(pairs))
            parts = client.map(
                _merged, [merge] * len(pairs), left, right, key=names, priority=_SOON + level, **AS_TASK
            )
            parts += odd
        (self._whole,) = parts

    def told(self) -> Iterator[tuple[int, Any]]:
        """The place of each item, and what is told of it or the error it failed with, in their order.

        Errors as of `evalcore.engines.run.Run.result`.
        """
        for at in range(len(self.items)):
            future, self._told[at] = self._told[at], None
            yield at, self._run.result_or_error(future)

    def n_done(self) -> int:
        """How many items are done."""
        return sum(one is None or one.done() for one in self._told)

    def whole(self) -> Any:
        """All parts as one; None where there is none. Errors as of `told`."""
        return self._run.result(self._whole)


def _told_of(done: tuple[Any, Any]) -> Any:
    return done[0]


def _part_of(done: tuple[Any, Any]) -> Any:
    return done[1]


def _merged(merge: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else merge(one, other)
