"""RAGChecker outputs: per-result metrics from claims that were checked one by one.

Source: https://github.com/amazon-science/RAGChecker
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import Measure, ToolResult, ids_of, number_in, score_part
from evalcore.readers.rag.tools.columns import by_plain

TOOL = "RAGChecker"
MEASURES = {
    "precision": Measure("share of the answer's claims that the reference answer entails"),
    "recall": Measure("share of the reference answer's claims that the answer entails"),
    "f1": Measure("harmonic mean of precision and recall of claims"),
    "claim_recall": Measure("share of the reference answer's claims that the retrieved chunks entail"),
    "context_precision": Measure("share of retrieved chunks that entail a claim of the reference answer"),
    "context_utilization": Measure("share of the claims found in the chunks that the answer uses"),
    "noise_sensitivity_in_relevant": Measure("share of wrong claims that relevant chunks entail"),
    "noise_sensitivity_in_irrelevant": Measure("share of wrong claims that irrelevant chunks entail"),
    "hallucination": Measure("share of wrong claims that no chunk entails"),
    "self_knowledge": Measure("share of right claims that no chunk entails"),
    "faithfulness": Measure("share of the answer's claims that some chunk entails", needs_context=True),
}
_TEXTS = ("query", "gt_answer", "response", "retrieved_context")


def fits(names: frozenset[str]) -> bool:
    """Whether fields of these names are those of RAGChecker's results."""
    return "query_id" in names and not names.isdisjoint(("gt_answer", "answer2response", "response2answer"))


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The metrics of each result, from 0 to 1; the file's own overall metrics are per cent and not read."""
    names = by_plain(records)
    metrics = [_metrics(record.get(names.get("metrics", "metrics"))) for record in records.rows]
    found = sorted({name for one in metrics for name in one})
    if not found:
        facts = {"found": "results of RAGChecker without metrics", "missing": "metrics of each result"}
        remedy = "Run evaluator.evaluate(rag_results, all_metrics), and save the results again."
        findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    record = ids_of(records, ("query_id",))
    context = names.get("retrieved_context")
    n_context = (
        np.asarray([_n_chunks(one.get(context)) for one in records.rows], np.float64) if context else None
    )
    parts = []
    for name in found:
        measure = MEASURES.get(name) or Measure("a metric of the user's own", None)
        value = np.asarray(
            [np.nan if (n := number_in(one.get(name))) is None else n for one in metrics], np.float64
        )
        parts.append(score_part(TOOL, name, measure, record, value, {}, records, findings, n_context))
    unused = {names[n]: "personal text: dropped" for n in _TEXTS if n in names}
    note = f"{records.name}: metrics of each result, from 0 to 1; RAGChecker's overall metrics are per cent."
    return ToolResult(tuple(parts), unused, notes=(note,))


def _metrics(cell: Any) -> Mapping[str, Any]:
    return cell if isinstance(cell, dict) else {}


def _n_chunks(cell: Any) -> float:
    if not isinstance(cell, list):
        return 0.0
    texts = [one.get("text", "") if isinstance(one, dict) else str(one) for one in cell]
    return float(sum(bool(str(text).strip()) for text in texts))
