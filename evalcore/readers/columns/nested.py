"""Roles of values inside of cells: which of them is the score is asked for, never guessed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from evalcore.problems import Findings
from evalcore.readers.columns.advice import fitting_scores
from evalcore.readers.columns.inner import Inner
from evalcore.readers.columns.score_columns import several_in_words
from evalcore.readers.formats.table import Table
from evalcore.schema import QUERIES, plain

Roles = Mapping[str, tuple[str, ...]]

_SHOWN = 6
_OF_GOLD = ("outcome", "target", "truth", "ground_truth", "actual", "expected", "true_label")
_OF_PREDICTION = ("label", "class", "predicted_label", "predicted_class", "prediction", "predicted", "pred")

_NO_TRUTH = (
    " (no column here has a name for the truth: add it, or give it as a file of its own beside this one)"
)


def without_predictions(
    table: Table, found: dict[str, tuple[str, ...]], here: Roles
) -> dict[str, tuple[str, ...]]:
    """The roles without a predicted label that was recognised by its name and holds scores of classes."""
    names = found.get("predicted_label", ())
    is_nested = any(name in table.nested or name in table.held for name in names)
    return {
        role: columns
        for role, columns in found.items()
        if role != "predicted_label" or not is_nested or role in here
    }


def ask_for_score(
    table: Table, named: Sequence[str], rest: Sequence[str], role: str, findings: Findings
) -> tuple[str, ...]:
    """Ask which value inside of a cell is the score of the positive class; the values there are.

    Parameters
    ----------
    named : the columns that have the role.
    rest : columns without a role, of which one may hold scores where no column has it.
    """
    if not table.inner or (named and not any(name in table.nested for name in named)):
        return ()
    within = [name for name in named if name in table.nested]
    columns = within or [name for name in rest if name in table.nested]
    inside = [name for name, one in table.inner.items() if one.column in columns and one.is_number]
    if not within:
        inside = [name for name in inside if _is_share(table.inner[name])]
    if not inside:
        return ()
    told = _listed(_with_example(name, table.inner[name]) for name in inside)
    column = columns[0] if len(columns) == 1 else None
    options = _listed((_option(role, name) for name in inside), " or ")
    findings.add("COL-100", file=table.name, column=column, found=told, options=options)
    return tuple(inside)


def ask_for_all(table: Table, findings: Findings) -> dict[str, tuple[str, ...]]:
    """Name what is inside of the columns of a table that fits none; role → values that it could be."""
    numbers = [name for name, one in table.inner.items() if one.is_number]
    shares = [name for name in numbers if _is_share(table.inner[name])]
    names = {*QUERIES.column("has_evidence").names, *_OF_GOLD}
    labels = [name for name in table.names if plain(name) in names and name not in table.nested]
    labels += [
        name
        for name, one in table.inner.items()
        if plain(str(one.path[-1].to)) in names and not _is_predicted(table, one)
    ]
    if not labels and not shares:
        return {}
    inside = _listed(_with_example(name, one) for name, one in table.inner.items())
    within = f", with values inside of their cells, here of the first row: {inside}"
    told = within if inside else f": {_listed(table.names)}"
    if not shares:
        shares = list(fitting_scores(table, [name for name in table.names if name not in labels]))
    scores = _listed((_option("probability", name) for name in shares or ["NAME"]), " or ")
    several = f" ({several_in_words(table, shares)})" if shares[1:] and not inside else ""
    label = (labels or ["NAME"])[0]
    options = f"{_option('has_evidence', label)} with {scores}{several}{'' if labels else _NO_TRUTH}"
    findings.add("COL-101", file=table.name, found=told, options=options)
    return {
        role: tuple(found) for role, found in (("has_evidence", labels), ("probability", shares)) if found
    }


def with_class_beside(table: Table, roles: Roles, here: Roles) -> dict[str, tuple[str, ...]]:
    """The roles with the class that stands beside a score in its object as the predicted label.

    So a score that may be that of the predicted class is asked about.
    """
    found = dict(roles)
    inside = [table.inner[name] for name in found.get("probability", ()) if name in table.inner]
    if len(inside) != 1 or "predicted_label" in found or "predicted_label" in here:
        return found
    taken = {name for names in found.values() for name in names}
    beside = [
        name
        for name, one in table.inner.items()
        if one.is_beside(inside[0]) and plain(str(one.path[-1].to)) in _OF_PREDICTION and name not in taken
    ]
    return found | {"predicted_label": (beside[0],)} if beside else found


def _is_predicted(table: Table, one: Inner) -> bool:
    """Whether a value is the class that its object gives a score: a prediction, whatever it is called."""
    is_named = plain(str(one.path[-1].to)) in _OF_PREDICTION
    return is_named and any(
        other.is_beside(one) and other.is_number and _is_share(other) for other in table.inner.values()
    )


def refusal(table: Table, name: str, role: str) -> str:
    """What to do about a column of objects or lists that a role was given to."""
    inside = [one for one, inner in table.inner.items() if inner.column == name]
    if not inside:
        return "Write what is inside as columns of their own, and give the one that is meant."
    return f"Give the value that is meant: {_listed((_option(role, one) for one in inside), ' or ')}."


def _is_share(one: Inner) -> bool:
    """Whether values are numbers from 0 to 1, some of them in between."""
    values = [float(cell) for cell in one.sample if cell] if one.is_number else []
    return all(0 <= value <= 1 for value in values) and any(value not in (0, 1) for value in values)


def _with_example(name: str, one: Inner) -> str:
    """A name with the first value, where that is a number: of text nothing is told."""
    example = next(filter(None, one.sample), "") if one.is_number else ""
    return f"{name} ({example[:20]})" if example else name


def _option(role: str, name: str) -> str:
    """The option that gives a role, as a shell takes it."""
    return f"--column {shlex.quote(f'{role}={name}')}"


def _listed(words: Iterable[str], between: str = ", ") -> str:
    several = list(words)
    return between.join(several[:_SHOWN]) + (f"{between}…" if len(several) > _SHOWN else "")
