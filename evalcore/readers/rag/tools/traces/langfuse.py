"""Langfuse: scores, a row a score, as the table of scores exports them and as the API gives them.

Version 3 of the API says in ``subject`` what a score is about, if it was asked to, and has one ``value``
whose type follows from ``dataType``.

Source: https://langfuse.com/docs/evaluation/evaluation-methods/data-model,
https://langfuse.com/docs/api-and-data-platform/features/scores-api
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
from evalcore.schema import plain

TOOL = "Langfuse"
_PERSON = "ANNOTATION"
_TEXTS = ("TEXT", "CORRECTION")
"""Types whose number says nothing: what was said stands in the text."""

_TRACE = ("traceid", "trace_id")
_SUBJECT = ("subject.kind", "subject.id", "subject.traceid", "subject.trace_id")
_OF_CORE = frozenset({"projectid", "environment", "timestamp", "createdat", "updatedat"})
"""Beside name, value, type and source: what version 3 of the API always gives."""

_USED = (
    *_TRACE,
    "subject",
    *_SUBJECT,
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
        and (_has_subject(names) or {name.replace("_", "") for name in names} >= _OF_CORE)
        and not names.isdisjoint(("datatype", "data_type"))
        and not names.isdisjoint(("value", "stringvalue", "string_value"))
    )


def _has_subject(names: frozenset[str]) -> bool:
    return not names.isdisjoint((*_TRACE, "subject", *_SUBJECT))


def read(records: Records, findings: Findings) -> ToolResult | None:
    """Annotations of people under our labels as responses, everything else as scores of Langfuse."""
    if not _has_subject(frozenset(map(plain, records.names))):
        facts = {"found": f"scores of {TOOL} that do not say what they are about", "missing": "subject"}
        remedy = "Ask the API for it: GET /api/public/v3/scores?fields=subject,annotation."
        findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    return values_by_row(records, TOOL, _ROWS, findings)


def _trace(of: Mapping[str, Any]) -> str:
    """The trace that a score is about, itself or by one of its observations; "" for a session or a run."""
    subject = {name: of.get(f"subject.{name}") for name in ("kind", "id", "traceid", "trace_id")}
    subject |= {plain(name): value for name, value in inside(of, "subject").items()}
    own = subject["id"] if cell_text(subject["kind"]).strip().lower() == "trace" else None
    return cell_text(first_of(of, *_TRACE) or own or first_of(subject, *_TRACE))


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
    unit=_trace,
    of_none="of a session or a run, not of an answer",
    used=_USED,
    texts=("comment", "longstringvalue", "long_string_value"),
    value="value",
    feedback=_feedback,
)
