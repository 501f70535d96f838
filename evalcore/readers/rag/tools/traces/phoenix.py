"""Phoenix: retrieved documents, and annotations of documents; ``document_position`` counts from 0.

Source: https://arize.com/docs/phoenix
"""

from __future__ import annotations

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.parts import ScorePart, texts_from
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import Measure, ToolResult, ids_of, numbers_of_records, score_part
from evalcore.readers.rag.tools.columns import by_plain

TOOL = "Phoenix"
_SPAN = ("context.span_id", "span_id")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of Phoenix documents."""
    return "document_position" in names and not names.isdisjoint(_SPAN)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """Scores of documents, with the rank (position + 1) to break down by; refused without any score."""
    names = by_plain(records)
    column = names.get("score") or names.get("document_score")
    if column is None:
        facts = {"found": "Phoenix documents without a score", "missing": "document_score or score"}
        findings.add("RAG-016", file=records.name, **facts, remedy="Export the evaluations of the documents.")
        return None
    record = ids_of(records, _SPAN)
    position = numbers_of_records(records, names["document_position"], findings)
    rank = texts_from(["" if np.isnan(p) else f"{int(p) + 1}" for p in position.tolist()])
    value = numbers_of_records(records, column, findings)
    kinds = _cells(records, names.get("name")) or ["document_score"] * len(records.rows)
    annotator = _cells(records, names.get("annotator_kind"))
    parts: list[ScorePart] = []
    for kind in sorted(set(kinds)):
        at = np.flatnonzero(np.asarray(kinds, object) == kind)
        slices: dict[str, Texts] = {"chunk_rank": rank.where(at)}
        if annotator is not None:
            slices["annotator_kind"] = texts_from([annotator[i] for i in at.tolist()])
        inside = Records(
            records.name,
            records.names,
            tuple(records.rows[i] for i in at.tolist()),
            tuple(records.row[i] for i in at.tolist()),
        )
        measure = _measure(kind, "name" in names)
        parts.append(
            score_part(TOOL, kind or "score", measure, record.where(at), value[at], slices, inside, findings)
        )
    texts = ("input", "document", "document_metadata", "explanation", "metadata")
    unused = {names[n]: "personal text: dropped" for n in texts if n in names}
    unused |= {
        names[n]: "no score, and nothing to break down by"
        for n in ("context.trace_id", "label")
        if n in names
    }
    note = f"{records.name}: document_position counts from 0; chunk_rank is one more."
    return ToolResult(tuple(parts), unused, notes=(note,))


def _cells(records: Records, name: str | None) -> list[str] | None:
    return None if name is None else [cell_text(record.get(name)) for record in records.rows]


def _measure(kind: str, is_annotation: bool) -> Measure:
    if not is_annotation:
        return Measure("the retriever's own score of the document: no judgement of its relevance", None)
    if kind.strip().lower() in ("relevance", "document_relevance"):
        return Measure("1 where a document was judged relevant to the input, 0 where not")
    return Measure(f"an annotation of documents named {kind}", None)
