"""TruLens records with one column a feedback function.

Source: https://www.trulens.org/component_guides/evaluation/
"""

from __future__ import annotations

import re

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import texts_from
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import (
    UNIT,
    Measure,
    ToolResult,
    ids_of,
    is_numeric,
    numbers_of_records,
    score_part,
)
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.schema import plain

TOOL = "TruLens"
MEASURES = {
    "context_relevance": Measure("relevance of the retrieved contexts to the input, mean over the contexts"),
    "groundedness": Measure("share of the output's statements that the contexts support"),
    "answer_relevance": Measure("relevance of the output to the input"),
}
_TEXTS = ("input", "output", "main_input", "main_output", "record_json", "app_json", "tags", "cost_json")
_FACTS = re.compile(
    r"app_name|app_version|app_id|type|record_id|conversation_id|perf_json|ts|latency|total_tokens|total_cost|"
    r"cost_currency|events|num_events|.*_calls|.*_feedback_cost_in_\w+|.*_direction|.*_cost|meta"
)
_SYSTEM = ("app_name", "app_version", "app_id")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of TruLens records."""
    return "record_id" in names and not names.isdisjoint(_SYSTEM)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The feedback of each record, the app and its version as the system; refused without feedback."""
    names = by_plain(records)
    unused = {
        name: "personal text: dropped" if plain(name) in _TEXTS else "a fact about the run, no feedback"
        for name in records.names
        if plain(name) in _TEXTS or _FACTS.fullmatch(plain(name))
    }
    columns = [n for n in records.names if n not in unused and is_numeric(records, n)]
    if not columns:
        facts = {"found": "TruLens records without feedback", "missing": "a column of a feedback function"}
        remedy = "Wait until the feedback is computed, and export the records again."
        findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    system = [names[name] for name in _SYSTEM if name in names]
    cells = [
        _app(*(cell_text(record.get(names.get(name, ""))) for name in _SYSTEM)) for record in records.rows
    ]
    record = ids_of(records, ("record_id",))
    parts = [
        score_part(
            TOOL,
            name,
            MEASURES.get(plain(name)) or Measure("a feedback function of the user's own", UNIT),
            record,
            numbers_of_records(records, name, findings),
            {"system": texts_from(cells)},
            records,
            findings,
        )
        for name in columns
    ]
    used = {*columns, names["record_id"], *system}
    unused = {name: why for name, why in unused.items() if name not in used}
    rest = [name for name in records.names if name not in used and name not in unused]
    return ToolResult(tuple(parts), unused | dict.fromkeys(rest, "no numbers"))


def _app(name: str, version: str, id_: str) -> str:
    """What tells an app from others: its name too, for the first version of every app is called ``base``.

    >>> _app("bot", "v1", "app1"), _app("", "", "app1")
    ('bot v1', 'app1')
    """
    return " ".join(filter(None, (name, version))) or id_
