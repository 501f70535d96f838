"""CSV and its relatives: columns of a text whose layout is known, cells kept as the text they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.arrays import plain_array
from evalcore.readers.formats.cells import MISSING, cells_fit, numbers_of, texts_of
from evalcore.readers.formats.native import report_size
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import Columns, Form, Numbers, Texts
from evalcore.readers.formats.text.layout import Layout
from evalcore.readers.formats.text.lines import EvenRows, data_rows, even_rows
from evalcore.settings import Settings

_MOST_LONG = 100_000
"""Rows longer than the header after which the rest is not looked at: the file is refused in any case."""
_BLOCK = 2**22


def _may_part_thousands(column: Any) -> bool:
    """Whether numbers read with a decimal comma may have been written with one between thousands."""
    values = np.abs(plain_array(column.drop_null()))
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
