"""Files beside annotations: what they state is kept as stated, summaries of numbers are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evalcore.annotations import LABELS
from evalcore.problems import Findings
from evalcore.readers.rag.parts import ResponsePart
from evalcore.schema import LABEL_NAMES, plain

EXPORT, AGREEMENT, METRICS, LABEL_METRICS = "export", "agreement", "metrics", "label_metrics"
_POINTS = ("point", "ci_lower", "ci_upper")
_SUMMARIES: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset({"task", "metric", "point", "ci_low", "ci_high"}),
        "estimates that another program wrote: they are computed here from the rows",
    ),
    (
        frozenset({"task", "label", "pct_agree", "alpha"}),
        "agreement that another program wrote: it is computed here from the rows",
    ),
    (
        frozenset({"task", "label", "prob_bin", "mean_pred", "frac_true"}),
        "a classifier's reliability bins: they cannot be joined to the rows",
    ),
    (
        frozenset({"task", "label", "roc_auc", "precision", "recall"}),
        "a classifier's metrics: they are computed here from predictions and labels",
    ),
)


def kind_of_document(document: Mapping[str, Any]) -> str | None:
    """What a JSON object beside annotations states, or None where it is none of them."""
    tasks = document.get("tasks")
    if "row_counts" in document and "export_id" in document:
        return EXPORT
    if isinstance(tasks, list) and any(isinstance(one, dict) and "labels" in one for one in tasks):
        return AGREEMENT
    values = [value for value in document.values() if isinstance(value, dict)]
    is_of_task = any(document.get("task") == task for task in LABELS)  # it may be a list, which has no hash
    if is_of_task and any(all(p in value for p in _POINTS) for value in values):
        return METRICS
    return LABEL_METRICS if document and set(document) <= set(LABEL_NAMES) else None


def why_left_out(names: Iterable[str]) -> str | None:
    """Why a table of another program's summary is left out; None where it is no such table."""
    known = frozenset(map(plain, names))
    return next((reason for needed, reason in _SUMMARIES if needed <= known), None)


def stated_by(documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the documents state: ``export``, ``agreement``, ``metrics`` by task, ``label_metrics``."""
    stated: dict[str, Any] = {}
    for document in documents:
        kind = kind_of_document(document)
        if kind == METRICS:
            stated.setdefault(METRICS, {})[document["task"]] = dict(document)
        elif kind is not None:
            stated[kind] = dict(document)
    return stated


def check_counts(
    stated: Mapping[str, Any],
    sidecar: str,
    parts: Iterable[ResponsePart],
    n_rows: Mapping[str, int],
    findings: Findings,
) -> None:
    """Compare the rows and annotators of each task with what the export states.

    Parameters
    ----------
    n_rows : task → data rows of its files.
    """
    by_task = {part.task: part for part in parts}
    counts = _numbers(stated.get("row_counts"))
    annotators = _numbers(stated.get("n_annotators"))
    for task in LABELS:
        part = by_task.get(task)
        found = n_rows.get(task, 0)
        if counts.get(task, 0) != found and (task in counts or part is not None):
            facts = {"found": f"{found:,} rows", "task": task, "expected": f"{counts.get(task, 0):,}"}
            findings.add("RAG-014", **facts, sidecar=sidecar)
        if part is None or task not in annotators:
            continue
        names = {part.annotator.levels[code] for code in set(part.annotator.codes.tolist())} - {""}
        if len(names) != annotators[task]:
            facts = {
                "found": f"{len(names):,} annotators",
                "task": task,
                "expected": f"{annotators[task]:,}",
            }
            findings.add("RAG-014", **facts, sidecar=sidecar)


def _numbers(value: Any) -> dict[str, int]:
    known = value.items() if isinstance(value, dict) else ()
    return {str(key): number for key, number in known if isinstance(number, int)}
