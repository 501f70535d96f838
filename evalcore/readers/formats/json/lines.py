"""JSON Lines: read natively where that keeps every id as written, line by line otherwise."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evalcore.isolated.worker import RefusedError
from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats import storage
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.formats.columnar import columns_of, sample_cells
from evalcore.readers.formats.json.limits import are_within_limits
from evalcore.readers.formats.json.parts import JsonText
from evalcore.readers.formats.native import json_table_of, report, report_size
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form
from evalcore.settings import Settings

_SMALL = 2**22
_LOOKED_AT = 2**24
_BYTES_A_CELL = 8
_OTHER_VALUE = re.compile(rb"^[ \t\r]*+[^ \t\r\n{]", re.MULTILINE)


def json_table(records: JsonText, name: str, findings: Findings) -> Any:
    """The records as an Arrow table, or None with the reason reported.

    A large text is read in a process of its own, so that its limits need no look at the text beforehand.
    """
    if records.columns is not None:
        return _of_columns(records.columns, name, findings)
    text = records.text
    is_small = len(text) <= _SMALL
    is_looked_at = len(text) <= _LOOKED_AT
    if is_looked_at and not are_within_limits(text, name, findings):
        return None
    if _has_other_values(text):
        return _looked_at(records, name, findings)
    try:
        table = json_table_of(text, here=is_small)
    except RefusedError as refusal:
        if refusal.facts["refused"] == "damaged":
            return _looked_at(records, name, findings)
        if is_looked_at or are_within_limits(text, name, findings):
            report(refusal, "json", len(text), name, findings)
        return None
    n_lines = text.count(b"\n") + (not text.endswith(b"\n"))
    return table if table.num_rows == n_lines else _looked_at(records, name, findings)


def _has_other_values(text: bytes) -> bool:
    """Whether a line begins with no object: the native reader takes a null for a row, and dies of a first."""
    n_lines = text.count(b"\n") + (not text.endswith(b"\n"))
    n_objects = text.count(b"\n{") + text.startswith(b"{")
    return n_objects < n_lines and _OTHER_VALUE.search(text) is not None


def _looked_at(records: JsonText, name: str, findings: Findings) -> Any:
    """As `line_by_line`, of a text within the limits, which a large one is asked for only here."""
    if len(records.text) > _LOOKED_AT and not are_within_limits(records.text, name, findings):
        return None
    return line_by_line(records, name, findings)


def line_by_line(records: JsonText, name: str, findings: Findings) -> Any:
    """The records as an Arrow table of text, numbers as they are written; None with the faults reported."""
    text, code = records.text, "FILE-011" if records.is_lines else "FILE-100"
    cells: dict[str, tuple[list[int], list[Any]]] = {}
    n_rows = n_faults = 0
    settings = Settings.read()
    max_cells = settings.unpacked_limit(len(text)) // _BYTES_A_CELL
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
                where = {"line": line} if records.is_lines else {"row": line}
                findings.add(code, file=name, found=found, **where)
            continue
        for key, value in fields.items():
            rows, values = cells.setdefault(key, ([], []))
            rows.append(n_rows)
            values.append(value)
        n_rows += 1
        if len(cells) > settings.max_columns:
            findings.add("FILE-073", file=name, n=len(cells), limit=settings.max_columns)
            return None
        if len(cells) * n_rows > max_cells:
            report_size(len(text), name, findings)
            return None
    if n_faults:
        findings.count_more(code, n_faults)
        return None
    return _table_of({key: _filled(*found, n_rows) for key, found in cells.items()})


def _of_columns(columns: Mapping[str, Sequence[Any]], name: str, findings: Findings) -> Any:
    """Columns of a parsed document as an Arrow table of text, or None with the limit reported."""
    limit = Settings.read().max_columns
    if len(columns) > limit:
        findings.add("FILE-073", file=name, n=len(columns), limit=limit)
        return None
    return _table_of(columns)


def _table_of(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns as an Arrow table of text, or of lists of text."""
    arrays = [_column(found) for found in columns.values()]
    fields = [
        pa.field(key, array.type, metadata=_metadata(found))
        for (key, found), array in zip(columns.items(), arrays, strict=True)
    ]
    return pa.table(arrays, schema=pa.schema(fields))


def objects_of(records: JsonText) -> tuple[dict[str, Any] | None, ...]:
    """The records with what is nested in them, which a table keeps as text only; None for a blank line.

    Raises
    ------
    ValueError, RecursionError : for a line that is no JSON object.
    """
    if records.columns is not None:
        names = list(records.columns)
        return tuple(
            dict(zip(names, row, strict=True)) for row in zip(*records.columns.values(), strict=True)
        )
    lines = records.text.removesuffix(b"\n").split(b"\n")
    found = tuple(json.loads(line) if line.strip() else None for line in lines)
    if not all(one is None or isinstance(one, dict) for one in found):
        raise ValueError("a line that is no object")
    return found


def _filled(rows: list[int], values: list[Any], n_rows: int) -> list[Any]:
    """The values at their rows, None elsewhere."""
    if len(values) == n_rows:
        return values
    column: list[Any] = [None] * n_rows
    for row, value in zip(rows, values, strict=True):
        column[row] = value
    return column


def _metadata(found: Sequence[Any]) -> dict[bytes, str] | None:
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
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise ValueError(f"the name {twice[:40]!r} twice")
    return fields


def _column(values: Sequence[Any]) -> Any:
    if all(value is None or isinstance(value, list) for value in values) and any(values):
        lists = [None if value is None else [_item(item) for item in value] for value in values]
        return pa.array(lists, pa.list_(pa.string()))
    return pa.array([_cell(value) for value in values], pa.string())


def _item(value: Any) -> str:
    """An item of a list as text; a list keeps its own items apart."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else cell_text(value)


def _cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return (
            value if value is None or value.isascii() else value.encode("utf-8", "backslashreplace").decode()
        )
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
    """Reads columns of a JSON file that was parsed."""

    def __init__(self, records: JsonText, table: Any, name: str, findings: Findings) -> None:
        self._records, self._table, self._name, self._findings = records, table, name, findings
        self._rows = _rows(records)

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for; what is not asked for as a number is read as it is written."""
        table = self._table
        if any(
            form not in ("number", "native") and storage.holds_floating(table.schema.field(name).type)
            for name, form in forms.items()
        ):
            table = _looked_at(self._records, self._name, self._findings)
            if table is None:
                raise ValueError(self._name)
        found = columns_of(table.select(list(forms)), forms, self._name, self._findings)
        row, n_blank = self._rows
        return Columns(found.n_rows, n_blank, row, found.texts, found.numbers, found.raw)


def _rows(records: JsonText) -> tuple[NDArray[np.intp], int]:
    """The number of each record, from 1, blank lines counted, and how many lines are blank."""
    if records.columns is not None:
        return np.arange(1, records.n_rows + 1), 0
    lines = records.text.split(b"\n")
    is_record = np.fromiter((bool(line.strip()) for line in (lines if lines[-1] else lines[:-1])), bool)
    return np.flatnonzero(is_record) + 1, int((~is_record).sum())
