"""ARES: labelled sets and predictions of its judges, one row per query, document and answer (TSV).

Source: https://ares-ai.vercel.app/
"""

from __future__ import annotations

from evalcore.problems import Findings
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import Measure, ToolResult
from evalcore.readers.rag.tools.columns import scores_in

TOOL = "ARES"
_MEANING = {
    "context_relevance": "whether the document helps to answer the query",
    "answer_faithfulness": "whether the answer rests on the document",
    "answer_relevance": "whether the answer addresses the query",
}
MEASURES = {
    f"{prefix}{name}_{kind}": Measure(f"{meaning}, {by}")
    for name, meaning in _MEANING.items()
    for prefix, kind, by in (
        ("", "label", "by a person, in ARES' own terms"),
        ("ares_", "prediction", "by a judge of ARES"),
        ("", "prediction", "by a judge of ARES"),
    )
}


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of ARES."""
    return {"query", "document"} <= names and any(
        (name.endswith(("_label", "_prediction")) and "relevance" in name) or "faithfulness" in name
        for name in names
    )


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The labels or predictions of each row, under their own names: none of them is a label of ours."""
    return scores_in(
        records,
        TOOL,
        MEASURES,
        ("query", "document", "answer"),
        ids=("id", "query_id"),
        id_texts=("query",),
        findings=findings,
        others_are_scores=False,
        refusal="Give the labelled set or the file of the judges' predictions.",
    )
