"""The bytes of zstd archives and of NumPy files."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa

from .limits import check_size
from .messages import CHUNK
from .refusals import RefusedError

NPY = b"\x93NUMPY"
HEADER = 2**16
ALIGNED = 64
ENCRYPTED = 1
"""The bit of a member's flags in a zip archive."""
_VERSIONS = ((1, 0), (2, 0), (3, 0))


def unzstd(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The bytes of a zstd archive, or the first of them."""
    stream = pa.CompressedInputStream(pa.BufferReader(content), "zstd")
    if facts["most"] is not None:
        return {}, stream.read(facts["most"])
    parts: list[bytes] = []
    size = 0
    while part := stream.read(CHUNK * 16):
        parts.append(part)
        size += len(part)
        check_size(size, facts)
    return {}, parts


def arrays(content: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """What the arrays of a NumPy file are, of a .npz with their bytes one after the other.

    Each has its name, type, shape, order, and place in the .npy file or in the bytes that come back. Of a
    .npz those with one of the ``names`` are read, in any case of letters, or a single one, and the names of
    the ``others`` told.
    """
    import zipfile

    if bytes(content[:6]) == NPY:
        found = [_array("", content, 0)]
        if found[0]["end"] != facts["n_bytes"]:
            raise RefusedError(
                "damaged", reason=f"{facts['n_bytes']:,} bytes where its header tells of another number"
            )
        return {"arrays": found, "others": []}, b""
    parts: list[bytes] = []
    found, size = [], 0
    with zipfile.ZipFile(_Reading(content)) as archive:
        members = {
            one.filename.removesuffix(".npy"): one
            for one in archive.infolist()
            if one.filename.endswith(".npy")
        }
        if len(members) < sum(one.filename.endswith(".npy") for one in archive.infolist()):
            raise RefusedError("damaged", reason="two arrays of one name")
        wanted = [name for name in members if name.lower() in facts["names"] or len(members) == 1]
        for name in wanted:
            one = members[name]
            if one.flag_bits & ENCRYPTED:
                raise RefusedError("damaged", reason=f"the array {name!r} is encrypted")
            if size + one.file_size > facts["max_bytes"]:
                raise RefusedError("size")
            with archive.open(one) as member:
                data = member.read(one.file_size + 1)
            found.append(_array(name, data, size))
            if found[-1]["end"] != size + len(data):
                raise RefusedError("damaged", reason=f"the array {name!r} is cut off, or longer than told")
            parts += [data, bytes(-len(data) % ALIGNED)]
            size += len(data) + len(parts[-1])
    return {"arrays": found, "others": [name for name in members if name not in wanted]}, parts


def _array(name: str, data: Any, before: int) -> dict[str, Any]:
    """Type, shape, order and place of one array; objects are refused, as pickles run code."""
    from numpy.lib import format as npy

    head = io.BytesIO(bytes(data[:HEADER]))
    if len(data) < npy.MAGIC_LEN or bytes(data[:6]) != NPY:
        raise RefusedError("damaged", reason="no header of an array")
    version = npy.read_magic(head)
    if version not in _VERSIONS:
        raise RefusedError("damaged", reason=f"the version {version[0]}.{version[1]} of the format")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, is_fortran, dtype = read_header(head)
    except MemoryError:
        raise
    except Exception:  # what it says quotes the header, or tells where in memory a part of it is
        raise RefusedError("damaged", reason="a header that describes no array") from None
    if dtype.hasobject:
        raise RefusedError("objects", name=name)
    if any(isinstance(n, bool) or n < 0 for n in shape):
        raise RefusedError("damaged", reason="lengths in a header that are no whole numbers from 0 on")
    n_bytes = dtype.itemsize
    for n in shape:
        n_bytes *= int(n)
    start = before + head.tell()
    return {
        "name": name,
        "type": dtype.str if dtype.names is None else "fields",
        "shape": list(shape),
        "is_fortran": bool(is_fortran),
        "start": start,
        "end": start + n_bytes,
    }


class _Reading(io.RawIOBase):
    """Bytes as a file, without a copy of them."""

    def __init__(self, content: Any) -> None:
        self._content, self._at = memoryview(content), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, at: int, whence: int = 0) -> int:
        self._at = max(at + (0, self._at, len(self._content))[whence], 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        found = self._content[self._at : self._at + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)
