"""Columns of a saved report: written as narrow as they allow, and checked one by one when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import InputError, Problem, problem
from evalcore.settings import Settings

Codes = NDArray[np.intp]


class Written:
    """Columns by name, on their way into a file."""

    def __init__(self) -> None:
        self.columns: dict[str, NDArray[Any]] = {}

    def add(self, name: str, column: NDArray[Any]) -> None:
        """Keep a column to the bit."""
        self.columns[name] = np.array(column)

    def add_whole(self, name: str, numbers: NDArray[Any]) -> None:
        """Keep whole numbers in the narrowest kind that holds them."""
        low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
        kinds = [np.iinfo(kind) for kind in (np.int8, np.int16, np.int32, np.int64)]
        self.columns[name] = numbers.astype(
            next(one.dtype for one in kinds if one.min <= low and high <= one.max)
        )

    def add_texts(self, name: str, texts: Sequence[str]) -> list[str]:
        """Keep texts as codes; the levels, in the order in which they come, are the caller's to keep."""
        levels = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        self.add_whole(name, np.array([levels[text] for text in texts], np.int64))
        return list(levels)


class Columns:
    """Columns of a file that are taken one after the other; what is wrong with them is collected.

    Parameters
    ----------
    columns : name → array of shape (N,), as they came.
    file : the file's name, for messages.

    Attributes
    ----------
    most : the greatest count: as many rows as one file may have.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], file: str | None) -> None:
        self._columns = dict(columns)
        self._file = file
        self.most = Settings.read().max_rows
        self.problems: list[Problem] = []

    def refuse(self, place: str, found: str, expected: str) -> None:
        """Report what is wrong at a place."""
        self.problems.append(problem("REP-291", file=self._file, place=place, found=found, expected=expected))

    def hold(self, holds: bool, place: str, found: str, expected: str) -> None:
        """Report what is wrong at a place unless something holds."""
        if not holds:
            self.refuse(place, found, expected)

    def end(self) -> None:
        """Raise everything that was found; nothing may be left over.

        Raises
        ------
        InputError : REP-291 for every fault.
        """
        if self._columns:
            self.refuse(next(iter(self._columns)), "a column that belongs to nothing", "only what is named")
        self.stop()

    def stop(self) -> None:
        """Raise what was found so far: what follows rests on it."""
        if self.problems:
            raise InputError(self.problems)

    def numbers(self, name: str, n: int, *, may_lack: bool = False) -> NDArray[np.float64]:
        """Finite numbers, or NaN where ``may_lack``; float64, shape (n,)."""
        found = self._taken(name, n, "f")
        is_legal = np.isfinite(found) | (np.isnan(found) if may_lack else False)
        self.hold(bool(is_legal.all()), name, "a number that is not finite", "finite numbers")
        return found

    def hashes(self, name: str, n: int, *, is_ascending: bool = True) -> NDArray[np.uint64]:
        """Hashes of ids, each once, ascending or in an order of their own; uint64, shape (n,)."""
        found = self._taken(name, n, "u")
        if is_ascending:
            is_so = bool((found[1:] > found[:-1]).all())
            self.hold(is_so, name, "hashes in another order", "each once, ascending")
        else:
            self.hold(len(np.unique(found)) == len(found), name, "a hash twice", "each hash once")
        return found

    def flags(self, name: str, n: int) -> NDArray[np.bool_]:
        """Bool, shape (n,)."""
        return self._taken(name, n, "b")

    def codes(self, name: str, n: int, n_levels: int, *, may_lack: bool = False) -> Codes:
        """Codes from 0, or −1 where ``may_lack``, to ``n_levels`` − 1; shape (n,)."""
        return self._whole(name, n, -1 if may_lack else 0, n_levels - 1).astype(np.intp)

    def counts(self, name: str, n: int, *, least: int = 0) -> NDArray[np.int64]:
        """Whole numbers up to the rows that one file may have; int64, shape (n,)."""
        return self._whole(name, n, least, self.most)

    def rows(self, name: str, n: int) -> NDArray[np.int64]:
        """Numbers of rows, or the greatest int64 where there is none; shape (n,)."""
        return self._whole(name, n, 0, np.iinfo(np.int64).max)

    def _whole(self, name: str, n: int, low: int, high: int) -> NDArray[np.int64]:
        found = self._taken(name, n, "i").astype(np.int64)
        outside = found[(found < low) | (found > high)]
        if not len(outside):
            return found
        self.refuse(name, str(int(outside[0])), f"a whole number from {low} to {high:,}")
        return np.zeros(len(found), np.int64)

    def _taken(self, name: str, n: int, kind: str) -> NDArray[Any]:
        found = self._columns.pop(name, None)
        words = {"f": "numbers", "u": "hashes", "b": "flags", "i": "whole numbers"}
        if found is not None and found.dtype.kind == kind and len(found) == n:
            return found.astype(found.dtype.newbyteorder("="))
        told = "nothing" if found is None else f"{len(found):,} values of {found.dtype}"
        self.refuse(name, told, f"{n:,} {words[kind]}")
        return np.zeros(0, {"f": float, "u": np.uint64, "b": bool, "i": np.int64}[kind])


def distinct(columns: Columns, place: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names that must be there once each."""
    found = tuple(names)
    columns.hold(len(set(found)) == len(found), place, "a name twice", "each name once")
    return found
