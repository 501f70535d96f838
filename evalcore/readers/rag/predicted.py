"""Labels and probabilities that a classifier wrote for chunks or answers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, UNSAID
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import repeated, report_lookalikes
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows, check_floating_ids, read_rows
from evalcore.readers.formats.cells import numbers_in
from evalcore.readers.formats.table import Table, Texts
from evalcore.readers.rag.columns import text_note
from evalcore.readers.rag.parts import FileParts, PredictionPart, same_text, texts_from
from evalcore.readers.rag.responses.spelling import meaning_of
from evalcore.schema import LABEL_NAMES, plain

_NAME = re.compile(r"(predict|probabilit)", re.IGNORECASE)


def is_predicted(table: Table) -> bool:
    """Whether a classifier wrote the labels: by the file's name, its texts, or shares between 0 and 1."""
    names = {plain(name): name for name in table.names}
    if any(name in names for name in ("annotator_id", "annotator", "response_status")):
        return False
    if _NAME.match(table.name) or "text_pair" in names:
        return True
    cells = [cell for label in LABEL_NAMES if label in names for cell in table.sample[names[label]]]
    return any(meaning_of(cell) is None for cell in cells) and all(
        meaning_of(cell) is not None or _is_share(cell) for cell in cells
    )


def _is_share(cell: str) -> bool:
    try:
        return 0 <= float(cell) <= 1
    except ValueError:
        return False


def prediction_parts(mapped: Mapped, findings: Findings) -> FileParts | None:
    """The predictions in a table, one part a task; None with the reason reported."""
    rows = read_rows(mapped, findings)
    record = rows.text("record_uuid") if rows is not None else None
    if rows is None or record is None:
        return None
    chunk = rows.text("chunk_id") or _by_rank(rows)
    for role in ("record_uuid", "chunk_id"):
        texts = rows.text(role)
        if texts is not None:
            check_floating_ids(rows, str(rows.mapped.one(role)), texts, findings)
            report_lookalikes(texts, rows.row, rows.name, str(rows.mapped.one(role)), findings)
    is_blank = record.is_empty
    if is_blank.any():
        n = int(is_blank.sum())
        findings.add("RAG-004", file=rows.name, column=mapped.one("record_uuid"), n=n)
        rows.excluded["no id of the record"] = n
    unused = dict(rows.unused) | dict.fromkeys(mapped.groups, "no role beside predicted labels")
    taken = f"{rows.name}: taken as the labels of a classifier, not as what people said."
    notes = [taken, *text_note(rows.name, unused)]
    parts = FileParts(replace(mapped, unused=unused), rows.source(), notes=notes)
    for task, names in LABELS.items():
        found = [name for name in names if name in mapped.roles]
        if not found:
            continue
        labels = {name: _values(rows, name, findings) for name in found}
        of_task = chunk if task == "retrieval" and chunk is not None else same_text("", len(record.codes))
        if task == "retrieval" and chunk is None:
            findings.add("RAG-015", file=rows.name, labels=", ".join(found))
        _check_once(rows, record, of_task, findings)
        values = np.concatenate(list(labels.values()))
        is_probability = bool((~np.isnan(values) & (values != 0) & (values != 1)).any())
        kept = ~is_blank
        parts.predictions.append(
            PredictionPart(
                task,
                record.where(kept),
                of_task.where(kept),
                {name: v[kept] for name, v in labels.items()},
                is_probability,
                rows.name,
            )
        )
    return parts


def _by_rank(rows: Rows) -> Texts | None:
    rank = rows.number("chunk_rank")
    return None if rank is None else texts_from([f"rank {r:g}" for r in rank.values.tolist()])


def _values(rows: Rows, name: str, findings: Findings) -> NDArray[np.float64]:
    """Numbers from 0 to 1, NaN where the cell is empty."""
    texts = rows.text(name)
    assert texts is not None
    levels = Texts(np.arange(len(texts.levels), dtype=np.int32), texts.levels)
    numbers = numbers_in(levels).values
    meanings = [meaning_of(level) for level in texts.levels.tolist()]
    of_level = np.asarray(
        [
            number if meaning is None else np.nan if meaning == UNSAID else float(meaning)
            for number, meaning in zip(numbers.tolist(), meanings, strict=True)
        ]
    )
    is_wrong = np.asarray([m is None for m in meanings], bool) & ~((of_level >= 0) & (of_level <= 1))
    at = np.flatnonzero(is_wrong[texts.codes])
    facts = ((int(rows.row[i]), {"found": texts.at(i)[:40]}) for i in at[:SHOWN].tolist())
    column, advice = rows.mapped.one(name), "Divide percentages by 100, or correct the cell."
    findings.add_rows("QRY-003", facts, len(at), file=rows.name, column=column, advice=advice)
    return np.asarray(of_level[texts.codes], np.float64)


def _check_once(rows: Rows, record: Texts, chunk: Texts, findings: Findings) -> None:
    key = record.codes.astype(np.int64) * max(len(chunk.levels), 1) + chunk.codes
    kept = np.flatnonzero(~record.is_empty)
    later, first = repeated(key[kept])
    facts = (
        (
            int(rows.row[kept[i]]),
            {
                "unit": f"chunk {chunk.at(int(kept[i]))} of record {record.at(int(kept[i]))}"
                if chunk.at(int(kept[i]))
                else f"record {record.at(int(kept[i]))}",
                "first": f"row {rows.row[kept[j]]}",
            },
        )
        for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True)
    )
    findings.add_rows("RAG-006", facts, len(later), file=rows.name, annotator="the classifier")
