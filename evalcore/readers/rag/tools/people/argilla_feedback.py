"""Argilla 1: a FeedbackDataset pushed to the Hub, its responses nested in a column a question.

Source: https://docs.argilla.io/en/v1.14.0/guides/llms/practical_guides/export_dataset.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.formats.table import Table
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.nested import items_of, mapping_in
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools.people import argilla
from evalcore.schema import LABEL_NAMES, plain

TOOL = "Argilla 1"
_SUGGESTION = "_suggestion"


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of a FeedbackDataset of Argilla 1."""
    has_question = any(name.endswith(_SUGGESTION) for name in names) or not names.isdisjoint(LABEL_NAMES)
    return {"external_id", "metadata"} <= names and has_question and not argilla.fits(names)


def is_nested(table: Table) -> bool:
    """Whether the columns named after our labels hold lists or objects, and no plain answers."""
    cells = [cell for name in table.names if plain(name) in LABEL_NAMES for cell in table.sample[name]]
    return any(cell.lstrip()[:1] in ("[", "{") for cell in cells)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """As `argilla.read`, from the same responses under the names of an Argilla 2 export."""
    known = {plain(name) for name in records.names}
    questions = [
        name for name in records.names if plain(name) in LABEL_NAMES or f"{plain(name)}{_SUGGESTION}" in known
    ]
    rows = [_flat(row, at, questions) for row, at in zip(records.rows, records.row, strict=True)]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    result = argilla.read(Records(records.name, names, tuple(rows), records.row), findings)
    if result is None:
        return None
    used = {question for question in questions if plain(question) in LABEL_NAMES} | {
        "metadata",
        "external_id",
    }
    unused = {name: argilla.why_unused(name) for name in records.names if name not in used}
    return ToolResult((), unused, notes=result.notes, responses=result.responses)


def _flat(row: Mapping[str, Any], at: int, questions: Sequence[str]) -> dict[str, Any]:
    """One record under the names of an Argilla 2 export."""
    found: dict[str, Any] = {"id": cell_text(row.get("external_id")) or f"row {at}"}
    found |= {f"metadata.{name}": value for name, value in mapping_in(row.get("metadata")).items()}
    for question in questions:
        responses = _responses(row.get(question))
        found[f"{question}.responses"] = [one.get("value") for one in responses]
        users = [str(one.get("user_id") or f"user {i}") for i, one in enumerate(responses, 1)]
        found[f"{question}.responses.users"] = users
        status = [str(one.get("status") or "submitted") for one in responses]
        found[f"{question}.responses.status"] = status
    return found


def _responses(cell: Any) -> list[Mapping[str, Any]]:
    """The responses of a cell: a list of objects, or an object of lists, as `datasets` keeps a sequence."""
    found = items_of(cell)
    if len(found) == 1 and isinstance(found[0], dict) and isinstance(found[0].get("value"), list):
        columns: Mapping[str, Any] = found[0]
        if isinstance(columns.get("user_id"), list):
            n = len(columns["value"])
            lists = {name: of for name, of in columns.items() if isinstance(of, list) and len(of) == n}
            return [{name: of[i] for name, of in lists.items()} for i in range(n)]
    return [one for one in found if isinstance(one, dict)]
