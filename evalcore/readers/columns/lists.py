"""Cells that hold lists of ids: ``a|b|c``, a JSON array, a Python list, or a native list."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.arrays import NO_TEXT, arrow_array, arrow_texts, plain_array
from evalcore.readers.formats.cells import number_text, texts_of
from evalcore.readers.formats.storage import is_list, plain
from evalcore.readers.formats.table import Texts
from evalcore.readers.formats.text.literals import python_literal

CORRECT = "Correct the cell."
_NO_COMMA = re.compile(r"""['"]\s+['"]""")
_WRITTEN_NOTHING = ("nan", "none", "null")


@dataclass(frozen=True)
class Lists:
    """The lists of a column, one after the other.

    Parameters
    ----------
    row : int, shape (R,), the index of the row each item stands in, ascending.
    position : int, shape (R,), from 0 within the row.
    item : Texts, shape (R,).
    n_rows : number of rows.
    """

    row: NDArray[np.intp]
    position: NDArray[np.intp]
    item: Texts
    n_rows: int

    def lengths(self) -> NDArray[np.int64]:
        """Number of items of each row."""
        return np.bincount(self.row, minlength=self.n_rows).astype(np.int64)


def lists_of(
    column: Any, row: NDArray[np.intp], file: str, name: str, is_gold: bool, findings: Findings
) -> Lists:
    """Read a column of lists; cells that are no list are reported.

    Parameters
    ----------
    column : Arrow column of text or of lists of single values, or of single values, each a list of one.
    row : data rows from 1, for messages.
    is_gold : whether an empty list is spelled by an empty cell only, never as ``nan``.
    """
    array = whole(column)
    if is_list(array.type):
        lengths, items, faults = _native(array)
    else:
        is_bracketed = pc.any(pc.match_substring_regex(array, r"^\s*[\[(]")).as_py()
        lengths, items, faults = _cell_by_cell(array) if is_bracketed else _split(array)
        if is_gold:
            faults += _written_nothing(array)
    facts = ((int(row[i]), {"found": found, "advice": CORRECT}) for i, found in sorted(faults)[:SHOWN])
    findings.add_rows("RNK-003", facts, len(faults), file=file, column=name)
    at = np.repeat(np.arange(len(lengths)), lengths)
    start = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else np.zeros(0, np.intp)
    position = np.arange(len(at)) - np.repeat(start, lengths)
    return Lists(at, position, texts_of(items), len(lengths))


def whole(column: Any) -> Any:
    """A column in one piece: lists as they are stored, anything else as text, "" where there is nothing."""
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if not is_list(chunked.type):
        return _text(chunked)
    array = chunked.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _text(column: Any) -> Any:
    """Single values as one array of text, "" where there is nothing."""
    values = plain(column)
    if pa.types.is_floating(values.type):
        cells = [None if value is None else number_text(value) for value in values.to_pylist()]
        values = pa.chunked_array([pa.array(cells, pa.string())])
    text = values.cast(pa.string()).combine_chunks()
    text = pa.concat_arrays(text.chunks) if isinstance(text, pa.ChunkedArray) else text
    return text.fill_null(NO_TEXT)


_Found = tuple[NDArray[np.int64], Any, list[tuple[int, str]]]


def _native(array: Any) -> _Found:
    lengths = np.asarray(plain_array(pc.fill_null(pc.list_value_length(array), 0)), np.int64)
    items = _text(pc.list_flatten(array))
    return lengths, items, _empty_items(lengths, items)


def _split(array: Any) -> _Found:
    """Items between bars, blanks around them taken off."""
    split = pc.split_pattern(array, "|")
    lengths = np.asarray(plain_array(pc.list_value_length(split)), np.int64)
    is_blank = plain_array(pc.equal(pc.utf8_trim_whitespace(array), NO_TEXT))
    items = pc.utf8_trim_whitespace(pc.list_flatten(split))
    if is_blank.any():
        items = items.filter(arrow_array(~np.repeat(is_blank, lengths)))
        lengths = np.where(is_blank, 0, lengths)
    return lengths, items, _empty_items(lengths, items)


def _empty_items(lengths: NDArray[np.int64], items: Any) -> list[tuple[int, str]]:
    empty = np.flatnonzero(plain_array(pc.equal(items, NO_TEXT)))
    if not len(empty):
        return []
    rows = np.unique(np.searchsorted(np.cumsum(lengths), empty, side="right"))
    return [(int(i), "a list with an empty id") for i in rows]


def _written_nothing(array: Any) -> list[tuple[int, str]]:
    cells = pc.utf8_lower(pc.utf8_trim_whitespace(array))
    found = pc.is_in(cells, arrow_texts(_WRITTEN_NOTHING))
    at = np.flatnonzero(plain_array(found))
    return [
        (int(i), f"the word {array[int(i)].as_py().strip()}, where a query without gold has an empty cell")
        for i in at
    ]


def _cell_by_cell(array: Any) -> _Found:
    lengths: list[int] = []
    items: list[str] = []
    faults: list[tuple[int, str]] = []
    for i, cell in enumerate(array.to_pylist()):
        try:
            found = list_in(cell)
        except ValueError as error:
            faults.append((i, str(error)))
            found = []
        lengths.append(len(found))
        items.extend(found)
    return np.asarray(lengths, np.int64), pa.array(items, pa.string()), faults


def list_in(cell: str) -> list[str]:
    """The ids of one cell.

    Raises
    ------
    ValueError : saying what the cell is instead of a list of ids.

    >>> list_in("a|b"), list_in('["a", 2]'), list_in("['a', 'b']"), list_in("")
    (['a', 'b'], ['a', '2'], ['a', 'b'], [])
    """
    text = cell.strip()
    if not text:
        return []
    if text[0] not in "[(":
        found: Any = [part.strip() for part in text.split("|")]
    else:
        found = _literal(text)
    if not isinstance(found, (list, tuple)):
        raise ValueError("a value that is no list")
    items = [_item(value) for value in found]
    if "" in items:
        raise ValueError("a list with an empty id")
    return items


def _literal(text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        pass
    if _NO_COMMA.search(text):
        raise ValueError("a list without commas between its ids")
    return python_literal(text)


def _item(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("a list with something that is no id")
    return number_text(value) if isinstance(value, float) else str(value)
