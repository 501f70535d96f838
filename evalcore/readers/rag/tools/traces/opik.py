"""Opik: traces or experiment items with their feedback scores, nested or with a column a score.

Source: https://www.comet.com/docs/opik/tracing/annotate_traces
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Unit
from evalcore.readers.rag.responses.nested import inside, items_of, mapping_in
from evalcore.readers.rag.tool_scores import ToolResult, ids_of
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.readers.rag.tools.traces.feedback import Feedback, column_scores, missing, result_of
from evalcore.schema import plain

TOOL = "Opik"
_PERSON = "ui"
_SCORES = "feedback_scores"
_COLUMN = f"{_SCORES}."
_REASON = "_reason"
_NOTHING = ("-",)
_IDS = ("id", "trace_id", "dataset_item_id", "record_uuid")
_TEXTS = ("input", "output", "comments", "error_info", "dataset", "evaluation_task_output")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of Opik."""
    return _SCORES in names or any(name.startswith(_COLUMN) for name in names)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """What people said in the interface under our labels as responses, everything else as scores of Opik."""
    names = by_plain(records)
    record = ids_of(records, _IDS)
    units = [
        Unit.of({**inside(one, names.get("metadata", "metadata"))}, record.at(i))
        for i, one in enumerate(records.rows)
    ]
    columns = {
        name: name[len(_COLUMN) :]
        for name in records.names
        if plain(name).startswith(_COLUMN) and not _is_reason(name, records.names)
    }
    found = column_scores(records, columns, units, _NOTHING)
    if _SCORES in names:
        for one, unit, row in zip(records.rows, units, records.row, strict=True):
            for score in items_of(one.get(names[_SCORES])):
                found += _of_score(mapping_in(score), unit, row)
        found += missing(found, list(zip(units, records.row, strict=True)))
    used = {*columns, *(names[key] for key in (*_IDS, _SCORES, "metadata") if key in names)}
    unused = {
        name: "personal text: dropped"
        if plain(name).partition(".")[0] in _TEXTS or name.endswith(_REASON)
        else "no score"
        for name in records.names
        if name not in used
    }
    return result_of(found, records, TOOL, _SCORES, findings, unused=unused)


def _is_reason(name: str, names: tuple[str, ...]) -> bool:
    return name.endswith(_REASON) and name.removesuffix(_REASON) in names


def _of_score(score: Mapping[str, Any], unit: Unit, row: int) -> Iterator[Feedback]:
    """One score of a trace: what each of its authors said, where several did."""
    by_author = mapping_in(score.get("value_by_author"))
    said = {author: mapping_in(one) for author, one in by_author.items()}
    if not said:
        author = cell_text(score.get("created_by") or score.get("last_updated_by"))
        said = {author: score}
    for author, one in said.items():
        source = cell_text(one.get("source") or score.get("source")).strip().lower()
        yield Feedback(
            unit=unit,
            name=cell_text(score.get("name")),
            value=one.get("value"),
            source=source,
            is_person=source == _PERSON,
            author=author,
            row=row,
        )
