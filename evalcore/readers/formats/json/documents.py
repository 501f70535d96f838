"""JSON that is one document: arrays of records, tables as data frames write them, rankings by query.

Records keep every character of their values: they are cut where one ends and the next begins. The other
layouts are parsed once, their numbers kept as they are written, and their columns are handed on as such.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.json.foreign import foreign_document
from evalcore.readers.formats.json.limits import BYTES_A_VALUE, is_within_limits
from evalcore.readers.formats.json.paging import page_in_words
from evalcore.readers.formats.json.score_objects import Scores, scores_in
from evalcore.readers.formats.native import report_size
from evalcore.schema import is_known_name, kind_of
from evalcore.settings import Settings

_PIECE = 2**22
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_FIRST = re.compile(rb"\S")
_NAMED = re.compile(rb'\s*("(?:[^"\\]|\\.)*+")\s*:\s*', re.DOTALL)
_MARKS = np.zeros(256, bool)
_MARKS[list(b'"[]{},')] = True
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
_ARRAY_ITEM = b'{["-0123456789tfnN]'
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
INDEX = "index"

Fits = Callable[[Sequence[str]], bool]
"""Whether columns of these names make a table of a kind that `evalcore.schema.kind_of` does not know."""


def fits_none(_: Sequence[str]) -> bool:
    """No names do."""
    return False


@dataclass(frozen=True)
class JsonText:
    """Records, one a line, or the columns of a document that had to be parsed to find them.

    Parameters
    ----------
    text : the lines; of columns, the document.
    format : how the file is laid out, in words.
    is_lines : whether the file itself has a record a line; otherwise a record is known by its number.
    columns : name → cells, numbers as they are written; None for lines.
    is_object : whether the text is one object of no known layout.
    """

    text: bytes
    format: str = "JSON Lines"
    is_lines: bool = True
    columns: Mapping[str, Sequence[Any]] | None = None
    is_object: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows the columns have."""
        return len(next(iter((self.columns or {}).values()), ()))

    def names(self) -> list[str]:
        """The names of the columns, or of the fields of the first record."""
        if self.columns is not None:
            return list(self.columns)
        try:
            found = json.loads(self.text.lstrip().split(b"\n", 1)[0])
        except (ValueError, RecursionError):
            return []
        return list(found) if isinstance(found, dict) else []

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The one object of no known layout; empty where the text is none."""
        try:
            found = json.loads(self.text) if self.is_object else {}
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def is_json(text: bytes) -> bool:
    """Whether a text begins as an object or an array does.

    >>> is_json(b' {"a": 1}'), is_json(b"[1, 2]"), is_json(b"[id],[label]")
    (True, True, False)
    """
    first = _FIRST.search(text)
    if first is None or first.group() not in (b"{", b"["):
        return False
    second = _FIRST.search(text, first.end())
    return first.group() == b"{" or second is None or second.group() in _ARRAY_ITEM


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
    first = _FIRST.search(text)
    if first is None or _is_lines(text, first.start()):
        return JsonText(text)
    if not is_within_limits(text, name, findings):
        return None
    parts = _parts(text)
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
        return _table(text, _members(text, parts), name, findings, fits)
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
    if text[start : start + 1] != b"{" or end < 0 or _FIRST.search(text, end) is None:
        return False
    parts = _parts(text[start:end])
    return parts is not None and not parts.has_rest


@dataclass(frozen=True)
class _Parts:
    """Where the first array or object begins and ends, the commas between its parts, whether more follows."""

    start: int
    end: int
    commas: NDArray[np.int64]
    has_rest: bool

    def spans(self) -> Iterable[tuple[int, int]]:
        """Start and end of each part."""
        borders = [self.start, *self.commas.tolist(), self.end]
        return ((a + 1, b) for a, b in itertools.pairwise(borders))


def _parts(text: bytes) -> _Parts | None:
    """The parts of the first array or object; None where it does not end."""
    plain = _ESCAPED.sub(b"__", text) if b"\\" in text else text
    view = np.frombuffer(plain, np.uint8)
    depth, is_quoted, start, end = 0, False, -1, -1
    commas: list[NDArray[np.int64]] = []
    for at in range(0, len(view), _PIECE):
        piece = view[at : at + _PIECE]
        places = np.flatnonzero(_MARKS[piece])
        marks = piece[places]
        quotes = marks == ord('"')
        inside = (np.cumsum(quotes) + is_quoted) % 2 == 1
        is_quoted = bool(inside[-1]) if len(inside) else is_quoted
        places, marks = places[~quotes & ~inside] + at, marks[~quotes & ~inside]
        is_opening, is_comma = (marks & 0x06) == 0x02, marks == ord(",")
        depths = depth + np.cumsum(np.where(is_comma, 0, np.where(is_opening, 1, -1)))
        if not len(depths):
            continue
        if start < 0:
            start = int(places[0])
        ends = places[(depths == 0) & ~is_comma]
        if len(ends) and end < 0:
            end = int(ends[0])
        commas.append(places[is_comma & (depths == 1)])
        depth = int(depths[-1])
    if end < 0:
        return None
    every = np.concatenate(commas)
    return _Parts(start, end, every[every < end], _FIRST.search(text, end + 1) is not None)


def _fault(text: bytes) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError) as error:
        return str(error)[:80] or "text that is no JSON"
    return "text that is no JSON"


def _records(
    text: bytes, parts: _Parts, words: str, name: str, findings: Findings, fits: Fits
) -> JsonText | None:
    """The records of an array, one a line."""
    first = _FIRST.search(text, parts.start + 1, parts.end)
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


def _under_names(text: bytes, parts: _Parts, name: str, findings: Findings, fits: Fits) -> JsonText | None:
    """The rows of an array of lists whose first holds the names of the columns; None where it does not."""
    start, end = next(iter(parts.spans()))
    try:
        names = json.loads(text[start:end])
        is_header = isinstance(names, list) and all(isinstance(one, str) for one in names)
        if not is_header or not (fits(names) or any(map(is_known_name, names))):
            return None
        rows = _parsed(text)[1:]
    except (ValueError, RecursionError):
        return None
    return _under(names, rows, "JSON, an array a row, names first", text, name, findings)


def _members(text: bytes, parts: _Parts) -> dict[str, bytes]:
    """Name → the text of each member of an object.

    Raises
    ------
    ValueError : where a part has no name or a name stands twice.
    """
    found: dict[str, bytes] = {}
    for start, end in parts.spans():
        named = _NAMED.match(text, start, end)
        key = json.loads(named.group(1)) if named else None
        if key is None or key in found:
            raise ValueError(start)
        found[key] = text[named.end() : end] if named else b""
    return found


def _table(
    text: bytes, members: Mapping[str, bytes], name: str, findings: Findings, fits: Fits
) -> JsonText | Scores | None:
    """The rows of an object that is laid out as a table; the object as one record where it is none."""
    if len(members) == 1 and (inner := next((members[key] for key in _WITHIN if key in members), None)):
        return records_in(inner, name, findings, fits)
    if {"columns", "data"} <= members.keys() and members["columns"][:1] == members["data"][:1] == b"[":
        return _split(members, name, findings)
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
    document = _parsed(text)
    found = _columns_of(document, fits)
    if found is None:
        scores = scores_in(document, members, name, findings)
        return _one_record(text) if scores is None else scores
    columns, words = found
    n_rows = len(next(iter(columns.values())))
    return JsonText(text, words, False, columns) if _fits_in(columns, n_rows, text, name, findings) else None


def _lists_within(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The lists of records one level deeper, where one known name holds an object of nothing else."""
    wrappers = [value for key, value in members.items() if key.lower() in _WRAPPERS and value[:1] == b"{"]
    parts = _parts(wrappers[0]) if len(wrappers) == 1 else None
    if parts is None or not wrappers[0][1:].strip(b" \r\n\t}"):
        return {}
    found = _members(wrappers[0], parts)
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
    parts = _parts(value)
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


def _parsed(text: bytes) -> Any:
    """The document with its numbers as they are written.

    Raises
    ------
    ValueError : for text that is no JSON.
    """
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_named_once)


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that it has twice would lose a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found


def _split(members: Mapping[str, bytes], name: str, findings: Findings) -> JsonText | None:
    """Rows beside the names of their columns, as data frames write them with the orientation “split”."""
    names, rows = _parsed(members["columns"]), _parsed(members["data"])
    if not all(isinstance(one, str) for one in names):
        found = "columns whose names are no text"
        findings.add("FILE-101", file=name, found=found, advice="Give every column one name.")
        return None
    index = _parsed(members["index"]) if "index" in members else None
    table = _under(names, rows, "JSON, columns and data", members["data"], name, findings)
    if table is None or table.columns is None or index is None:
        return table
    if not isinstance(index, list) or len(index) != len(rows):
        found = f"{len(index):,} names" if isinstance(index, list) else "no list"
        findings.add("FILE-305", file=name, found=found, n_rows=len(rows))
        return None
    return replace(table, columns=_with_index(index, table.columns))


def _under(
    names: list[str], rows: list[Any], words: str, text: bytes, name: str, findings: Findings
) -> JsonText | None:
    """Rows that are lists, under the names of their columns."""
    twice = [one for one, n in Counter(names).items() if n > 1]
    for one in twice:
        findings.add("FILE-009", file=name, name=one)
    wrong = [
        (i, {"found": f"{len(row)} values for {len(names)} columns" if isinstance(row, list) else "no list"})
        for i, row in enumerate(rows, 1)
        if not isinstance(row, list) or len(row) != len(names)
    ]
    findings.add_rows("FILE-100", wrong, len(wrong), file=name)
    if not rows:
        findings.add("FILE-008", file=name)
    if twice or wrong or not rows or not _fits_in(names, len(rows), text, name, findings):
        return None
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return JsonText(text, words, False, columns)


def _fits_in(names: Iterable[str], n_rows: int, text: bytes, name: str, findings: Findings) -> bool:
    """Whether rows that name all their columns are not much larger than the text; reports the limit."""
    n_bytes = n_rows * sum(len(one) + BYTES_A_VALUE for one in names)
    is_fine = n_bytes <= Settings.read().unpacked_limit(len(text))
    if not is_fine:
        report_size(len(text), name, findings)
    return is_fine


def _columns_of(found: Mapping[str, Any], fits: Fits) -> tuple[Mapping[str, Sequence[Any]], str] | None:
    """The columns of an object of columns or of rows, as known names tell; None where none does."""
    values = list(found.values())
    if values and all(isinstance(one, list) for one in values):
        is_even = len({len(one) for one in values}) == 1 and len(values[0]) > 0
        is_flat = not any(isinstance(cell, (dict, list)) for one in values for cell in one)
        is_ours = len(values[0]) > 1 and is_flat and kind_of(found) == "queries"
        return (
            (dict(found), "JSON, an array a column") if is_even and (is_ours or fits(list(found))) else None
        )
    if not values or not all(isinstance(one, dict) for one in values):
        return None
    is_even = all(one.keys() == values[0].keys() for one in values)
    if is_even and values[0] and (any(map(is_known_name, found)) or fits(list(found))):
        keys = list(values[0])
        columns = {one: [cells[key] for key in keys] for one, cells in found.items()}
        return _with_index(keys, columns), "JSON, an object a column"
    names = list(dict.fromkeys(name for one in values for name in one))
    if (is_even and any(map(is_known_name, names))) or fits(names):
        columns = {name: [one.get(name) for one in values] for name in names}
        return _with_index(list(found), columns), "JSON, an object a row"
    return None


def _with_index(keys: list[Any], columns: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """The columns with what names the rows, unless that only counts them."""
    return columns if _counts(keys) or INDEX in columns else {INDEX: keys, **columns}


def _counts(keys: list[Any]) -> bool:
    return [str(key) for key in keys] in ([str(i) for i in range(n, n + len(keys))] for n in (0, 1))
