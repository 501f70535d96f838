"""Text of a file as UTF-8: by its byte order mark, as strict UTF-8, as the user says, or by asking."""

from __future__ import annotations

import codecs

from evalcore.problems import Findings

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_FILES = (
    "idna",
    "punycode",
    "undefined",
    "unicode_escape",
    "raw_unicode_escape",
    "unicode-escape",
    "raw-unicode-escape",
)
_WORDS = {"utf-8": "UTF-8", "cp1252": "Windows-1252"}


def words(encoding: str) -> str:
    """The name of an encoding as people write it.

    >>> words("cp1252"), words("utf-16-le")
    ('Windows-1252', 'UTF-16-LE')
    """
    return _WORDS.get(encoding, encoding.upper())


def to_utf8(content: bytes, encoding: str | None, name: str, findings: Findings) -> tuple[bytes, str]:
    """The text as UTF-8 bytes without a mark, and the encoding it was read in.

    Bytes that are not UTF-8 are reported as a choice and read as Windows-1252 for the preview.

    Raises
    ------
    ValueError : when the encoding given is unknown or cannot be right; the problem was reported.
    """
    for mark, marked in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], marked, name, findings, len(mark)), marked
    if encoding is not None:
        try:
            encoding = _text_encoding(encoding)
        except (LookupError, ValueError):
            findings.add("FILE-013", file=name, found=encoding)
            raise ValueError(name) from None
    if encoding not in (None, "utf-8"):
        return _decoded(content, str(encoding), name, findings), str(encoding)
    if content.isascii():
        return content, "utf-8"
    try:
        codecs.utf_8_decode(content, "strict", True)
    except UnicodeDecodeError as error:
        _ask(content, error.start, name, findings)
        return content.decode("cp1252", "replace").encode(), "cp1252"
    return content, "utf-8"


def _text_encoding(name: str) -> str:
    """The usual name of an encoding of text.

    Raises
    ------
    LookupError, ValueError : where none is called so: for names such as ``hex``, which turn bytes into bytes,
        and for ways to write a text in another one.
    """
    found = codecs.lookup(name).name
    "".encode(found)
    b"".decode(found)
    if found in _NO_FILES:
        raise LookupError(name)
    return found


def _decoded(content: bytes, encoding: str, name: str, findings: Findings, offset: int = 0) -> bytes:
    try:
        text = content.decode(encoding)
    except UnicodeError as error:
        at = getattr(error, "start", 0)  # not every codec says where
        findings.add("FILE-016", file=name, encoding=words(encoding), offset=at + offset)
        raise ValueError(name) from None
    return content if encoding == "utf-8" else text.encode("utf-8", "replace")


def _ask(content: bytes, at: int, name: str, findings: Findings) -> None:
    start = content.rfind(b"\n", 0, at) + 1
    end = content.find(b"\n", at)
    line = content[max(start, at - 60) : min(len(content) if end < 0 else end, at + 60)]
    preview = line.decode("cp1252", "replace").strip()
    findings.add("FILE-004", file=name, line=content.count(b"\n", 0, at) + 1, offset=at, preview=preview)
