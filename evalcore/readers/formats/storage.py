"""What Arrow columns store: any type as one plain value a cell or a list of them, the rest told by name."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

HELD = b"evalcore.held"
"""Metadata of a field that is stored as text and holds something else, in words."""
_FIELDS_SHOWN = 5
_NO_FRACTION = r"\.0+(Z|[+-][0-9]{4})?$"


class NotTextError(ValueError):
    """Bytes that are no UTF-8."""


def inner(kind: Any) -> Any:
    """The type of the values behind a dictionary, runs or an extension."""
    while True:
        if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        elif isinstance(kind, pa.BaseExtensionType) and not isinstance(kind, pa.UuidType):
            kind = kind.storage_type
        else:
            return kind


def is_list(kind: Any) -> bool:
    """Whether cells are lists, of any storage."""
    kind = inner(kind)
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def is_floating(kind: Any) -> bool:
    """Whether cells are floating-point numbers, or lists of them."""
    kind = inner(kind)
    return is_floating(kind.value_type) if is_list(kind) else bool(pa.types.is_floating(kind))


def holds_floating(kind: Any) -> bool:
    """As `is_floating`, or objects with such numbers in them.

    >>> holds_floating(pa.list_(pa.struct({"id": pa.string(), "score": pa.float64()})))
    True
    """
    kind = inner(kind)
    if is_list(kind):
        return holds_floating(kind.value_type)
    if pa.types.is_struct(kind):
        return any(holds_floating(kind.field(i).type) for i in range(kind.num_fields))
    return is_floating(kind)


def held(field: Any) -> str | None:
    """What the cells of a field hold, in words, where it is neither one value nor a list of values.

    >>> held(pa.field("x", pa.list_(pa.struct({"id": pa.string(), "score": pa.float64()}))))
    'lists of objects with the fields id, score'
    >>> held(pa.field("x", pa.decimal128(5, 2)))
    """
    said = (field.metadata or {}).get(HELD)
    return said.decode() if said is not None else _held(field.type)


def _held(kind: Any) -> str | None:
    kind = inner(kind)
    if is_list(kind):
        item = inner(kind.value_type)
        what = "lists" if is_list(item) else "true and false" if pa.types.is_boolean(item) else _held(item)
        return None if what is None else f"lists of {what}"
    if pa.types.is_struct(kind):
        return objects([kind.field(i).name for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return "maps"
    if pa.types.is_union(kind):
        return "values of several types"
    if pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return "durations"
    return None if _is_plain(kind) else f"values of the type {kind}"


def objects(names: list[str]) -> str:
    """Objects in words, with the names of their fields.

    >>> objects(["id", "score"])
    'objects with the fields id, score'
    """
    if not names:
        return "empty objects"
    more = ", …" if len(names) > _FIELDS_SHOWN else ""
    listed = ", ".join(name[:40] for name in names[:_FIELDS_SHOWN])
    return f"objects with the {'field' if len(names) == 1 else 'fields'} {listed}{more}"


def _is_plain(kind: Any) -> bool:
    types = pa.types
    is_known = types.is_null(kind) or types.is_boolean(kind) or types.is_integer(kind)
    is_known = is_known or types.is_floating(kind) or types.is_decimal(kind) or _is_text(kind)
    return bool(is_known or types.is_temporal(kind) or _is_bytes(kind) or isinstance(kind, pa.UuidType))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: Any) -> bool:
    types = pa.types
    is_binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind)
    return bool(is_binary or types.is_fixed_size_binary(kind))


def plain(column: Any) -> Any:
    """A column of single values as text, numbers or truth values; lists and what is held otherwise stay.

    Times become the text that says them, bytes the text that they spell, and what is packed is unpacked.

    Raises
    ------
    NotTextError : for bytes that are no UTF-8.
    pyarrow.ArrowException : for data that are damaged.
    """
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    kind = chunked.type
    if pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type):
        for chunk in chunked.chunks:
            _check_text(chunk.dictionary)
        return chunked
    if kind != inner(kind):
        return plain(pa.chunked_array([_unpacked(c) for c in chunked.chunks], _unpacked_type(kind)))
    if _is_text(kind):
        _check_text(chunked)
        return chunked.cast(pa.string())
    if isinstance(kind, pa.UuidType):
        return pa.chunked_array([pa.array([_text_or_none(v) for v in chunked.to_pylist()], pa.string())])
    if _is_bytes(kind):
        try:
            return chunked.cast(pa.string())
        except pa.ArrowInvalid:
            raise NotTextError from None
    if pa.types.is_null(kind) or (pa.types.is_decimal(kind) and kind.bit_width < 128):
        return chunked.cast(pa.string())
    if pa.types.is_temporal(kind) and _held(kind) is None:
        return pc.replace_substring_regex(_times(chunked), _NO_FRACTION, r"\1")
    return chunked.cast(pa.float64()) if pa.types.is_float16(kind) else chunked


def _unpacked(chunk: Any) -> Any:
    if pa.types.is_dictionary(chunk.type):
        return chunk.dictionary_decode()
    return pc.run_end_decode(chunk) if pa.types.is_run_end_encoded(chunk.type) else chunk.storage


def _unpacked_type(kind: Any) -> Any:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind.value_type


def _check_text(column: Any) -> None:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise (NotTextError if "UTF8" in str(error) else error) from None


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)


def _times(chunked: Any) -> Any:
    """Times as text; of a time zone that is not known here, in UTC."""
    try:
        return chunked.cast(pa.string())
    except pa.ArrowInvalid:
        return chunked.cast(pa.timestamp(chunked.type.unit)).cast(pa.string())


def values(column: Any) -> list[Any]:
    """The cells of a column as Python's values, whatever they hold.

    Raises
    ------
    NotTextError : for bytes that are no UTF-8.
    pyarrow.ArrowException : for data that are damaged.
    """
    cells = plain(column)
    try:
        found: list[Any] = cells.to_pylist()
    except UnicodeDecodeError:
        raise NotTextError from None
    except (
        OverflowError,
        ValueError,
        LookupError,
    ) as error:  # a time in an object, or its zone, unknown here
        raise pa.ArrowInvalid(f"a value that cannot be read: {error}") from None
    return found
