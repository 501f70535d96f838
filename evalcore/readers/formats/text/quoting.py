"""Quotes of a delimited text: whether all are closed, and what is inside of them."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings

_QUOTE, _NEWLINE, _RETURN = ord('"'), ord("\n"), ord("\r")
_PIECE = 2**18
"""Bytes at a time: what is found of them stays in the processor's cache."""


def positions(text: bytes, byte: int) -> NDArray[np.int64]:
    """Where a byte stands in the text, ascending."""
    return np.concatenate([np.zeros(0, np.int64), *_positions(text, byte)])


def _positions(text: bytes, byte: int) -> Iterator[NDArray[np.int64]]:
    """The same, those of one piece of the text after the other."""
    view = np.frombuffer(text, np.uint8)
    for at in range(0, len(view), _PIECE):
        yield np.flatnonzero(view[at : at + _PIECE] == byte) + at


def check_quotes(
    text: bytes, delimiter: str, header: list[str], name: str, findings: Findings, n_above: int = 0
) -> bool:
    """Whether every quoted field is closed and ends there; each fault is reported with line and column."""
    if b'"' not in text or _quotes_alternate(text, delimiter):
        return True
    faults = [(at, end) for at, end in _fields(text, delimiter) if not _ends_there(text, end, delimiter)]
    for at, end in faults[:SHOWN]:
        is_open = end < 0 or b"\n" in text[at:end]
        start = text.rfind(b"\n", 0, at) + 1
        before = text[start:at].decode("utf-8", "replace")
        place = len(next(csv.reader([before], delimiter=delimiter), [""]) or [""]) - 1
        column = header[place] or None if place < len(header) else None
        line = text.count(b"\n", 0, at) + 1 + n_above
        findings.add("FILE-005" if is_open else "FILE-015", file=name, line=line, column=column)
    findings.count_more("FILE-015", len(faults))
    return not faults


def quoted_spans(text: bytes, delimiter: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where quoted fields begin and end; a doubled quote may part one into two."""
    if _quotes_alternate(text, delimiter):
        at = positions(text, _QUOTE)
        return at[0::2], at[1::2]
    spans = [(start, len(text) if end < 0 else end) for start, end in _fields(text, delimiter)]
    starts, ends = zip(*spans, strict=True) if spans else ((), ())
    return np.asarray(starts, np.int64), np.asarray(ends, np.int64)


def first_line_end(text: bytes, delimiter: str) -> int:
    """Offset behind the first line, which may hold quoted line breaks."""
    fields = _fields(text, delimiter)
    start, end = next(fields, (len(text), len(text)))
    newline = text.find(b"\n")
    while newline > start:
        if end < 0:
            return len(text)
        newline = text.find(b"\n", end) if newline < end else newline
        start, end = next(fields, (len(text), len(text)))
    return len(text) if newline < 0 else newline + 1


def _quotes_alternate(text: bytes, delimiter: str) -> bool:
    """Whether quotes open and close in turn, at borders of fields or doubled: the usual case, in one pass."""
    view = np.frombuffer(text, np.uint8)
    border = np.zeros(256, bool)
    # Beside a quote stands another one where it is doubled; the first and the last byte stand for their own.
    border[[ord(delimiter), _NEWLINE, _RETURN, _QUOTE]] = True
    n_quotes = 0
    for at in _positions(text, _QUOTE):
        opening, closing = at[n_quotes % 2 :: 2], at[1 - n_quotes % 2 :: 2]
        n_quotes += len(at)
        beside = np.concatenate([np.maximum(opening - 1, 0), np.minimum(closing + 1, len(view) - 1)])
        if not border[view[beside]].all():
            return False
    return n_quotes % 2 == 0


def _fields(text: bytes, delimiter: str) -> Iterator[tuple[int, int]]:
    """Start and end of each quoted field, end −1 where it is never closed, as the parser takes them.

    A quote inside an unquoted field belongs to its text. Behind a bad end, the search goes on one line later.
    """
    borders = (delimiter.encode(), b"\n", b"\r")
    at = text.find(b'"')
    while at >= 0:
        if at and text[at - 1 : at] not in borders:
            at = text.find(b'"', at + 1)
            continue
        end = _closing(text, at)
        yield at, end
        behind = end
        if not _ends_there(text, end, delimiter):
            behind = text.find(b"\n", at)
        at = text.find(b'"', behind + 1) if behind >= 0 else -1


def _ends_there(text: bytes, end: int, delimiter: str) -> bool:
    """Whether a field ends with the quote at ``end``."""
    return end >= 0 and (
        end + 1 == len(text) or text[end + 1 : end + 2] in (delimiter.encode(), b"\n", b"\r")
    )


def _closing(text: bytes, at: int) -> int:
    """Where the quote that opens at ``at`` is closed, or −1."""
    end = text.find(b'"', at + 1)
    while end >= 0 and text[end + 1 : end + 2] == b'"':
        end = text.find(b'"', end + 2)
    return end
