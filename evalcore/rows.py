"""Rows of tables of columns, whatever these are called: those at some places, and those of two tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Table = TypeVar("Table")
Made = TypeVar("Made")
Codes = NDArray[np.intp]
Places = NDArray[Any] | slice
"""Codes of rows in any order, a mask of rows, or a slice of them."""


def taken(table: Table, names: tuple[str, ...], at: Places, **others: Any) -> Table:
    """A dataclass with the columns of these names at these places.

    A column is an array, None, a mapping of columns, or codes beside their levels, which stay.

    Parameters
    ----------
    table : a dataclass.
    names : of its columns.
    at : which rows.
    others : fields that are others.
    """
    return _changed(table, {name: _at(getattr(table, name), at) for name in names} | others)


def joined(first: Table, second: Table, names: tuple[str, ...], **others: Any) -> Table:
    """A dataclass with the columns of these names followed by those of another; None where one has none."""
    columns = {name: _joined(getattr(first, name), getattr(second, name)) for name in names}
    return _changed(first, columns | others)


def rows_of_lists(n_rows: NDArray[Any], at: Codes) -> tuple[Codes, Codes]:
    """The rows of some lists, which stand list by list: the list of each, numbered anew, and its place.

    Parameters
    ----------
    n_rows : int, shape (Q,), of each list.
    at : int codes of lists, in any order; one that is named twice is there twice.

    Examples
    --------
    >>> tuple(one.tolist() for one in rows_of_lists(np.array([2, 0, 3]), np.array([2, 1, 0])))
    ([0, 0, 0, 2, 2], [2, 3, 4, 0, 1])
    """
    return rows_from((np.cumsum(n_rows) - n_rows)[at], n_rows[at])


def rows_from(first: Codes, n: NDArray[Any]) -> tuple[Codes, Codes]:
    """Rows in runs: the run of each, and its place; runs begin at these places and have so many rows.

    Parameters
    ----------
    first, n : int, shape (Q,).

    Examples
    --------
    >>> tuple(one.tolist() for one in rows_from(np.array([7, 2]), np.array([1, 3])))
    ([0, 1, 1, 1], [7, 2, 3, 4])
    """
    run = np.repeat(np.arange(len(first)), n)
    return run, np.arange(len(run)) + np.repeat(first - np.cumsum(n) + n, n)


def in_blocks(n: int, size: int = 1 << 17) -> Iterator[slice]:
    """All n rows in runs of so many: what is made of a long column for a moment stays in the cache."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def looked_up(*parts: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
    """What tables of one kind have at each code of theirs, −1 the last, one part below the other.

    Codes of few bytes are widened by blocks.

    Parameters
    ----------
    parts : a table and the codes into it, at least one such pair.

    Examples
    --------
    >>> looked_up((np.array([7, 8, -1], np.int8), np.array([1, -1, 0], np.int8))).tolist()
    [8, -1, 7]
    """
    found = np.empty(sum(len(codes) for _, codes in parts), parts[0][0].dtype)
    start = 0
    for table, codes in parts:
        own = found[start : start + len(codes)]
        for block in in_blocks(len(codes)):
            table.take(codes[block], out=own[block], mode="wrap")
        start += len(codes)
    return found


def n_of_codes(codes: NDArray[Any], n: int) -> NDArray[np.int64]:
    """How many rows have each of the codes 0 … n − 1; those with −1 are not counted.

    Examples
    --------
    >>> n_of_codes(np.array([1, -1, 1], np.int8), 3).tolist()
    [0, 2, 0]
    """
    counts = np.zeros(n + 1, np.int64)
    for block in in_blocks(len(codes), max(1 << 17, n)):
        counts += np.bincount(codes[block].astype(np.intp) + 1, minlength=n + 1)
    return counts[1:]


def at_places(column: NDArray[Any], at: Places) -> NDArray[Any]:
    """The rows of an array at these places; codes of few bytes index an array three times as slowly."""
    if isinstance(at, slice) or at.dtype == np.bool_:
        return column[at]
    return column.take(at, axis=0)


def order_of(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of ascending keys, those of one key as they stand; the keys are lost.

    Key and place are sorted as one number where both fit into it: in place, and faster than places are.

    Parameters
    ----------
    key : from 0 on, shape (N,).

    Examples
    --------
    >>> order_of(np.array([1, 0, 1, 0])).tolist()
    [1, 3, 0, 2]
    """
    n_bits = max(len(key) - 1, 0).bit_length()  # of a place
    if len(key) and (int(key.max()) + 1) << n_bits >= 1 << 63:
        return np.argsort(key, kind="stable")
    key <<= n_bits
    for block in in_blocks(len(key)):
        key[block] |= np.arange(block.start, block.stop)
    key.sort()
    key &= (1 << n_bits) - 1
    return key


def kept_with(table: object, name: str, make: Callable[[], Made]) -> Made:
    """What is made of a frozen dataclass once, and stays with it under a name.

    Examples
    --------
    >>> class Table: ...
    >>> table = Table()
    >>> [kept_with(table, "fit", lambda: at) for at in (1, 2)]
    [1, 1]
    """
    kept = vars(table)  # where cached_property keeps its values, too
    if name not in kept:
        kept[name] = make()
    found: Made = kept[name]
    return found


def _changed(table: Table, columns: Mapping[str, Any]) -> Table:
    """As `dataclasses.replace`, which takes twice the time: replicates draw their rows one by one."""
    known: Mapping[str, Any] = table.__dataclass_fields__  # type: ignore[attr-defined]
    kept = {name: value for name, value in vars(table).items() if name in known}
    return type(table)(**{**kept, **columns})


def _at(column: Any, at: Places) -> Any:
    if isinstance(column, np.ndarray):
        return at_places(column, at)
    if isinstance(column, tuple):
        return at_places(column[0], at), *column[1:]
    return None if column is None else {name: _at(one, at) for name, one in column.items()}


def _joined(first: Any, second: Any) -> Any:
    return None if first is None or second is None else np.concatenate([first, second])
