"""Lines above the header of a delimited text: titles and comments that people and spreadsheets put there."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

from evalcore.readers.formats.cells import spells_number
from evalcore.schema import is_known_name, kind_of

_MOST_ABOVE = 10
_LOOKED_AT = 2**14


def n_lines_above(text: bytes, delimiters: Iterable[str]) -> int:
    """How many lines stand above a header whose names are known; 0 where the first line may be one.

    A line above is a comment, or fills fewer cells than the header, and names no known column.

    >>> n_lines_above(b"Exported in May,,\\n,,\\nid,y_true,y_prob\\na,0,0.1\\n", ",")
    2
    >>> n_lines_above(b"id,truth,p\\na,0,0.1\\n", ",")
    0
    """
    lines = text[:_LOOKED_AT].decode("utf-8", "replace").split("\n")[: _MOST_ABOVE + 2]
    for delimiter in delimiters:
        rows = [filled(_cells(line, delimiter)) for line in lines]
        at = next((i for i, row in enumerate(rows) if any(map(is_known_name, row))), 0)
        if not at or at + 1 >= len(rows) or not _is_header(rows[at]) or not rows[at + 1]:
            continue
        is_above = [
            line.lstrip().startswith("#") or len(row) < len(rows[at])
            for line, row in zip(lines[:at], rows[:at], strict=True)
        ]
        if all(is_above):
            return at
    return 0


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def filled(row: Sequence[str]) -> list[str]:
    """The cells of a row with something in them."""
    return [cell.strip() for cell in row if cell.strip()]


def _is_header(cells: list[str]) -> bool:
    """Whether cells name a table, or two known columns, and none is a number."""
    if len(set(cells)) < len(cells) or any(map(spells_number, cells)):
        return False
    return len(cells) > 1 and (kind_of(cells) is not None or sum(map(is_known_name, cells)) > 1)


def is_title(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line cannot name the columns: one cell is filled, and most rows fill several.

    >>> is_title(["My scores", "", ""], [["who", "truth", "p"], ["a", "0", "0.1"]])
    True
    """
    return len(filled(header)) == 1 and 2 * sum(len(filled(row)) > 1 for row in rows) > len(rows)
