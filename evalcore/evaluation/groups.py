"""Groups of queries: the levels of each column, and of several columns together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import product
from operator import and_
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.problems import Problem, problem
from evalcore.tallies.levels import level_order
from evalcore.tallies.levels import natural_key as natural_key
from evalcore.tallies.unit_lists import UnitLists
from evalcore.tallies.units import UnitScores

Mask = NDArray[np.bool_]
Table = Queries | Rankings | UnitScores | UnitLists
MOST_GROUPS = 1000


def group_columns(data: Data) -> list[str]:
    """The columns that can be broken down by, in a stable order; none of over 1,000 values."""
    return _columns(table.group_columns(MOST_GROUPS) for table in data.tables.values())


def cluster_columns(data: Data) -> list[str]:
    """The columns whose groups can be drawn together."""
    return _columns(table.cluster_columns() for table in data.tables.values())


def unknown_columns(data: Data, by: Iterable[str]) -> list[Problem]:
    """The columns of ``by`` that data cannot be broken down by, each with those that they can."""
    columns = group_columns(data)
    expected = f"one of {', '.join(columns)}" if columns else "none, as these data have no such column"
    return [problem("OPT-006", found=name, expected=expected) for name in by if name not in columns]


def _columns(of_tables: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in of_tables for name in names))


class Divided(Protocol):
    """Data that say themselves what belongs to a level: what can be joined by ``&`` and has ``any()``."""

    @property
    def slices(self) -> Mapping[str, Any]:
        """The columns that can be broken down by."""

    def everything(self) -> Any:
        """All that there is."""

    def levels(self, column: str) -> dict[str, Any] | None:
        """Level → what belongs to it, in natural order; None where there is no such column."""


def groups(part: Table | Divided, by: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Everything, then each level of each column, then of all columns together: (group_by, group, mask)."""
    yield "", "", np.ones(len(part.post), bool) if isinstance(part, Table) else part.everything()
    columns = {name: found for name in by if (found := levels_of(part, name)) is not None}
    sets: list[tuple[str, ...]] = [(name,) for name in columns]
    if len(columns) > 1:
        sets.append(tuple(columns))
    for names in sets:
        for combination in product(*(columns[name].items() for name in names)):
            mask = reduce(and_, (of_level for _, of_level in combination))
            if mask.any():
                yield ";".join(names), ";".join(level for level, _ in combination), mask


def levels_of(part: Table | Divided, name: str) -> dict[str, Any] | None:
    """The masks of a column's levels in natural order; None where the part lacks the column."""
    if not isinstance(part, Table):
        return part.levels(name)
    if name == "criterion":
        codes, levels = part.criterion, [str(level) for level in part.criterion_ids]
    elif name in part.slices:
        codes, levels = part.slices[name][0], list(part.slices[name][1])
    else:
        return None
    order = sorted(range(len(levels)), key=lambda code: level_order(levels[code]))
    return {levels[code]: codes == code for code in order}
