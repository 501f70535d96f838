"""JSON Lines: read natively where that keeps every id as written, line by line otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers import storage
from evalcore.readers.cells import cell_text
from evalcore.readers.columnar import columns_of, sample_cells
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form

_BLOCK = 2**22


def json_table(text: bytes, name: str, findings: Findings) -> Any:
    """The records as an Arrow table, or None with the lines that are not JSON reported."""
    table = _natively(text)
    return line_by_line(text, name, findings) if table is None else table


def _natively(text: bytes) -> Any:
    """The records by Arrow's parser, times kept as text; None where it refuses or a line is no record."""
    options = pa.json.ReadOptions(block_size=_BLOCK)
    try:
        table = pa.json.read_json(pa.BufferReader(text), read_options=options)
        times = [f.with_type(_timeless(f.type)) for f in table.schema if _timeless(f.type) != f.type]
        if times:
            parse = pa.json.ParseOptions(explicit_schema=pa.schema(times))
            table = pa.json.read_json(pa.BufferReader(text), read_options=options, parse_options=parse)
    except pa.ArrowException:
        return None
    return table if table.num_rows == text.count(b"\n") + (not text.endswith(b"\n")) else None


def _timeless(kind: Any) -> Any:
    """The type with text in the place of times, however deep they lie."""
    if pa.types.is_list(kind):
        return pa.list_(_timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(i).with_type(_timeless(kind.field(i).type)) for i in range(len(kind))])
    return pa.string() if pa.types.is_temporal(kind) else kind


def line_by_line(text: bytes, name: str, findings: Findings) -> Any:
    """The records as an Arrow table of text, numbers as they are written; None with the faults reported."""
    cells: dict[str, list[Any]] = {}
    n_rows = n_faults = 0
    for line, record in enumerate(text.split(b"\n"), 1):
        if not record.strip():
            continue
        try:
            fields = json.loads(
                record, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object
            )
            found = None if isinstance(fields, dict) else f"{_kind(fields)}, not an object"
        except (ValueError, RecursionError) as error:
            found = _first(error)
        if found:
            n_faults += 1
            if n_faults <= SHOWN:
                findings.add("FILE-011", file=name, line=line, found=found)
            continue
        for key, value in fields.items():
            cells.setdefault(key, [None] * n_rows).append(value)
        n_rows += 1
        for column in cells.values():
            if len(column) < n_rows:
                column.append(None)
    if n_faults:
        findings.count_more("FILE-011", n_faults)
        return None
    columns = {key: _column(found) for key, found in cells.items()}
    fields = [pa.field(key, column.type, metadata=_metadata(cells[key])) for key, column in columns.items()]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def _metadata(found: list[Any]) -> dict[bytes, str] | None:
    """What a column holds that is neither a value nor a list of values: its text no longer tells."""
    row, words = next(((row, _held(one)) for row, one in enumerate(found, 1) if _held(one)), (1, None))
    if words is None:
        return None
    return {storage.HELD: words if row == 1 else f"{words} (the first in row {row})"}


def _held(value: Any) -> str | None:
    if isinstance(value, dict):
        return storage.objects(list(value))
    items = value if isinstance(value, list) else []
    return next((f"lists of {_within(item)}" for item in items if _within(item)), None)


def _within(item: Any) -> str | None:
    if isinstance(item, bool):
        return "true and false"
    return "lists" if isinstance(item, list) else _held(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"the name {twice!r} twice")
    return fields


def _column(values: list[Any]) -> Any:
    if all(value is None or isinstance(value, list) for value in values) and any(values):
        lists = [None if value is None else [cell_text(item) for item in value] for value in values]
        return pa.array(lists, pa.list_(pa.string()))
    return pa.array([_cell(value) for value in values], pa.string())


def _cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value if value is None or value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False)


def _kind(value: Any) -> str:
    return "a JSON array" if isinstance(value, list) else "a single JSON value"


def _first(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"text that is not JSON: {error.msg} at column {error.colno}"
    return "text that is nested too deeply" if isinstance(error, RecursionError) else str(error)[:80]


def sample_of(table: Any) -> dict[str, tuple[str, ...]]:
    """Name → the first cells as text."""
    return sample_cells(table.slice(0, SAMPLE_ROWS), table.column_names)


class JsonReader:
    """Reads columns of a JSON Lines file that was parsed."""

    def __init__(self, text: bytes, table: Any, name: str, findings: Findings) -> None:
        self._text, self._table, self._name, self._findings = text, table, name, findings
        self._rows = _rows(text)

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for; what is not asked for as a number is read as it is written."""
        table = self._table
        if any(
            form != "number" and storage.is_floating(table.schema.field(name).type)
            for name, form in forms.items()
        ):
            table = line_by_line(self._text, "", Findings())
        found = columns_of(table.select(list(forms)), forms, self._name, self._findings)
        row, n_blank = self._rows
        return Columns(found.n_rows, n_blank, row, found.texts, found.numbers, found.raw)


def _rows(text: bytes) -> tuple[NDArray[np.intp], int]:
    """The number of each record, from 1, blank lines counted, and how many lines are blank."""
    lines = text.split(b"\n")
    is_record = np.fromiter((bool(line.strip()) for line in (lines if lines[-1] else lines[:-1])), bool)
    return np.flatnonzero(is_record) + 1, int((~is_record).sum())
