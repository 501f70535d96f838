"""Annotations by hand: responses as short dicts, and data around them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.annotations import LABELS, NO, UNSAID, YES, Annotations, RagTask, Responses, ToolScores
from evalcore.data import Data

SAID = {1: YES, 0: NO, None: UNSAID, "true": YES, "false": NO, "": UNSAID}
KNOWN = {"record", "annotator", "chunk", "rank", "n_retrieved", "submitted", "adjudicated"}


def codes(values: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Codes in the order of first appearance, −1 for None, and the texts."""
    values = list(values)
    texts = list(dict.fromkeys(str(value) for value in values if value is not None))
    at = {text: code for code, text in enumerate(texts)}
    found = [-1 if value is None else at[str(value)] for value in values]
    return np.array(found, np.intp), np.array(texts, object)


def responses_of(
    task: RagTask, rows: Sequence[Mapping[str, Any]], record_ids: Sequence[str] | None = None
) -> Responses:
    """One response a row: record, chunk, rank, n_retrieved, annotator, submitted, labels, other columns."""
    names = [name for name in LABELS[task] if any(name in row for row in rows)]
    if record_ids is None:
        record, _ = codes(row["record"] for row in rows)
    else:
        record = np.array([list(record_ids).index(row["record"]) for row in rows], np.intp)
    chunk, chunk_ids = codes(row.get("chunk") for row in rows)
    annotator, annotator_ids = codes(row.get("annotator") for row in rows)
    adjudicated = dict.fromkeys(name for row in rows for name in row.get("adjudicated", {}))
    others = dict.fromkeys(name for row in rows for name in row if name not in {*KNOWN, *names})
    columns = {name: codes(row.get(name) for row in rows) for name in others}
    return Responses(
        task=task,
        record=record,
        chunk=chunk,
        chunk_ids=chunk_ids,
        rank=np.array([row.get("rank", 0) for row in rows], np.int64),
        n_retrieved=np.array([row.get("n_retrieved", -1) for row in rows], np.int64),
        annotator=annotator,
        annotator_ids=annotator_ids,
        is_submitted=np.array([row.get("submitted", True) for row in rows], bool),
        labels={name: np.array([SAID[row.get(name)] for row in rows], np.int8) for name in names},
        adjudicated={
            name: np.array([SAID[row.get("adjudicated", {}).get(name)] for row in rows], np.int8)
            for name in adjudicated
        },
        slices={name: (at, tuple(levels)) for name, (at, levels) in columns.items()},
        row=np.arange(1, len(rows) + 1),
    )


def scores_of(
    rows: Sequence[tuple[str, str, float]], *, name: str = "faithfulness", bounds: Any = (0.0, 1.0)
) -> tuple[np.ndarray, ToolScores]:
    """Record ids and the scores of (system, record, value) rows."""
    record, ids = codes(row[1] for row in rows)
    system, systems = codes(row[0] for row in rows)
    values = np.array([row[2] for row in rows], float)
    score = ToolScores(
        "RAGAS", name, "share of claims", record, values, bounds, {"system": (system, tuple(systems))}
    )
    return ids, score


def rag_data(*parts: Responses, record_ids: Sequence[str] | None = None, scores: Any = ()) -> Data:
    """Data of the task ``rag`` around responses whose record codes are 0, 1, …"""
    n = 1 + max((int(part.record.max(initial=-1)) for part in parts), default=-1)
    ids = np.array(list(record_ids) if record_ids is not None else [f"q{at}" for at in range(n)], object)
    annotations = Annotations(ids, {part.task: part for part in parts}, scores=tuple(scores))
    return Data(task="rag", sources=(), queries=None, rankings=None, annotations=annotations)
