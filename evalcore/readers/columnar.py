"""Parquet and Feather: native types, read a column at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from evalcore.problems import Findings
from evalcore.readers import storage
from evalcore.readers.cells import cell_text, numbers_of, texts_of
from evalcore.readers.signatures import reason_of
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form, Numbers, Texts

_UNNAMED = ("", "__index_level_0__")


def columnar_schema(content: bytes, kind: str, name: str, max_rows: int | None, findings: Findings) -> Any:
    """The Arrow schema of a file that can be read, or None with the problem reported."""
    try:
        if kind == "parquet":
            file = pa.parquet.ParquetFile(pa.BufferReader(content))
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
        else:
            table = pa.feather.read_table(pa.BufferReader(content))
            schema, n_rows = table.schema, table.num_rows
    except (pa.ArrowException, OSError) as error:
        findings.add("FILE-007", file=name, kind=kind.capitalize(), reason=reason_of(error))
        return None
    twice = [column for column, n in Counter(schema.names).items() if n > 1]
    for column in twice:
        findings.add("FILE-009", file=name, name=column)
    if not n_rows:
        findings.add("FILE-008", file=name)
    is_too_long = max_rows is not None and n_rows > max_rows
    if is_too_long:
        findings.add("FILE-012", file=name, n_rows=n_rows, limit=max_rows)
    return None if twice or not n_rows or is_too_long else schema


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


def sample_of(content: bytes, kind: str, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Name → the first cells as text; nothing where they are damaged, which reading them reports."""
    try:
        return sample_cells(_first_rows(content, kind, names), names)
    except (pa.ArrowException, OSError):
        return {}


def _first_rows(content: bytes, kind: str, names: tuple[str, ...]) -> Any:
    source = pa.BufferReader(content)
    if kind == "parquet":
        batches = pa.parquet.ParquetFile(source).iter_batches(SAMPLE_ROWS, columns=list(names))
        return next(batches, None)
    return pa.feather.read_table(source, columns=list(names)).slice(0, SAMPLE_ROWS)


def sample_cells(first: Any, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Name → the cells of the first rows as text; none where reading the column will report what is wrong."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names if first is not None else ():
        try:
            found[name] = tuple(map(cell_text, storage.values(first.column(name))))
        except (storage.NotTextError, pa.ArrowException):
            found[name] = ()
    return found


class ColumnarReader:
    """Reads columns of a Parquet or Feather file."""

    def __init__(self, content: bytes, kind: str, name: str, findings: Findings) -> None:
        self._content, self._kind, self._name, self._findings = content, kind, name, findings

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for."""
        source = pa.BufferReader(self._content)
        try:
            if self._kind == "parquet":
                table = pa.parquet.ParquetFile(source).read(columns=list(forms))
            else:
                table = pa.feather.read_table(source, columns=list(forms))
            return columns_of(table, forms, self._name, self._findings)
        except (pa.ArrowException, OSError) as error:
            kind, reason = self._kind.capitalize(), reason_of(error)
            self._findings.add("FILE-007", file=self._name, kind=kind, reason=reason)
            raise ValueError(self._name) from None

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
