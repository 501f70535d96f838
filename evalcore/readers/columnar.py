"""Parquet and Feather: native types, read a column at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.isolated.worker import RefusedError
from evalcore.problems import Findings
from evalcore.readers.cells import cell_text, cells_fit, numbers_of, texts_of, values_of
from evalcore.readers.native import Head, head_of, report, table_of
from evalcore.readers.signatures import reason_of
from evalcore.readers.table import Columns, Form

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
    """The columns stored as floating-point numbers."""
    return frozenset(field.name for field in schema if pa.types.is_floating(field.type))


def sample_of(first: Any, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Name → the first cells as text; none where they are damaged, which reading them reports."""
    return {name: tuple(map(cell_text, values_of(first.column(name)))) for name in names}


class ColumnarReader:
    """Reads columns of a Parquet or Feather file."""

    def __init__(self, content: bytes, kind: str, name: str, findings: Findings) -> None:
        self._content, self._kind, self._name, self._findings = content, kind, name, findings

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for."""
        try:
            coded = [name for name, form in forms.items() if form == "text"]
            table = table_of(self._content, self._kind, forms, coded)
            cells, row = dict(zip(forms, table.columns, strict=True)), np.arange(1, table.num_rows + 1)
            if cells_fit(cells, row, self._name, self._findings):
                return columns_of(table, forms)
        except RefusedError as refusal:
            report(refusal, self._kind, len(self._content), self._name, self._findings)
        except (pa.ArrowException, OSError) as error:
            kind, reason = self._kind.capitalize(), reason_of(error)
            self._findings.add("FILE-007", file=self._name, kind=kind, reason=reason)
        raise ValueError(self._name)

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
