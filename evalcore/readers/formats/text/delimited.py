"""CSV and its relatives: separator and decimal mark found out, cells kept as the text they are."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.cells import (
    MISSING,
    cells_fit,
    numbers_of,
    parts_thousands,
    spells_number,
    texts_of,
)
from evalcore.readers.formats.native import report_size
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form, Numbers, Texts
from evalcore.readers.formats.text.above_header import filled, is_title, n_lines_above
from evalcore.readers.formats.text.lines import EvenRows, data_rows, even_rows
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
_MOST_LONG = 100_000
"""Rows longer than the header after which the rest is not looked at: the file is refused in any case."""
_FILLED = re.compile(rb"\S")
_CELLS_SHOWN = 5
_PLACES_SHOWN = 10
_TITLE_SHOWN = 80
_OTHER_MARKS = ("|", ":", "^", "~", "\x01", "\x1f")
_ENDS = ",;\t \r"
_HEAD = 2**18
_BLOCK = 2**22
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
    return next(
        (mark for mark in _OTHER_MARKS if sum(map(is_known_name, layout.header[0].split(mark))) > 1), None
    )


def _shown(cells: list[str]) -> str:
    """The first cells of a line."""
    listed = ", ".join(cell[:40] for cell in cells[:_CELLS_SHOWN])
    return listed + (", …" if len(cells) > _CELLS_SHOWN else "")


def _may_part_thousands(column: Any) -> bool:
    """Whether numbers read with a decimal comma may have been written with one between thousands."""
    values = np.abs(column.drop_null().to_numpy())
    values = values[np.isfinite(values)]
    broken = values[values % 1 != 0]
    thousandths = broken * 1000
    is_grouped = np.isclose(thousandths, np.round(thousandths), rtol=0, atol=1e-6)
    is_grouped &= (broken >= 1) & (broken < 1000)
    return bool(is_grouped.all() and (values >= 1).any())


class DelimitedReader:
    """Reads columns of a delimited text; each call parses once."""

    def __init__(self, layout: Layout, name: str, findings: Findings) -> None:
        self._layout, self._name, self._findings = layout, name, findings
        self._place = {column: i for i, column in enumerate(layout.header) if column}
        self._body = pa.py_buffer(layout.text).slice(layout.body)
        self._even: EvenRows | None = None
        self._rows: tuple[NDArray[np.intp], int] | None = None

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for; rows longer than the header are reported and left out."""
        table = self._parse(forms)
        row, n_blank = self._row_numbers(table.num_rows)
        cells = {name: table.column(f"c{self._place[name]}") for name in forms}
        if not cells_fit(cells, row, self._name, self._findings):
            raise ValueError(self._name)
        del cells
        has_comma = self._layout.decimal_mark == ","
        texts: dict[str, Texts] = {}
        numbers: dict[str, Numbers] = {}
        raw: dict[str, Any] = {}
        columns = dict(zip(table.column_names, table.columns, strict=True))
        del table
        for name, form in forms.items():
            column = columns.pop(f"c{self._place[name]}")
            if form == "text":
                texts[name] = texts_of(column)
            elif form == "number":
                if has_comma and not pa.types.is_string(column.type) and _may_part_thousands(column):
                    column = self._parse({name: "raw"}).column(0)
                allowed = has_comma or self._layout.delimiter != ","
                numbers[name] = numbers_of(column, allowed, has_comma)
            else:
                raw[name] = column
            del column
        short = self._even.short if self._even is not None else {}
        pa.default_memory_pool().release_unused()
        return Columns(len(row), n_blank, row, texts, numbers, raw, short)

    def close(self) -> None:
        """Give back the memory of the text."""
        self._body = pa.py_buffer(b"")
        self._layout = replace(self._layout, text=b"")

    def _parse(self, forms: Mapping[str, Form]) -> Any:
        """The columns, numbers as text where a cell is none."""
        reason = ""
        for as_text in (False, True):
            try:
                return self._parse_whole(forms, as_text)
            except pa.ArrowException as error:
                reason = reason_of(error)
                if "columns, got" in reason and self._even is None:
                    self._make_even()
                    return self._parse(forms)
        self._findings.add("FILE-007", file=self._name, kind="CSV", reason=reason)
        raise ValueError(self._name)

    def _parse_whole(self, forms: Mapping[str, Form], as_text: bool) -> Any:
        coded = pa.dictionary(pa.int32(), pa.string())
        types = {
            "text": coded,
            "number": pa.string() if as_text else pa.float64(),
            "raw": pa.string(),
            "native": pa.string(),
        }
        columns = {f"c{self._place[name]}": types[form] for name, form in forms.items()}
        try:
            return parse(self._body, self._layout, columns)
        except pa.ArrowException as error:
            if "straddl" not in str(error):
                raise
            return parse(self._body, self._layout, columns, block=min(len(self._body) + 1, 2**31 - 1))

    def _make_even(self) -> None:
        layout = self._layout
        long: list[tuple[int, int]] = []
        short: list[tuple[int, int]] = []
        blank: list[int] = []

        def skip(row: Any) -> str:
            kind = short if row.actual_columns < row.expected_columns else long
            if row.text.strip():
                kind.append((row.number, row.actual_columns))
            else:
                blank.append(row.number)
            return "skip" if len(long) <= _MOST_LONG else "error"

        try:
            parse(self._body, layout, {"c0": pa.string()}, len(self._body) + 1, skip)
        except pa.ArrowInvalid:
            if len(long) <= _MOST_LONG:
                raise
            n_expected = len(layout.header)
            rows = ((row, {"n_found": n}) for row, n in long)
            self._findings.add_rows("FILE-006", rows, len(long), file=self._name, n_expected=n_expected)
            raise ValueError(self._name) from None
        n_missing = sum(len(layout.header) - n for _, n in short)
        if n_missing > Settings.read().unpacked_limit(len(layout.text)):
            report_size(len(layout.text), self._name, self._findings)
            raise ValueError(self._name)
        even = even_rows(self._body.to_pybytes(), layout.delimiter, len(layout.header), short, long, blank)
        facts = ((row, {"n_found": n}) for row, n in even.long.items())
        expected = len(layout.header)
        self._findings.add_rows("FILE-006", facts, len(even.long), file=self._name, n_expected=expected)
        self._body, self._even, self._rows = pa.py_buffer(even.body), even, (even.row, even.n_blank)

    def _row_numbers(self, n_rows: int) -> tuple[NDArray[np.intp], int]:
        if self._rows is None:
            text, body = self._layout.text, self._layout.body
            starts_blank = text[body : body + 2].startswith((b"\n", b"\r\n"))
            has_blank = starts_blank or text.find(b"\n\n", body) >= 0
            has_blank = has_blank or (text.find(b"\r", body) >= 0 and text.find(b"\n\r\n", body) >= 0)
            self._rows = (
                data_rows(text[body:], self._layout.delimiter) if has_blank else (np.arange(1, n_rows + 1), 0)
            )
        row, n_blank = self._rows
        return (row if len(row) == n_rows else np.arange(1, n_rows + 1)), n_blank


def parse(
    body: Any, layout: Layout, columns: Mapping[str, Any], block: int = _BLOCK, on_length: Any = None
) -> Any:
    """The columns ``c0``, ``c1``, … of a text in Arrow types.

    Parameters
    ----------
    body : the lines under the header.
    columns : key → Arrow type.
    block : bytes that are parsed at a time; no row may be longer.
    on_length : is told of rows of another length than the header, with their number; None: they raise.
    """
    return pa.csv.read_csv(
        pa.BufferReader(body),
        read_options=pa.csv.ReadOptions(
            column_names=[f"c{i}" for i in range(len(layout.header))],
            block_size=min(block, 2**31 - 1),
            use_threads=on_length is None,
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=layout.delimiter,
            newlines_in_values=b'"' in layout.text,
            invalid_row_handler=on_length,
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict(columns),
            include_columns=list(columns) or ["c0"],
            null_values=["", *MISSING],
            strings_can_be_null=False,
            decimal_point=layout.decimal_mark,
            check_utf8=False,
        ),
    )
