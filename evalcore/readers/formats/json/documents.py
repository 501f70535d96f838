"""JSON that is one document: arrays of records, tables as data frames write them, rankings by query.

Records keep every character of their values: they are cut where one ends and the next begins. The other
layouts are parsed once, their numbers kept as they are written, and their columns are handed on as such.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.formats.json.foreign import foreign_document
from evalcore.readers.formats.json.limits import is_within_limits
from evalcore.readers.formats.json.paging import page_in_words
from evalcore.readers.formats.json.parts import (
    FILLED,
    Fits,
    JsonText,
    Parts,
    fits_none,
    members_of,
    parsed,
    parts_of,
)
from evalcore.readers.formats.json.score_objects import Scores, scores_in
from evalcore.readers.formats.json.tables import columns_of, fits_in, split_table, under_names
from evalcore.schema import is_known_name, kind_of

_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
_WRAPPERS = (
    "data",
    "rows",
    "results",
    "records",
    "predictions",
    "items",
    "instances",
    "examples",
    "samples",
    "outputs",
    "dataframe_records",
    "testCases",
    "test_results",
    "traces",
    "content",
    "entries",
    "objects",
    "value",
)
"""Names under which tools put their records."""

_WITHIN = ("dataframe_split",)
"""Names under which tools put a table of another layout."""

_ABOUT = ("schema", "index_names", "column_names")
"""What data frames write beside their rows about themselves."""

_SHOWN = 5


def records_in(
    text: bytes, name: str, findings: Findings, fits: Fits = fits_none
) -> JsonText | Scores | None:
    """The records or rankings of a JSON text, an object of no known layout as one record; None where refused.

    Parameters
    ----------
    name : of the file, for messages.
    findings : gets why it is refused, and what was left out.
    fits : whether names are those of a table of another task, by which rows and columns are told apart.
    """
    first = FILLED.search(text)
    if first is None or _is_lines(text, first.start()):
        return JsonText(text)
    if not is_within_limits(text, name, findings):
        return None
    parts = parts_of(text)
    is_object = first.group() == b"{"
    if is_object and parts is not None and parts.has_rest and b"\n" in text[parts.start : parts.end]:
        found = "several JSON objects, each over several lines"
        findings.add(
            "FILE-101", file=name, found=found, advice="Write one object per line, or an array of them."
        )
        return None
    if is_object and (parts is None or parts.has_rest):
        return JsonText(text)  # a line that is no JSON, which its reader names
    if parts is None or parts.has_rest:
        findings.add("FILE-007", file=name, kind="JSON", reason=_fault(text))
        return None
    if first.group() == b"[":
        return _records(text, parts, "JSON array", name, findings, fits)
    try:
        return _table(text, members_of(text, parts), name, findings, fits)
    except (ValueError, RecursionError):
        return _one_record(text)


def _one_record(text: bytes) -> JsonText:
    """An object of no known layout, on one line."""
    is_one_line = b"\n" not in text.strip()
    text = text if is_one_line else text.strip().translate(_ONE_LINE)
    return JsonText(text, "JSON Lines" if is_one_line else "JSON", is_one_line, is_object=True)


def _is_lines(text: bytes, start: int) -> bool:
    """Whether the first line is an object and there is a second line with something on it."""
    end = text.find(b"\n", start)
    if text[start : start + 1] != b"{" or end < 0 or FILLED.search(text, end) is None:
        return False
    parts = parts_of(text[start:end])
    return parts is not None and not parts.has_rest


def _fault(text: bytes) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError) as error:
        return str(error)[:80] or "text that is no JSON"
    return "text that is no JSON"


def _records(
    text: bytes, parts: Parts, words: str, name: str, findings: Findings, fits: Fits
) -> JsonText | None:
    """The records of an array, one a line."""
    first = FILLED.search(text, parts.start + 1, parts.end)
    if first is None:
        findings.add("FILE-008", file=name)
        return None
    if not any(
        text[start:end].lstrip()[:1] == b"{" for start, end in itertools.islice(parts.spans(), _SHOWN)
    ):
        named = _under_names(text, parts, name, findings, fits) if first.group() == b"[" else None
        if named is not None:
            return named
        what = "lists" if first.group() == b"[" else "single values"
        advice = 'In pandas: df.to_json(PATH, orient="records").'
        findings.add("FILE-101", file=name, found=f"a JSON array of {what}, without names", advice=advice)
        return None
    lines = np.frombuffer(text[parts.start + 1 : parts.end].translate(_ONE_LINE), np.uint8).copy()
    lines[parts.commas - parts.start - 1] = ord("\n")
    return JsonText(lines.tobytes(), words, is_lines=False)


def _under_names(text: bytes, parts: Parts, name: str, findings: Findings, fits: Fits) -> JsonText | None:
    """The rows of an array of lists whose first holds the names of the columns; None where it does not."""
    start, end = next(iter(parts.spans()))
    try:
        names = json.loads(text[start:end])
        is_header = isinstance(names, list) and all(isinstance(one, str) for one in names)
        if not is_header or not (fits(names) or any(map(is_known_name, names))):
            return None
        rows = parsed(text)[1:]
    except (ValueError, RecursionError):
        return None
    return under_names(names, rows, "JSON, an array a row, names first", text, name, findings)


def _table(
    text: bytes, members: Mapping[str, bytes], name: str, findings: Findings, fits: Fits
) -> JsonText | Scores | None:
    """The rows of an object that is laid out as a table; the object as one record where it is none."""
    if len(members) == 1 and (inner := next((members[key] for key in _WITHIN if key in members), None)):
        return records_in(inner, name, findings, fits)
    if {"columns", "data"} <= members.keys() and members["columns"][:1] == members["data"][:1] == b"[":
        return split_table(members, name, findings)
    lists = [key for key in _WRAPPERS if key in members and _holds_objects(members[key])]
    others = {key: value for key, value in members.items() if key not in lists}
    foreign = foreign_document(others)
    if foreign is not None:
        findings.add("FILE-003", file=name, kind=foreign[0], advice=foreign[1])
        return None
    if lists and kind_of(others) is None:
        return _wrapped(members, lists, others, name, findings, fits)
    deeper = {} if lists or kind_of(others) is not None else _lists_within(members)
    if deeper:
        beside = {key: value for key, value in members.items() if key.lower() not in _WRAPPERS}
        return _wrapped(deeper, list(deeper), beside, name, findings, fits)
    if lists or not all(value[:1] in (b"{", b"[") for value in members.values()):
        return _one_record(text)
    document = parsed(text)
    found = columns_of(document, fits)
    if found is None:
        scores = scores_in(document, members, name, findings)
        return _one_record(text) if scores is None else scores
    columns, words = found
    n_rows = len(next(iter(columns.values())))
    return JsonText(text, words, False, columns) if fits_in(columns, n_rows, text, name, findings) else None


def _lists_within(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The lists of records one level deeper, where one known name holds an object of nothing else."""
    wrappers = [value for key, value in members.items() if key.lower() in _WRAPPERS and value[:1] == b"{"]
    parts = parts_of(wrappers[0]) if len(wrappers) == 1 else None
    if parts is None or not wrappers[0][1:].strip(b" \r\n\t}"):
        return {}
    found = members_of(wrappers[0], parts)
    return found if all(map(_holds_objects, found.values())) else {}


def _holds_objects(value: bytes) -> bool:
    return value[:1] == b"[" and value[1:].lstrip()[:1] == b"{"


def _wrapped(
    members: Mapping[str, bytes],
    lists: list[str],
    others: Mapping[str, bytes],
    name: str,
    findings: Findings,
    fits: Fits,
) -> JsonText | None:
    """The records under a name; what stands beside them is told, and that it is one page of several."""
    if len(lists) > 1:
        findings.add("FILE-103", file=name, found=_listed(lists))
        return None
    value = members[lists[0]].rstrip()
    parts = parts_of(value)
    if parts is None:
        raise ValueError(lists[0])
    page, of_page = page_in_words(others, len(parts.commas) + 1)
    beside = [key for key in others if key not in (*_ABOUT, *of_page)]
    if beside:
        findings.add("FILE-102", file=name, name=lists[0], others=_listed(beside))
    if page:
        findings.add("FILE-265", file=name, found=page)
    return _records(value, parts, f"JSON, records in {lists[0]}", name, findings, fits)


def _listed(names: list[str]) -> str:
    return ", ".join(one[:40] for one in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
