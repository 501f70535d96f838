"""Annotations of an input in parts: gathered a part at a time, merged in any order, finished in one order.

Every part names its records, chunks, annotators and levels by codes of its own. `finish` names them anew, by
their text and in its order, so that the parts of an input give what the whole gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import (
    LABELS,
    UNSAID,
    Annotations,
    Codes,
    PredictedLabels,
    RagTask,
    Responses,
    Slices,
    ToolScores,
)
from evalcore.data import Data
from evalcore.evaluation.gathering.kept_annotations import flaws_of_annotations, unnamed_annotations
from evalcore.evaluation.groups import natural_key
from evalcore.evaluation.options import Options
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as

Part = TypeVar("Part", Responses, PredictedLabels, ToolScores)
Recoded = list[tuple[Part, Codes]]
"""What the parts hold, each with the new code of every record of its part."""


@kept_as("annotations")
@dataclass(frozen=True, eq=False)
class GatheredAnnotations:
    """The annotations of parts of an input; what is said of a record in one task stands in one part."""

    parts: tuple[Annotations, ...]

    def merge(self, other: GatheredAnnotations) -> GatheredAnnotations:
        """These parts and those."""
        return GatheredAnnotations((*self.parts, *other.parts))

    def ordered(self) -> GatheredAnnotations:
        """All parts as one."""
        return GatheredAnnotations((self.finish(),))

    def torn(self) -> tuple[Problem, ...]:
        """Nothing: what two parts both hold is refused where they are made one."""
        return ()

    def unnamed(self, options: Options) -> GatheredAnnotations:
        """The same without ids and texts of rows."""
        return GatheredAnnotations(tuple(unnamed_annotations(part, options) for part in self.parts))

    def shown(self, options: Options) -> dict[str, Annotations]:
        """What stands for the annotations in an opened report."""
        return {"annotations": self.unnamed(options).parts[0]}

    def flaws(self, _: Data) -> Flaws:
        """What does not agree in annotations that were opened, which are finished."""
        yield from flaws.unless(len(self.parts) == 1, "parts", f"{len(self.parts):,}", "1")
        for part in self.parts:
            yield from flaws_of_annotations(part)

    def finish(self) -> Annotations:
        """All parts as one, in the one order that they have together: by record, chunk, rank and annotator.

        Raises
        ------
        InputError : RAG-245 for a record whose responses of one task stand in two parts.
        """
        record_ids, codes = _together([part.record_ids for part in self.parts])
        problems = self._torn(record_ids, codes)
        if problems:
            raise InputError(problems)
        responses = {
            task: _responses([(part.responses[task], code) for part, code in self._with(task, codes)])
            for task in LABELS
            if any(task in part.responses for part in self.parts)
        }
        scores = [(one, code) for part, code in zip(self.parts, codes, strict=True) for one in part.scores]
        predicted = [
            (one, code) for part, code in zip(self.parts, codes, strict=True) for one in part.predictions
        ]
        return Annotations(
            record_ids=record_ids,
            responses=responses,
            scores=tuple(map(_scores, _alike(scores, lambda one: (one.tool, one.name, one.bounds)))),
            predictions=tuple(
                map(_predicted, _alike(predicted, lambda one: (one.file, one.task, one.is_probability)))
            ),
            stated={name: said for part in reversed(self.parts) for name, said in part.stated.items()},
        )

    def _with(self, task: RagTask, codes: list[Codes]) -> list[tuple[Annotations, Codes]]:
        """The parts that hold responses of a task."""
        return [(part, code) for part, code in zip(self.parts, codes, strict=True) if task in part.responses]

    def _torn(self, record_ids: NDArray[np.object_], codes: list[Codes]) -> list[Problem]:
        found = []
        for task in LABELS:
            n_parts = np.zeros(len(record_ids), np.int64)
            for part, code in self._with(task, codes):
                n_parts[np.unique(code[part.responses[task].record])] += 1
            torn = record_ids[n_parts > 1]
            found += [problem("RAG-245", record=record, task=task) for record in torn]
        return found


def _responses(parts: Recoded[Responses]) -> Responses:
    """The responses of one task."""
    ones = [one for one, _ in parts]
    record = _joined((code[one.record] for one, code in parts), np.intp)
    chunk_ids, chunk = _coded(ones, lambda one: (one.chunk, one.chunk_ids))
    annotator_ids, annotator = _coded(ones, lambda one: (one.annotator, one.annotator_ids))
    rank, row = (_joined((getattr(one, name) for one in ones), np.int64) for name in ("rank", "row"))
    order = np.lexsort((row, annotator, rank, chunk, record))
    return Responses(
        task=ones[0].task,
        record=record[order],
        chunk=chunk[order],
        chunk_ids=chunk_ids,
        rank=rank[order],
        n_retrieved=_joined((one.n_retrieved for one in ones), np.int64)[order],
        annotator=annotator[order],
        annotator_ids=annotator_ids,
        is_submitted=_joined((one.is_submitted for one in ones), np.bool_)[order],
        labels=_columns([(one.labels, len(one)) for one in ones], np.int8, UNSAID, order),
        adjudicated=_columns([(one.adjudicated, len(one)) for one in ones], np.int8, UNSAID, order),
        slices=_slices([(one.slices, len(one)) for one in ones], order),
        row=row[order].astype(np.intp),
    )


def _predicted(parts: Recoded[PredictedLabels]) -> PredictedLabels:
    """The labels that one file predicts."""
    ones = [one for one, _ in parts]
    record = _joined((code[one.record] for one, code in parts), np.intp)
    chunk_ids, chunk = _coded(ones, lambda one: (one.chunk, one.chunk_ids))
    order = np.lexsort((chunk, record))
    return replace(
        ones[0],
        record=record[order],
        chunk=chunk[order],
        chunk_ids=chunk_ids,
        labels=_columns([(one.labels, len(one.record)) for one in ones], np.float64, np.nan, order),
    )


def _scores(parts: Recoded[ToolScores]) -> ToolScores:
    """One score of one tool."""
    ones = [one for one, _ in parts]
    record = _joined((code[one.record] for one, code in parts), np.intp)
    value = _joined((one.value for one in ones), np.float64)
    order = np.lexsort((value, record))
    return replace(
        ones[0],
        record=record[order],
        value=value[order],
        slices=_slices([(one.slices, len(one.record)) for one in ones], order),
        suspicious=tuple(dict.fromkeys(told for one in ones for told in one.suspicious)),
    )


def _alike(parts: Recoded[Part], key: Callable[[Part], Any]) -> list[Recoded[Part]]:
    """What is of one kind in several parts, together; kinds in the order in which they are met."""
    found: dict[Any, Recoded[Part]] = {}
    for one, code in parts:
        found.setdefault(key(one), []).append((one, code))
    return list(found.values())


def _together(
    levels: Sequence[Iterable[Any]], order: Callable[[str], Any] | None = None
) -> tuple[NDArray[np.object_], list[Codes]]:
    """The levels of all parts in the order of their text, and for each part the new code of every level."""
    if all(isinstance(of_part, np.ndarray) and of_part.dtype == np.uint64 for of_part in levels):
        return _hashed_together([np.asarray(of_part) for of_part in levels])
    texts = [[str(one) for one in of_part] for of_part in levels]
    distinct = sorted({text for of_part in texts for text in of_part}, key=order)
    at = {text: code for code, text in enumerate(distinct)}
    codes = [np.array([at[text] for text in of_part], np.intp) for of_part in texts]
    return np.array(distinct, object), codes


def _hashed_together(levels: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[Codes]]:
    """As `_together`, of ids of which only the hashes are known: in the order in which they are met."""
    at = {one: code for code, one in enumerate(dict.fromkeys(np.concatenate(levels).tolist()))}
    codes = [np.array([at[one] for one in of_part.tolist()], np.intp) for of_part in levels]
    return np.array(list(at), np.uint64), codes


def _coded(
    ones: Sequence[Part], of: Callable[[Part], tuple[Codes, NDArray[np.object_]]]
) -> tuple[NDArray[np.object_], Codes]:
    """A column of codes of all parts, by the text of what they stand for; −1 stays."""
    columns = [of(one) for one in ones]
    levels, new = _together([ids for _, ids in columns])
    return levels, _joined(
        (_renamed(codes, code) for (codes, _), code in zip(columns, new, strict=True)), np.intp
    )


def _renamed(codes: Codes, new: Codes) -> Codes:
    return np.append(new, -1)[codes]


def _slices(parts: Sequence[tuple[Slices, int]], order: Codes) -> Slices:
    """The columns to break down by of all parts; a part without one has no level in it."""
    found = {}
    for name in sorted({name for slices, _ in parts for name in slices}):
        nothing: tuple[Codes, tuple[str, ...]] = (np.zeros(0, np.intp), ())
        columns = [slices.get(name, nothing) for slices, _ in parts]
        levels, new = _together([of_part for _, of_part in columns], lambda text: (natural_key(text), text))
        codes = (
            _renamed(codes, code) if name in slices else np.full(n, -1, np.intp)
            for (slices, n), (codes, _), code in zip(parts, columns, new, strict=True)
        )
        found[name] = _joined(codes, np.intp)[order], tuple(levels.tolist())
    return found


def _columns(
    parts: Sequence[tuple[Mapping[str, NDArray[Any]], int]], kind: type, missing: float, order: Codes
) -> dict[str, NDArray[Any]]:
    """Columns of labels of all parts, in the order of document 003; a part without one says nothing in it."""
    known = [label for labels in LABELS.values() for label in labels]
    names = sorted({name for columns, _ in parts for name in columns})
    return {
        name: _joined((columns.get(name, np.full(n, missing, kind)) for columns, n in parts), kind)[order]
        for name in sorted(names, key=lambda name: known.index(name) if name in known else len(known))
    }


def _joined(arrays: Iterable[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind)
