"""Argilla: exports of a dataset with our labels as questions (``topically_relevant.responses``).

Source: https://docs.argilla.io/latest/reference/argilla/records/records/
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, UNSAID, RagTask
from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import ResponsePart, same_text, texts_from
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.nested import items_of
from evalcore.readers.rag.responses.spelling import is_unfinished, labels_said, meaning_of, status_of
from evalcore.readers.rag.responses.whole_numbers import ABSENT, CODES, whole_number
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.schema import LABEL_NAMES, plain

TOOL = "Argilla"
_END = ".responses"
_SLICES = ("language", "calibration", "domain", "system")


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of an Argilla export, to the Hub or to JSON."""
    return any(name.endswith(_END) for name in names) or {"fields", "responses", "suggestions"} <= names


def read(records: Records, findings: Findings) -> ToolResult | None:
    """One response for each record and user; questions that are none of our labels are left out."""
    names_in_file = records.names
    if "fields" in records.names:
        records = _flat(records)
    questions = [name.removesuffix(_END) for name in records.names if name.endswith(_END)]
    ours = {plain(question): question for question in questions if plain(question) in LABEL_NAMES}
    if not ours:
        facts = {
            "found": f"an Argilla export with the questions {', '.join(questions)}",
            "missing": f"at least one question named {', '.join(LABEL_NAMES)}",
        }
        remedy = "Name the question that stands for a label in Argilla, or rename its columns in the file."
        findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    whole = {name: _whole(records, name, findings) for name in CODES}
    parts: list[ResponsePart] = []
    n_drafts = n_taken_back = 0
    for task, names in LABELS.items():
        of_task = {label: ours[label] for label in names if label in ours}
        if of_task:
            part, n, n_answers = _task_part(records, task, of_task, whole, findings)
            parts += [part] if len(part) else []
            n_drafts += n
            n_taken_back += n_answers
    drafts = "response is a draft: it was" if n_drafts == 1 else "responses are drafts: they were"
    notes = [f"{records.name}: {n_drafts:,} {drafts} left out."] if n_drafts else []
    if n_taken_back:
        answers = "answer was" if n_taken_back == 1 else "answers were"
        notes.append(
            f"{records.name}: {n_taken_back:,} {answers} discarded or left as a draft while the same user "
            "answered another question of the record: those alone say nothing."
        )
    if _column(records, "record_uuid", "metadata.record_uuid") is None:
        notes.append(
            f"{records.name}: no record_uuid in the metadata: every Argilla record is a unit of its own, and "
            "only agreement and answer rates can be computed."
        )
    used = {f"{q}{end}" for q in ours.values() for end in (_END, f"{_END}.users", f"{_END}.status")}
    unused = {name: why_unused(name) for name in names_in_file if name not in used and name != "id"}
    return ToolResult((), unused, notes=tuple(notes), responses=tuple(parts))


def _flat(records: Records) -> Records:
    """Records of ``to_json``, whose parts are nested, under the names of an export to the Hub."""
    rows: list[dict[str, Any]] = []
    for record in records.rows:
        row: dict[str, Any] = {name: record.get(name) for name in ("id", "_server_id") if name in record}
        row |= {f"metadata.{name}": value for name, value in (record.get("metadata") or {}).items()}
        for question, responses in (record.get("responses") or {}).items():
            known = [one for one in responses or [] if isinstance(one, dict)]
            row[f"{question}{_END}"] = [one.get("value") for one in known]
            row[f"{question}{_END}.users"] = [str(one.get("user_id", "")) for one in known]
            row[f"{question}{_END}.status"] = [str(one.get("status") or "submitted") for one in known]
        rows.append(row)
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    return Records(records.name, names, tuple(rows), records.row)


def why_unused(name: str) -> str:
    """Why a column is not read."""
    if name in ("responses", "metadata"):
        return "read as far as it holds our labels"
    if "suggestion" in name:
        return "a suggestion, which no person said"
    if (
        name.endswith(("_at", "_server_id", "status", "vectors"))
        or ".responses" in name
        or "metadata." in name
    ):
        return "no label of ours"
    return "personal text: dropped"


def _column(records: Records, *names: str) -> str | None:
    return next((name for name in names if name in records.names), None)


def _cells(records: Records, *names: str) -> list[str] | None:
    column = _column(records, *names)
    return None if column is None else [cell_text(record.get(column)) for record in records.rows]


def _answers(
    records: Records, questions: dict[str, str]
) -> dict[tuple[int, str], dict[str, tuple[str, str]]]:
    """Place of the record and user → label → what was said and the state of that answer."""
    said: dict[tuple[int, str], dict[str, tuple[str, str]]] = {}
    for label, question in questions.items():
        for i, record in enumerate(records.rows):
            values = items_of(record.get(f"{question}{_END}"))
            users = items_of(record.get(f"{question}{_END}.users")) or [
                f"user {j + 1}" for j in range(len(values))
            ]
            states = items_of(record.get(f"{question}{_END}.status")) or ["submitted"] * len(values)
            for value, user, state in zip(values, users, states, strict=False):
                text, of_answer = ("" if one is None else cell_text(one) for one in (value, state))
                said.setdefault((i, str(user)), {})[label] = text, of_answer
    return said


def _task_part(
    records: Records,
    task: RagTask,
    questions: dict[str, str],
    whole: dict[str, NDArray[np.int64]],
    findings: Findings,
) -> tuple[ResponsePart, int, int]:
    """The responses to the questions of one task, how many are drafts, and how many answers were taken back.

    Each question has a state of its own: an answer that is discarded or a draft says nothing, and the answers
    of the same user to the other questions stay.
    """
    said = _answers(records, questions)
    keys = [key for key, of in said.items() if not all(is_unfinished(state) for _, state in of.values())]
    at = np.asarray([i for i, _ in keys], np.intp)
    row = np.asarray([records.row[i] for i in at.tolist()], np.intp)
    answers = {label: [said[key].get(label) for key in keys] for label in questions}
    is_valid = {
        label: status_of(
            texts_from([one[1] if one else "" for one in answers[label]]),
            row,
            records.name,
            f"{question}{_END}.status",
            findings,
        )[0]
        for label, question in questions.items()
    }
    has_answer = {label: np.asarray([one is not None for one in answers[label]], bool) for label in questions}
    is_submitted = np.logical_or.reduce([is_valid[label] & has_answer[label] for label in questions])
    n_taken_back = sum(int((is_submitted & ~valid).sum()) for valid in is_valid.values())
    ids = _cells(records, "record_uuid", "metadata.record_uuid")
    own = _cells(records, "id", "_server_id") or [f"row {r}" for r in records.row]
    record_ids = ids or own
    chunks = _cells(records, "chunk_id", "metadata.chunk_id") or own
    is_retrieval = task == "retrieval"
    slices = {
        name: texts_from([cells[i] for i in at.tolist()])
        for name in _SLICES
        if (cells := _cells(records, name, f"metadata.{name}")) is not None
    }
    part = ResponsePart(
        task=task,
        files=(records.name,),
        file=np.zeros(len(keys), np.intp),
        row=row,
        record=texts_from([record_ids[i] for i in at.tolist()]),
        chunk=texts_from([chunks[i] for i in at.tolist()]) if is_retrieval else same_text("", len(keys)),
        annotator=texts_from([user for _, user in keys]),
        rank=whole["chunk_rank"][at] if is_retrieval else np.zeros(len(keys), np.int64),
        n_retrieved=whole["n_retrieved_chunks"][at],
        is_submitted=is_submitted,
        labels={
            label: labels_said(
                texts_from([_single(one[0]) if one else "" for one in answers[label]]),
                is_submitted & is_valid[label],
                row,
                records.name,
                f"{question}{_END}",
                findings,
            )
            for label, question in questions.items()
        },
        adjudicated={},
        slices=slices,
    )
    for label, labels in part.labels.items():
        empty = np.flatnonzero(part.is_submitted & is_valid[label] & (labels == UNSAID)).tolist()
        facts = ((int(row[i]), {"unit": part.unit(i)}) for i in empty)
        findings.add_rows("RAG-003", facts, len(empty), file=records.name, column=label, label=label)
    return part, len(said) - len(keys), n_taken_back


def _single(cell: str) -> str:
    """A label; multi-label questions with one choice hold a list of one."""
    if meaning_of(cell) is None and cell[:1] == "[":
        items = items_of(cell)
        return cell_text(items[0]) if len(items) == 1 else cell
    return cell


def _whole(records: Records, name: str, findings: Findings) -> NDArray[np.int64]:
    """Whole numbers of a column, those of `ABSENT` where there is none; others are reported."""
    column = _column(records, name, f"metadata.{name}")
    cells = [record.get(column) if column else None for record in records.rows]
    found = [whole_number(name, cell) for cell in cells]
    wrong = [i for i, number in enumerate(found) if number is None]
    facts = ((records.row[i], {"found": cell_text(cells[i])[:40]}) for i in wrong)
    findings.add_rows(CODES[name], facts, len(wrong), file=records.name, column=column or name)
    return np.asarray([ABSENT[name] if number is None else number for number in found], np.int64)
