"""What tools that observe answers share: a named value about an answer, said by a person or a program.

What people said under one of our labels is a response. Everything else is a score of the tool under its own
name; one that is named after a label of ours has its source behind the name, for it is no label of a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.annotations import UNSAID
from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import ScorePart, texts_from
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.answers import Answer, Unit, is_label, response_parts
from evalcore.readers.rag.responses.spelling import meaning_of
from evalcore.readers.rag.tool_scores import UNIT, Measure, ToolResult, number_in, score_part
from evalcore.readers.rag.tools.columns import by_plain
from evalcore.schema import plain

NOT_SAID = "source not said"
_NO_NUMBER = "no number, nor yes or no"


@dataclass(frozen=True)
class Feedback:
    """One value.

    Parameters
    ----------
    unit : what it is about.
    name : its name in the tool.
    value : the value; None where the tool gave none.
    source : who or what said it, in the tool's word; "" where the file does not say.
    is_person : whether that is a person.
    author : the person.
    row : the data row, from 1.
    """

    unit: Unit
    name: str
    value: Any
    source: str
    is_person: bool
    author: str
    row: int


def result_of(
    found: Sequence[Feedback],
    records: Records,
    tool: str,
    column: str,
    findings: Findings,
    *,
    unused: Mapping[str, str],
    excluded: Mapping[str, int] | None = None,
    counts_rows: bool = False,
) -> ToolResult | None:
    """The responses and scores that values give; None with the reason reported where there is none.

    Parameters
    ----------
    column : the column of the values, for messages.
    excluded : reason → records that were left out before.
    counts_rows : whether each value is a row of the file, so that one left out is a row left out.
    """
    people = [one for one in found if one.is_person and is_label(plain(one.name))]
    others = [one for one in found if not (one.is_person and is_label(plain(one.name)))]
    answers = [Answer(one.unit, one.author, plain(one.name), cell_text(one.value), one.row) for one in people]
    by_name: dict[str, list[Feedback]] = {}
    for one in others:
        by_name.setdefault(_name_of(one), []).append(one)
    scores: list[ScorePart] = []
    n_left_out: Counter[str] = Counter()
    for name in sorted(by_name):
        part, n = _score(name, by_name[name], records, tool, findings)
        scores += [part] if part is not None else []
        n_left_out += Counter({name: n})
    responses = response_parts(answers, records.name, column, findings)
    left_out = Counter(excluded or {})
    notes = []
    if n_left_out:
        listed = ", ".join(f"{name} ({n:,})" for name, n in sorted(n_left_out.items()))
        if counts_rows:
            left_out[_NO_NUMBER] += n_left_out.total()
        notes.append(f"{records.name}: left out as {_NO_NUMBER}: {listed}.")
    of_programs = [name for name, of in by_name.items() if is_label(plain(of[0].name))]
    if of_programs:
        listed = ", ".join(sorted(of_programs))
        notes.append(
            f"{records.name}: {listed}: not known to be what a person said, so a score and no label."
        )
    if not responses and not scores:
        if not findings.errors:
            names = ", ".join(dict.fromkeys(one.name for one in found)) or "none"
            facts = {
                "found": f"a file of {tool} without a score or label that can be read (names: {names})",
                "missing": "values that are numbers, or labels of people under our names",
            }
            remedy = "Export the scores or annotations too, with who gave them."
            findings.add("RAG-016", file=records.name, **facts, remedy=remedy)
        return None
    return ToolResult(tuple(scores), unused, dict(left_out), tuple(notes), tuple(responses))


@dataclass(frozen=True)
class ValueRows:
    """How a tool writes its values, a row each.

    Parameters
    ----------
    unit : fields of a row (plain name → value) → what its value is about; "" where it is of no answer.
    of_none : why such a row is left out.
    used : the fields that are read.
    texts : fields of personal text.
    value : the field of the values, for messages.
    feedback : fields of a row (plain name → value), what it is about and its data row → the value, or why it
        is left out.
    """

    unit: Callable[[Mapping[str, Any]], str]
    of_none: str
    used: tuple[str, ...]
    texts: tuple[str, ...]
    value: str
    feedback: Callable[[Mapping[str, Any], str, int], Feedback | str]


def values_by_row(records: Records, tool: str, how: ValueRows, findings: Findings) -> ToolResult | None:
    """The responses and scores of a file with a value a row; None with the reason reported."""
    names = by_plain(records)
    found: list[Feedback] = []
    excluded: Counter[str] = Counter()
    for record, row in zip(records.rows, records.row, strict=True):
        of = {key: record.get(name) for key, name in names.items()}
        about = how.unit(of)
        one = how.feedback(of, about, row) if about else how.of_none
        if isinstance(one, str):
            excluded[one] += 1
        else:
            found.append(one)
    unused = {
        name: "personal text: dropped" if key in how.texts else "no part of a score"
        for key, name in names.items()
        if key not in how.used
    }
    return result_of(
        found, records, tool, how.value, findings, unused=unused, excluded=excluded, counts_rows=True
    )


def _name_of(one: Feedback) -> str:
    return f"{one.name} ({one.source or NOT_SAID})" if is_label(plain(one.name)) else one.name


def _score(
    name: str, of: Sequence[Feedback], records: Records, tool: str, findings: Findings
) -> tuple[ScorePart | None, int]:
    """A score from its values, yes and no as 1 and 0; and how many are neither a number nor yes or no."""
    values = [_value(one.value) for one in of]
    kept = [(one, value) for one, value in zip(of, values, strict=True) if value is not None]
    n_left_out = len(of) - len(kept)
    if not any(value == value for _, value in kept):
        return None, n_left_out
    is_flag = all(_is_flag(one.value) for one, _ in kept)
    meaning = "share of yes" if is_flag else "a score of the user's own; what it means is not known here"
    part = score_part(
        tool,
        name,
        Measure(meaning, UNIT if is_flag else None),
        texts_from([one.unit.record for one, _ in kept]),
        np.asarray([value for _, value in kept], np.float64),
        {},
        records,
        findings,
    )
    return part, n_left_out


def _value(value: Any) -> float | None:
    """A number, yes and no as 1 and 0, NaN for nothing; None for anything else."""
    if isinstance(value, (dict, list)):
        return None
    number = number_in(value)
    if number is not None:
        return number
    meaning = meaning_of(cell_text(value))
    return None if meaning is None else float("nan") if meaning == UNSAID else float(meaning)


def _is_flag(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    text = cell_text(value).lower()
    return meaning_of(text) is not None and text not in ("0", "1", "0.0", "1.0")


def column_scores(
    records: Records,
    names: Mapping[str, str],
    unit_of: Sequence[Unit],
    nothing: Sequence[str] = (),
) -> list[Feedback]:
    """The values of columns, a column a score, whose source the file does not say.

    Parameters
    ----------
    names : column → the score's name.
    unit_of : the unit of each record.
    nothing : cells that mean that there is no value.
    """
    return [
        Feedback(unit, name, None if value in nothing else value, "", False, "", row)
        for column, name in names.items()
        for unit, record, row in zip(unit_of, records.rows, records.row, strict=True)
        for value in (record.get(column),)
    ]


def missing(found: Sequence[Feedback], units: Sequence[tuple[Unit, int]]) -> list[Feedback]:
    """The scores of programs that some units lack: these were not scored.

    Parameters
    ----------
    units : every unit, with its data row.
    """
    by_name: dict[str, list[Feedback]] = {}
    for one in found:
        if not one.is_person:
            by_name.setdefault(_name_of(one), []).append(one)
    return [
        Feedback(unit, of[0].name, None, of[0].source, False, "", row)
        for of in by_name.values()
        for rows in ({one.row for one in of},)
        for unit, row in units
        if row not in rows
    ]
