"""What bytes are, from how they begin; gzip and zstd taken off."""

from __future__ import annotations

import re
import zlib

from evalcore.isolated.worker import RefusedError, reason_of
from evalcore.problems import Findings
from evalcore.readers.formats.foreign import by_first_bytes, by_name
from evalcore.readers.formats.foreign_text import foreign_text
from evalcore.readers.formats.native import report, report_size, without_zstd
from evalcore.settings import Settings

__all__ = ["columnar_format", "foreign_format", "reason_of", "unpacked"]

_PIECE = 2**14  # unpacks to 16 MB at most
_MOST_ARCHIVES = 100_000
_ZEROS = re.compile(rb"\x00*+")

_HEAD = 4096
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")  # but ^Z, which ends DOS texts, and ESC
_WIDE = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32", "utf-32-be": "UTF-32"}
_LEAST_ASCII = 0.2


def unpacked(
    content: bytes, name: str, findings: Findings, most: int | None = None
) -> tuple[bytes, str | None]:
    """The bytes without gzip or zstd, and the name of the compression; reports damaged archives.

    gzip is taken off here, piece by piece; zstd in a process of its own.

    Parameters
    ----------
    most : how many bytes are wanted at least, where not all are.

    Raises
    ------
    ValueError : when the bytes cannot be unpacked; the problem was reported to ``findings``.
    """
    codec = "gzip" if content[:2] == b"\x1f\x8b" else "zstd" if content[:4] == b"\x28\xb5\x2f\xfd" else None
    if codec is None:
        return content, None
    try:
        return (_gunzip(content, most) if codec == "gzip" else without_zstd(content, most)), codec
    except OverflowError:
        report_size(len(content), name, findings)
    except RefusedError as refusal:
        report(refusal, codec, len(content), name, findings)
    except (OSError, EOFError, zlib.error) as error:
        findings.add("FILE-007", file=name, kind=codec, reason=reason_of(error))
    raise ValueError(name)


def _gunzip(content: bytes, most: int | None) -> bytes:
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
            if most is not None and size >= most:
                return b"".join(parts)
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


def _is_marked_text(head: bytes) -> bool:
    """Whether text of wide characters begins, by its mark; numbers may begin with the same two bytes."""
    wider = head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"))
    if not wider and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    size, encoding = (4, "utf-32") if wider else (2, "utf-16")
    text = head[: len(head) // size * size].decode(encoding, "replace")
    return not set(text) & {"\x00", "\ufffe", "\uffff"}


def foreign_format(content: bytes, name: str = "", encoding: str | None = None) -> tuple[str, str] | None:
    """What the bytes are instead of a table of ours and what to do, or None where they may be text.

    Parameters
    ----------
    name : the file's name, which tells where the bytes do not.
    encoding : of the text, as the user says; None where it is to be found out.
    """
    found = by_first_bytes(content)
    if found is not None:
        return found
    head = content[:_HEAD]
    if _is_marked_text(head):
        return None
    said = (encoding or "").lower().replace("_", "-")
    if said.startswith(("utf-16", "utf16", "utf-32", "utf32")):
        return None if wide_encoding(head) is not None else by_name(name)
    wide = wide_encoding(head) if b"\x00" in head else None
    if wide is not None:
        advice = f"Say --encoding {wide}, or save it as UTF-8."
        return f"{_WIDE[wide]} text without its mark", advice
    if b"\x00" in head or (encoding is None and is_binary(head)):
        return by_name(name)
    return foreign_text(content)


def wide_encoding(head: bytes) -> str | None:
    """The encoding of two or four bytes a character in which all of a text is printable; None without one."""
    for encoding in _WIDE:
        width = 4 if encoding.startswith("utf-32") else 2
        try:
            text = head[: len(head) // width * width].decode(encoding)
        except UnicodeDecodeError as error:
            is_cut = error.start >= len(head) - 2 * width and error.start > 0
            if not is_cut:
                continue
            text = head[: error.start].decode(encoding)
        n_ascii = sum(character.isascii() for character in text)
        is_printable = all(character.isprintable() or character in "\t\r\n" for character in text)
        if text and is_printable and n_ascii >= _LEAST_ASCII * len(text):
            return encoding
    return None


def is_binary(head: bytes) -> bool:
    """Whether bytes are neither UTF-8 nor the text of a code page, which has no control characters."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start < len(head) - 3 and _CONTROLS.search(head) is not None
    return False
