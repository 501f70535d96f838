"""Open RAG Eval results: one row a query, the scores of several runs side by side.

Source: https://github.com/vectara/open-rag-eval
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.rag.parts import ScorePart, same_text
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import Measure, ToolResult, ids_of, number_in, score_part

TOOL = "Open RAG Eval"
MEASURES = {
    "retrieval_score_mean_umbrela_score": Measure(
        "mean UMBRELA grade of the retrieved passages by a model, 0 to 3", (0.0, 3.0)
    ),
    "generation_score_vital_nuggetizer_score": Measure("share of vital nuggets that the answer supports"),
    "generation_score_hallucination_score": Measure(
        "factual consistency of the answer with the passages: higher is better"
    ),
    "generation_score_citation_f1_score": Measure("F1 of the citations"),
    "generation_score_no_answer_score": Measure("whether the query was answered: 1 yes, 0 no"),
}
# Looked through once for other signs: each place where a score may begin would else be followed to them.
_SCORE = re.compile(r"(?=\w+\Z)(?:(?P<run>run_\w+?)_)?(?P<name>(?:retrieval|generation)_score_\w+)")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of results of Open RAG Eval."""
    return "query_id" in names and any(_SCORE.fullmatch(name) for name in names)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """Each run's scores of each query, the run as the system."""
    record = ids_of(records, ("query_id",))
    by_name: dict[str, list[ScorePart]] = {}
    unused: dict[str, str] = {}
    for column in records.names:
        found = _SCORE.fullmatch(column)
        if found is None:
            if column != "query_id":
                unused[column] = "personal text: dropped"
            continue
        value = [_number(row.get(column)) for row in records.rows]
        if all(one is None for one in value):
            unused[column] = "values at several k in one cell: they are computed here from labels"
            continue
        name, run = found["name"], found["run"] or "run"
        measure = MEASURES.get(name) or Measure("a score of Open RAG Eval", None)
        numbers = np.asarray([np.nan if one is None else one for one in value], np.float64)
        slices = {"system": same_text(run, len(numbers))}
        by_name.setdefault(name, []).append(
            score_part(TOOL, name, measure, record, numbers, slices, records, findings)
        )
    parts = tuple(part for found_parts in by_name.values() for part in found_parts)
    return ToolResult(parts, unused)


def _number(cell: Any) -> float | None:
    """A number, or 1 and 0 for ``{"query_answered": "yes"}`` and ``"no"``; None for values at several k."""
    if isinstance(cell, str) and cell.strip().startswith("{"):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return None
    if isinstance(cell, dict):
        answered = str(cell.get("query_answered", "")).strip().lower()
        return {"yes": 1.0, "no": 0.0}.get(answered)
    return number_in(cell)
