"""Columns of a saved report: written as narrow as they allow, and taken one by one when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.flaws import WORDS, Flaw, within_kind


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

    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], file: str | None) -> None:
        self._columns = dict(columns)
        self._file = file
        self.problems: list[Problem] = []

    def refuse(self, place: str, found: str, expected: str) -> None:
        """Report what is wrong at a place."""
        self.problems.append(problem("REP-291", file=self._file, place=place, found=found, expected=expected))

    def held(self, flaws: Iterable[Flaw]) -> None:
        """Report what does not agree."""
        for flaw in flaws:
            self.refuse(*flaw)

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

    def column(self, name: str, n: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """A column of so many values of a kind; an empty one where the file has another or none."""
        found = self._columns.pop(name, None)
        letter = "i" if kind.kind == "u" and kind != np.uint64 else kind.kind
        if found is None or found.dtype.kind != letter or len(found) != n:
            told = "nothing" if found is None else f"{len(found):,} values of {found.dtype}"
            self.refuse(name, told, f"{n:,} {WORDS[letter]}")
        elif letter != "i" or (flaw := next(within_kind(name, found, kind), None)) is None:
            return found.astype(kind)
        else:
            self.refuse(*flaw)
        return np.zeros(0, kind)
