"""Files of other tools as tables and as records: JSON arrays and objects as well as tables of any format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.cells import parts_thousands, spells_number
from evalcore.readers.inputs import RawFile
from evalcore.readers.json_documents import JsonText, is_json, records_in
from evalcore.readers.json_limits import is_within_limits
from evalcore.readers.opening import open_records, open_table, text_of
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.sidecars import kind_of_document
from evalcore.readers.rag.tools import tool_of
from evalcore.readers.storage import values
from evalcore.readers.table import Table


@dataclass(frozen=True)
class Opened:
    """A file that could be opened.

    Parameters
    ----------
    file : its bytes.
    table : its rows as a table, or None for a JSON object without rows.
    values : the records of a JSON array, a JSON object or JSON Lines, None for a blank line; None where
        the table's cells hold all.
    document : the JSON object, or None.
    """

    file: RawFile
    table: Table | None
    values: tuple[Mapping[str, Any] | None, ...] | None = None
    document: Mapping[str, Any] | None = None

    def records(self) -> Records:
        """The rows with their values, lists and objects included.

        Raises
        ------
        ValueError : where the table's rows cannot be read; the reason was reported.
        """
        table = self.table
        assert table is not None
        if self.values is not None:
            kept = [(i, one) for i, one in enumerate(self.values, 1) if one is not None]
            n_blank = len(self.values) - len(kept)
            rows = tuple(one for _, one in kept)
            return Records(table.name, table.names, rows, tuple(i for i, _ in kept), n_blank)
        columns = table.read(dict.fromkeys(table.names, "raw"))
        cells: list[Sequence[Any]] = [values(columns.raw[name]) for name in table.names]
        if table.decimal_mark == "comma":
            cells = [_with_points(column) for column in cells]
        rows = tuple(dict(zip(table.names, row, strict=True)) for row in zip(*cells, strict=True))
        row = tuple(columns.row.tolist())
        return Records(table.name, table.names, rows, row, columns.n_blank, columns.short)


def _with_points(cells: Sequence[Any]) -> Sequence[Any]:
    """Numbers with a decimal comma as numbers with a point; a column of anything else as it is.

    Left as they are, too, where every comma may part thousands.
    """
    filled = [one.strip() for one in cells if isinstance(one, str) and one.strip()]
    marked = [one for one in filled if "," in one]
    is_comma = all(spells_number(one, comma_allowed=True) for one in filled) and not any(
        "." in one for one in filled
    )
    if not marked or not is_comma or all(map(parts_thousands, marked)):
        return cells
    return [one.replace(",", ".") if isinstance(one, str) else one for one in cells]


def open_file(
    file: RawFile, encoding: str | None, max_rows: int | None, has_header: bool, findings: Findings
) -> Opened | None:
    """The file's table or JSON object, or None with the reason reported.

    Parameters
    ----------
    has_header : as for `evalcore.readers.opening.open_table`.
    """
    text = text_of(file, encoding)
    document = _document(text, file.name) if text is not None else None
    if document is not None and kind_of_document(document) is not None:
        return Opened(file, None, document=document)
    rows = None if document is None else rows_by_name(document)
    if rows is not None:
        lines = "\n".join(map(json.dumps, rows)).encode()
        records = JsonText(lines, "JSON, an object a row", is_lines=False)
        table = open_records(file, records, max_rows, findings)
    elif document is not None and text is not None and _is_one_object(text, file.name):
        return Opened(file, None, document=document)
    else:
        table = open_table(file, encoding, max_rows, findings, has_header)
    if table is None:
        return None
    return Opened(file, table, _objects(table))


def first_record(text: bytes, name: str) -> Mapping[str, Any]:
    """The first record of a JSON text as `open_file` reads it, or the object beside annotations that it is.

    Empty where there is none.
    """
    document = _document(text, name)
    if document is not None and kind_of_document(document) is not None:
        return document
    rows = None if document is None else rows_by_name(document)
    if rows is not None:
        return rows[0]
    records = records_in(text, name, Findings())
    if records is None:
        return document or {}
    try:
        found = json.loads(records.text.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return document or {}
    return found if isinstance(found, dict) else {}


def rows_by_name(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The records of an object that holds them by their ids, or a list for each of their fields; else None.

    Only where the fields are those of a tool: Argilla's ``to_dict`` writes both.
    """
    parts = list(document.values())
    if parts and all(isinstance(one, dict) for one in parts):
        fields = dict.fromkeys(name for one in parts for name in one)
        return parts if tool_of(fields) is not None else None
    if parts and all(isinstance(one, list) and len(one) == len(parts[0]) for one in parts):
        is_of_tool = parts[0] and tool_of(document) is not None
        return (
            [dict(zip(document, row, strict=True)) for row in zip(*parts, strict=True)]
            if is_of_tool
            else None
        )
    return None


def _document(text: bytes, name: str) -> dict[str, Any] | None:
    """The only object of a JSON text; None for several, for an array, and for what exceeds a limit."""
    text = text.strip()
    if text[:1] != b"{" or not is_json(text):
        return None
    first, _, rest = text.partition(b"\n")
    if rest and _parsed(first) is not None:
        return None
    found = _parsed(text) if is_within_limits(text, name, Findings()) else None
    return found if isinstance(found, dict) else None


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_one_object(text: bytes, name: str) -> bool:
    """Whether an object over several lines holds no rows in a layout that is known."""
    if b"\n" not in text.strip():
        return False
    records = records_in(text, name, Findings())
    return records is not None and records.is_lines


def _objects(table: Table) -> tuple[Mapping[str, Any] | None, ...] | None:
    try:
        return table.records() if table.records is not None else None
    except (ValueError, RecursionError):
        return None
