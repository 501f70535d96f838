"""The steps of an evaluation, a group at a time, and their number: what a progress bar counts against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from evalcore.evaluation.groups import Divided, Grouped, Table, groups
from evalcore.evaluation.over_groups import FOLD

Group = tuple[str, str, Any]


@runtime_checkable
class Celled(Protocol):
    """Data that are broken down by more than what is asked for."""

    def cells(self, by: tuple[str, ...]) -> Iterator[Group]:
        """The groups of the columns that are asked for, and what is always there beside them."""


def steps(part: Table | Divided | Grouped, by: tuple[str, ...]) -> Iterator[tuple[Group, bool]]:
    """The groups that are evaluated of one model, and whether each was asked for.

    Folds are evaluated even where nobody asks for them, for the mean and the spread over folds.
    """
    for group in part.cells(by) if isinstance(part, Celled) else groups(part, by):
        yield group, True
    if FOLD in part.slices and FOLD not in by:
        for group in groups(part, (FOLD,)):
            if group[0]:
                yield group, False


def n_steps(parts: Iterable[Table | Divided | Grouped], by: tuple[str, ...] = ()) -> int:
    """How often `evaluate` tells its ``progress`` of a group.

    Parameters
    ----------
    parts : what is evaluated of each model, as often as it is.
    by : columns to break down by.
    """
    return sum(1 for part in parts for _ in steps(part, by))
