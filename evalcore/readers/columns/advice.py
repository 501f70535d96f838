"""Which columns could be the label and the score where none is known, and how one says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from shlex import quote

from evalcore.readers.columns.label_columns import is_gold_name
from evalcore.readers.columns.score_columns import could_be_probability, has_fractions, several_in_words
from evalcore.readers.formats.table import Table
from evalcore.schema import (
    QUERIES,
    binary,
    is_gold_derived,
    is_reversed_name,
    is_text_name,
    is_weight_name,
    plain,
)

_SHOWN = 3
_PREDICTIONS = QUERIES.column("predicted_label").names


def fitting_labels(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some columns that could be the label: two values, and not called a prediction.

    Names for the truth come first, then columns of 0 and 1, then those of two words.
    """
    found = [name for name in names if plain(name) not in _PREDICTIONS and len(_values(table, name)) == 2]
    return tuple(sorted(found, key=lambda name: (not is_gold_name(name), not _is_binary(table, name))))


def fitting_scores(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some columns that could be the score: fractions from 0 to 1, else of any scale."""
    found = tuple(name for name in names if could_be_probability(table, name))
    return found or tuple(name for name in names if _could_be_score(table, name))


def missing(table: Table, role: str, free: Sequence[str], suggested: Sequence[str] = ()) -> str:
    """How the column of a role that none has is named: by those that could be it, else in general.

    Parameters
    ----------
    free : columns without a role.
    suggested : columns that are known to fit.
    """
    fitting: Collection[str] = suggested
    if not suggested and role == "has_evidence":
        fitting = fitting_labels(table, [name for name in free if not could_be_probability(table, name)])
    elif not suggested and role == "probability":
        fitting = fitting_scores(table, free)
    return as_options(role, tuple(fitting)[:_SHOWN])


def as_options(role: str, names: Sequence[str]) -> str:
    """How a role is given to one of some columns, or to a column in general where there are none."""
    return " or ".join(f"--column {role}={quote(name)}" for name in names) or f"--column {role}=NAME"


def both(table: Table, labels: Sequence[str], scores: Sequence[str]) -> str:
    """How a label and a score are named together; of the labels those with a name for the truth, if any."""
    named = [name for name in labels if is_gold_name(name)]
    several = f" ({several_in_words(table, scores)})" if scores[1:] else ""
    of_label = as_options("has_evidence", (named or labels)[:_SHOWN])
    return f"{of_label} with {as_options('probability', scores[:_SHOWN])}{several}"


def _values(table: Table, name: str) -> set[str]:
    return {cell.strip() for cell in table.sample.get(name, ())} - {""}


def _is_binary(table: Table, name: str) -> bool:
    return all(binary(value) is not None for value in _values(table, name))


def _could_be_score(table: Table, name: str) -> bool:
    is_named_otherwise = is_gold_derived(name) or is_weight_name(name) or is_text_name(name)
    return not is_named_otherwise and not is_reversed_name(name) and has_fractions(table, name)
