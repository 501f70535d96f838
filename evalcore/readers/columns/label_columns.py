"""Whether the column taken for the label is a prediction: some tools call their own decision “Label”."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.readers.columns.one_side import MIDDLE, are_of_one_side
from evalcore.readers.columns.score_columns import numeric_sample
from evalcore.readers.formats.table import Table
from evalcore.schema import QUERIES, class_of, plain

_OF_BOTH = ("label", "y", "class")
"""Names that people give to the label and tools to their prediction."""

_OF_GOLD = (
    "outcome",
    "target",
    "truth",
    "ground_truth",
    "groundtruth",
    "actual",
    "observed",
    "obs",
    "reference",
    "expected",
    "true_label",
    "label_true",
    "true_class",
    "gold",
    "gold_label",
    "y_true",
    "y_actual",
    "y",
)
_FEWEST = 4
_ANSWERS = {"accept", "reject", "ignore"}


def is_gold_name(name: str) -> bool:
    """Whether a column of this name holds what people or records say.

    >>> is_gold_name("target"), is_gold_name("has_evidence"), is_gold_name("sex")
    (True, True, False)
    """
    return plain(name) in (*_OF_GOLD, *_OF_BOTH, *QUERIES.column("has_evidence").names)


def rivals_of(
    table: Table, label: str, score: str | None, rest: Sequence[str]
) -> tuple[tuple[str, ...], str] | None:
    """Other columns that could be the label, and why the one taken may be a prediction; None without both.

    Columns that bear a name for the truth come first.

    Parameters
    ----------
    table : the table, of which the first rows are looked at.
    label : the column recognised as the label.
    score : the column of the score, or None.
    rest : columns without a role.
    """
    if plain(label) not in _OF_BOTH:
        return None
    answered = [name for name in rest if _is_verdict(table, name)]
    if answered:
        return tuple(answered), f"{answered[0]} says whether it was accepted"
    alike = [name for name in rest if _has_same_classes(table, name, label)]
    named = [name for name in rest if plain(name) in _OF_GOLD and _may_be_gold(table, name, label)]
    alike = list(dict.fromkeys([*named, *alike]))
    if named:
        return tuple(alike), f"{named[0]} is a name for the truth"
    why = sign_of_prediction(table, label, score)
    return (tuple(alike), why) if alike and why else None


def prediction_among(
    table: Table, label: str, score: str | None, rest: Sequence[str], *, is_named_by_user: bool
) -> str | None:
    """The column that is the prediction beside the label; None where none shows it.

    Where the user named the label, a column that says what the score says is it; where its name did, only
    scores that look like those of the predicted class show it.
    """
    for name in rest:
        if plain(name) not in _OF_BOTH or not _may_be_gold(table, name, label):
            continue
        if is_named_by_user:
            return name if sign_of_prediction(table, name, score) else None
        return name if plain(label) not in _OF_BOTH and _are_of_one_side(table, score) else None
    return None


def sign_of_prediction(table: Table, column: str, score: str | None) -> str:
    """What the score says of a column: that it was made from it; empty where it does not."""
    values = numeric_sample(table, score) if score is not None else None
    cells = table.sample.get(column, ())
    if not values or len(values) != len(cells) or not all(0 <= value <= 1 for value in values):
        return ""
    if are_of_one_side(np.asarray(values)):
        return f"no {score} lies below 0.5"
    says = [class_of(cell, "1") for cell in cells]
    is_decision = len(values) >= _FEWEST and all(
        said is (value >= MIDDLE) for said, value in zip(says, values, strict=True)
    )
    return f"it says 1 exactly where {score} is 0.5 or more" if is_decision else ""


def _are_of_one_side(table: Table, score: str | None) -> bool:
    values = numeric_sample(table, score) if score is not None else None
    return bool(values) and are_of_one_side(np.asarray(values))


def _cells(table: Table, name: str) -> set[str]:
    return {cell.strip().lower() for cell in table.sample.get(name, ())} - {""}


def _has_same_classes(table: Table, name: str, label: str) -> bool:
    """Whether two columns hold the same two values, or one is 0 and 1 in any spelling beside two classes."""
    cells = [_cells(table, one) for one in (name, label)]
    if any(len(found) != 2 for found in cells):
        return False
    return cells[0] == cells[1] or {class_of(cell, "1") for cell in cells[0]} == {True, False}


def _is_verdict(table: Table, name: str) -> bool:
    """Whether a column says of a suggested label whether it holds, as the answers of Prodigy do."""
    cells = _cells(table, name)
    return plain(name) == "answer" and bool(cells & {"accept", "reject"}) and cells <= _ANSWERS


def _may_be_gold(table: Table, name: str, label: str) -> bool:
    """Whether two columns could be a truth and a prediction of two classes, in whatever words."""
    return len(_cells(table, name)) == 2 == len(_cells(table, label))
