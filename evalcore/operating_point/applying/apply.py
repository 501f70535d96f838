"""A document's rule applied to a file: every row in, every row out; labels are neither needed nor read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import ScoreOf
from evalcore.files import csv_text, spreadsheet_text, write_files
from evalcore.operating_point.applying.predictions import (
    ID_ROLES,
    column_of_predictions,
    of_positive_class,
    one_sided,
)
from evalcore.operating_point.document.build import MAXIMUM
from evalcore.operating_point.document.rule import ERROR, NEG, POS, UNCERTAIN, refuse_invalid
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.rules import EARLIER, rules_of
from evalcore.problems import SHOWN, Findings, InputError, Problem, problem
from evalcore.readers.columns.advice import as_options
from evalcore.readers.columns.ids import pair_codes
from evalcore.readers.formats.cells import number_text, spells_number
from evalcore.readers.formats.table import Columns, Form, Table
from evalcore.readers.inputs import RawFile, Upload, raw_files
from evalcore.readers.opening import open_table
from evalcore.settings import Settings

STATE = "state"
CONVERTED = "p"
"""Name of the score in the decisions where it was converted from that of the predicted class."""


@dataclass(frozen=True)
class Decisions:
    """The states of a file's rows.

    Parameters
    ----------
    names : names of the id columns, or ``row`` where the file has none of them.
    ids : their cells, each shape (N,).
    score_name : name of the score.
    score : float64, shape (N,).
    states : text, shape (N,).
    warnings : what the user should know, such as rows of another model.
    note : how the score came about where it was converted, in words; else empty.
    """

    names: tuple[str, ...]
    ids: tuple[Sequence[str], ...]
    score_name: str
    score: NDArray[np.float64]
    states: NDArray[np.str_]
    warnings: tuple[Problem, ...] = ()
    note: str = ""

    @property
    def n_by_state(self) -> dict[str, int]:
        """Rows in each state."""
        return {state: int(np.count_nonzero(self.states == state)) for state in (NEG, UNCERTAIN, POS)}

    @property
    def csv(self) -> bytes:
        """The ids, the score and the state of each row as CSV, in the order of the file.

        Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers are untouched.
        """
        names, columns = (
            (*self.names, self.score_name, STATE),
            (*self.ids, self.score.tolist(), self.states.tolist()),
        )
        return csv_text(zip(names, columns, strict=True), text=_cell, number=number_text).encode()


def decide(
    point: OperatingPoint,
    source: Path | str | Upload,
    *,
    encoding: str | None = None,
    score_of: ScoreOf | None = None,
) -> Decisions:
    """The state of every row of a file by a document's rule and nothing else.

    Parameters
    ----------
    point : the document; it names the score column and the id columns.
    source : CSV, Parquet, JSON Lines or Feather, compressed or not.
    encoding : of text; None finds it out.
    score_of : whose score the file holds, ``positive`` or ``predicted``; None: as the document says. Scores
        of the predicted class are converted by the prediction beside them, as when the document was made.

    Returns
    -------
    Decisions, one for each row of the file, or for each query where the score is a maximum over candidates.

    Raises
    ------
    InputError : when the file cannot be read, lacks the score column or the prediction, or holds scores that
        are none; QRY-085 when they may be of the predicted class and nobody said so; QRY-095
        when they are said to be and cannot; DOC-009 for a withdrawn document; DOC-003
        or OPT-105 for one that was changed.
    """
    point.check_in_force()
    findings = Findings()
    given = point.document["input"]
    table = _open(source, encoding, given.get("header") is not False, findings)
    score_name = given["score_field"]
    if score_name not in table.known:
        found = ", ".join(table.known)
        raise InputError([problem("COL-002", file=table.name, name=score_name, found=found)])
    names = _id_names(given["columns"], table)
    asked = score_of or given.get("score_of")
    prediction = column_of_predictions(point, table, asked)
    forms: dict[str, Form] = {score_name: "number", **dict.fromkeys(names, "text")}
    if prediction is not None:
        forms[prediction] = "text"
    columns, note = table.read(forms), ""
    findings.raise_errors()
    if prediction is not None:
        columns, note = of_positive_class(point, table, columns, prediction, asked)
    warnings = (*of_earlier_rules(point), *_other_models(given, table, columns))
    if asked is None:
        warnings += one_sided(point, table, columns, score_name)
    decide_all = _decide_queries if given.get("aggregate") == MAXIMUM else _decide_rows
    decisions = decide_all(point, table, columns, names, score_name)
    name = CONVERTED if asked == "predicted" else score_name
    return replace(decisions, score_name=name, warnings=warnings, note=note)


def apply_to_file(
    point: OperatingPoint,
    source: Path | str,
    out: Path | str,
    *,
    encoding: str | None = None,
    score_of: ScoreOf | None = None,
    overwrite: bool = False,
) -> Decisions:
    """Write the state of every row of a file, whole or not at all.

    Parameters
    ----------
    point, source, encoding, score_of : as for `decide`.
    out : CSV file to write.
    overwrite : whether a file from elsewhere is replaced.

    Returns
    -------
    Decisions, as written.

    Raises
    ------
    InputError : as for `decide`; then nothing is written.
    OSError : when the file cannot be written; what stood there before is untouched.
    """
    decisions = decide(point, source, encoding=encoding, score_of=score_of)
    out = Path(out)
    write_files(out.parent, {out.name: decisions.csv}, overwrite=overwrite)
    return decisions


def _open(source: Path | str | Upload, encoding: str | None, has_header: bool, findings: Findings) -> Table:
    files: list[RawFile] = list(raw_files(source, findings))
    if len(files) > 1:
        found = f"{len(files)} files"
        raise InputError(
            [problem("OPT-008", found=found, expected="one file", advice="Apply the rule to each.")]
        )
    limit = Settings.read().max_rows
    table = open_table(files[0], encoding, limit, findings, has_header) if files else None
    findings.raise_errors()
    if table is None:
        raise InputError([problem("FILE-001", file=str(source))])
    return table


def _id_names(columns: Mapping[str, str | None], table: Table) -> tuple[str, ...]:
    asked = (columns.get(role) for role in ID_ROLES)
    return tuple(dict.fromkeys(name for name in asked if name is not None and name in table.known))


def of_earlier_rules(point: OperatingPoint) -> tuple[Problem, ...]:
    """A warning about a document by older rules, whose status may be more than today's would give."""
    rules = rules_of(point.document)
    return (problem("DOC-034", file=point.document["id"], found=rules),) if rules in EARLIER else ()


def _other_models(given: Mapping[str, Any], table: Table, columns: Columns) -> tuple[Problem, ...]:
    """A warning about rows of other models than the one the thresholds were chosen for."""
    name, level = given["columns"].get("model"), (given["model"] or {}).get("level")
    if level is None or name not in columns.texts:
        return ()
    texts = columns.texts[name]
    n_by_level = np.bincount(texts.codes, minlength=len(texts.levels)).tolist()
    others = {
        str(other): n for other, n in zip(texts.levels, n_by_level, strict=True) if n and other != level
    }
    if not others:
        return ()
    n, found = sum(others.values()), ", ".join(sorted(others))
    return (problem("DOC-011", file=table.name, column=name, n=n, found=found, level=level),)


def _decide_rows(
    point: OperatingPoint, table: Table, columns: Columns, names: tuple[str, ...], score_name: str
) -> Decisions:
    score = columns.numbers[score_name].values
    states = point.rule.states(score)
    _refuse(point, table, columns, states, np.arange(len(score)), score_name)
    if not names:
        return Decisions(("row",), ([str(row) for row in columns.row.tolist()],), score_name, score, states)
    ids = tuple(columns.texts[name].levels[columns.texts[name].codes].tolist() for name in names)
    return Decisions(names, ids, score_name, score, states)


def _decide_queries(
    point: OperatingPoint, table: Table, columns: Columns, names: tuple[str, ...], score_name: str
) -> Decisions:
    """The state of each query by the highest score of its candidates; an empty score is none of the list."""
    if not names:
        found = ", ".join(table.known)
        meaning = "the ids of the queries whose candidates these are"
        raise InputError(
            [
                problem(
                    "COL-001",
                    file=table.name,
                    role="post_id",
                    found=found,
                    meaning=meaning,
                    options=as_options("post_id", ()),
                )
            ]
        )
    numbers = columns.numbers[score_name]
    by_row = point.rule.states(np.where(numbers.is_empty, -np.inf, numbers.values))
    by_row[numbers.is_empty] = UNCERTAIN
    _refuse(point, table, columns, by_row, np.arange(len(by_row)), score_name)
    query, first_row = _queries(columns, names)
    score = np.full(len(first_row), -np.inf)
    np.maximum.at(score, query[~numbers.is_empty], numbers.values[~numbers.is_empty])
    score[np.isneginf(score)] = np.nan
    states = point.rule.states(score)
    _refuse(point, table, columns, states, first_row, score_name)
    ids = tuple(columns.texts[name].levels[columns.texts[name].codes[first_row]].tolist() for name in names)
    return Decisions(names, ids, score_name, score, states)


def _queries(columns: Columns, names: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The query of each row, numbered in the order of the file, and the row in which each first appears."""
    query = np.zeros(columns.n_rows, np.intp)
    for name in names:
        texts = columns.texts[name]
        query, first_row = pair_codes(query, texts.codes, len(texts.levels))
    return query, first_row


def _refuse(
    point: OperatingPoint,
    table: Table,
    columns: Columns,
    states: NDArray[np.str_],
    rows: NDArray[np.intp],
    score_name: str,
) -> None:
    """Name the rows whose state is an error; ``rows`` are the positions in the file of the states."""
    if not (states == ERROR).any():
        return
    cells = table.read({score_name: "text"}).texts[score_name]
    numbered = [(int(columns.row[at]), cells.at(at)) for at in rows[states == ERROR][:SHOWN].tolist()]
    refuse_invalid(point.rule, numbered, int((states == ERROR).sum()), column=score_name, file=table.name)


def _cell(text: str) -> str:
    return text if spells_number(text) else spreadsheet_text(text)
