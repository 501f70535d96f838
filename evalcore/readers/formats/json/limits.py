"""Limits of JSON, checked before a parser sees it: parsers recurse, and make a column of every name."""

from __future__ import annotations

import re

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.formats.native import report_size
from evalcore.settings import Settings

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTED = re.compile(rb'"[^"]*"?')
# A text that is no name is passed as a whole: from each quote within it the search would run to its end.
_NAME = re.compile(rb'("(?:[^"\\]|\\.)*+")\s*+:|"(?:[^"\\]|\\.)*+"?')
_OTHERS = bytes(set(range(256)) - set(b'"[]{}'))
BYTES_A_VALUE = 64
"""What a value takes in memory once it is parsed, about: a reference to it and the smallest object."""


def nesting(text: bytes) -> int:
    """The most lists and objects that stand within each other, whatever else the text is.

    >>> nesting(b'{"a": [1, "]]["], "b": {}}')
    2
    """
    if b"\\" in text:
        text = _ESCAPED.sub(b"", text)
    marks = text.translate(None, _OTHERS)
    marks = marks.replace(b'""', b"")  # strings without a bracket; a run of quotes keeps its parity
    if b'"' in marks:
        marks = _QUOTED.sub(b"", marks)
    if not marks:
        return 0
    is_opening = (np.frombuffer(marks, np.uint8) & 0x06) == 0x02  # [ and {, but not ] and }
    return max(int(np.cumsum(np.where(is_opening, 1, -1)).max()), 0)


def is_within_limits(text: bytes, name: str | None, findings: Findings) -> bool:
    """Whether a JSON document may be parsed by Python; reports the limit that it exceeds."""
    settings = Settings.read()
    depth = nesting(text)
    if depth > settings.max_nesting:
        findings.add("FILE-074", file=name, n=depth, limit=settings.max_nesting)
        return False
    n_values = sum(map(text.count, (b",", b":", b"[", b"{")))
    if n_values * BYTES_A_VALUE > settings.max_unpacked_mb * 1_000_000:
        report_size(len(text), name, findings)
        return False
    return True


def are_within_limits(text: bytes, name: str, findings: Findings) -> bool:
    """Whether records may become a table with a column for every name; reports the limit that they exceed."""
    settings = Settings.read()
    if not is_within_limits(text, name, findings):
        return False
    names = set(_NAME.findall(text)) - {b""}
    if len(names) > settings.max_columns:
        findings.add("FILE-073", file=name, n=len(names), limit=settings.max_columns)
        return False
    n_cells = len(names) * (text.count(b"\n") + 1)
    if n_cells * 8 > settings.unpacked_limit(len(text)):
        report_size(len(text), name, findings)
        return False
    return True
