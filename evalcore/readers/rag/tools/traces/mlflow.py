"""MLflow: assessments, a row an assessment or in a column of traces, and results with a column a score.

Source: https://mlflow.org/docs/latest/genai/assessments/feedback/, `mlflow.entities.Assessment`
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Unit
from evalcore.readers.rag.responses.nested import first_of, inside, items_of, mapping_in
from evalcore.readers.rag.tool_scores import ToolResult, ids_of
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.readers.rag.tools.traces.feedback import Feedback, column_scores, missing, result_of
from evalcore.schema import plain

TOOL = "MLflow"
_PERSON = "HUMAN"
_TRACE = ("trace_id", "request_id", "client_request_id")
_SCORE = re.compile(r"(?P<name>.+?)(?:(?:/v\d+)?/value|/v\d+/score)")
_RATIONALE = re.compile(r".+/(?:rationale|justification|reasoning|error_code|error_message)")
_TEXTS = (
    "request",
    "response",
    "inputs",
    "outputs",
    "spans",
    "trace",
    "data",
    "request_preview",
    "response_preview",
)
_OF_ASSESSMENT = ("feedback", "expectation", "assessment_id", "feedback.value")
_REPLACED = "replaced by a later assessment"
_EXPECTED = "an expectation, which judges nothing"


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of traces or assessments of MLflow."""
    return is_traces(names) or is_assessments(names)


def is_traces(names: frozenset[str]) -> bool:
    """Whether a row is a trace with its assessments."""
    return ("assessments" in names and not names.isdisjoint((*_TRACE, "trace"))) or names == {"info", "data"}


def is_assessments(names: frozenset[str]) -> bool:
    """Whether a row is one assessment."""
    is_named = not names.isdisjoint(("assessment_name", "name"))
    has_source = not names.isdisjoint(("source", "source.source_type"))
    return is_named and has_source and not names.isdisjoint(_TRACE) and not names.isdisjoint(_OF_ASSESSMENT)


def is_results(names: frozenset[str]) -> bool:
    """Whether a row is one record with a column a score, such as ``relevance/value``."""
    return any(_SCORE.fullmatch(name) for name in names)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """What people said under our labels as responses, everything else as scores of MLflow."""
    names = frozenset(by_plain(records))
    if is_traces(names):
        return _traces(records, findings)
    return (_assessments if is_assessments(names) else _results)(records, findings)


def _traces(records: Records, findings: Findings) -> ToolResult | None:
    found: list[Feedback] = []
    units: list[tuple[Unit, int]] = []
    n_left_out: Counter[str] = Counter()
    names = by_plain(records)
    for record, row in zip(records.rows, records.row, strict=True):
        of = {key: record.get(name) for key, name in names.items()}
        info = mapping_in(of.get("info")) or of
        trace = cell_text(first_of(info, *_TRACE)) or f"row {row}"
        tags = {**inside(info, "trace_metadata"), **inside(info, "tags")}
        unit = Unit.of(tags, trace)
        units.append((unit, row))
        own = [mapping_in(one) for one in items_of(info.get("assessments"))]
        found += _of_assessments(own, unit, row, n_left_out)
    found += missing(found, units)
    unused = {name: "personal text: dropped" for name in records.names if plain(name) in _TEXTS}
    used = ("assessments", "info", "tags", "trace_metadata", *_TRACE)
    unused |= {
        name: "no assessment" for name in records.names if name not in unused and plain(name) not in used
    }
    result = result_of(found, records, TOOL, "assessments", findings, unused=unused)
    return _with_left_out(result, records.name, n_left_out)


def _of_assessments(
    assessments: Sequence[Mapping[str, Any]], unit: Unit, row: int, n_left_out: Counter[str]
) -> Iterator[Feedback]:
    for one in assessments:
        why = _why_left_out(one)
        if why is None:
            yield _feedback(one, unit, row)
        else:
            n_left_out[why] += 1


def _why_left_out(assessment: Mapping[str, Any]) -> str | None:
    """Why an assessment is none of an answer, or None where it is."""
    if assessment.get("valid") is False or cell_text(assessment.get("valid")).lower() == "false":
        return _REPLACED
    has_feedback = "feedback" in assessment and mapping_in(assessment["feedback"])
    if not has_feedback and mapping_in(assessment.get("expectation")):
        return _EXPECTED
    return None


def _feedback(one: Mapping[str, Any], unit: Unit, row: int) -> Feedback:
    said, source = inside(one, "feedback"), inside(one, "source")
    kind = cell_text(source.get("source_type") or one.get("source.source_type")).strip().upper()
    has_failed = bool(mapping_in(said.get("error")) or mapping_in(one.get("error")))
    value = said.get("value", one.get("feedback.value", one.get("value")))
    return Feedback(
        unit=unit,
        name=cell_text(first_of(one, "assessment_name", "name")),
        value=None if has_failed else value,
        source=kind,
        is_person=kind == _PERSON,
        author=cell_text(source.get("source_id") or one.get("source.source_id")),
        row=row,
    )


def _with_left_out(result: ToolResult | None, file: str, n_left_out: Counter[str]) -> ToolResult | None:
    if result is None or not n_left_out:
        return result
    listed = ", ".join(f"{n:,} {reason}" for reason, n in sorted(n_left_out.items()))
    note = f"{file}: assessments left out: {listed}."
    return ToolResult(result.scores, result.unused, result.excluded, (*result.notes, note), result.responses)


def _assessments(records: Records, findings: Findings) -> ToolResult | None:
    found: list[Feedback] = []
    excluded: Counter[str] = Counter()
    names = by_plain(records)
    for record, row in zip(records.rows, records.row, strict=True):
        of = {key: record.get(name) for key, name in names.items()}
        unit = Unit.of(inside(of, "metadata"), cell_text(first_of(of, *_TRACE)) or f"row {row}")
        found += _of_assessments([of], unit, row, excluded)
    used = ("assessment_name", "name", "source", "feedback", "value", "valid", "metadata", *_TRACE)
    unused = {
        name: "personal text: dropped" if key == "rationale" else "no part of a score"
        for key, name in names.items()
        if key not in used and not key.startswith(("source.", "feedback."))
    }
    return result_of(
        found, records, TOOL, "feedback", findings, unused=unused, excluded=excluded, counts_rows=True
    )


def _results(records: Records, findings: Findings) -> ToolResult | None:
    ids = (*_TRACE, "record_uuid", "record_id", "id")
    record = ids_of(records, ids)
    matches = {name: _SCORE.fullmatch(name) for name in records.names}
    scores = {name: match["name"] for name, match in matches.items() if match is not None}
    units = [Unit(record.at(i)) for i in range(len(records.rows))]
    unused = {
        name: "personal text: dropped" if _RATIONALE.fullmatch(plain(name)) else "no score"
        for name in records.names
        if name not in scores and plain(name) not in ids
    }
    return result_of(column_scores(records, scores, units), records, TOOL, "", findings, unused=unused)
