"""DeepEval: test runs (JSON), and data sets of test cases with scores beside them (JSON or CSV).

Source: https://deepeval.com/docs/evaluation-datasets, https://deepeval.com/docs/metrics-introduction
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import ScorePart
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.passages import n_passages
from evalcore.readers.rag.tool_scores import (
    Measure,
    ToolResult,
    groups_in,
    ids_of,
    number_in,
    numbers_of_records,
    score_part,
)
from evalcore.readers.rag.tools.columns import by_plain, scores_in
from evalcore.schema import plain

TOOL = "DeepEval"
MEASURES = {
    "faithfulness": Measure(
        "share of the answer's claims that do not contradict the context", needs_context=True
    ),
    "answer_relevancy": Measure("share of the answer's statements that are relevant to the input"),
    "contextual_precision": Measure(
        "average precision of the retrieved contexts in their order", needs_context=True
    ),
    "contextual_recall": Measure(
        "share of the expected output that the context supports", needs_context=True
    ),
    "contextual_relevancy": Measure(
        "share of the context's statements that are relevant to the input", needs_context=True
    ),
    "hallucination": Measure("share of contexts that the answer contradicts: lower is better"),
    "bias": Measure("share of opinions that are biased: lower is better"),
    "toxicity": Measure("share of opinions that are toxic: lower is better"),
    "summarization": Measure("agreement of a summary with its text"),
}
_CONTEXTS = ("retrieval_context", "retrievalcontext")
_TEXTS = (
    "input",
    "actual_output",
    "actualoutput",
    "expected_output",
    "expectedoutput",
    "context",
    "tools_called",
    "expected_tools",
    "toolscalled",
    "expectedtools",
    "reason",
    "error",
    "comments",
    "additional_metadata",
    *_CONTEXTS,
)
_IDS = ("id", "record_id", "test_case_id")
_CASES = ("case_name", "test_case_name", "test_case", "test_case_id", "case_index", "test_case_index", "name")
_METRIC = ("metric", "metric_name")
_RESULT = frozenset({"threshold", "success"})
_NO_SCORES = (
    "These are test cases: evaluate them, and give the test run (.deepeval/.latest_test_run.json) or a table "
    "with one column a metric."
)


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of DeepEval."""
    return "input" in names and not names.isdisjoint(("actual_output", "actualoutput"))


def fits_long(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of DeepEval's results, a row a test case and metric."""
    is_of_case = not names.isdisjoint(_CASES)
    return is_of_case and "score" in names and not names.isdisjoint(_METRIC) and names >= _RESULT


def read_long(records: Records, findings: Findings) -> ToolResult | None:
    """The scores of each metric and test case; a metric that failed has none."""
    names = by_plain(records)
    metric = names[next(name for name in _METRIC if name in names)]
    column = names["score"]
    kinds = [cell_text(one.get(metric)) for one in records.rows]
    record = ids_of(records, _CASES)
    value = numbers_of_records(records, column, findings)
    parts = []
    for kind in sorted(set(kinds)):
        at = np.flatnonzero(np.asarray(kinds, object) == kind)
        measure = MEASURES.get(plain(kind)) or Measure("a metric of the user's own", None)
        part = score_part(TOOL, kind, measure, record.where(at), value[at], {}, records, findings)
        parts.append(part)
    used = {metric, column, *(names[name] for name in _CASES if name in names)}
    unused = {
        name: "personal text: dropped" if plain(name) in _TEXTS else "no score of this tool"
        for name in records.names
        if name not in used
    }
    return ToolResult(tuple(parts), unused)


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The scores of each test case, whether in ``metricsData`` or in columns; refused without any."""
    names = by_plain(records)
    context = next((names[name] for name in _CONTEXTS if name in names), None)
    n_context = n_passages(records, context, findings, separator="|") if context is not None else None
    column = names.get("metricsdata") or names.get("metrics_data")  # of a test run, and of EvaluationResult
    if column is None:
        return scores_in(
            records,
            TOOL,
            MEASURES,
            _TEXTS,
            ids=_IDS,
            id_texts=("input", "name"),
            findings=findings,
            refusal=_NO_SCORES,
            n_context=n_context,
        )
    metrics = [_metrics(record.get(column)) for record in records.rows]
    found = sorted({key for one in metrics for key in one})
    if not found:
        facts = {"found": "a test run of DeepEval without metricsData", "missing": "at least one metric"}
        findings.add("RAG-016", file=records.name, **facts, remedy=_NO_SCORES)
        return None
    record = ids_of(records, _IDS, ("input", "name"))  # a case's name is its place in the run
    groups = groups_in(
        records, {name for name in records.names if plain(name) in (*_TEXTS, *_IDS, "name", "success")}
    )
    parts: list[ScorePart] = []
    for metric, nth in found:
        name = _name(metric, nth)
        measure = MEASURES.get(plain(metric)) or Measure("a metric of the user's own", None)
        cells = [one.get((metric, nth)) for one in metrics]
        wrong = [i for i, cell in enumerate(cells) if number_in(cell) is None]
        facts_of = ((records.row[i], {"found": str(cells[i])[:40]}) for i in wrong)
        findings.add_rows("RAG-020", facts_of, len(wrong), file=records.name, column=name)
        value = np.asarray([np.nan if (n := number_in(cell)) is None else n for cell in cells], np.float64)
        parts.append(score_part(TOOL, name, measure, record, value, groups, records, findings, n_context))
    unused = {
        names[name]: "personal text: dropped" for name in _TEXTS if name in names and name not in groups
    }
    again = ", ".join(_name(*key) for key in found if key[1] > 1)
    told = f"{records.name}: metrics of one name in one test case are told apart by their order: {again}."
    notes = (told,) if again else ()
    return ToolResult(tuple(parts), unused, notes=notes)


def _metrics(cell: Any) -> Mapping[tuple[str, int], Any]:
    """A metric and its place among those of its name, from 1 → score; none where it failed (``error``)."""
    found = [one for one in cell if isinstance(one, dict) and "name" in one] if isinstance(cell, list) else []
    n_of: Counter[str] = Counter()
    scores = {}
    for one in found:
        name = str(one["name"])
        n_of[name] += 1
        scores[name, n_of[name]] = None if one.get("error") else one.get("score")
    return scores


def _name(metric: str, nth: int) -> str:
    return metric if nth == 1 else f"{metric} ({nth})"
