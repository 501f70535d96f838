"""Responses written by hand: one row a response, as small as a claim needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.annotations import RagTask, Responses

Row = tuple[str, str, str, Mapping[str, int] | None]
"""Record, chunk (empty for an answer), annotator (empty: not named), and labels; None: discarded."""


def responses(
    rows: Sequence[Row],
    *,
    task: RagTask = "grounding",
    rank: Sequence[int] | None = None,
    n_retrieved: Sequence[int] | None = None,
    reasons: Sequence[str] | None = None,
) -> tuple[Responses, np.ndarray]:
    """Responses and the record ids that they point into."""
    record, record_ids = coded([row[0] for row in rows])
    chunk, chunk_ids = coded([row[1] for row in rows])
    annotator, annotator_ids = coded([row[2] for row in rows])
    names = dict.fromkeys(name for row in rows for name in row[3] or {})
    labels = {name: np.array([(row[3] or {}).get(name, -1) for row in rows], np.int8) for name in names}
    reason, levels = coded(reasons or [""] * len(rows))
    given = Responses(
        task=task,
        record=record,
        chunk=chunk,
        chunk_ids=chunk_ids,
        rank=np.array(rank or [0] * len(rows), np.int64),
        n_retrieved=np.array(n_retrieved or [-1] * len(rows), np.int64),
        annotator=annotator,
        annotator_ids=annotator_ids,
        is_submitted=np.array([row[3] is not None for row in rows]),
        labels=labels,
        adjudicated={},
        slices={"discard_reason": (reason, tuple(levels))},
        row=np.arange(1, len(rows) + 1),
    )
    return given, record_ids


def coded(values: Sequence[str]) -> tuple[Any, Any]:
    """Codes in the order of first appearance, −1 where empty, and the ids."""
    ids = list(dict.fromkeys(value for value in values if value))
    at = {name: code for code, name in enumerate(ids)} | {"": -1}
    return np.array([at[value] for value in values], np.intp), np.array(ids, object)
