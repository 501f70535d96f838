"""Tables as R writes them: names of rows before the columns, blanks between fields, quotes around text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from evalcore.readers.formats.cells import spells_number
from evalcore.schema import is_known_name

BLANK = " "
ROW_NAMES = "row_names"
_POINT = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_ALL_QUOTED = re.compile(r'"[^"]*"( +"[^"]*")+')
_SEVERAL = re.compile(rb" {2,}")
_AT_ENDS = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)


def with_row_names(
    header: list[str], rows: Sequence[Sequence[str]], head: str, mark: str
) -> list[str] | None:
    """The header with a name for the names of rows, "" where they only number them; None without any.

    R leaves their name out of the header, or writes an empty one. Rows longer than the header by one are
    taken for named ones where the names are all different, in quotes or counting, and, between commas, where
    some decimal has a point: otherwise a decimal comma could be what parts a field.

    Parameters
    ----------
    header : the first line.
    rows : the lines below it, as far as they are looked at.
    head : the text of these lines.
    mark : the separator.
    """
    rows = [row for row in rows if row]
    names = [row[0].strip() for row in rows]
    if not rows or len(set(names)) < len(names) or "" in names:
        return None
    are_numbers = all(map(str.isdigit, names))
    own = "" if are_numbers or ROW_NAMES in header else ROW_NAMES
    if header[0].strip() == "" and len(header) > 1:
        is_even = own and all(len(row) == len(header) for row in rows)
        return [own, *header[1:]] if is_even else None
    if not all(len(row) == len(header) + 1 and row[-1].strip() for row in rows):
        return None
    is_quoted = all(line[:1] == '"' for line in head.split("\n")[1:] if line.strip())
    has_points = any(_POINT.fullmatch(cell.strip()) for row in rows for cell in row)
    if not (is_quoted or _counts(names)) or (mark == "," and not has_points):
        return None
    return [own, *header]


def _counts(names: list[str]) -> bool:
    return names in ([str(i) for i in range(n, n + len(names))] for n in (0, 1))


def parted_by_blanks(head: str) -> list[list[str]] | None:
    """The rows of a text between blanks, or None where its first line has no quotes and no known column.

    >>> parted_by_blanks('"id" "y_true"\\n"1" "a b" 0\\n')
    [['id', 'y_true'], ['1', 'a b', '0']]
    >>> parted_by_blanks("301 0 d1 1\\n")
    """
    lines = [line for line in head.split("\n") if line.strip()]
    if not lines or not (is_header(fields_of(lines[0])) or _ALL_QUOTED.fullmatch(lines[0].strip())):
        return None
    rows = list(map(fields_of, lines))
    width = len(rows[0])
    is_even = (
        len(rows) > 1 and len({len(row) for row in rows[1:]}) == 1 and len(rows[1]) in (width, width + 1)
    )
    return rows if is_even else None


def fields_of(line: str) -> list[str]:
    """The fields of a line between blanks, text in quotes as one; none where it is no such line."""
    try:
        return next(csv.reader([line.strip()], delimiter=BLANK, skipinitialspace=True), [])
    except csv.Error:  # a lone return, or a field beyond the limit
        return []


def is_header(cells: Sequence[str]) -> bool:
    """Whether fields are several names, none a number and one of them known; the first may be empty."""
    is_named = len(cells) > 1 and all(cells[1:]) and len(set(cells)) == len(cells)
    return is_named and any(map(is_known_name, cells)) and not any(map(spells_number, cells))


def with_single_blanks(text: bytes) -> bytes:
    """A text without quotes with one blank between fields, as programs write more to align them."""
    if b'"' in text or (b"  " not in text and b"\n " not in text and b" \n" not in text):
        return text
    return _AT_ENDS.sub(b"", _SEVERAL.sub(b" ", text))
