"""What readers of single files give: responses, scores, predictions; ids are texts, not yet shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import RagTask
from evalcore.data import Source
from evalcore.readers.columns.ids import merged_levels
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.formats.arrays import arrow_texts
from evalcore.readers.formats.cells import texts_of
from evalcore.readers.formats.table import Texts


@dataclass(frozen=True)
class ResponsePart:
    """Responses of one task.

    Parameters
    ----------
    task : the task of the labels.
    files : names of the files the rows stand in.
    file : int codes, shape (N,), into ``files``.
    row : data row in that file, from 1.
    record, chunk, annotator : Texts, shape (N,); "" where there is none.
    rank, n_retrieved, is_submitted, labels, adjudicated : as in `evalcore.annotations.Responses`.
    slices : column → Texts.
    """

    task: RagTask
    files: tuple[str, ...]
    file: NDArray[np.intp]
    row: NDArray[np.intp]
    record: Texts
    chunk: Texts
    annotator: Texts
    rank: NDArray[np.int64]
    n_retrieved: NDArray[np.int64]
    is_submitted: NDArray[np.bool_]
    labels: Mapping[str, NDArray[np.int8]]
    adjudicated: Mapping[str, NDArray[np.int8]]
    slices: Mapping[str, Texts]

    def __len__(self) -> int:
        return len(self.row)

    def where(self, rows: NDArray[Any]) -> ResponsePart:
        """The rows of a mask or an index."""
        return replace(
            self,
            file=self.file[rows],
            row=self.row[rows],
            record=self.record.where(rows),
            chunk=self.chunk.where(rows),
            annotator=self.annotator.where(rows),
            rank=self.rank[rows],
            n_retrieved=self.n_retrieved[rows],
            is_submitted=self.is_submitted[rows],
            labels={name: said[rows] for name, said in self.labels.items()},
            adjudicated={name: said[rows] for name, said in self.adjudicated.items()},
            slices={name: texts.where(rows) for name, texts in self.slices.items()},
        )

    def place(self, index: int) -> str:
        """Where a row stands, as "row 3", with its file where there are several."""
        row = f"row {self.row[index]}"
        return f"{row} of {self.files[self.file[index]]}" if len(self.files) > 1 else row

    def unit(self, index: int) -> str:
        """What a row is about, in words."""
        record, chunk = self.record.at(index), self.chunk.at(index)
        return f"chunk {chunk} of record {record}" if chunk else f"record {record}"


@dataclass(frozen=True)
class ScorePart:
    """Scores of one tool and name; fields as in `evalcore.annotations.ToolScores`, ids as Texts."""

    tool: str
    name: str
    meaning: str
    record: Texts
    value: NDArray[np.float64]
    bounds: tuple[float, float] | None
    slices: Mapping[str, Texts]
    suspicious: tuple[str, ...] = ()


@dataclass(frozen=True)
class PredictionPart:
    """Predicted labels of one file and task; fields as in `evalcore.annotations.PredictedLabels`."""

    task: RagTask
    record: Texts
    chunk: Texts
    labels: Mapping[str, NDArray[np.float64]]
    is_probability: bool
    file: str


@dataclass
class FileParts:
    """What came of one file.

    Parameters
    ----------
    mapped : the table with the roles of its columns.
    source : rows in, used and excluded.
    responses, scores, predictions : its parts.
    notes : what every report prints of it.
    n_missing : label → submitted responses without it.
    """

    mapped: Mapped
    source: Source
    responses: list[ResponsePart] = field(default_factory=list)
    scores: list[ScorePart] = field(default_factory=list)
    predictions: list[PredictionPart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    n_missing: dict[str, int] = field(default_factory=dict)


def texts_from(values: Sequence[str]) -> Texts:
    """A column of texts from a sequence, shape (N,)."""
    return texts_of(arrow_texts(list(values)))


def same_text(text: str, n: int) -> Texts:
    """A column of one text, shape (n,)."""
    return Texts(np.zeros(n, np.int32), np.asarray([text], object))


def joined_texts(parts: Sequence[Texts]) -> Texts:
    """Several columns of texts, one under the other."""
    levels, codes = merged_levels([part.levels for part in parts])
    joined = [code[part.codes] for code, part in zip(codes, parts, strict=True)]
    return Texts(np.concatenate(joined).astype(np.int32), np.asarray(levels, object))
