"""Tallies that a saved report holds: which there are, and the checks of one that was opened.

A file of a report holds every field of a tally, whatever they are: numbers, texts, arrays, mappings by text,
tuples and dataclasses of such. What they must be to each other is said by the tally (``flaws``), in the words
of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalcore.settings import Settings

Kind = TypeVar("Kind", bound=type)
Shape = int | tuple[int, ...]
KEPT: dict[str, type] = {}
"""Table → the kind of its tally, as `kept_as` declares it."""
WORDS = {"f": "numbers", "u": "hashes", "b": "flags", "i": "whole numbers", "O": "texts"}
"""What values of a kind are called, by the letter of the kind."""


class Flaw(NamedTuple):
    """What keeps a tally from being one: where in it, what was found, and what was expected."""

    place: str
    found: str
    expected: str


Flaws = Iterator[Flaw]


def kept_as(table: str) -> Callable[[Kind], Kind]:
    """Declare the tally that a table is gathered to, so that reports that rest on it can be saved and opened.

    Parameters
    ----------
    table : its name in `Data.tables`.

    Returns
    -------
    A decorator of a frozen dataclass whose fields are bool, int, float, text, arrays of numbers, flags,
    hashes (uint64) or texts, of one or two dimensions, and None, tuples, mappings by text and dataclasses of
    such, as their annotations say. It offers ``flaws(data)``: what does not agree in it, as an iterator of
    `Flaw`, where ``data`` is what is known of the input. All that is known of an opened tally before is that
    its fields are of the kinds annotated, so that lengths, codes and finite numbers are looked at there, and
    then what rests on them.

    Three more are asked where a kind offers them: ``unnamed(options)``, the same without ids and texts of
    rows, for a tally that holds any, ``shown(options)``, name → what stands for it in `Data.tables` of an
    opened report, and ``flaws_beside(table, options)``, what the values of such a report say otherwise.

    Raises
    ------
    TypeError : for a table that has another kind.
    """

    def declare(kind: Kind) -> Kind:
        if table in KEPT:
            raise TypeError(f"the tally of {table} is declared twice")
        KEPT[table] = kind
        return kind

    return declare


def within(place: str, flaws: Iterable[Flaw]) -> Flaws:
    """The flaws of a part of a tally, under its name."""
    for flaw in flaws:
        yield flaw._replace(place=f"{place}/{flaw.place}" if flaw.place else place)


def unless(holds: Any, place: str, found: str, expected: str) -> Flaws:
    """What is wrong unless something holds."""
    if not holds:
        yield Flaw(place, found, expected)


def shaped(place: str, column: NDArray[Any], shape: Shape, kinds: str) -> Flaws:
    """An array of another shape, or of other kinds than those, the letters of `numpy.dtype.kind`."""
    wanted = (shape,) if isinstance(shape, int) else shape
    if column.dtype.kind not in kinds or column.shape != wanted:
        n, expected = (" × ".join(f"{one:,}" for one in of) or "1" for of in (column.shape, wanted))
        yield Flaw(place, f"{n} values of {column.dtype}", f"{expected} {WORDS[kinds[0]]}")


def codes(place: str, column: NDArray[Any], shape: Shape, n_levels: int, *, may_lack: bool = False) -> Flaws:
    """Codes from 0, or −1 where ``may_lack``, to ``n_levels`` − 1."""
    return _whole(place, column, shape, -1 if may_lack else 0, n_levels - 1)


def counts(place: str, column: NDArray[Any], shape: Shape, *, least: int = 0) -> Flaws:
    """Whole numbers up to the rows that one file may have."""
    return _whole(place, column, shape, least, Settings.read().max_rows)


def rows(place: str, column: NDArray[Any], shape: Shape) -> Flaws:
    """Numbers of rows, or the greatest int64 where there is none."""
    return _whole(place, column, shape, 0, np.iinfo(np.int64).max)


def numbers(
    place: str,
    column: NDArray[Any],
    shape: Shape,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    may_lack: bool = False,
) -> Flaws:
    """Finite numbers from low to high, or NaN where ``may_lack``."""
    wrong = list(shaped(place, column, shape, "f"))
    if not wrong:
        known = column[~np.isnan(column)] if may_lack else column
        wrong += unless(np.isfinite(known).all(), place, "a number that is not finite", "finite numbers")
    if not wrong:
        expected = f"numbers from {low:g} to {high:g}"
        wrong += unless(((known >= low) & (known <= high)).all(), place, "another number", expected)
    yield from wrong


def flags(place: str, column: NDArray[Any], shape: Shape) -> Flaws:
    """True or False."""
    return shaped(place, column, shape, "b")


def hashes(place: str, column: NDArray[Any], *, is_ascending: bool = True) -> Flaws:
    """Hashes of ids, each once, ascending or in an order of their own."""
    wrong = list(shaped(place, column, len(column), "u"))
    if not wrong and is_ascending:
        is_so = (column[1:] > column[:-1]).all()
        wrong += unless(is_so, place, "hashes in another order", "each once, ascending")
    elif not wrong:
        wrong += unless(len(np.unique(column)) == len(column), place, "a hash twice", "each hash once")
    yield from wrong


def levels(place: str, names: Iterable[str] | NDArray[Any]) -> Flaws:
    """Texts that must be there once each."""
    found = list(names)
    is_text = all(isinstance(name, str) for name in found)
    yield from unless(is_text, place, "something else", "texts")
    yield from unless(not is_text or len(set(found)) == len(found), place, "a name twice", "each name once")


def columns(place: str, slices: Mapping[str, tuple[NDArray[Any], tuple[str, ...]]], n: int) -> Flaws:
    """Columns to break down by: codes, −1 where a row has no value, and levels."""
    for name, (of_rows, of_column) in slices.items():
        yield from levels(f"{place}/{name}, levels", of_column)
        yield from codes(f"{place}/{name}", of_rows, n, len(of_column), may_lack=True)


def within_kind(place: str, column: NDArray[Any], kind: np.dtype[Any]) -> Flaws:
    """Whole numbers that another kind of whole numbers does not hold."""
    bounds = np.iinfo(kind)
    return _between(place, column, int(bounds.min), int(bounds.max))


def _whole(place: str, column: NDArray[Any], shape: Shape, low: int, high: int) -> Flaws:
    wrong = list(shaped(place, column, shape, "i"))
    yield from wrong or _between(place, column, low, high)


def _between(place: str, column: NDArray[Any], low: int, high: int) -> Flaws:
    outside = column[(column < low) | (column > high)]
    if outside.size:
        yield Flaw(place, str(int(outside.flat[0])), f"a whole number from {low} to {high:,}")
