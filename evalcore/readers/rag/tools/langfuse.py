"""Langfuse: scores, a row a score, as the table of scores exports them and as the API gives them.

Source: https://langfuse.com/docs/evaluation/evaluation-methods/data-model
"""

from __future__ import annotations

from collections import Counter

from evalcore.problems import Findings
from evalcore.readers.cells import cell_text
from evalcore.readers.rag.answers import Unit
from evalcore.readers.rag.nested import first_of, inside
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.readers.rag.tools.feedback import Feedback, result_of

TOOL = "Langfuse"
_PERSON = "ANNOTATION"
_USED = (
    "traceid",
    "trace_id",
    "name",
    "source",
    "value",
    "stringvalue",
    "string_value",
    "datatype",
    "data_type",
    "authoruserid",
    "author_user_id",
    "metadata",
)


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of Langfuse scores."""
    return (
        {"name", "source"} <= names
        and not names.isdisjoint(("traceid", "trace_id"))
        and not names.isdisjoint(("datatype", "data_type"))
        and not names.isdisjoint(("value", "stringvalue", "string_value"))
    )


def read(records: Records, findings: Findings) -> ToolResult | None:
    """Annotations of people under our labels as responses, everything else as scores of Langfuse."""
    names = by_plain(records)
    found: list[Feedback] = []
    excluded: Counter[str] = Counter()
    for record, row in zip(records.rows, records.row, strict=True):
        of = {key: record.get(name) for key, name in names.items()}
        trace = cell_text(first_of(of, "traceid", "trace_id"))
        if not trace:
            excluded["of a session or a run, not of an answer"] += 1
            continue
        source = cell_text(of.get("source")).strip().upper()
        kind = cell_text(first_of(of, "datatype", "data_type")).strip().upper()
        text = first_of(of, "stringvalue", "string_value")
        found.append(
            Feedback(
                unit=Unit.of(inside(of, "metadata"), trace),
                name=cell_text(of.get("name")),
                value=text
                if kind in ("BOOLEAN", "CATEGORICAL") and text is not None
                else first_of(of, "value"),
                source=source,
                is_person=source == _PERSON,
                author=cell_text(first_of(of, "authoruserid", "author_user_id")),
                row=row,
            )
        )
    unused = {
        name: "personal text: dropped" if key == "comment" else "no part of a score"
        for key, name in names.items()
        if key not in _USED
    }
    return result_of(
        found, records, TOOL, "value", findings, unused=unused, excluded=excluded, counts_rows=True
    )
