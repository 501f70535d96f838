"""Parquet, Feather and Arrow streams: native types, read a column at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.isolated.worker import RefusedError
from evalcore.problems import Findings
from evalcore.readers.formats import storage
from evalcore.readers.formats.cells import cell_text, cells_fit, numbers_of, texts_of
from evalcore.readers.formats.native import Head, head_of, report, table_of
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import Columns, Form, Numbers, Texts

_UNNAMED = ("", "__index_level_0__")


def columnar_head(
    content: bytes,
    kind: str,
    name: str,
    max_rows: int | None,
    findings: Findings,
    known: dict[str, Head | RefusedError] | None = None,
) -> Head | None:
    """The columns and first rows of a file that can be read, or None with the problem reported."""
    try:
        head = head_of(content, kind, known)
    except RefusedError as refusal:
        report(refusal, kind, len(content), name, findings)
        return None
    if not head.n_rows:
        findings.add("FILE-008", file=name)
    is_too_long = max_rows is not None and head.n_rows > max_rows
    if is_too_long:
        findings.add("FILE-012", file=name, n_rows=head.n_rows, limit=max_rows)
    return None if not head.n_rows or is_too_long else head


def named(schema: Any) -> tuple[str, ...]:
    """The columns that have a name; the index that pandas writes has none."""
    return tuple(column for column in schema.names if column not in _UNNAMED)


def floating(schema: Any) -> frozenset[str]:
    """The columns stored as floating-point numbers, or as lists of them."""
    return frozenset(field.name for field in schema if storage.is_floating(field.type))


def held(schema: Any) -> dict[str, str]:
    """Column → what its cells hold, in words, where it is neither one value nor a list of values."""
    found = {field.name: storage.held(field) for field in schema}
    return {name: words for name, words in found.items() if words is not None}


def lists(schema: Any) -> frozenset[str]:
    """The columns whose cells are lists."""
    return frozenset(field.name for field in schema if storage.is_list(field.type))


def sample_of(head: Head, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Name → the first cells as text; none where they are damaged, which reading them reports."""
    return dict.fromkeys(names, ()) | sample_cells(
        head.first, [name for name in names if name not in head.damaged]
    )


def sample_cells(first: Any, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Name → the cells of the first rows as text; none where reading the column will report what is wrong."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        try:
            found[name] = tuple(map(cell_text, storage.values(first.column(name))))
        except (storage.NotTextError, pa.ArrowException):
            found[name] = ()
    return found


class ColumnarReader:
    """Reads columns of a Parquet or Feather file, or of an Arrow stream."""

    def __init__(self, content: bytes, kind: str, name: str, findings: Findings, key: str) -> None:
        self._content, self._kind, self._name, self._findings = content, kind, name, findings
        self._key = key

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for."""
        try:
            coded = [name for name, form in forms.items() if form == "text"]
            table = table_of(self._content, self._kind, forms, coded, self._key)
            cells, row = dict(zip(forms, table.columns, strict=True)), np.arange(1, table.num_rows + 1)
            if cells_fit(cells, row, self._name, self._findings):
                return columns_of(table, forms, self._name, self._findings)
        except RefusedError as refusal:
            report(refusal, self._kind, len(self._content), self._name, self._findings)
        except (pa.ArrowException, OSError) as error:
            kind, reason = self._kind.capitalize(), reason_of(error)
            self._findings.add("FILE-007", file=self._name, kind=kind, reason=reason)
        raise ValueError(self._name)

    def close(self) -> None:
        """Give back the memory of the bytes."""
        self._content = b""


def columns_of(table: Any, forms: Mapping[str, Form], file: str, findings: Findings) -> Columns:
    """The columns of an Arrow table in the forms asked for.

    Raises
    ------
    ValueError : where a column holds bytes that are no text, which is reported.
    pyarrow.ArrowException : for data that are damaged.
    """
    texts: dict[str, Texts] = {}
    numbers: dict[str, Numbers] = {}
    raw: dict[str, Any] = {}
    not_text: list[str] = []
    for name, form in forms.items():
        try:
            column = storage.plain(table.column(name))
            if form == "text":
                texts[name] = texts_of(column)
            elif form == "number":
                numbers[name] = numbers_of(column, comma_allowed=True)
            else:
                raw[name] = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        except (storage.NotTextError, UnicodeDecodeError):
            not_text.append(name)
    for name in not_text:
        findings.add("COL-021", file=file, column=name)
    if not_text:
        raise ValueError(file)
    return Columns(table.num_rows, 0, np.arange(1, table.num_rows + 1), texts, numbers, raw)
