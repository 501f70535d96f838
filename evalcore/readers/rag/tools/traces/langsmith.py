"""LangSmith: feedback, a row a value, and results of an experiment with a column a value.

Source: https://docs.langchain.com/langsmith/feedback-data-format, `langsmith.evaluation` (``to_pandas``)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Unit
from evalcore.readers.rag.responses.nested import first_of, inside
from evalcore.readers.rag.tool_scores import ToolResult, ids_of
from evalcore.readers.rag.tools.traces.feedback import (
    Feedback,
    ValueRows,
    column_scores,
    result_of,
    values_by_row,
)
from evalcore.schema import plain

TOOL = "LangSmith"
_PERSON = "app"
_COLUMN = "feedback."
_TEXTS = ("inputs.", "outputs.", "reference.", "error")
_OF_FEEDBACK = ("value", "comment", "correction", "feedback_source", "feedback_source.type", "modified_at")
_USED = (
    "run_id",
    "trace_id",
    "key",
    "score",
    "value",
    "extra",
    "feedback_source",
    "feedback_source.type",
    "feedback_source.user_id",
    "feedback_source.user_name",
)


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of LangSmith."""
    return is_feedback(names) or is_experiment(names)


def is_feedback(names: frozenset[str]) -> bool:
    """Whether a row is one value of feedback."""
    return {"run_id", "key", "score"} <= names and not names.isdisjoint(_OF_FEEDBACK)


def is_experiment(names: frozenset[str]) -> bool:
    """Whether a row is one example of an experiment."""
    has_runs = "example_id" in names or any(name.startswith(("inputs.", "outputs.")) for name in names)
    return has_runs and any(name.startswith(_COLUMN) for name in names)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """What people said in the app under our labels as responses, everything else as scores of LangSmith."""
    if is_feedback(frozenset(map(plain, records.names))):
        return values_by_row(records, TOOL, _ROWS, findings)
    return _experiment(records, findings)


def _feedback(of: Mapping[str, Any], run: str, row: int) -> Feedback | str:
    said = inside(of, "feedback_source")
    source = cell_text(first_of(of, "feedback_source.type") or said.get("type")).strip().lower()
    author = first_of(of, "feedback_source.user_id", "feedback_source.user_name")
    return Feedback(
        unit=Unit.of({**inside(of, "extra"), **inside(said, "metadata")}, run),
        name=cell_text(of.get("key")),
        value=first_of(of, "score", "value"),
        source=source,
        is_person=source == _PERSON,
        author=cell_text(author or first_of(said, "user_id", "user_name")),
        row=row,
    )


_ROWS = ValueRows(
    unit=lambda of: cell_text(first_of(of, "run_id", "trace_id")),
    of_none="of a project, not of a run",
    used=_USED,
    texts=("comment", "correction"),
    value="score",
    feedback=_feedback,
)


def _experiment(records: Records, findings: Findings) -> ToolResult | None:
    ids = ("example_id", "id", "run_id")
    record = ids_of(records, ids)
    scores = {name: name[len(_COLUMN) :] for name in records.names if plain(name).startswith(_COLUMN)}
    units = [Unit(record.at(i)) for i in range(len(records.rows))]
    unused = {
        name: "personal text: dropped" if plain(name).startswith(_TEXTS) else "no score"
        for name in records.names
        if name not in scores and plain(name) not in ids
    }
    found = column_scores(records, scores, units)
    return result_of(found, records, TOOL, "", findings, unused=unused)
