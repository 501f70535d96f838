"""Label Studio: tasks with their annotations, as its JSON export holds them; questions are our labels.

Source: https://labelstud.io/guide/task_format
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Answer, Unit, is_label, report_missing, response_parts
from evalcore.readers.rag.responses.nested import inside, items_of, mapping_in
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.schema import LABEL_NAMES, plain

TOOL = "Label Studio"
_ANNOTATIONS = ("annotations", "completions")
_UNANSWERED = "a task without an annotation"


def fits(names: frozenset[str]) -> bool:
    """Whether fields of these names are those of Label Studio's tasks."""
    return "data" in names and not names.isdisjoint(_ANNOTATIONS)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """One response for each task and annotation; a cancelled annotation is a discarded response."""
    names = by_plain(records)
    column = next(names[name] for name in _ANNOTATIONS if name in names)
    answers: list[Answer] = []
    others: Counter[str] = Counter()
    n_unanswered = n_predictions = 0
    for record, row in zip(records.rows, records.row, strict=True):
        unit = Unit.of(inside(record, names["data"]), f"task {cell_text(record.get('id')) or row}")
        annotations = [mapping_in(one) for one in items_of(record.get(column))]
        n_unanswered += not annotations
        n_predictions += len(items_of(record.get(names.get("predictions", "predictions"))))
        for place, one in enumerate(annotations, 1):
            answers += _answers(one, unit, row, place, others)
    if not any(one.label for one in answers):
        questions = ", ".join(sorted(others)) or "none"
        facts = {
            "found": f"tasks of Label Studio with the questions {questions}",
            "missing": f"at least one question named {', '.join(LABEL_NAMES)}",
        }
        remedy = "Name the question that stands for a label in the labelling interface (from_name) after it."
        findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    parts = response_parts(answers, records.name, "", findings)
    for part in parts:
        report_missing(part, records.name, findings)
    notes = []
    if others:
        listed = ", ".join(f"{name} ({n:,})" for name, n in sorted(others.items()))
        notes.append(f"{records.name}: questions that are none of our labels, or no choice: {listed}.")
    if n_predictions:
        notes.append(f"{records.name}: {n_predictions:,} predictions of a model: no person said them.")
    unused = {
        name: "read as far as it holds our columns" if name == names["data"] else "no annotation"
        for name in records.names
        if name not in (column, "id")
    }
    return ToolResult((), unused, {_UNANSWERED: n_unanswered}, tuple(notes), tuple(parts))


def _answers(
    annotation: Mapping[str, Any], unit: Unit, row: int, place: int, others: Counter[str]
) -> list[Answer]:
    """The answers of one annotation; one discarded as a whole where it was cancelled."""
    annotator = _who(annotation, place)
    if annotation.get("was_cancelled"):
        return [Answer(unit, annotator, "", "", row)]
    found: list[Answer] = []
    for item in map(mapping_in, items_of(annotation.get("result"))):
        question, choices = cell_text(item.get("from_name")), inside(item, "value").get("choices")
        if is_label(plain(question)) and isinstance(choices, list):
            found.append(Answer(unit, annotator, plain(question), cell_text(choices), row))
        else:
            others[question or "without a name"] += 1
    return found


def _who(annotation: Mapping[str, Any], place: int) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return (
        cell_text(by) or cell_text(annotation.get("created_username")).split(",")[0] or f"annotation {place}"
    )
