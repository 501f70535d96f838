"""How a delimited text is laid out: separator, decimal mark and header, found out and checked."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from evalcore.problems import Findings
from evalcore.readers.formats.cells import MISSING, parts_thousands, spells_number
from evalcore.readers.formats.table import SAMPLE_ROWS
from evalcore.readers.formats.text.above_header import filled, is_title, n_lines_above
from evalcore.readers.formats.text.quoting import check_quotes, first_line_end
from evalcore.readers.formats.text.row_names import (
    BLANK,
    parted_by_blanks,
    with_row_names,
    with_single_blanks,
)
from evalcore.schema import is_known_name, is_list_column
from evalcore.settings import Settings

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
WORDS = {**DELIMITERS, BLANK: "blank"}
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_LONGEST_HEADER = 2**22
_FILLED = re.compile(rb"\S")
_CELLS_SHOWN = 5
_PLACES_SHOWN = 10
_TITLE_SHOWN = 80
_PARTED = 10_000
_OTHER_MARKS = ("|", ":", "^", "~", "\x01", "\x1f")
_ENDS = ",;\t \r"
_HEAD = 2**18
_DIGITS = re.compile(r"\d+")
_WORDS = frozenset({"true", "false", "yes", "no"})
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(e[+-]?\d+)?\s*", re.IGNORECASE)
_DECIMAL_POINT = re.compile(r"\s*[+-]?\d*\.\d+(e[+-]?\d+)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """How a delimited text is laid out.

    Parameters
    ----------
    text : UTF-8 bytes, header included, lines ending with a newline.
    body : offset of the first line under the header.
    delimiter : the separator.
    decimal_mark : ``.`` or ``,``.
    header : the names, "" for a column without one.
    sample : the first rows, as lists of cells.
    n_above : lines above the header that were taken off.
    has_header : whether the first line holds the names; without it they are the positions, from 1.
    title : the lines above the header, where there are any; else "".
    has_row_names : whether names of rows were found before the columns; they have a name in the header too.
    """

    text: bytes
    body: int
    delimiter: str
    decimal_mark: str
    header: list[str]
    sample: list[list[str]]
    n_above: int
    has_header: bool = True
    title: str = ""
    has_row_names: bool = False

    @property
    def words(self) -> str:
        """The layout in words: "comma" or "semicolon, decimal comma, no header"."""
        mark = ", decimal comma" if self.decimal_mark == "," else ""
        return WORDS[self.delimiter] + mark + ("" if self.has_header else ", no header")

    @property
    def is_title(self) -> bool:
        """Whether the first line is one cell above a table of several columns."""
        return self.has_header and is_title(self.header, self.sample)

    @property
    def lacks_names(self) -> bool:
        """Whether the first line is taken for a header and cannot be one: it holds numbers and no known name.

        Neither can a line without a known name whose cells look like those below. Whole numbers from 0 or 1
        on are names that data frames write.
        """
        if not self.has_header or any(map(is_known_name, self.header)):
            return False
        if (
            self.is_title
            or _other_mark(self)
            or any(map(_is_value, self.header))
            or _looks_like_a_row(self.header, self.sample)
        ):
            return True
        numbers = [cell for cell in self.header if spells_number(cell)]
        if not numbers:
            return False
        if len(set(numbers)) < len(numbers) or not all(map(str.isdigit, numbers)):
            return True
        counted = [[str(i) for i in range(first, first + len(numbers))] for first in (0, 1)]
        return len(numbers) == len(self.header) and numbers not in counted


def _is_value(cell: str) -> bool:
    """Whether a cell is a percentage or a number with a decimal comma."""
    number = cell.removesuffix("%").rstrip()
    is_comma = bool(_DECIMAL_COMMA.fullmatch(number))
    return is_comma or (number != cell and spells_number(number))


def _looks_like_a_row(header: list[str], rows: list[list[str]]) -> bool:
    """Whether a first line repeats cells below it, or spells them alike but for their digits."""
    n_repeated = 0
    for i, cell in enumerate(header):
        below = {row[i].strip() for row in rows if i < len(row)} - {""}
        if not cell or not below or spells_number(cell):
            continue
        has_digits = _DIGITS.search(cell) is not None
        is_alike = has_digits and {_DIGITS.sub("0", one) for one in below} == {_DIGITS.sub("0", cell)}
        is_word = cell.lower() in _WORDS and {one.lower() for one in below} <= _WORDS
        if is_alike or is_word or (has_digits and cell in below):
            return True
        n_repeated += cell in below
    return n_repeated > 1


def layout_of(text: bytes, name: str, findings: Findings, has_header: bool = True) -> Layout | None:
    """How a text is laid out; None, with the problem reported, where nothing is in it or too much."""
    settings = Settings.read()
    n_lines = text.count(b"\n") if len(text) > settings.max_lines else 0
    if b"\r" in text and len(text) > settings.max_lines:
        n_lines += text.count(b"\r") - text.count(b"\r\n")
    if n_lines > settings.max_lines:
        findings.add("FILE-075", file=name, n=n_lines, limit=settings.max_lines)
        return None
    text = _with_newlines(text)
    above = re.match(rb"(?:sep=([,;\t])\r?\n)?[\r\n]*", text)
    said = above.group(1).decode() if above and above.group(1) else None
    start = above.end() if above else 0
    n_above = text.count(b"\n", 0, start)
    text = text[start:] if start else text
    text, title = _without_title(text, said) if has_header else (text, "")
    n_above += title.count("\n")
    if not _FILLED.search(text):
        findings.add("FILE-002", file=name)
        return None
    n_first = text.find(b"\n") + 1 or len(text)
    if n_first > _LONGEST_HEADER:
        findings.add("FILE-076", file=name, n=n_first, limit=_LONGEST_HEADER)
        return None
    size = max(_HEAD, n_first)
    head = text[:size]
    head = head[: head.rfind(b"\n") + 1] or head if len(text) > size else head
    first_rows = head.decode("utf-8", "replace")
    delimiter, rows = _delimiter(first_rows, said)
    blanks = parted_by_blanks(first_rows) if has_header and len(rows[0]) == 1 else None
    if blanks is not None:
        delimiter, rows, text = BLANK, blanks, with_single_blanks(text)
    header, sample = rows[0], rows[1:]
    if len(header) > settings.max_columns:
        findings.add("FILE-073", file=name, n=len(header), limit=settings.max_columns)
        return None
    if sample and all(len(row) == len(header) + 1 and not row[-1] for row in sample):
        header = [*header, ""]
    named = with_row_names(header, sample, first_rows, delimiter) if has_header else None
    header = [cell.strip() for cell in (named or header)]
    body = first_line_end(text, delimiter)
    if not has_header:
        header, sample, body = [str(place) for place, _ in enumerate(rows[0], 1)], rows, 0
    is_comma = _has_decimal_comma(sample, header, delimiter)
    mark = "," if is_comma else "."
    return Layout(
        text,
        body,
        delimiter,
        mark,
        header,
        sample[:SAMPLE_ROWS],
        n_above,
        has_header,
        title,
        named is not None,
    )


def _without_title(text: bytes, said: str | None) -> tuple[bytes, str]:
    """The text from the header on, and the lines above it."""
    n_lines = n_lines_above(text, [said] if said else DELIMITERS)
    above = b"".join(text.split(b"\n", n_lines)[:n_lines])
    size = len(above) + n_lines
    return (text[size:], text[:size].decode("utf-8", "replace")) if n_lines else (text, "")


def _with_newlines(text: bytes) -> bytes:
    """The text with a newline where a return stands alone, as old systems end their lines."""
    if not _LONE_RETURN.search(text):
        return text
    if b"\0" in text:
        return _LONE_RETURN.sub(b"\n", text)
    # Three plain replacements: a pattern takes a quarter of a second for each million of lines.
    return text.replace(b"\r\n", b"\0").replace(b"\r", b"\n").replace(b"\0", b"\r\n")


def _delimiter(head: str, said: str | None) -> tuple[str, list[list[str]]]:
    """The separator that gives most columns, by rows as long as the header, and the rows."""
    best, best_rows, best_worth = ",", [[head.split("\n", 1)[0]]], -1.0
    for delimiter in [said] if said else DELIMITERS:
        if delimiter not in head and best_worth >= 0:
            continue  # one column, which is worth nothing
        rows = [row for row in _rows(head, delimiter) if row]
        if not rows:
            continue
        width = len(rows[0])
        same = sum(1 for row in rows[1:] if len(row) == width or (len(row) == width + 1 and not row[-1]))
        share = same / (len(rows) - 1) if len(rows) > 1 else 1.0
        worth = (width - 1) * (share + 0.001)
        if worth > best_worth:
            best, best_rows, best_worth = delimiter, rows, worth
    return best, best_rows


def _rows(head: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        yield from reader
    except csv.Error:
        return


def _has_decimal_comma(sample: list[list[str]], header: list[str], delimiter: str) -> bool:
    """Whether some column holds numbers with a decimal comma and none with a point.

    Between commas they must be all the column holds, as lists of two numbers look the same.
    """
    for name, cells in zip(header, zip(*sample, strict=False), strict=False):
        if "," not in "".join(cells):  # most columns: nothing below needs to look at each cell
            continue
        filled = [cell for cell in map(str.strip, cells) if cell and cell not in MISSING]
        has_comma = any(_DECIMAL_COMMA.fullmatch(cell) and not parts_thousands(cell) for cell in filled)
        if not has_comma or any(map(_DECIMAL_POINT.fullmatch, filled)):
            continue
        if delimiter != "," or (
            not is_list_column(name) and all(spells_number(cell, comma_allowed=True) for cell in filled)
        ):
            return True
    return False


def check_layout(layout: Layout, name: str, findings: Findings) -> bool:
    """Report what is wrong with header and quotes; whether rows can be read."""
    if layout.decimal_mark == ",":
        findings.add("FILE-010", file=name, separator=WORDS[layout.delimiter], mark="comma")
    if layout.title:
        lines = layout.title.splitlines()
        n_more = f" and {len(lines) - 1} more above the header" if len(lines) > 1 else ""
        findings.add("FILE-104", file=name, found=f"“{lines[0].rstrip(_ENDS)[:_TITLE_SHOWN]}”{n_more}")
    other = _other_mark(layout)
    if other is not None:
        findings.add("FILE-107", file=name, found=_shown(layout.header), mark=other)
        return False
    if layout.lacks_names:
        code = "FILE-105" if layout.is_title else "FILE-030"
        findings.add(code, file=name, line=layout.n_above + 1, found=_shown(filled(layout.header)))
        return False
    if layout.has_row_names:
        name_of = layout.header[0]
        said = f"They are the column {name_of}" if name_of else "They number the rows and were left out"
        findings.add("FILE-106", file=name, said=said)
    _report_nameless(layout, name, findings)
    twice = [column for column, n in Counter(filter(None, layout.header)).items() if n > 1]
    for column in twice:
        findings.add("FILE-009", file=name, name=column)
    is_whole = check_quotes(layout.text, layout.delimiter, layout.header, name, findings, layout.n_above)
    if is_whole and not _FILLED.search(layout.text, layout.body):
        findings.add("FILE-008", file=name)
        return False
    return is_whole and not twice


def _report_nameless(layout: Layout, name: str, findings: Findings) -> None:
    """Tell of every column without a name: which are empty, and which hold values that are left out."""
    nameless = [i for i, column in enumerate(layout.header) if not column]
    is_filled = {i: any(row[i].strip() for row in layout.sample if i < len(row)) for i in nameless}
    for i in nameless:
        if not is_filled[i]:
            findings.add("COL-011", file=name, place=i + 1)
    filled_ones = [i + 1 for i in nameless if is_filled[i] and not (i == 0 and layout.has_row_names)]
    if filled_ones[:1] == [1]:
        advice = "It was left out, having no name. If it holds the ids, give it one in the header."
        findings.add("COL-265", file=name, name="column 1", what="", advice=advice)
    others = [place for place in filled_ones if place > 1]
    if others:
        shown = [f"column {place}" for place in others[:_PLACES_SHOWN]]
        findings.add("COL-305", file=name, found=", ".join([*shown, *["…"][: len(others) - len(shown)]]))


def _other_mark(layout: Layout) -> str | None:
    """The mark between known names in a header that no separator of ours parts, or None."""
    if len(layout.header) > 1 or not layout.has_header:
        return None
    beginning = layout.header[0][:_PARTED]
    return next((mark for mark in _OTHER_MARKS if sum(map(is_known_name, beginning.split(mark))) > 1), None)


def _shown(cells: list[str]) -> str:
    """The first cells of a line."""
    listed = ", ".join(cell[:40] for cell in cells[:_CELLS_SHOWN])
    return listed + (", …" if len(cells) > _CELLS_SHOWN else "")
