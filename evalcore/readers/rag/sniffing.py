"""Which task files belong to, from the names of their columns and their first rows alone."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Mapping, Sequence

from evalcore.data import Task
from evalcore.isolated.worker import RefusedError
from evalcore.problems import Findings
from evalcore.readers import columnar
from evalcore.readers.inputs import RawFile
from evalcore.readers.json_limits import is_within_limits
from evalcore.readers.native import without_zstd
from evalcore.readers.rag.opening import LISTS_OF_RECORDS
from evalcore.readers.rag.tools import tool_of
from evalcore.readers.signatures import columnar_format
from evalcore.schema import (
    ANNOTATIONS,
    CANDIDATES,
    LABEL_NAMES,
    QUERIES,
    RANKED_LISTS,
    fits_by_name,
    plain,
    recognise,
)
from evalcore.settings import Settings

_HEAD = 2**16
_ROWS = 50


def task_of(
    files: Sequence[RawFile], given: Mapping[str, tuple[str, ...]], findings: Findings
) -> Task | None:
    """The task of files, or None where they are of two, which is reported.

    Parameters
    ----------
    files : the inputs.
    given : role → columns, as the user says: roles that only annotations have decide.
    """
    asked = {role for role, names in given.items() if names}
    others = {name for kind in (QUERIES, RANKED_LISTS, CANDIDATES) for c in kind.columns for name in c.names}
    if asked & {column.role for column in ANNOTATIONS.columns} - others:
        return "rag"
    rag: list[str] = []
    evidence: list[str] = []
    for file in files:
        names, cells = names_in(file)
        if is_rag(names, cells):
            rag.append(file.name)
        elif fits_by_name(names):
            evidence.append(file.name)
    if rag and evidence:
        findings.add("RAG-022", evidence=", ".join(evidence), rag=", ".join(rag))
        return None
    return "rag" if rag else "evidence"


def is_rag(names: Sequence[str], cells: Sequence[str] = ()) -> bool:
    """Whether columns of these names are annotations or a tool's scores.

    Parameters
    ----------
    cells : words of the first rows, in which a wide table names its labels.

    >>> is_rag(["record_uuid", "chunk_id", "misleading"]), is_rag(["query_id", "y_true", "y_prob", "helpful"])
    (True, False)
    """
    known = {plain(name) for name in names}
    tool = tool_of(names)
    if _has_evidence_labels(names):
        return tool is not None and tool.is_distinct
    if known & _OURS or tool is not None:
        return True
    return "label" in known and len(known) >= 4 and not set(LABEL_NAMES).isdisjoint(map(plain, cells))


_OURS = {name for column in ANNOTATIONS.columns if column.cell == "label" for name in column.names} - {
    "is_submitted",
    "submitted",
    "is_discarded",
    "discarded",
}


def _has_evidence_labels(names: Sequence[str]) -> bool:
    queries, lists = recognise(QUERIES, names), recognise(RANKED_LISTS, names)
    candidates = recognise(CANDIDATES, names)
    return (
        {"has_evidence", "probability"} <= queries.keys()
        or "gold_ids" in lists
        or {"sent_uid", "is_gold"} <= candidates.keys()
    )


def names_in(file: RawFile) -> tuple[list[str], list[str]]:
    """The names of a file's columns or fields, and the words of its first rows; empty without any."""
    kind = columnar_format(file.content)
    if kind is not None:
        head = columnar.columnar_head(file.content, kind, file.name, None, Findings(), file.heads)
        return ([] if head is None else list(columnar.named(head.first.schema))), []
    text = _head(file.content)
    if text.lstrip()[:1] in ("{", "["):
        return _fields(text, file), []
    rows = _first_rows(text)
    if not rows:
        return [], []
    return rows[0][: Settings.read().max_columns], [cell for row in rows[1:] for cell in row]


def _head(content: bytes) -> str:
    try:
        if content[:2] == b"\x1f\x8b":
            content = zlib.decompressobj(wbits=31).decompress(content[:_HEAD], _HEAD)
        elif content[:4] == b"\x28\xb5\x2f\xfd":
            content = without_zstd(content, _HEAD)
    except (RefusedError, EOFError, zlib.error):
        return ""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return content[:_HEAD].decode(encoding, "replace")


def _first_rows(text: str) -> list[list[str]]:
    """The first rows, between the separator that gives the header most fields."""
    lines = [line for line in text.splitlines() if line.strip()][:_ROWS]
    if not lines:
        return []
    counts = {mark: len(next(csv.reader([lines[0]], delimiter=mark), [])) for mark in ",;\t|"}
    delimiter = max(counts, key=lambda mark: counts[mark])
    try:
        return list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))
    except csv.Error:
        return []


def _fields(text: str, file: RawFile) -> list[str]:
    """The names of the first record of JSON Lines, an array or a tool's object."""
    try:
        found = json.loads(text.lstrip().split("\n", 1)[0])
    except (ValueError, RecursionError):
        if not is_within_limits(file.content, file.name, Findings()):
            return []
        try:
            found = json.loads(file.content)
        except (ValueError, RecursionError, UnicodeDecodeError):
            return []
    if isinstance(found, dict) and isinstance(found.get("columns"), list) and "data" in found:
        found = dict.fromkeys(map(str, found["columns"]))
    elif isinstance(found, dict):
        found = next((found[k] for k in LISTS_OF_RECORDS if isinstance(found.get(k), list)), found)
    if isinstance(found, list):
        found = next(iter(found), None)
    return list(found)[: Settings.read().max_columns] if isinstance(found, dict) else []
