"""Tables of Parquet, Feather and Arrow streams, and of JSON Lines: every column that goes out is valid."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pyarrow as pa

from .limits import check_columns, check_size
from .refusals import RefusedError, reason_of

SAMPLE_ROWS = 1000
JSON_BLOCK = 2**22


def head(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Number of rows, and the first of them as a table; names of the columns that are damaged in these."""
    kind = facts["format"]
    if kind == "parquet":
        file = _parquet(content, facts)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        check_columns(schema, facts)
        batches = file.iter_batches(SAMPLE_ROWS, use_threads=False)
    else:
        table = _arrow(content, None, facts)
        schema, n_rows = table.schema, table.num_rows
        check_columns(schema, facts)
        batches = iter([table.slice(0, SAMPLE_ROWS)])
    names = [_text(schema, i) for i in range(len(schema))]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise RefusedError("twice", names=twice)
    plain = pa.schema([(name, _plain_type(schema.field(i).type)) for i, name in enumerate(names)])
    try:
        first = next(batches, None) if n_rows else None
    except (pa.ArrowException, OSError, ValueError):
        first = None
    if first is None:
        return {"n_rows": n_rows, "damaged": names}, plain.empty_table()
    columns, damaged = [], []
    for i, name in enumerate(names):
        try:
            columns.append(_valid(first.column(i), name))
        except RefusedError:
            columns.append(pa.nulls(first.num_rows, plain.field(i).type))
            damaged.append(name)
    return {"n_rows": n_rows, "damaged": damaged}, pa.table(columns, schema=plain)


def read(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The columns asked for, each valid in full.

    Threads are Python's: where one cannot be started, Arrow lets go of a file that its others still read,
    and the process dies or waits for ever.
    """
    names = facts["columns"]
    with ThreadPoolExecutor() as threads:
        if facts["format"] == "parquet":
            metadata = _parquet(content, facts).metadata
            read_columns = list(threads.map(lambda name: _parquet_column(content, metadata, name), names))
        else:
            table = _arrow(content, names, facts)
            read_columns = [table.column(name) for name in names]
        check_size(sum(column.nbytes for column in read_columns), facts)
        columns = list(threads.map(partial(_coded, coded=facts["coded"]), read_columns, names))
    not_text = [found.facts["column"] for found in columns if isinstance(found, RefusedError)]
    if not_text:
        raise RefusedError("text", columns=not_text)
    return {}, pa.table(columns, names=names)


def _parquet_column(content: Any, metadata: Any, name: str) -> Any:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), metadata=metadata, pre_buffer=False)
    return file.read(columns=[name], use_threads=False).column(name)


def _coded(column: Any, name: str, coded: list[str]) -> Any:
    """The valid column, text as codes where the caller needs them so: most of it then travels once.

    Bytes that are no text come back as a refusal, so that every such column can be named.
    """
    if name in coded and pa.types.is_string(column.type):
        column = column.dictionary_encode()
    try:
        return _valid(column, name)
    except RefusedError as refusal:
        if refusal.facts["refused"] != "text":
            raise
        return refusal


def json_lines(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Records of JSON Lines; types as Arrow infers them, times as the text they are."""
    from pyarrow import json as arrow_json

    options = arrow_json.ReadOptions(block_size=JSON_BLOCK)
    table = arrow_json.read_json(pa.BufferReader(content), read_options=options)
    check_columns(table.schema, facts)
    times = [field.with_type(_timeless(field.type)) for field in table.schema]
    times = [field for field in times if field.type != table.schema.field(field.name).type]
    if times:
        parse = arrow_json.ParseOptions(explicit_schema=pa.schema(times))
        table = arrow_json.read_json(pa.BufferReader(content), read_options=options, parse_options=parse)
    return {}, table


def _timeless(kind: Any) -> Any:
    """The type with text in the place of times, however deep they lie."""
    if pa.types.is_list(kind):
        return pa.list_(_timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(i).with_type(_timeless(kind.field(i).type)) for i in range(len(kind))])
    return pa.string() if pa.types.is_temporal(kind) else kind


def _parquet(content: Any, facts: dict[str, Any]) -> Any:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    metadata = file.metadata
    check_size(sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)), facts)
    return file


def _arrow(content: Any, names: list[str] | None, facts: dict[str, Any]) -> Any:
    """The table of a Feather file of either version, or of an Arrow stream."""
    if facts["format"] == "arrow stream":
        table = pa.ipc.open_stream(pa.BufferReader(content)).read_all()
        return table if names is None else table.select(names)
    from pyarrow import feather

    return feather.read_table(pa.BufferReader(content), columns=names, use_threads=False)


def _text(schema: Any, at: int) -> str:
    try:
        return str(schema.field(at).name)
    except UnicodeDecodeError:
        raise RefusedError("damaged", reason=f"the name of column {at + 1} is not UTF-8") from None


def _plain_type(kind: Any) -> Any:
    return kind.storage_type if _is_of_a_library(kind) else kind


def _is_of_a_library(kind: Any) -> bool:
    return isinstance(kind, pa.BaseExtensionType) and not isinstance(kind, pa.UuidType)


def _valid(column: Any, name: str) -> Any:
    """The column without a type of a library's own, or a refusal that names it."""
    if _is_of_a_library(column.type):
        column = (
            pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
            if isinstance(column, pa.ChunkedArray)
            else column.storage
        )
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        kind = "text" if "UTF8" in str(error) else "damaged"
        raise RefusedError(kind, reason=reason_of(error), column=name) from None
    return column
