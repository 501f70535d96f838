"""JSON cut where its parts end, and parsed with its numbers as they are written."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PIECE = 2**22
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
FILLED = re.compile(rb"\S")
_NAMED = re.compile(rb'\s*("(?:[^"\\]|\\.)*+")\s*:\s*', re.DOTALL)
_MARKS = np.zeros(256, bool)
_MARKS[list(b'"[]{},')] = True
_ARRAY_ITEM = b'{["-0123456789tfnN]'

INDEX = "index"

Fits = Callable[[Sequence[str]], bool]
"""Whether columns of these names make a table of a kind that `evalcore.schema.kind_of` does not know."""


def fits_none(_: Sequence[str]) -> bool:
    """No names do."""
    return False


@dataclass(frozen=True)
class JsonText:
    """Records, one a line, or the columns of a document that had to be parsed to find them.

    Parameters
    ----------
    text : the lines; of columns, the document.
    format : how the file is laid out, in words.
    is_lines : whether the file itself has a record a line; otherwise a record is known by its number.
    columns : name → cells, numbers as they are written; None for lines.
    is_object : whether the text is one object of no known layout.
    """

    text: bytes
    format: str = "JSON Lines"
    is_lines: bool = True
    columns: Mapping[str, Sequence[Any]] | None = None
    is_object: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows the columns have."""
        return len(next(iter((self.columns or {}).values()), ()))

    def names(self) -> list[str]:
        """The names of the columns, or of the fields of the first record."""
        if self.columns is not None:
            return list(self.columns)
        try:
            found = json.loads(self.text.lstrip().split(b"\n", 1)[0])
        except (ValueError, RecursionError):
            return []
        return list(found) if isinstance(found, dict) else []

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The one object of no known layout; empty where the text is none."""
        try:
            found = json.loads(self.text) if self.is_object else {}
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def is_json(text: bytes) -> bool:
    """Whether a text begins as an object or an array does.

    >>> is_json(b' {"a": 1}'), is_json(b"[1, 2]"), is_json(b"[id],[label]")
    (True, True, False)
    """
    first = FILLED.search(text)
    if first is None or first.group() not in (b"{", b"["):
        return False
    second = FILLED.search(text, first.end())
    return first.group() == b"{" or second is None or second.group() in _ARRAY_ITEM


@dataclass(frozen=True)
class Parts:
    """Where the first array or object begins and ends, the commas between its parts, whether more follows."""

    start: int
    end: int
    commas: NDArray[np.int64]
    has_rest: bool

    def spans(self) -> Iterable[tuple[int, int]]:
        """Start and end of each part."""
        borders = [self.start, *self.commas.tolist(), self.end]
        return ((a + 1, b) for a, b in itertools.pairwise(borders))


def parts_of(text: bytes) -> Parts | None:
    """The parts of the first array or object; None where it does not end."""
    plain = _ESCAPED.sub(b"__", text) if b"\\" in text else text
    view = np.frombuffer(plain, np.uint8)
    depth, is_quoted, start, end = 0, False, -1, -1
    commas: list[NDArray[np.int64]] = []
    for at in range(0, len(view), _PIECE):
        piece = view[at : at + _PIECE]
        places = np.flatnonzero(_MARKS[piece])
        marks = piece[places]
        quotes = marks == ord('"')
        inside = (np.cumsum(quotes) + is_quoted) % 2 == 1
        is_quoted = bool(inside[-1]) if len(inside) else is_quoted
        places, marks = places[~quotes & ~inside] + at, marks[~quotes & ~inside]
        is_opening, is_comma = (marks & 0x06) == 0x02, marks == ord(",")
        depths = depth + np.cumsum(np.where(is_comma, 0, np.where(is_opening, 1, -1)))
        if not len(depths):
            continue
        if start < 0:
            start = int(places[0])
        ends = places[(depths == 0) & ~is_comma]
        if len(ends) and end < 0:
            end = int(ends[0])
        commas.append(places[is_comma & (depths == 1)])
        depth = int(depths[-1])
    if end < 0:
        return None
    every = np.concatenate(commas)
    return Parts(start, end, every[every < end], FILLED.search(text, end + 1) is not None)


def members_of(text: bytes, parts: Parts) -> dict[str, bytes]:
    """Name → the text of each member of an object.

    Raises
    ------
    ValueError : where a part has no name or a name stands twice.
    """
    found: dict[str, bytes] = {}
    for start, end in parts.spans():
        named = _NAMED.match(text, start, end)
        key = json.loads(named.group(1)) if named else None
        if key is None or key in found:
            raise ValueError(start)
        found[key] = text[named.end() : end] if named else b""
    return found


def parsed(text: bytes) -> Any:
    """The document with its numbers as they are written.

    Raises
    ------
    ValueError : for text that is no JSON.
    """
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_named_once)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that it has twice would lose a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found
