"""Files of other tools as tables and as records: JSON arrays and objects as well as tables of any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import parts_thousands, spells_number
from evalcore.readers.formats.json.parts import INDEX, Fits, JsonText
from evalcore.readers.formats.storage import values
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import json_in, open_table
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.sidecars import kind_of_document
from evalcore.schema import LABEL_NAMES


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
    file: RawFile,
    encoding: str | None,
    max_rows: int | None,
    has_header: bool,
    fits: Fits,
    findings: Findings,
) -> Opened | None:
    """The file's table or JSON object, or None with the reason reported.

    Parameters
    ----------
    has_header, fits : as for `evalcore.readers.opening.open_table`.
    """
    document = document_in(file, encoding, fits)
    if document is not None:
        return Opened(file, None, document=document)
    table = open_table(file, encoding, max_rows, findings, has_header, fits)
    return None if table is None else Opened(file, table, _objects(table))


def document_in(file: RawFile, encoding: str | None, fits: Fits) -> Mapping[str, Any] | None:
    """The object beside annotations that a file is, or one on several lines of no known layout; else None."""
    known = json_in(file, encoding, fits, Findings())
    if known is None or known.found is None:
        return None
    is_object = isinstance(known.found, JsonText) and known.found.is_object
    if not is_object and not set(known.found.names()) <= {INDEX, *LABEL_NAMES}:
        return None
    document = JsonText(known.text, is_object=True).document
    is_several_lines = isinstance(known.found, JsonText) and is_object and not known.found.is_lines
    return document if kind_of_document(document) is not None or is_several_lines else None


def _objects(table: Table) -> tuple[Mapping[str, Any] | None, ...] | None:
    try:
        return table.records() if table.records is not None else None
    except (ValueError, RecursionError):
        return None
