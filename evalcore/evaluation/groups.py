"""Groups of queries: the levels of each column, and of several columns together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from operator import and_
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.tallies.units import UnitLists, UnitScores, level_order
from evalcore.tallies.units import natural_key as natural_key

Mask = NDArray[np.bool_]
Table = Queries | Rankings | UnitScores | UnitLists
ANNOTATOR = "annotator"
MOST_GROUPS = 1000


def group_columns(data: Data) -> list[str]:
    """The columns that can be broken down by, in a stable order; none of over 1,000 values."""
    named: dict[str, None] = {}
    for part in (data.queries, data.rankings):
        if part is not None:
            if len(part.criterion_ids):
                named["criterion"] = None
            few = [name for name, (_, levels) in part.slices.items() if len(levels) <= MOST_GROUPS]
            named.update(dict.fromkeys(few))
    if data.annotations is not None:
        for responses in data.annotations.responses.values():
            if len(responses.annotator_ids):
                named[ANNOTATOR] = None
            few = [name for name, (_, levels) in responses.slices.items() if len(levels) <= MOST_GROUPS]
            named.update(dict.fromkeys(few))
        for scores in data.annotations.scores:
            named.update(dict.fromkeys(scores.slices))
    return list(named)


def cluster_columns(data: Data) -> list[str]:
    """The columns whose groups can be drawn together.

    Queries of annotations are drawn as a whole: only a column that gives each query one value groups them,
    so neither annotators nor a column that differs between the responses to one query do.
    """
    if data.annotations is None:
        parts_of = (part for part in (data.queries, data.rankings) if part is not None)
        many = dict.fromkeys(name for part in parts_of for name in part.slices)
        return list(dict.fromkeys(["post", *group_columns(data), *many]))
    parts = data.annotations.responses.values()
    names = dict.fromkeys(name for responses in parts for name in responses.slices)
    return [name for name in names if all(name not in one.slices or one.is_of_record(name) for one in parts)]


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
