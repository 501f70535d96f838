"""Accuracy against what else counts: which systems no other one beats in both of two metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.spec import Better


@dataclass(frozen=True)
class Front:
    """The Pareto front of systems in two metrics.

    Parameters
    ----------
    names : N systems.
    is_on_front : bool, shape (N,): has both values, and no other system is at least as good in both and
        better in one.
    beaten_by : N tuples with the systems on the front that are at least as good in both metrics and better
        in one; empty for those on the front and those without a value.
    """

    names: tuple[str, ...]
    is_on_front: NDArray[np.bool_]
    beaten_by: tuple[tuple[str, ...], ...]


def front_of(
    names: Sequence[str], values: tuple[ArrayLike, ArrayLike], better: tuple[Better, Better]
) -> Front | None:
    """Which systems are beaten by no other in two metrics at once.

    Points are compared, not their intervals: a system that is beaten may be as good as the other.

    Parameters
    ----------
    names : N systems.
    values : of each metric, shape (N,); NaN where a system has no value, and then it is not compared.
    better : which direction of each metric is better, as it declares.

    Returns
    -------
    Front; None where a metric has no better direction, so that no system beats another in it.

    Source
    ------
    Pareto dominance, as in document 004, "Hypervolume".

    Examples
    --------
    >>> recall, popularity = [0.5, 0.4, 0.3], [40.0, 10.0, 20.0]
    >>> front = front_of(["a", "b", "c"], (recall, popularity), ("higher", "lower"))
    >>> front.is_on_front.tolist(), front.beaten_by
    ([True, True, False], ((), (), ('b',)))
    """
    if "neither" in better:
        return None
    signs = np.array([1.0 if one == "higher" else -1.0 for one in better])
    points = np.stack([np.asarray(one, float) for one in values], axis=1) * signs
    at_least, above = (compare(points[:, None], points[None]) for compare in (np.greater_equal, np.greater))
    beats = at_least.all(axis=2) & above.any(axis=2)  # a comparison with NaN holds for none
    is_known = ~np.isnan(points).any(axis=1)
    is_on_front = is_known & ~beats.any(axis=0)
    beaten_by = tuple(
        tuple(names[int(by)] for by in np.flatnonzero(beats[:, at] & is_on_front)) for at in range(len(names))
    )
    return Front(tuple(names), is_on_front, beaten_by)
