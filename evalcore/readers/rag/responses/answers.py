"""Answers that stand one by one, as responses: one row for each unit and person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evalcore.annotations import LABELS, UNSAID, RagTask
from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import ResponsePart, same_text, texts_from
from evalcore.readers.rag.responses.spelling import labels_said
from evalcore.readers.rag.responses.whole_numbers import ABSENT, CODES, whole_number
from evalcore.schema import LABEL_NAMES

SLICES = ("language", "calibration", "domain", "system")
_TASK_OF = {label: task for task, labels in LABELS.items() for label in labels}


@dataclass(frozen=True)
class Unit:
    """What an answer is about.

    Parameters
    ----------
    record : the id of the query and its answer.
    chunk : the id of a chunk, "" for an answer.
    rank, n_retrieved : as in `evalcore.annotations.Responses`: 0 and −1 where they are not known.
    slices : column → level.
    misread : column → what stands in it in place of a whole number.
    """

    record: str
    chunk: str = ""
    rank: int = 0
    n_retrieved: int = -1
    slices: Mapping[str, str] = field(default_factory=dict)
    misread: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(facts: Mapping[str, Any], record: str) -> Unit:
        """The unit that a mapping of our column names describes; ``record`` where it has no record_uuid."""
        whole = {name: whole_number(name, facts.get(name)) for name in CODES}
        known = {name: ABSENT[name] if number is None else number for name, number in whole.items()}
        return Unit(
            cell_text(facts.get("record_uuid")) or record,
            cell_text(facts.get("chunk_id")),
            known["chunk_rank"],
            known["n_retrieved_chunks"],
            {name: cell_text(facts[name]) for name in SLICES if name in facts},
            {name: cell_text(facts[name]) for name, number in whole.items() if number is None},
        )


@dataclass(frozen=True)
class Answer:
    """What one person said of one unit under one label.

    Parameters
    ----------
    unit, annotator : of what, and who; "" where nobody is named.
    label : one of our labels; "" for a response that was discarded as a whole.
    text : what was said, as it is written.
    row : the data row, from 1.
    """

    unit: Unit
    annotator: str
    label: str
    text: str
    row: int


def response_parts(
    answers: Sequence[Answer], file: str, column: str, findings: Findings
) -> list[ResponsePart]:
    """The answers as responses, a part a task; reported are labels of chunks without a chunk, and
    ranks and lengths of lists that are no whole numbers.

    Parameters
    ----------
    column : the column that holds what was said, for messages; "" where it is the label's own.
    """
    chunkless = [a for a in answers if _TASK_OF.get(a.label) == "retrieval" and not a.unit.chunk]
    if chunkless:
        labels = ", ".join(sorted({one.label for one in chunkless}))
        findings.add("RAG-140", file=file, row=chunkless[0].row, labels=labels, n=len(chunkless))
    for name, code in CODES.items():
        misread = {one.row: one.unit.misread[name] for one in answers if name in one.unit.misread}
        facts = ((row, {"found": found[:40]}) for row, found in misread.items())
        findings.add_rows(code, facts, len(misread), file=file, column=name)
    asked = {_TASK_OF[one.label] for one in answers if one.label}
    return [_part(task, answers, file, column, findings) for task in LABELS if task in asked]


def _part(
    task: RagTask, answers: Iterable[Answer], file: str, column: str, findings: Findings
) -> ResponsePart:
    is_retrieval = task == "retrieval"
    said: dict[tuple[str, str, str], dict[str, Answer]] = {}
    for one in answers:
        if one.label and _TASK_OF[one.label] != task:
            continue
        if is_retrieval and not one.unit.chunk:
            continue
        key = (one.unit.record, one.unit.chunk if is_retrieval else "", one.annotator)
        own = said.setdefault(key, {})
        if one.label and one.label in own:
            _report_twice(one, own[one.label], file, findings)
        own.setdefault(one.label, one)
    for own in said.values():
        if len(own) > 1:  # whoever answered has not discarded the unit: another task of it, or an earlier try
            own.pop("", None)
    first = [next(iter(own.values())) for own in said.values()]
    row = np.asarray([one.row for one in first], np.intp)
    is_submitted = np.asarray(["" not in own for own in said.values()], bool)
    labels = [label for label in LABELS[task] if any(label in own for own in said.values())]
    slices = dict.fromkeys(name for one in first for name in one.unit.slices)
    records, chunks, annotators = ([key[at] for key in said] or [] for at in range(3))
    return ResponsePart(
        task=task,
        files=(file,),
        file=np.zeros(len(said), np.intp),
        row=row,
        record=texts_from(records),
        chunk=texts_from(chunks) if is_retrieval else same_text("", len(said)),
        annotator=texts_from(annotators),
        rank=np.asarray([one.unit.rank if is_retrieval else 0 for one in first], np.int64),
        n_retrieved=np.asarray([one.unit.n_retrieved for one in first], np.int64),
        is_submitted=is_submitted,
        labels={
            label: labels_said(
                texts_from([own[label].text if label in own else "" for own in said.values()]),
                is_submitted,
                row,
                file,
                column or label,
                findings,
            )
            for label in labels
        },
        adjudicated={},
        slices={name: texts_from([one.unit.slices.get(name, "") for one in first]) for name in slices},
    )


def _report_twice(one: Answer, before: Answer, file: str, findings: Findings) -> None:
    unit = (
        f"chunk {one.unit.chunk} of record {one.unit.record}"
        if one.unit.chunk
        else f"record {one.unit.record}"
    )
    findings.add(
        "RAG-006",
        file=file,
        row=one.row,
        annotator=one.annotator or "an annotator who is not named",
        unit=f"{unit} and label {one.label}" if one.label else unit,
        first=f"row {before.row}",
    )


def report_missing(part: ResponsePart, file: str, findings: Findings) -> None:
    """Name the labels that submitted responses leave open."""
    for name, labels in part.labels.items():
        empty = np.flatnonzero(part.is_submitted & (labels == UNSAID)).tolist()
        facts = ((int(part.row[i]), {"unit": part.unit(i)}) for i in empty)
        findings.add_rows("RAG-003", facts, len(empty), file=file, column=name, label=name)


def is_label(name: str) -> bool:
    """Whether a plain name is one of our labels."""
    return name in LABEL_NAMES
