"""Files of other tools as tables and as records: JSON arrays and objects as well as tables of any format."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.inputs import RawFile
from evalcore.readers.json_limits import is_within_limits
from evalcore.readers.opening import open_table
from evalcore.readers.rag.sidecars import kind_of_document
from evalcore.readers.signatures import columnar_format, unpacked
from evalcore.readers.storage import values
from evalcore.readers.table import Table

LISTS_OF_RECORDS = ("testCases", "results")
"""Names under which a JSON object of a tool holds its records: DeepEval, RAGChecker."""


@dataclass(frozen=True)
class Records:
    """Rows of a file of a tool, each a mapping of names to values as the file holds them.

    Parameters
    ----------
    name : the file's name.
    names : names of the columns, in order.
    rows : the records.
    row : their data rows, from 1.
    n_blank : blank lines between them.
    short : row → fields, for rows with fewer than the header.
    """

    name: str
    names: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    row: tuple[int, ...]
    n_blank: int = 0
    short: Mapping[int, int] = field(default_factory=dict)


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
        cells = [values(columns.raw[name]) for name in table.names]
        rows = tuple(dict(zip(table.names, row, strict=True)) for row in zip(*cells, strict=True))
        row = tuple(columns.row.tolist())
        return Records(table.name, table.names, rows, row, columns.n_blank, columns.short)


def open_file(
    file: RawFile, encoding: str | None, max_rows: int | None, has_header: bool, findings: Findings
) -> Opened | None:
    """The file's table or JSON object, or None with the reason reported.

    Parameters
    ----------
    has_header : as for `evalcore.readers.opening.open_table`.
    """
    n_before = len(findings.problems)
    parsed = _json(file, findings)
    if len(findings.problems) > n_before:
        return None
    if parsed is None:
        table = open_table(file, encoding, max_rows, findings, has_header)
        return Opened(file, table, _lines(file, table)) if table is not None else None
    kind, rows = "JSON array", parsed
    if isinstance(parsed, dict):
        key = next((name for name in LISTS_OF_RECORDS if _is_list_of_records(parsed.get(name))), None)
        if key is None:
            return Opened(file, None, document=parsed)
        kind, rows = "JSON object", parsed[key]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-8", "replace")
    inside = RawFile(file.name, lines, file.sha256, file.was_named)
    table = open_table(inside, None, max_rows, findings)
    if table is None:
        return None
    table = dataclasses.replace(table, n_bytes=len(file.content), format=kind)
    return Opened(file, table, tuple(rows), parsed if isinstance(parsed, dict) else None)


def _json(file: RawFile, findings: Findings) -> Any:
    """A JSON array of objects, or an object over several lines or with a tool's records; else None.

    What exceeds a limit is reported.
    """
    text = text_of(file)
    if text is None or text.lstrip()[:1] not in ("[", "{"):
        return None
    if not is_within_limits(text.encode("utf-8", "replace"), file.name, findings):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list):
        return found if _is_list_of_records(found) else None
    is_record = "\n" not in text.strip() and kind_of_document(found) is None
    has_records = any(_is_list_of_records(found.get(key)) for key in LISTS_OF_RECORDS)
    return None if is_record and not has_records else found


def text_of(file: RawFile, limit: int | None = None) -> str | None:
    """The text of a file, at most ``limit`` characters of it; None where it is none."""
    try:
        content, _ = unpacked(file.content, file.name, Findings())
    except ValueError:
        return None
    if columnar_format(content) is not None:
        return None
    part = content if limit is None else content[:limit]
    encoding = "utf-16" if part[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return part.decode(encoding, "replace")


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _lines(file: RawFile, table: Table | None) -> tuple[Mapping[str, Any] | None, ...] | None:
    """The records of JSON Lines with what is nested in them, which a table keeps as text only."""
    if table is None or not table.format.startswith("JSON Lines"):
        return None
    lines = (text_of(file) or "").removesuffix("\n").split("\n")
    try:
        found = tuple(json.loads(line) if line.strip() else None for line in lines)
    except (ValueError, RecursionError):
        return None
    return found if all(one is None or isinstance(one, dict) for one in found) else None
