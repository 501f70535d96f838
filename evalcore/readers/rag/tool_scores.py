"""From records of a tool to its scores: numbers, blanks, bounds, and scores that should not exist."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.cells import cell_text, spells_number
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.parts import ResponsePart, ScorePart, texts_from
from evalcore.readers.rag.records import Records
from evalcore.schema import is_text_name, plain

UNIT = (0.0, 1.0)
_NOTHING = ("", "nan", "none", "null", "n/a")
_MAX_LEVELS = 50
_ID_LENGTH = 40


@dataclass(frozen=True)
class Measure:
    """A score that a tool writes: what it measures, in which range, and whether it needs a context."""

    meaning: str
    bounds: tuple[float, float] | None = UNIT
    needs_context: bool = False


@dataclass(frozen=True)
class ToolResult:
    """What a tool's reader found.

    Parameters
    ----------
    scores : the scores.
    unused : column → why it is left out.
    excluded : reason → records left out.
    notes : what every report prints.
    responses : labels of people, where the tool's file holds them under our names.
    """

    scores: tuple[ScorePart, ...]
    unused: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    responses: tuple[ResponsePart, ...] = ()


def number_in(value: Any) -> float | None:
    """A number, NaN where there is none; None where the value is something else.

    >>> number_in("0.5"), number_in(True), number_in("high")
    (0.5, 1.0, None)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
        return float("nan")
    if isinstance(value, (bool, int, float)):
        number = float(value) if abs(value) <= sys.float_info.max else np.inf
        return None if np.isinf(number) else number
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    return float(text) if spells_number(text) else None


def numbers_of_records(records: Records, name: str, findings: Findings) -> NDArray[np.float64]:
    """A column of numbers, shape (N,), NaN where the tool gave none; what is no number is reported."""
    found = [number_in(record.get(name)) for record in records.rows]
    wrong = [i for i, number in enumerate(found) if number is None]
    facts = ((records.row[i], {"found": cell_text(records.rows[i].get(name))[:40]}) for i in wrong[:SHOWN])
    findings.add_rows("RAG-020", facts, len(wrong), file=records.name, column=name)
    return np.asarray([np.nan if number is None else number for number in found], np.float64)


def is_numeric(records: Records, name: str) -> bool:
    """Whether a column holds numbers and blanks only, and at least one number."""
    found = [number_in(record.get(name)) for record in records.rows]
    return None not in found and any(number == number for number in found)


def ids_of(records: Records, names: Sequence[str], texts: Sequence[str] = ()) -> Texts:
    """What names each record: the first of these columns that the file has.

    Parameters
    ----------
    names : columns of ids.
    texts : columns of texts, used where there is no id: a short word stays, a text becomes its digest, since
        texts are not kept. Without either a record is named by its row.
    """
    by_plain = {plain(name): name for name in reversed(records.names)}
    name = next((by_plain[n] for n in (*names, *texts) if n in by_plain), None)
    if name is None:
        return texts_from([f"row {row}" for row in records.row])
    is_text = plain(name) not in names
    cells = [cell_text(record.get(name)) for record in records.rows]
    found = [_without_text(cell) if is_text else cell for cell in cells]
    return texts_from([id_ or f"row {row}" for id_, row in zip(found, records.row, strict=True)])


def _without_text(cell: str) -> str:
    if len(cell) <= _ID_LENGTH and not any(character.isspace() for character in cell):
        return cell
    return "text " + hashlib.sha256(cell.encode("utf-8", "replace")).hexdigest()[:12]


def groups_in(records: Records, left_out: set[str]) -> dict[str, Texts]:
    """Columns to break down by: few values, no numbers, no texts."""
    groups: dict[str, Texts] = {}
    for name in records.names:
        values = [record.get(name) for record in records.rows]
        if name in left_out or is_text_name(name) or any(isinstance(v, (dict, list)) for v in values):
            continue
        cells = [cell_text(value) for value in values]
        distinct = set(cells) - {""}
        is_short = all(
            len(cell) <= _ID_LENGTH and len(cell.split()) <= 4 and cell[0] not in "{[" for cell in distinct
        )
        if distinct and is_short and len(distinct) <= min(_MAX_LEVELS, max(len(cells) // 2, 1)):
            groups[plain(name)] = texts_from(cells)
    return groups


def score_part(
    tool: str,
    name: str,
    measure: Measure,
    record: Texts,
    value: NDArray[np.float64],
    slices: Mapping[str, Texts],
    records: Records,
    findings: Findings,
    n_context: NDArray[np.float64] | None = None,
) -> ScorePart:
    """One score: bounds checked, and scores of a blank context taken out and named.

    Parameters
    ----------
    n_context : passages each record has; None where the file does not say.
    """
    bounds = measure.bounds
    if bounds is not None:
        outside = (value < bounds[0]) | (value > bounds[1])
        if outside.any():
            words = f"[{bounds[0]:g}, {bounds[1]:g}]"
            n = int(outside.sum())
            findings.add("RAG-021", file=records.name, column=name, n=n, bounds=words)
            bounds = None
    suspicious: list[str] = []
    if measure.needs_context and n_context is not None:
        is_blank = n_context == 0
        impossible = np.flatnonzero(is_blank & (value > 0))
        for i in impossible.tolist():
            found = f"a blank context with {name} = {value[i]:g}"
            suspicious.append(f"{record.at(i)}: {found} ({records.name}, row {records.row[i]})")
            findings.add("RAG-019", file=records.name, row=records.row[i], column=name, found=found)
        suspicious += [
            f"{record.at(i)}: a blank context, and no {name} ({records.name}, row {records.row[i]})"
            for i in np.flatnonzero(is_blank & np.isnan(value)).tolist()
        ]
        value = value.copy()
        value[impossible] = np.nan
    return ScorePart(tool, name, measure.meaning, record, value, bounds, slices, tuple(suspicious))
