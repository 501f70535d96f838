"""What bytes are, from how they begin; gzip and zstd taken off."""

from __future__ import annotations

import re
import zlib

from evalcore.isolated.worker import RefusedError, reason_of
from evalcore.problems import Findings
from evalcore.readers.native import report, report_size, without_zstd
from evalcore.settings import Settings

__all__ = ["columnar_format", "foreign_format", "reason_of", "unpacked"]

_PIECE = 2**14  # unpacks to 16 MB at most
_MOST_ARCHIVES = 100_000
_ZEROS = re.compile(rb"\x00*+")

_SAVE_AS_CSV = "Save the sheet as CSV (UTF-8) and give that file."
_EXPORT = "Export the table as CSV or Parquet."
_UNPACK = "Unpack it and give the table inside."
_NO_TABLE = "Give the file with the predictions."
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office file (.xls)", _SAVE_AS_CSV),
    (b"%PDF", "a PDF document", _NO_TABLE),
    (b"\x89PNG", "a PNG image", _NO_TABLE),
    (b"\xff\xd8\xff", "a JPEG image", _NO_TABLE),
    (b"GIF8", "a GIF image", _NO_TABLE),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"\x89HDF", "an HDF5 file", _EXPORT),
    (b"\x93NUMPY", "a NumPy array (.npy)", _EXPORT),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x04\x22\x4d\x18", "an LZ4 archive", _UNPACK),
    (b"\x80\x04\x95", "a Python pickle", _EXPORT),
    (b"\x80\x05\x95", "a Python pickle", _EXPORT),
    (b"RDX", "an R data file", _EXPORT),
    (b"X\n\x00\x00", "an R data file (.rds)", _EXPORT),
    (b"$FL2", "an SPSS file", _EXPORT),
    (b"<stata_dta>", "a Stata file", _EXPORT),
    (b"HEADER RECORD***", "a SAS transport file", _EXPORT),
    (b"ORC", "an ORC file", _EXPORT),
    (b"Obj\x01", "an Avro file", _EXPORT),
    (b"{\\rtf", "a rich-text document", _NO_TABLE),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "Fetch the file with git lfs pull.",
    ),
)


def unpacked(content: bytes, name: str, findings: Findings) -> tuple[bytes, str | None]:
    """The bytes without gzip or zstd, and the name of the compression; reports damaged archives.

    gzip is taken off here, piece by piece; zstd in a process of its own.

    Raises
    ------
    ValueError : when the bytes cannot be unpacked; the problem was reported to ``findings``.
    """
    codec = "gzip" if content[:2] == b"\x1f\x8b" else "zstd" if content[:4] == b"\x28\xb5\x2f\xfd" else None
    if codec is None:
        return content, None
    try:
        return _gunzip(content) if codec == "gzip" else without_zstd(content), codec
    except OverflowError:
        report_size(len(content), name, findings)
    except RefusedError as refusal:
        report(refusal, codec, len(content), name, findings)
    except (OSError, EOFError, zlib.error) as error:
        findings.add("FILE-007", file=name, kind=codec, reason=reason_of(error))
    raise ValueError(name)


def _gunzip(content: bytes) -> bytes:
    """The parts of an archive, one after the other; zeros between and behind them fill a block up."""
    max_bytes = Settings.read().unpacked_limit(len(content))
    view = memoryview(content)
    parts: list[bytes] = []
    size = at = n_archives = 0
    while at < len(view):
        inflate = zlib.decompressobj(wbits=31)
        n_archives += 1
        if n_archives > _MOST_ARCHIVES:
            raise EOFError(f"more than {_MOST_ARCHIVES:,} archives one after the other")
        while not inflate.eof:
            piece = view[at : at + _PIECE]
            if not piece:
                raise EOFError("the end of the archive is missing")
            parts.append(inflate.decompress(piece))
            at += len(piece) - len(inflate.unused_data)
            size += len(parts[-1])
            if size > max_bytes:
                raise OverflowError
        padding = _ZEROS.match(content, at)
        at = padding.end() if padding else at
    return b"".join(parts)


def columnar_format(content: bytes) -> str | None:
    """``parquet``, ``feather`` or ``arrow stream`` where the bytes begin so."""
    if content[:4] == b"PAR1":
        return "parquet"
    if content[:6] == b"ARROW1" or content[:4] == b"FEA1":
        return "feather"
    return "arrow stream" if _is_stream(content) else None


def _is_stream(content: bytes) -> bool:
    """Whether a message of Arrow comes first: its mark, and the length of a schema in eights of bytes."""
    n_schema = int.from_bytes(content[4:8], "little", signed=True)
    return content[:4] == b"\xff\xff\xff\xff" and 0 < n_schema <= len(content) - 8 and not n_schema % 8


def foreign_format(content: bytes) -> tuple[str, str] | None:
    """What the bytes are instead of a table of ours and what to do, or None where they may be text."""
    if content[:4] == b"PK\x03\x04":
        return _zip(content)
    for signature, kind, advice in _SIGNATURES:
        if content.startswith(signature):
            return kind, advice
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    head = content[:4096]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page", "Save the table itself; a login page is often downloaded in its place."
    if start.startswith((b"<?xml", b"<svg")):
        return "an XML document", _EXPORT
    if b"\x00" in head:
        if head[1:2] == b"\x00" or head[:1] == b"\x00":
            return (
                "UTF-16 text without its mark",
                "Say --encoding utf-16-le (or utf-16-be), or save it as UTF-8.",
            )
        return "binary data", "Export the table as CSV (UTF-8) or Parquet."
    return None


def _zip(content: bytes) -> tuple[str, str]:
    for inside, kind, advice in (
        (b"xl/", "an Excel workbook (.xlsx)", _SAVE_AS_CSV),
        (b"word/", "a Word document (.docx)", _NO_TABLE),
        (b".npy", "a NumPy archive (.npz)", _EXPORT),
        (b"mimetypeapplication/vnd.oasis", "an OpenDocument file", _SAVE_AS_CSV),
    ):
        if inside in content[:65536] or inside in content[-65536:]:
            return kind, advice
    return "a ZIP archive or an Excel workbook (.xlsx)", "Unpack it, or save the sheet as CSV (UTF-8)."
