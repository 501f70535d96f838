"""Annotations in wide form: one row per item and label, one column per annotator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.annotations import LABELS, UNSAID, RagTask
from evalcore.problems import Findings
from evalcore.readers.columns.ids import report_lookalikes
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.formats.table import SAMPLE_ROWS, Table
from evalcore.readers.rag.parts import FileParts, ResponsePart, same_text, texts_from
from evalcore.readers.rag.responses.spelling import labels_said, meaning_of
from evalcore.schema import LABEL_NAMES, WIDE_ANNOTATIONS, plain, recognise

_DECISIONS = frozenset(
    {
        "majority",
        "majority_vote",
        "consensus",
        "final",
        "final_label",
        "gold",
        "gold_label",
        "ground_truth",
        "adjudicated",
        "adjudication",
        "resolved",
        "agreed",
        "agreement",
        "is_unanimous",
        "is_tie",
        "tie",
    }
)
_REMARKS = frozenset(
    {"comment", "comments", "note", "notes", "status", "response_status", "task", "record_status"}
)
_COUNTS = ("n_", "num_", "count", "total_")
OTHER_LABELS: RagTask = "grounding"
"""The task that labels of other names are put with: their items are taken as answers."""


def is_wide(table: Table) -> bool:
    """Whether a table has one row per item and label, and several annotators' columns."""
    roles = recognise(WIDE_ANNOTATIONS, table.names)
    if len(roles) < 2 or len(table.names) < 4:
        return False
    return not set(LABEL_NAMES).isdisjoint(plain(cell) for cell in table.sample[roles["label"][0]])


def wide_mapped(mapped: Mapped) -> Mapped:
    """The same roles, with every other column an annotator's that holds answers of one person."""
    roles = {name for names in mapped.roles.values() for name in names}
    others = [n for n in mapped.table.names if n not in roles and mapped.unused.get(n) != "a time"]
    unused = {name: why for name in others if (why := _why_no_person(mapped.table, name, others)) is not None}
    annotators = tuple(name for name in others if name not in unused)
    times = {name: "a time" for name in mapped.table.names if mapped.unused.get(name) == "a time"}
    return replace(mapped, groups=annotators, numbers=(), unused={**times, **unused})


def _why_no_person(table: Table, name: str, others: list[str]) -> str | None:
    """Why a column holds no answers of one person, or None where it does."""
    key = plain(name)
    if key in _DECISIONS:
        return "what several people's answers came to, not the answer of one"
    if key in _REMARKS or key.startswith(_COUNTS):
        return "says something of the row, not of the item"
    cells = [cell for cell in table.sample[name] if meaning_of(cell) != UNSAID]
    if cells and set(cells) <= set(others):
        return "names annotators and answers nothing; --adjudicator NAME lets one of them decide"
    if not cells and len(table.sample[name]) < SAMPLE_ROWS:
        return "no answers"
    if cells and all(meaning_of(cell) is None for cell in cells):
        return "no answers: none of its cells is yes or no"
    return None


def wide_parts(mapped: Mapped, findings: Findings) -> FileParts | None:
    """The responses in a wide table; an empty cell is an annotator who did not judge the item."""
    rows = read_rows(mapped, findings)
    if rows is None or rows.text("item") is None or rows.text("label") is None:
        return None
    if not mapped.groups:
        findings.add("RAG-141", file=rows.name, found=", ".join(mapped.table.names))
        return None
    label = rows.text("label")
    assert label is not None
    names = np.asarray([plain(level) for level in label.levels.tolist()], object)[label.codes]
    task_of = {name: task for task, known in LABELS.items() for name in known}
    tasks = np.asarray([task_of.get(name, OTHER_LABELS) for name in names.tolist()], object)
    item = rows.text("item")
    assert item is not None
    report_lookalikes(item, rows.row, rows.name, str(mapped.one("item")), findings)
    parts = FileParts(mapped, rows.source())
    own: list[RagTask] = [task for task in LABELS if (tasks == task).any()]
    parts.responses = [_part(rows, task, np.flatnonzero(tasks == task), names, findings) for task in own]
    others = sorted({name for name in names.tolist() if name not in task_of})
    if others:
        parts.notes.append(
            f"{rows.name}: {', '.join(others)} is none of our labels: only agreement is computed."
        )
    return parts


def _part(rows: Rows, task: RagTask, at: np.ndarray, names: np.ndarray, findings: Findings) -> ResponsePart:
    """One row for each item and annotator with an answer to any label of the task."""
    item = rows.text("item")
    assert item is not None
    labels = list(dict.fromkeys(names[at].tolist()))
    found: dict[tuple[str, str], dict[str, int]] = {}
    first: dict[tuple[str, str], int] = {}
    everywhere = np.ones(rows.columns.n_rows, bool)
    for annotator in rows.mapped.groups:
        texts = rows.columns.texts[annotator].where(at)
        said = labels_said(texts, everywhere[at], rows.row[at], rows.name, annotator, findings)
        for i, value in zip(at.tolist(), said.tolist(), strict=True):
            if value == UNSAID:
                continue
            key = (item.at(i), annotator)
            row = int(rows.row[i])
            if names[i] in found.setdefault(key, {}):
                unit, before = f"item {key[0]} and label {names[i]}", f"row {first[key]}"
                findings.add("RAG-006", file=rows.name, row=row, annotator=annotator, unit=unit, first=before)
            found[key][names[i]] = value
            first.setdefault(key, row)
    keys = list(found)
    n = len(keys)
    items = texts_from([key[0] for key in keys])
    return ResponsePart(
        task=task,
        files=(rows.name,),
        file=np.zeros(n, np.intp),
        row=np.asarray([first[key] for key in keys], np.intp),
        record=items,
        chunk=items if task == "retrieval" else same_text("", n),
        annotator=texts_from([key[1] for key in keys]),
        rank=np.zeros(n, np.int64),
        n_retrieved=np.full(n, -1, np.int64),
        is_submitted=np.ones(n, bool),
        labels={name: np.asarray([found[key].get(name, UNSAID) for key in keys], np.int8) for name in labels},
        adjudicated={},
        slices={},
    )
