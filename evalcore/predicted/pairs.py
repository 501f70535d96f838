"""Predicted labels beside human labels of the same chunks and answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, UNSAID, YES, PredictedLabels, RagTask, Responses
from evalcore.tallies.judgements import judged_answers, judged_chunks

if TYPE_CHECKING:
    import pandas as pd

THRESHOLD = 0.5
"""A value of at least this is a predicted yes."""


@dataclass(frozen=True, eq=False)
class LabelPairs:
    """One label of all units that a classifier saw, with the human label where there is one.

    Parameters
    ----------
    task, label : which label.
    record : int codes, shape (N,), into ``record_ids``.
    record_ids : ids as text.
    predicted : float64, shape (N,), in [0, 1].
    human : int8, shape (N,): `YES`, `NO`, or anything else where people settled nothing.
    is_probability : whether ``predicted`` is a probability; otherwise 0 or 1.
    n_only_human : units with a human label that the classifier did not see; they enter nothing here.
    """

    task: RagTask
    label: str
    record: NDArray[np.intp]
    record_ids: NDArray[np.object_]
    predicted: NDArray[np.float64]
    human: NDArray[np.int8]
    is_probability: bool
    n_only_human: int

    def __len__(self) -> int:
        return len(self.record)

    @property
    def is_called(self) -> NDArray[np.bool_]:
        """Predicted yes: at least `THRESHOLD`."""
        return np.asarray(self.predicted >= THRESHOLD)

    @property
    def has_human(self) -> NDArray[np.bool_]:
        """Where people said yes or no."""
        return np.asarray((self.human == YES) | (self.human == NO))

    @property
    def is_yes(self) -> NDArray[np.bool_]:
        """Where people said yes."""
        return np.asarray(self.human == YES)


def label_pairs(
    predicted: PredictedLabels,
    label: str,
    record_ids: NDArray[np.object_],
    *,
    record: NDArray[np.intp],
    said: NDArray[np.int8],
    chunk_id: NDArray[np.object_] | None = None,
) -> LabelPairs:
    """Match predicted and human labels by record and, for chunks, by the chunk's id.

    Parameters
    ----------
    predicted : what the classifier says; units without a value for the label are left out.
    label : name of the label.
    record_ids : ids as text, into which ``record`` and ``predicted.record`` point.
    record : int codes, shape (U,): the units that people judged, each once.
    said : shape (U,): their consolidated label, `YES`, `NO` or anything else (a tie, never said).
    chunk_id : ids as text, shape (U,), in the task retrieval; None for answers.

    Raises
    ------
    KeyError : where the classifier has no such label.
    """
    value = predicted.labels[label]
    has_value = ~np.isnan(value)
    codes = predicted.chunk[has_value]
    chunk = np.full(len(codes), "", object) if chunk_id is None else predicted.chunk_ids[codes]
    seen = _keys(predicted.record[has_value], chunk)
    judged = _keys(record, np.full(len(record), "", object) if chunk_id is None else chunk_id)
    at = judged.get_indexer(seen)
    human = np.append(said, np.int8(UNSAID))[at]  # −1, not judged, takes the last one
    return LabelPairs(
        task=predicted.task,
        label=label,
        record=predicted.record[has_value],
        record_ids=record_ids,
        predicted=value[has_value],
        human=human.astype(np.int8),
        is_probability=predicted.is_probability,
        n_only_human=int(np.isin(said[~judged.isin(seen)], (YES, NO)).sum()),
    )


def pairs_with_responses(
    predicted: PredictedLabels,
    label: str,
    responses: Responses | None,
    record_ids: NDArray[np.object_],
    *,
    annotators: Collection[str] | None = None,
) -> LabelPairs:
    """As `label_pairs`, with the strict majority of each unit's submitted responses as its human label.

    Parameters
    ----------
    predicted : what the classifier says.
    label : name of the label; one that ``responses`` do not hold has no human label anywhere.
    responses : of the same task; None where nobody judged it.
    record_ids : ids as text, into which both point.
    annotators : whose responses count; None for all.

    Raises
    ------
    KeyError : where the classifier has no such label.
    """
    if responses is None:
        nobody, is_of_chunk = np.empty(0, np.intp), predicted.task == "retrieval"
        chunk_id = np.empty(0, object) if is_of_chunk else None
        said = np.empty(0, np.int8)
        return label_pairs(predicted, label, record_ids, record=nobody, said=said, chunk_id=chunk_id)
    if responses.task == "retrieval":
        chunks = judged_chunks(responses, annotators=annotators)
        record, chunk_id, state = chunks.record[chunks.query], responses.chunk_ids[chunks.chunk], chunks.state
    else:
        answers = judged_answers(responses, annotators=annotators)
        record, chunk_id, state = answers.record, None, answers.state
    said = state.get(label, np.full(len(record), UNSAID, np.int8))
    return label_pairs(predicted, label, record_ids, record=record, said=said, chunk_id=chunk_id)


def _keys(record: NDArray[np.intp], chunk: NDArray[np.object_]) -> pd.MultiIndex:
    import pandas as pd

    return pd.MultiIndex.from_arrays([record, chunk.astype(str)])
