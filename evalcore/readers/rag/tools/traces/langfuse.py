"""Langfuse: scores, a row a score, as the table of scores exports them and as the API gives them.

Source: https://langfuse.com/docs/evaluation/evaluation-methods/data-model
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Unit
from evalcore.readers.rag.responses.nested import first_of, inside
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools.traces.feedback import Feedback, ValueRows, values_by_row

TOOL = "Langfuse"
_PERSON = "ANNOTATION"
_TEXTS = ("TEXT", "CORRECTION")
"""Types whose number says nothing: what was said stands in the text."""

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
    return values_by_row(records, TOOL, _ROWS, findings)


def _feedback(of: Mapping[str, Any], trace: str, row: int) -> Feedback | str:
    kind = cell_text(first_of(of, "datatype", "data_type")).strip().upper()
    if kind in _TEXTS:
        return "a text, which is no score"
    source = cell_text(of.get("source")).strip().upper()
    text = first_of(of, "stringvalue", "string_value")
    is_text = kind in ("BOOLEAN", "CATEGORICAL") and text is not None
    return Feedback(
        unit=Unit.of(inside(of, "metadata"), trace),
        name=cell_text(of.get("name")),
        value=text if is_text else first_of(of, "value"),
        source=source,
        is_person=source == _PERSON,
        author=cell_text(first_of(of, "authoruserid", "author_user_id")),
        row=row,
    )


_ROWS = ValueRows(
    unit=("traceid", "trace_id"),
    of_none="of a session or a run, not of an answer",
    used=_USED,
    texts=("comment", "longstringvalue", "long_string_value"),
    value="value",
    feedback=_feedback,
)
