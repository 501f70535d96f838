"""Whose score a file holds to which a rule is applied: its predictions, and what they make of its scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evalcore.operating_point.document.build import PREDICTION
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.problems import SHOWN, Findings, InputError, Problem, problem
from evalcore.readers.columns.one_side import MANY, MIDDLE, are_of_one_side
from evalcore.readers.evidence.predicted_class import (
    ask_for_positive,
    conversion,
    converted,
    may_be_of_predicted,
    n_below_in_words,
    predictions_in,
    report_too_low,
)
from evalcore.readers.formats.cells import number_text
from evalcore.readers.formats.table import Columns, Table
from evalcore.schema import QUERIES, answer_parts, class_of, plain, recognise

ID_ROLES = ("post", "criterion", "query", "model")
_OF_CLASSES = ("label", "class", "y")
"""Names that tools give to their prediction, of those that a label has."""


def column_of_predictions(point: OperatingPoint, table: Table, score_of: str | None) -> str | None:
    """The column of predictions, where one is needed or could say whose the scores are."""
    if score_of == "positive":
        return None
    single = [name for name in table.names if name not in table.nested]
    known = recognise(QUERIES, single).get(PREDICTION, (None,))[0] or _names_classes(
        point, table, is_sure=score_of is not None
    )
    wanted = point.document["input"]["columns"].get("prediction") or known
    if score_of is None or (wanted is not None and wanted in table.known):
        return known if score_of is None else wanted
    found = ", ".join(table.known)
    raise InputError([problem("COL-002", file=table.name, name=wanted or PREDICTION, found=found)])


def _names_classes(point: OperatingPoint, table: Table, *, is_sure: bool) -> str | None:
    """A column of no prediction's name that holds classes: one that is called a label before any other.

    Of several without such a name, which one is meant is open: none, where it must be sure.
    """
    given = point.document["input"]
    roles = recognise(QUERIES, table.names)
    taken = {name for role, names in roles.items() if role != "has_evidence" for name in names}
    taken |= {given["score_field"], *(given["columns"].get(role) for role in ID_ROLES)}
    found: list[str] = []
    for name in (name for name in table.names if name not in table.nested):
        levels = {cell.strip() for cell in table.sample.get(name, ())} - {""}
        label = answer_parts(given["positive_label"], (), levels)[0]
        are_classes = all(class_of(level, label) is not None for level in levels)
        if name not in taken and (len(levels) == 2 or (len(levels) == 1 and are_classes)):
            found.append(name)
    called = [name for name in found if plain(name) in _OF_CLASSES]
    if is_sure and not called and len(found) > 1:
        return None
    return next(iter([*called, *found]), None)


def one_sided(point: OperatingPoint, table: Table, columns: Columns, score_name: str) -> tuple[Problem, ...]:
    """A warning about scores of which none lies below 0.5, for thresholds that do."""
    score = columns.numbers[score_name].values
    below = [tau for tau in (point.tau_neg, point.tau_pos) if tau is not None and tau < MIDDLE]
    is_probability = point.document["input"]["score_kind"] != "score"
    if not is_probability or not below or len(score) < MANY or not are_of_one_side(score):
        return ()
    thresholds = " and ".join(number_text(tau) for tau in below)
    return (problem("QRY-096", file=table.name, column=score_name, n_rows=len(score), thresholds=thresholds),)


def of_positive_class(
    point: OperatingPoint, table: Table, columns: Columns, prediction: str, score_of: str | None
) -> tuple[Columns, str]:
    """The columns with the score of the positive class, or as they are if nothing says otherwise, and a note.

    Raises
    ------
    InputError : QRY-085 for both signs and no answer; QRY-086 with every prediction that names no class.
    """
    given = point.document["input"]
    name, positive, texts = given["score_field"], given["positive_label"], columns.texts[prediction]
    label = answer_parts(positive, (), texts.levels.tolist())[0]
    others = [level for level in texts.levels.tolist() if class_of(level, label) is None and level.strip()]
    named = predictions_in(prediction, texts, positive, others if len(others) == 1 else [])
    numbers = columns.numbers[name]
    if score_of != "predicted":
        is_called_so = prediction in recognise(QUERIES, table.names).get(PREDICTION, ())
        is_open = is_called_so or columns.n_rows >= MANY
        if is_open and given["score_kind"] != "score" and may_be_of_predicted(numbers, named):
            words = conversion(name, prediction, named.positive)
            facts: dict[str, Any] = {"n_rows": columns.n_rows, "prediction": prediction, "conversion": words}
            facts["n_below"] = n_below_in_words(numbers.values)
            raise InputError([problem("QRY-085", file=table.name, column=name, **facts)])
        return columns, ""
    findings = Findings()
    if given["score_kind"] == "score":
        facts = {
            "found": "the document's scores are on another scale",
            "expected": "probabilities from 0 to 1",
        }
        advice = "1 − score means nothing there; leave out --score-of."
        findings.add("QRY-087", file=table.name, column=name, advice=advice, **facts)
    else:
        report_too_low(numbers.values, columns.row, table.name, name, findings)
    if ask_for_positive(named, label, table.name, f"{label} or one other", findings):
        findings.raise_errors()
    unknown = np.flatnonzero(~named.is_known)
    wrong = ((int(columns.row[at]), {"found": repr(texts.at(at)[:40])}) for at in unknown[:SHOWN].tolist())
    expected = f"{label} or one other"
    findings.add_rows("QRY-086", wrong, len(unknown), file=table.name, column=prediction, expected=expected)
    findings.raise_errors()
    values = converted(numbers.values, named.is_positive)
    note = f"{table.name}: {conversion(name, prediction, named.positive)}, as you said."
    return replace(columns, numbers={**columns.numbers, name: replace(numbers, values=values)}), note
