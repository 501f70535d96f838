"""Labels of people, a row a label: what a table with a column a label becomes when it is melted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Unit
from evalcore.readers.rag.responses.nested import first_of
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.readers.rag.tools.traces.feedback import Feedback, ValueRows, values_by_row
from evalcore.schema import ANNOTATIONS

TOOL = "labels, a row each"
_COLUMN = {column.role: column.names for column in ANNOTATIONS.columns}
_RECORD = ("item", "item_id", *_COLUMN["record_uuid"])
_ANNOTATOR = _COLUMN["annotator_id"]
_LABEL = ("label", "label_name", "question")
_VALUE = ("value", "answer_value", "label_value")
_OF_UNIT = ("record_uuid", "chunk_id", "chunk_rank", "n_retrieved_chunks")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names hold a record, an annotator, a label's name and its value."""
    return all(not names.isdisjoint(known) for known in (_RECORD, _ANNOTATOR, _LABEL, _VALUE))


def read(records: Records, findings: Findings) -> ToolResult | None:
    """One answer a row; names that are none of our labels are scores where they are numbers."""
    names = by_plain(records)
    column = next(names[name] for name in _VALUE if name in names)
    return values_by_row(records, TOOL, replace(_ROWS, value=column), findings)


def _answer(of: Mapping[str, Any], item: str, row: int) -> Feedback | str:
    facts = {role: first_of(of, *_COLUMN[role]) for role in _OF_UNIT[1:]}
    unit = Unit.of({**facts, "record_uuid": item}, item)
    name, author = cell_text(first_of(of, *_LABEL)), cell_text(first_of(of, *_ANNOTATOR))
    return Feedback(unit, name, first_of(of, *_VALUE), "people", True, author, row)


_ROWS = ValueRows(
    unit=lambda of: cell_text(first_of(of, *_RECORD)),
    of_none="no id of the record",
    used=(*_RECORD, *_ANNOTATOR, *_LABEL, *_VALUE, *(name for role in _OF_UNIT for name in _COLUMN[role])),
    texts=(),
    value="value",
    feedback=_answer,
)
