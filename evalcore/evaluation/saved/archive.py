"""The file of a saved report: named columns and one JSON document in a zip that packs nothing.

What is not packed cannot unpack to more than the file is long, and the same report makes the same bytes
everywhere. Every column is a ``.npy`` file, so that ``numpy.load`` reads them too.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.files import SAVED_REPORT
from evalcore.files.zips import unzipped, zipped
from evalcore.problems import InputError, problem

DOCUMENT = "report.json"
MOST_MEMBERS = 10_000
_COLUMN = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(<f8|<f4|<u8|\|b1|\|i1|<i2|<i4|<i8)', 'fortran_order': False, "
    rb"'shape': \((0|[1-9][0-9]{0,14}),\), \} *\n",
    re.DOTALL,
)


def packed(document: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a file; the same document and columns make the same.

    Parameters
    ----------
    document : what JSON can hold, without NaN.
    columns : name → array of shape (N,) of numbers or bool.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)
    members = {"mimetype": SAVED_REPORT.encode(), DOCUMENT: text.encode()}
    members |= {f"{name}.npy": _written(column) for name, column in columns.items()}
    return zipped(members)


def unpacked(content: bytes, file: str | None) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The document and the columns of a file.

    Parameters
    ----------
    content : the file.
    file : its name, for messages.

    Raises
    ------
    InputError : REP-290 for another file, REP-291 for one that is damaged.
    """
    try:
        members = unzipped(content, most_members=MOST_MEMBERS)
    except ValueError as error:
        raise _damaged(file, "the file", str(error), "a whole file") from None
    if members.pop("mimetype", b"") != SAVED_REPORT.encode() or DOCUMENT not in members:
        raise InputError([problem("REP-290", file=file, found="a zip of other files")])
    try:
        text = members.pop(DOCUMENT)
        document = json.loads(text, parse_constant=_refused)
        if re.search(rb"\\u[dD][89a-fA-F]", text):  # may be half a character, which no file can say again
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise _damaged(file, DOCUMENT, str(error), "strict JSON") from None
    return document, {name.removesuffix(".npy"): _read(file, name, raw) for name, raw in members.items()}


def _written(column: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    little = column.astype(column.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(out, np.ascontiguousarray(little), version=(1, 0), allow_pickle=False)
    return out.getvalue()


def _read(file: str | None, name: str, raw: bytes) -> NDArray[Any]:
    """One column; its header is matched as `packed` writes it, and its length is that of the member."""
    header = _COLUMN.match(raw)
    if header is None:
        raise _damaged(file, name, "another header", "a column of numbers as .npy")
    kind, n, start = np.dtype(header[1].decode()), int(header[2]), header.end()
    if len(raw) - start != n * kind.itemsize:
        raise _damaged(file, name, f"{len(raw) - start:,} bytes", f"{n:,} values of {kind.itemsize} bytes")
    if kind == np.bool_ and np.frombuffer(raw, np.uint8, n, start).max(initial=0) > 1:
        raise _damaged(file, name, "bytes that are neither", "0 or 1")
    return np.frombuffer(raw, kind, n, start)


def _refused(word: str) -> Any:
    raise ValueError(f"{word}, which is no number")


def _damaged(file: str | None, place: str, found: str, expected: str) -> InputError:
    return InputError([problem("REP-291", file=file, place=place, found=found, expected=expected)])
