"""Which task files belong to, from the names of their columns and their first rows alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from json import JSONDecoder
from typing import Any

from evalcore.data import Task
from evalcore.problems import Findings
from evalcore.readers.formats import columnar
from evalcore.readers.formats.json.documents import JsonText, is_json
from evalcore.readers.formats.signatures import columnar_format
from evalcore.readers.formats.text.delimited import layout_of
from evalcore.readers.formats.text.trec import trec_kind
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import json_in, text_of
from evalcore.readers.rag.tools import tool_of
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
    text = text_of(file, most=_HEAD)
    if text is None:
        return [], []
    if is_json(text):
        return _fields(text, file), []
    if trec_kind(text) is not None:
        return [], []
    layout = layout_of(text, file.name, Findings())
    if layout is None:
        return [], []
    rows = layout.sample[:_ROWS]
    return layout.header[: Settings.read().max_columns], [cell for row in rows for cell in row]


def _fields(text: bytes, file: RawFile) -> list[str]:
    """The names of the first record; the whole file is asked where its beginning does not tell."""
    found: Mapping[str, Any] | None = _first_of_lines(text)
    if found is None:
        known = json_in(file, None, is_rag, Findings())
        names = [] if known is None or not isinstance(known.found, JsonText) else known.found.names()
        return names[: Settings.read().max_columns]
    return list(found)[: Settings.read().max_columns]


def _first_of_lines(text: bytes) -> dict[str, Any] | None:
    """The first record of an array, or of JSON Lines; None where it must be looked for elsewhere."""
    text = text.strip()
    if text[:1] == b"[":
        try:
            found, _ = JSONDecoder().raw_decode(text[1:].lstrip().decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None
    first, _, rest = text.partition(b"\n")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return None
    return found if rest.strip() and isinstance(found, dict) else None
