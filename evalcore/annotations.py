"""What people and tools said of retrieved chunks and generated answers, one column table a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import taken

ANNOTATOR = "annotator"
"""The column that says who answered."""
RagTask = Literal["retrieval", "grounding", "generation"]
Codes = NDArray[np.intp]
Slices = Mapping[str, tuple[Codes, tuple[str, ...]]]

LABELS: dict[RagTask, tuple[str, ...]] = {
    "retrieval": ("topically_relevant", "evidence_sufficient", "misleading"),
    "grounding": (
        "support_present",
        "unsupported_claim_present",
        "contradicted_claim_present",
        "source_cited",
        "fabricated_source",
    ),
    "generation": ("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"),
}
"""The thirteen labels of document 003 by the task in which people give them."""

YES, NO, UNSAID = 1, 0, -1


@dataclass(frozen=True)
class Responses:
    """What annotators said in one task: one row per response of one annotator to one chunk or answer.

    Parameters
    ----------
    task : retrieval (a row is about a chunk), grounding or generation (a row is about an answer).
    record : int codes, shape (N,), into the ``record_ids`` of `Annotations`: the query and its answer.
    chunk : int codes, shape (N,), into ``chunk_ids``; −1 in the tasks about answers.
    chunk_ids : the ids as text; of a saved report uint64 hashes.
    rank : int, shape (N,), 1 is best; 0: judged, but not retrieved (or unknown).
    n_retrieved : int, shape (N,), how many chunks were retrieved for the record; −1: not known.
    annotator : int codes, shape (N,), into ``annotator_ids``; −1: not named.
    annotator_ids : the names as text.
    is_submitted : bool, shape (N,); False for a discarded response, whose labels say nothing.
    labels : label → int8, shape (N,): `YES`, `NO` or `UNSAID`; of the task's labels those that the file has.
    adjudicated : label → int8, shape (N,): what an adjudicator decided, `UNSAID` where nobody did.
    slices : column → (codes, shape (N,), −1 where empty; levels as text): language, calibration, domain,
        system, discard_reason and any other column that can be broken down by.
    row : int, shape (N,), the data row of the file, from 1.
    """

    task: RagTask
    record: Codes
    chunk: Codes
    chunk_ids: NDArray[np.object_]
    rank: NDArray[np.int64]
    n_retrieved: NDArray[np.int64]
    annotator: Codes
    annotator_ids: NDArray[np.object_]
    is_submitted: NDArray[np.bool_]
    labels: Mapping[str, NDArray[np.int8]]
    adjudicated: Mapping[str, NDArray[np.int8]]
    slices: Slices
    row: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.record)

    @property
    def deepest(self) -> int:
        """The deepest place of a chunk, or the end of the longest list; 1 at least."""
        return max(int(part.max(initial=1)) for part in (self.rank, self.n_retrieved))

    def is_of_record(self, column: str) -> bool:
        """Whether no record has two values of a column, so that its groups are groups of records."""
        codes, levels = self.slices[column]
        named = codes >= 0
        pairs = np.unique(self.record[named] * max(len(levels), 1) + codes[named])
        return len(pairs) == len(np.unique(self.record[named]))

    def where(self, mask: NDArray[np.bool_]) -> Responses:
        """The rows of a mask; codes and levels stay as they are."""
        return taken(self, (*_PER_ROW, "labels", "adjudicated", "slices"), mask)


_PER_ROW = ("record", "chunk", "rank", "n_retrieved", "annotator", "is_submitted", "row")


@dataclass(frozen=True)
class ToolScores:
    """A score that another tool gave each record or chunk, under its own name there: never one of our labels.

    Parameters
    ----------
    tool : which tool's file it was, such as ``RAGAS``.
    name : the score's name in that file, such as ``faithfulness``.
    meaning : what the tool measures, in a sentence.
    record : int codes, shape (N,), into ``record_ids``.
    value : float64, shape (N,); NaN where the tool gave none, which is counted and never taken as 0.
    bounds : the range of the score as the tool defines it; None where it is open.
    slices : as in `Responses`; ``system`` where one file holds several.
    suspicious : text, shape (S,): rows whose score should not exist, each with its reason.
    """

    tool: str
    name: str
    meaning: str
    record: Codes
    value: NDArray[np.float64]
    bounds: tuple[float, float] | None
    slices: Slices
    suspicious: tuple[str, ...] = ()


@dataclass(frozen=True)
class PredictedLabels:
    """What a classifier said of the same units, to stand beside human labels.

    Parameters
    ----------
    task : whose labels these are.
    record, chunk, chunk_ids : as in `Responses`.
    labels : label → float64, shape (N,): 0 or 1, or a probability in [0, 1]; NaN where there is none.
    is_probability : whether the values are probabilities.
    file : the file that they stand in.
    """

    task: RagTask
    record: Codes
    chunk: Codes
    chunk_ids: NDArray[np.object_]
    labels: Mapping[str, NDArray[np.float64]]
    is_probability: bool
    file: str = ""


@dataclass(frozen=True)
class Annotations:
    """Everything that was read for the task ``rag``.

    Parameters
    ----------
    record_ids : ids of the query–answer pairs as text, shape (R,), shared by all parts; of a saved report
        uint64 hashes.
    responses : task → what annotators said; only tasks that a file holds.
    scores : scores of other tools, by tool and name.
    predictions : predicted labels.
    stated : what a sidecar states of the data, such as an agreement report; shown beside our values, never in
        their place.
    """

    record_ids: NDArray[np.object_]
    responses: Mapping[RagTask, Responses]
    scores: tuple[ToolScores, ...] = ()
    predictions: tuple[PredictedLabels, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict)

    def group_columns(self, most: int) -> list[str]:
        """The columns to break down by, of at most so many levels: of every task, and of scores."""
        named: dict[str, None] = {}
        for responses in self.responses.values():
            if len(responses.annotator_ids):
                named[ANNOTATOR] = None
            few = [name for name, (_, levels) in responses.slices.items() if len(levels) <= most]
            named.update(dict.fromkeys(few))
        for scores in self.scores:
            named.update(dict.fromkeys(scores.slices))
        return list(named)

    def cluster_columns(self) -> list[str]:
        """The columns whose groups can be drawn together.

        Queries are drawn as a whole: only a column that gives each query one value groups them, so neither
        annotators nor a column that differs between the responses to one query do.
        """
        parts = self.responses.values()
        names = dict.fromkeys(name for responses in parts for name in responses.slices)
        return [
            name for name in names if all(name not in one.slices or one.is_of_record(name) for one in parts)
        ]
