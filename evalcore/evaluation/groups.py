"""Groups of queries: the levels of each column, and of several columns together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.problems import InputError, Problem, problem
from evalcore.rows import looked_up, n_of_codes
from evalcore.tallies.levels import codes_kind, level_order
from evalcore.tallies.levels import natural_key as natural_key
from evalcore.tallies.unit_lists import UnitLists
from evalcore.tallies.unit_scores import UnitScores

Mask = NDArray[np.bool_]
Table = Queries | Rankings | UnitScores | UnitLists
MOST_GROUPS = 1000
"""Of one column."""
MOST_TOGETHER = 10_000
"""Of several columns together; each has a hundred rows of its own in the table."""


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


@dataclass(frozen=True, eq=False)
class Members:
    """Who belongs to a group.

    Rows are named by their places: the groups of a column share them out, so that all of them, however many
    there are, take no more room than the column does.

    Parameters
    ----------
    n : how many rows there are.
    places : those of the group, ascending; None for all.
    items : the group of items that is looked at; None for all items.
    """

    n: int
    places: NDArray[np.intp] | None = None
    items: int | None = None

    @property
    def mask(self) -> Mask:
        """Which rows belong to the group, shape (n,)."""
        if self.places is None:
            return np.ones(self.n, bool)
        found = np.zeros(self.n, bool)
        found[self.places] = True
        return found


class Levels(NamedTuple):
    """The groups of a column.

    Parameters
    ----------
    codes : the group of each row, −1 for none; None of groups of items, which are looked at in all rows.
    names : of the groups.
    order : the groups in natural order.
    """

    codes: NDArray[np.intp] | None
    names: Sequence[str]
    order: Sequence[int]


class Divided(Protocol):
    """Data that say themselves what the groups of a column are."""

    @property
    def slices(self) -> Mapping[str, Any]:
        """The columns that can be broken down by."""

    def everything(self) -> Members:
        """All that there is."""

    def levels(self, column: str) -> Levels | None:
        """The groups of a column; None where there is no such column."""


@runtime_checkable
class Grouped(Protocol):
    """Data that say themselves what their groups are, which may overlap."""

    @property
    def slices(self) -> Mapping[str, Any]:
        """The columns that can be broken down by."""

    def groups(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
        """As `groups`, with what stands for members there."""


def groups(part: Table | Divided | Grouped, by: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Everything, then each level of each column, then of all columns together: (group_by, group, members).

    Raises
    ------
    InputError : OPT-113 for more than `MOST_TOGETHER` groups of several columns together.
    """
    if isinstance(part, Grouped):
        yield from part.groups(by)
        return
    everything = Members(len(part.post)) if isinstance(part, Table) else part.everything()
    yield "", "", everything
    columns = {name: found for name in by if (found := _column(part, name)) is not None}
    sets: list[tuple[str, ...]] = [(name,) for name in columns]
    if len(columns) > 1:
        sets.append(tuple(columns))
    for names in sets:
        for group, members in _together({name: columns[name] for name in names}, everything):
            yield ";".join(names), group, members


def _together(columns: Mapping[str, Levels], everything: Members) -> Iterator[tuple[str, Members]]:
    """The groups that columns have together, those with a member, in the order of the first column's."""
    of_rows = [one for one in columns.values() if one.codes is not None]
    of_items = [one for one in columns.values() if one.codes is None]
    rows, group, there = _of_rows(of_rows, everything)
    n_groups = len(there) * prod(len(one.order) for one in of_items)
    if len(columns) > 1 and n_groups > MOST_TOGETHER:
        raise too_many(n_groups, columns)
    ends = np.cumsum(np.bincount(group, minlength=len(there)))
    order = np.argsort(group, kind="stable")
    members = np.split(order if rows is None else rows[order], ends[:-1])
    for at, places in zip(there.tolist(), members, strict=False):
        names = [one.names[one.order[place]] for one, place in zip(of_rows, at, strict=True)]
        for items in product(*(one.order for one in of_items)):
            others = [one.names[item] for one, item in zip(of_items, items, strict=True)]
            yield ";".join([*names, *others]), Members(everything.n, places, *items)


def _of_rows(
    columns: Sequence[Levels], everything: Members
) -> tuple[NDArray[np.intp] | None, NDArray[Any], NDArray[np.intp]]:
    """Groups of rows: the rows in any, None for all, the group of each, and the levels of each group.

    Rows may be many, so that what there is of each takes as few bytes as it can.
    """
    rows = everything.places
    n_rows = everything.n if rows is None else len(rows)
    group, there = np.zeros(n_rows, np.uint8), np.zeros((min(n_rows, 1), 0), np.intp)
    for one in columns:
        assert one.codes is not None
        n = max(len(one.names), 1)
        n_groups = len(there) * n
        place = np.full(n + 1, -1, codes_kind(n_groups))
        place[list(one.order)] = np.arange(len(one.order))
        own = looked_up((place, one.codes if rows is None else one.codes[rows]))
        if own.size and own.min() < 0:
            kept = np.flatnonzero(own >= 0)
            rows, group, own = (kept if rows is None else rows[kept]), group[kept], own[kept]
        if len(there) > 1:
            own += np.multiply(group, n, dtype=own.dtype, casting="unsafe")
        # What no row has is never counted out: long columns together may have more groups than there is room.
        found, group = _renumbered(own, n_groups)
        there = np.column_stack([there[found // n], found % n])
    return rows, group, there


def _renumbered(codes: NDArray[np.intp], n: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Those of n codes that any row has, ascending, and of each row the number of its own among them."""
    if n > 2 * len(codes):
        return np.unique(codes, return_inverse=True)
    found = np.flatnonzero(n_of_codes(codes, n))
    number = np.zeros(n, np.min_scalar_type(len(found)))
    number[found] = np.arange(len(found))
    return found, looked_up((number, codes))


def too_many(n: int, columns: Iterable[str]) -> InputError:
    """What is said of more than `MOST_TOGETHER` groups of several columns together."""
    return InputError([problem("OPT-113", n=n, columns=" and ".join(columns), most=MOST_TOGETHER)])


def _column(part: Table | Divided, name: str) -> Levels | None:
    if not isinstance(part, Table):
        return part.levels(name)
    if name == "criterion":
        codes, names = part.criterion, [str(level) for level in part.criterion_ids]
    elif name in part.slices:
        codes, names = part.slices[name][0], list(part.slices[name][1])
    else:
        return None
    return Levels(codes, names, sorted(range(len(names)), key=lambda code: level_order(names[code])))


def levels_of(part: Table, name: str) -> Iterator[tuple[str, Members]]:
    """Each level of a column, in natural order; nothing where the part lacks the column."""
    if (found := _column(part, name)) is not None:
        for code in found.order:
            yield found.names[code], Members(len(part.post), np.flatnonzero(found.codes == code))
