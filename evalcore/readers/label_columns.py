"""Whether the column taken for the label is a prediction: some tools call their own decision “Label”."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.readers.score_columns import numeric_sample
from evalcore.readers.table import Table
from evalcore.schema import class_of, plain

MIDDLE = 0.5
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
    "reference",
    "true_label",
    "label_true",
    "gold_label",
    "y_actual",
)
_FEWEST = 4


def rival_of(table: Table, label: str, score: str | None, rest: Sequence[str]) -> tuple[str, str] | None:
    """Another column that could be the label, and why the one taken may be a prediction; None without both.

    Parameters
    ----------
    table : the table, of which the first rows are looked at.
    label : the column recognised as the label.
    score : the column of the score, or None.
    rest : columns without a role.
    """
    if plain(label) not in _OF_BOTH:
        return None
    alike = [name for name in rest if _has_same_classes(table, name, label)]
    named = [name for name in alike if plain(name) in _OF_GOLD]
    if named:
        return named[0], f"{named[0]} is a name for the truth"
    why = sign_of_prediction(table, label, score)
    return (alike[0], why) if alike and why else None


def prediction_among(table: Table, label: str, score: str | None, rest: Sequence[str]) -> str | None:
    """The column that is the prediction beside a label that the user named; None where none shows it."""
    for name in rest:
        if plain(name) in _OF_BOTH and _has_same_classes(table, name, label):
            return name if sign_of_prediction(table, name, score) else None
    return None


def sign_of_prediction(table: Table, column: str, score: str | None) -> str:
    """What the score says of a column: that it was made from it; empty where it does not."""
    values = numeric_sample(table, score) if score is not None else None
    cells = table.sample.get(column, ())
    if not values or len(values) != len(cells) or not all(0 <= value <= 1 for value in values):
        return ""
    if all(value >= MIDDLE for value in values):
        return f"no {score} lies below 0.5"
    says = [class_of(cell, "1") for cell in cells]
    is_decision = len(values) >= _FEWEST and all(
        said is (value >= MIDDLE) for said, value in zip(says, values, strict=True)
    )
    return f"it says 1 exactly where {score} is 0.5 or more" if is_decision else ""


def _has_same_classes(table: Table, name: str, label: str) -> bool:
    """Whether two columns hold the same two values, or classes 0 and 1 in any spelling."""
    cells = [{cell.strip().lower() for cell in table.sample.get(one, ())} - {""} for one in (name, label)]
    if any(len(found) != 2 for found in cells):
        return False
    classes = [{class_of(cell, "1") for cell in found} for found in cells]
    return cells[0] == cells[1] or classes[0] == classes[1] == {True, False}
