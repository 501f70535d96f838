"""Parquet and Feather: native types, read a column at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from evalcore.problems import Findings
from evalcore.readers.cells import cell_text, numbers_of, texts_of
from evalcore.readers.signatures import reason_of
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form

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
    """The columns stored as floating-point numbers."""
    return frozenset(field.name for field in schema if pa.types.is_floating(field.type))


def sample_of(content: bytes, kind: str, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Name → the first cells as text; nothing where they are damaged, which reading them reports."""
    try:
        return _sample(content, kind, names)
    except (pa.ArrowException, OSError):
        return {}


def _sample(content: bytes, kind: str, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if kind == "parquet":
        batches = pa.parquet.ParquetFile(pa.BufferReader(content)).iter_batches(
            SAMPLE_ROWS, columns=list(names)
        )
        first = next(batches, None)
    else:
        first = pa.feather.read_table(pa.BufferReader(content), columns=list(names)).slice(0, SAMPLE_ROWS)
    return {name: tuple(map(cell_text, first.column(name).to_pylist())) for name in names} if first else {}


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
            return columns_of(table, forms)
        except (pa.ArrowException, OSError) as error:
            kind, reason = self._kind.capitalize(), reason_of(error)
            self._findings.add("FILE-007", file=self._name, kind=kind, reason=reason)
            raise ValueError(self._name) from None

    def close(self) -> None:
        """Give back the memory of the bytes."""
        self._content = b""


def columns_of(table: Any, forms: Mapping[str, Form]) -> Columns:
    """The columns of an Arrow table in the forms asked for."""
    of = {form: [name for name in forms if forms[name] == form] for form in ("text", "number", "raw")}
    return Columns(
        n_rows=table.num_rows,
        n_blank=0,
        row=np.arange(1, table.num_rows + 1),
        texts={name: texts_of(table.column(name)) for name in of["text"]},
        numbers={name: numbers_of(table.column(name), comma_allowed=True) for name in of["number"]},
        raw={name: _plain_text(table.column(name)) for name in of["raw"]},
    )


def _plain_text(column: Any) -> Any:
    """Text of any storage as strings; other types as they are."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return column.cast(pa.string()) if is_text and column.type != pa.string() else column
