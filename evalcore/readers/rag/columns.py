"""The columns of annotations: their roles, and which are not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalcore.problems import Findings
from evalcore.readers.mapping import Mapped, map_table
from evalcore.readers.table import Table
from evalcore.schema import plain

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
    groups = tuple(name for name in mapped.groups if name not in unused)
    return replace(mapped, groups=groups, unused=unused)


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
