"""The columns of annotations: their roles, and which are not read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from evalcore.problems import Findings
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.roles.tables import map_table
from evalcore.readers.formats.table import Table
from evalcore.schema import LABEL_NAMES, plain

_RECOMPUTED = (
    "constraint_violated",
    "panel_complete",
    "n_annotated_chunks",
    "n_submitted_chunks",
    "n_discarded_chunks",
    "n_records_seen",
)
_TEXTS = (
    "query",
    "question",
    "answer",
    "response",
    "chunk",
    "chunk_text",
    "passage",
    "document",
    "context",
    "contexts",
    "context_set",
    "notes",
    "discard_notes",
    "constraint_details",
    "text",
    "text_pair",
)
_SAID_ELSEWHERE = ("task", "record_status")
_KEY = re.compile(r"\w+_(id|uuid|key|number|nr)")
"""Columns that may name what a record answers, such as ``question_id``: two systems are compared by them."""
_KEPT_KEYS = ("names the row once more", "a value of its own in most rows", "no role in this table")


def map_annotations(
    table: Table, given: Mapping[str, tuple[str, ...]], kind: str, findings: Findings
) -> Mapped:
    """The roles of a table's columns; texts are dropped, and what is computed here is not read."""
    own = Findings()
    mapped = map_table(table, given, kind, own)
    findings.problems += [p for p in own.problems if p.code != "COL-007"]
    unused = dict(mapped.unused)
    for name in (*mapped.groups, *mapped.numbers, *mapped.unused):
        reason = _why_unused(plain(name))
        if reason:
            unused[name] = reason
    for name in [name for name, reason in unused.items() if reason in _KEPT_KEYS and is_key(name)]:
        del unused[name]
    others = set(mapped.groups) | {name for name in mapped.unused if name not in unused}
    groups = tuple(name for name in table.names if name in others and name not in unused)
    return replace(mapped, groups=groups, unused=unused)


def has_labels(table: Table) -> bool:
    """Whether any column is named after one of our labels, adjudicated or not."""
    names = {plain(name) for name in table.names}
    return any(not names.isdisjoint((n, f"{n}_adjudicated", f"adjudicated_{n}")) for n in LABEL_NAMES)


def is_key(name: str) -> bool:
    """Whether a column of this name may name what a record answers."""
    return _KEY.fullmatch(plain(name)) is not None


def _why_unused(name: str) -> str | None:
    if name in _TEXTS:
        return "personal text: dropped"
    if name in _RECOMPUTED:
        return "computed here from the rows"
    if name in _SAID_ELSEWHERE:
        return "said by the labels and the response status"
    if name in ("doc_id", "document_id"):
        return "the id of the chunk's document"
    return "a time" if name.endswith("_at") or name in ("timestamp", "ts") else None


def text_note(file: str, unused: Mapping[str, str]) -> list[str]:
    """The note on the texts of a file that were dropped."""
    texts = sorted(name for name, why in unused.items() if why.startswith("personal text"))
    return (
        [f"{file}: the text columns {', '.join(texts)} were dropped and are kept nowhere."] if texts else []
    )
