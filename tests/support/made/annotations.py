"""Annotations by hand: responses as short dicts, and data around them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.annotations import LABELS, NO, UNSAID, YES, Annotations, RagTask, Responses, ToolScores
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.tallies.judgements import JudgedAnswers, Panels, judged_answers, judged_chunks, panels_at

SAID = {1: YES, 0: NO, None: UNSAID, "true": YES, "false": NO, "": UNSAID}
SPELLED = {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0, "": None}
KNOWN = {"record", "annotator", "chunk", "rank", "n_retrieved", "submitted", "adjudicated"}


def codes(values: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Codes in the order of first appearance, −1 for None, and the texts."""
    values = list(values)
    texts = list(dict.fromkeys(str(answer) for answer in values if answer is not None))
    at = {text: code for code, text in enumerate(texts)}
    found = [-1 if answer is None else at[str(answer)] for answer in values]
    return np.array(found, np.intp), np.array(texts, object)


def responses_of(
    task: RagTask, rows: Sequence[Mapping[str, Any]], record_ids: Sequence[str] | None = None
) -> Responses:
    """One response a row: record, chunk, rank, n_retrieved, annotator, submitted, labels, other columns."""
    names = [name for name in LABELS[task] if any(name in row for row in rows)]
    if record_ids is None:
        record, _ = codes(row["record"] for row in rows)
    else:
        at = {one: code for code, one in enumerate(record_ids)}
        record = np.array([at[row["record"]] for row in rows], np.intp)
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
    return Data(task="rag", sources=(), tables={"annotations": annotations})


def rows_of(path: Path, task: RagTask) -> list[dict[str, Any]]:
    """The rows of an export as `responses_of` takes them."""
    rows: list[dict[str, Any]] = []
    with path.open() as file:
        for line in csv.DictReader(file):
            row: dict[str, Any] = {name: SPELLED[line[name].lower()] for name in LABELS[task] if name in line}
            row |= {
                "record": line["record_uuid"],
                "submitted": line.get("response_status", "submitted") != "discarded",
            }
            row |= {"annotator": line.get("annotator_id")}
            if "chunk_rank" in line:
                row |= {"chunk": line["chunk_id"], "rank": int(line["chunk_rank"])}
                row |= {"n_retrieved": int(line.get("n_retrieved_chunks", -1))}
            if "calibration" in line:
                row["calibration"] = line["calibration"]
            rows.append(row)
    return rows


def value(name: str, tally: Any, **how: Any) -> tuple[float, int]:
    """The mean of a metric, and how many queries or answers enter."""
    result = METRICS[f"rag.{name}"](tally, **how)
    return result.over(np.ones(len(tally), bool))


def on_lists(rows: Sequence[Mapping[str, Any]], k: int | None = 5, treatment: str = "default") -> Panels:
    """Retrieved lists by hand, cut at K."""
    return panels_at(judged_chunks(responses_of("retrieval", rows)), k, treatment)


def on_answers(rows: Sequence[Mapping[str, Any]], task: RagTask = "grounding") -> JudgedAnswers:
    """Answers by hand."""
    return judged_answers(responses_of(task, rows))


def chunk(
    record: str,
    rank: int,
    relevant: int | None = 0,
    sufficient: int | None = 0,
    misleading: int | None = 0,
    n: int = -1,
    **others: Any,
) -> dict[str, Any]:
    """A response to one retrieved chunk."""
    return {
        "record": record,
        "chunk": others.pop("chunk", f"c{rank}"),
        "rank": rank,
        "n_retrieved": n,
        "topically_relevant": relevant,
        "evidence_sufficient": sufficient,
        "misleading": misleading,
        **others,
    }
