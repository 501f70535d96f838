"""Annotations in long form: one row per response, from the annotation export or any table with our labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, UNSAID, RagTask
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import report_lookalikes
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows, check_floating_ids, groups_of, read_rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.columns import is_key, text_note
from evalcore.readers.rag.parts import FileParts, ResponsePart, same_text, texts_from
from evalcore.readers.rag.responses.spelling import as_flags, flags, labels_said, spelled_as_flags, status_of
from evalcore.readers.rag.responses.whole_numbers import ABSENT, CODES, GREATEST
from evalcore.schema import LABEL_NAMES


@dataclass(frozen=True)
class OfFile:
    """What is known of all rows of a file, where some of them are read.

    Parameters
    ----------
    is_apart : whether one id stands for the answers of several systems.
    too_many : columns of more different cells than can be groups.
    flags : columns whose cells all mean yes, no or nothing.
    """

    is_apart: bool
    too_many: frozenset[str]
    flags: frozenset[str]


def annotation_parts(mapped: Mapped, findings: Findings) -> FileParts | None:
    """The responses in a table of annotations, one part a task; None with the reason reported."""
    rows = read_rows(mapped, findings)
    return None if rows is None else parts_of_rows(rows, findings)


def parts_of_rows(rows: Rows, findings: Findings, whole: OfFile | None = None) -> FileParts | None:
    """As `annotation_parts`, of rows that were read; ``whole`` where they are some of a file's."""
    mapped = rows.mapped
    if rows.text("record_uuid") is None:
        return None
    kept = kept_rows(rows, findings)
    frame = _frame(rows, kept, whole, findings)
    found = {task: [name for name in names if name in mapped.roles] for task, names in LABELS.items()}
    decided = {
        task: [n for n in names if f"{n}_adjudicated" in mapped.roles] for task, names in LABELS.items()
    }
    tasks = [task for task in LABELS if found[task] or decided[task]]
    if not tasks:
        listed = ", ".join(mapped.table.names)
        findings.add("RAG-001", file=rows.name, found=listed, labels=", ".join(LABEL_NAMES))
        return None
    if "retrieval" in tasks and not mapped.roles.keys() & {"chunk_id", "chunk_rank"}:
        findings.add("RAG-015", file=rows.name, labels=", ".join(found["retrieval"] or decided["retrieval"]))
        tasks.remove("retrieval")
    n_missing: dict[str, int] = {}
    parts = [
        part
        for task in tasks
        if (part := _task_part(frame, task, found[task], decided[task], len(tasks), n_missing, findings))
    ]
    notes = text_note(rows.name, rows.unused)
    return FileParts(
        replace(mapped, unused=rows.unused), rows.source(), parts, notes=notes, n_missing=n_missing
    )


@dataclass(frozen=True)
class _Frame:
    """What the rows of a file share, whatever the task."""

    rows: Rows
    kept: NDArray[np.bool_]
    record: Texts
    chunk: Texts
    has_chunks: bool
    annotator: Texts
    rank: NDArray[np.int64]
    n_retrieved: NDArray[np.int64]
    is_submitted: NDArray[np.bool_]
    slices: Mapping[str, Texts]


def kept_rows(rows: Rows, findings: Findings) -> NDArray[np.bool_]:
    """The rows that are responses: with a record and not a draft; the others are counted."""
    record = rows.text("record_uuid")
    assert record is not None
    is_blank = np.asarray([not level.strip() for level in record.levels.tolist()], bool)[record.codes]
    if is_blank.any():
        n = int(is_blank.sum())
        findings.add("RAG-004", file=rows.name, column=rows.mapped.one("record_uuid"), n=n)
        rows.excluded["no id of the record"] = n
    kept = ~is_blank
    status = rows.text("response_status")
    if status is not None:
        column = str(rows.mapped.one("response_status"))
        _, is_unfinished = status_of(status, rows.row, rows.name, column, Findings())
        n = int((kept & is_unfinished).sum())
        if n:
            rows.excluded["not submitted yet (draft or pending)"] = n
        kept = kept & ~is_unfinished
    return np.asarray(kept, bool)


def _frame(rows: Rows, kept: NDArray[np.bool_], whole: OfFile | None, findings: Findings) -> _Frame:
    n = rows.columns.n_rows
    for role in ("record_uuid", "chunk_id", "annotator_id"):
        texts = rows.text(role)
        if texts is not None:
            check_floating_ids(rows, str(rows.mapped.one(role)), texts, findings)
            report_lookalikes(texts, rows.row, rows.name, str(rows.mapped.one(role)), findings)
    rank = _whole(rows, "chunk_rank", findings)
    n_retrieved = _whole(rows, "n_retrieved_chunks", findings)
    chunk = rows.text("chunk_id")
    has_chunks = bool(rows.mapped.roles.keys() & {"chunk_id", "chunk_rank"})
    if chunk is None:
        chunk = texts_from([f"rank {r}" if r else "" for r in rank.tolist()])
    slices = _slices(rows, whole)
    record = rows.text("record_uuid")
    assert record is not None
    return _Frame(
        rows=rows,
        kept=kept,
        record=_apart(record, slices.get("system"), kept, whole),
        chunk=chunk,
        has_chunks=has_chunks,
        annotator=rows.text("annotator_id") or same_text("", n),
        rank=rank,
        n_retrieved=n_retrieved,
        is_submitted=_submitted(rows, findings),
        slices=slices,
    )


def _slices(rows: Rows, whole: OfFile | None) -> dict[str, Texts]:
    """Columns to break down by, and columns that may name the query, of however many values."""
    groups, _ = groups_of(rows, ("discard_reason", "system"), None if whole is None else whole.too_many)
    for name in rows.mapped.groups:
        if name not in groups and is_key(name):
            groups[name] = rows.columns.texts[name]
            rows.unused.pop(name, None)
    if whole is None:
        return {name: as_flags(texts) for name, texts in groups.items()}
    flags = [texts for column, texts in rows.columns.texts.items() if column in whole.flags]
    return {
        name: spelled_as_flags(texts) if any(texts is one for one in flags) else texts
        for name, texts in groups.items()
    }


def _apart(record: Texts, system: Texts | None, kept: NDArray[np.bool_], whole: OfFile | None) -> Texts:
    """Records as they are, or ``record::system`` where one id stands for the answers of several systems."""
    if system is None:
        return record
    if whole is None:
        pairs = set(zip(record.codes[kept].tolist(), system.codes[kept].tolist(), strict=True))
        is_apart = len(pairs) > len({r for r, _ in pairs})
    else:
        is_apart = whole.is_apart
    if not is_apart:
        return record
    both = zip(record.codes.tolist(), system.codes.tolist(), strict=True)
    return texts_from([f"{record.levels[r]}::{system.levels[s]}" for r, s in both])


def _submitted(rows: Rows, findings: Findings) -> NDArray[np.bool_]:
    """Whether each response was submitted; without a word on it, those without a reason to discard them."""
    for role in ("response_status", "is_submitted", "is_discarded"):
        texts, column = rows.text(role), str(rows.mapped.one(role))
        if texts is None:
            continue
        if role == "response_status":
            return status_of(texts, rows.row, rows.name, column, findings)[0]
        is_set = flags(texts, role == "is_submitted", rows.row, rows.name, column, findings)
        return is_set if role == "is_submitted" else ~is_set
    reason = rows.text("discard_reason")
    return np.ones(rows.columns.n_rows, bool) if reason is None else reason.is_empty


def _whole(rows: Rows, role: str, findings: Findings) -> NDArray[np.int64]:
    """Whole numbers of a column, those of `ABSENT` where the cell is empty; others are reported."""
    absent = ABSENT[role]
    numbers = rows.number(role)
    if numbers is None:
        return np.full(rows.columns.n_rows, absent, np.int64)
    values = np.where(numbers.is_empty, absent, numbers.values)
    wrong = numbers.is_unreadable | ~np.isfinite(values)
    values = np.where(wrong, absent, values)
    wrong |= (values != np.floor(values)) | (values < absent) | (values > GREATEST)
    at = np.flatnonzero(wrong)
    if len(at):
        column = str(rows.mapped.one(role))
        cell = rows.cells(column)
        facts = ((int(rows.row[i]), {"found": cell(int(i))[:40]}) for i in at[:SHOWN])
        findings.add_rows(CODES[role], facts, len(at), file=rows.name, column=column)
    return np.where(wrong, absent, values).astype(np.int64)


def _task_part(
    frame: _Frame,
    task: RagTask,
    found: list[str],
    decided: list[str],
    n_tasks: int,
    n_missing: dict[str, int],
    findings: Findings,
) -> ResponsePart | None:
    """The responses of one task, or None where no row has one."""
    rows = frame.rows
    is_nothing = (frame.n_retrieved == 0) & (task == "retrieval")
    counts = frame.kept & frame.is_submitted & ~is_nothing
    labels = {name: _said(rows, name, counts, findings) for name in found}
    decisions = {name: _said(rows, f"{name}_adjudicated", frame.kept, findings) for name in decided}
    kept = frame.kept
    if n_tasks > 1:
        says = np.zeros(len(kept), bool)
        for said in (*labels.values(), *decisions.values()):
            says |= said != UNSAID
        kept = kept & (says | ~frame.is_submitted | is_nothing)
    n = int(kept.sum())
    if not n:
        return None
    is_retrieval = task == "retrieval"
    if is_retrieval and "chunk_id" in rows.mapped.roles:
        empty = np.flatnonzero(kept & ~is_nothing & frame.chunk.is_empty)
        column = rows.mapped.one("chunk_id")
        where: list[tuple[int, dict[str, str]]] = [(int(rows.row[i]), {}) for i in empty[:SHOWN]]
        findings.add_rows(
            "QRY-005", where, len(empty), file=rows.name, column=column, expected="the chunk's id"
        )
    part = ResponsePart(
        task=task,
        files=(rows.name,),
        file=np.zeros(len(kept), np.intp),
        row=rows.row,
        record=frame.record,
        chunk=frame.chunk if is_retrieval else same_text("", len(kept)),
        annotator=frame.annotator,
        rank=frame.rank if is_retrieval else np.zeros(len(kept), np.int64),
        n_retrieved=frame.n_retrieved,
        is_submitted=frame.is_submitted,
        labels=labels,
        adjudicated=decisions,
        slices=frame.slices,
    ).where(kept)
    if not is_retrieval and frame.has_chunks:
        order = np.empty(len(kept), np.intp)
        order[np.lexsort((_alphabetical(frame.chunk), frame.rank))] = np.arange(len(kept))
        part = _one_row_an_answer(part, order[kept], findings)
    _report_missing(part, rows, n_missing, findings)
    return part


def _said(rows: Rows, role: str, counts: NDArray[np.bool_], findings: Findings) -> NDArray[np.int8]:
    texts = rows.text(role)
    assert texts is not None
    return labels_said(texts, counts, rows.row, rows.name, str(rows.mapped.one(role)), findings)


def _alphabetical(texts: Texts) -> NDArray[np.intp]:
    """The place of each cell in the alphabet, shape (N,)."""
    of_level = np.argsort(np.argsort(texts.levels.astype(str), kind="stable"), kind="stable")
    return np.asarray(of_level[texts.codes], np.intp)


def _one_row_an_answer(part: ResponsePart, place: NDArray[np.intp], findings: Findings) -> ResponsePart:
    """Labels and decisions that stand beside each chunk of an answer, once; contradictions are reported.

    Parameters
    ----------
    place : what orders the rows of an answer, whatever their order in the file, shape (N,).
    """
    part = part.where(np.argsort(place, kind="stable"))
    is_submitted = part.is_submitted.copy()
    first: dict[tuple[int, int], int] = {}
    kept: list[int] = []
    labels = {name: said.copy() for name, said in part.labels.items()}
    decided = {name: said.copy() for name, said in part.adjudicated.items()}
    for i, key in enumerate(zip(part.record.codes.tolist(), part.annotator.codes.tolist(), strict=True)):
        j = first.setdefault(key, i)
        if j == i:
            kept.append(i)
            continue
        is_submitted[j] |= is_submitted[i]
        for name, said in labels.items():
            if said[j] == UNSAID:
                said[j] = said[i]
            elif said[i] not in (UNSAID, said[j]):
                who = part.annotator.at(i) or "the annotator"
                findings.add(
                    "RAG-024",
                    file=part.files[part.file[i]],
                    row=int(part.row[i]),
                    column=name,
                    label=name,
                    unit=part.unit(i),
                    annotator=who,
                    first=part.place(j),
                )
        for name, said in decided.items():
            if said[j] == UNSAID:
                said[j] = said[i]
            elif said[i] not in (UNSAID, said[j]):
                where = {"file": part.files[part.file[i]], "row": int(part.row[i]), "column": name}
                findings.add("RAG-023", **where, unit=part.unit(i), first=part.place(j))
    one = replace(part, labels=labels, adjudicated=decided, is_submitted=is_submitted)
    return one.where(np.asarray(kept, np.intp))


def _report_missing(part: ResponsePart, rows: Rows, n_missing: dict[str, int], findings: Findings) -> None:
    """Name submitted responses without a label."""
    counts = part.is_submitted & ~((part.n_retrieved == 0) & (part.task == "retrieval"))
    for name, said in part.labels.items():
        at = np.flatnonzero(counts & (said == UNSAID))
        if len(at):
            n_missing[name] = len(at)
        column = rows.mapped.one(name)
        facts = ((int(part.row[i]), {"unit": part.unit(i)}) for i in at[:SHOWN].tolist())
        findings.add_rows("RAG-003", facts, len(at), file=rows.name, column=column, label=name)
