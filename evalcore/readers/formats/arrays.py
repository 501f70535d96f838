"""Arrow arrays from and to NumPy without pandas, which Arrow loads for them: half a second of a command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

FEW_TEXTS = 50_000
"""More texts are made faster by pandas than by one call for each."""


def plain_array(values: Any) -> NDArray[Any]:
    """Numbers or truth values as a NumPy array, where possible as they lie in memory and not to be written.

    Parameters
    ----------
    values : an Arrow array of integers, floats or truth values, chunked or whole; null becomes NaN, and
        floats hold integers that lack one. Truth values have none.

    Examples
    --------
    >>> plain_array(pa.array([1.5, None])), plain_array(pa.chunked_array([[True], [False]]))
    (array([1.5, nan]), array([ True, False]))
    """
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    if values.null_count and not pa.types.is_floating(values.type):
        chunks = [chunk.cast(pa.float64(), safe=False) for chunk in chunks]
    found = [_of_chunk(chunk) for chunk in chunks]
    if not found:
        return np.zeros(0, values.type.to_pandas_dtype())
    return found[0] if len(found) == 1 else np.concatenate(found)


def _of_chunk(chunk: Any) -> NDArray[Any]:
    if pa.types.is_boolean(chunk.type):
        return np.from_dlpack(chunk.cast(pa.uint8())).view(np.bool_)
    if not chunk.null_count:
        return np.from_dlpack(chunk)
    stored = pa.Array.from_buffers(chunk.type, len(chunk), [None, chunk.buffers()[1]], offset=chunk.offset)
    return np.where(_of_chunk(chunk.is_null()), chunk.type.to_pandas_dtype()(np.nan), np.from_dlpack(stored))


def texts_in(values: Any) -> NDArray[np.object_]:
    """The texts of a whole Arrow array without null."""
    if len(values) > FEW_TEXTS:
        return np.asarray(values.to_numpy(zero_copy_only=False), object)
    return np.array(values.to_pylist(), object)


def arrow_texts(texts: Sequence[str]) -> Any:
    """Texts as a whole Arrow array."""
    if len(texts) > FEW_TEXTS:
        return pa.array(texts, pa.string())
    whole = "".join(texts)
    sizes = texts if whole.isascii() else [text.encode() for text in texts]  # of ASCII each letter is a byte
    ends = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, sizes), np.int32, len(texts)), out=ends[1:])
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(whole.encode()))


def arrow_array(values: NDArray[Any]) -> Any:
    """Whole numbers or truth values as a whole Arrow array, numbers as they lie in memory."""
    is_mask = values.dtype == np.bool_
    stored = np.packbits(values, bitorder="little") if is_mask else np.ascontiguousarray(values)
    kind = pa.bool_() if is_mask else pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(stored)])


NO_TEXT = arrow_texts([""])[0]
"""The empty text as Arrow's scalar."""
