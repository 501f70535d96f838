"""What a command tells of a comparison: of two models or lists, or of two systems by their annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from evalcore.catalog import of_family
from evalcore.compare.matrix import matrix
from evalcore.compare.models import compare
from evalcore.compare.options import CompareOptions
from evalcore.compare.rag.annotations import compare_annotations
from evalcore.compare.rag.systems import by_system, n_without_system, shared_keys
from evalcore.compare.recommendations import compare_recommendations
from evalcore.compare.table import Comparison
from evalcore.compare.wording import (
    answer,
    answer_of_groups,
    answer_of_pairs,
    answer_of_rows,
    dropped_in_words,
    fell_out,
    label_of,
    with_rule,
)
from evalcore.compare.writing import as_csv, as_text, matrix_csv, matrix_text, table_text
from evalcore.data import Data
from evalcore.files import table_csv
from evalcore.problems import InputError, problem

Names = tuple[str | None, str | None]
OF_ANNOTATIONS = ("metrics", "k", "bootstrap", "permutations", "seed")
"""The options that say anything of annotations."""


class Told(NamedTuple):
    """A comparison in words and as a table.

    Parameters
    ----------
    notes : what was compared and what fell out, a line each.
    answers : what the table says, a line each.
    text : the table for a terminal.
    csv : the table as a file.
    """

    notes: tuple[str, ...]
    answers: tuple[str, ...]
    text: str
    csv: str


def models_compared(
    data: Data,
    other: Data | None,
    names: Names,
    *,
    inputs: Sequence[str],  # noqa: ARG001 - models have names of their own
    key: str,  # noqa: ARG001 - ids join them
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Told:
    """Two models or two lists; parameters as of `compare`."""
    return of_comparison(compare(data, *names, other=other, progress=progress, **options))


def recommenders_compared(
    data: Data,
    other: Data | None,
    names: Names,
    *,
    inputs: Sequence[str],  # noqa: ARG001 - models have names of their own
    key: str,  # noqa: ARG001 - ids join them
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Told:
    """Two recommenders; parameters as of `compare_recommendations`."""
    return of_comparison(compare_recommendations(data, *names, other=other, progress=progress, **options))


def all_compared(
    data: Data,
    other: Data | None,
    names: Sequence[str] | None,
    *,
    inputs: Sequence[str],  # noqa: ARG001 - models have names of their own
    key: str,  # noqa: ARG001 - ids join them
    metrics: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Told:
    """Every two of several models, by one metric or each of several; parameters as of `matrix`.

    Raises
    ------
    InputError : OPT-008 for two inputs, and for annotations.
    """
    if other is not None or data.annotations is not None:
        found = "systems by their annotations" if other is None else "two inputs"
        advice = "Leave out --matrix, or put the models into one input."
        raise InputError([problem("OPT-008", found=found, expected="several models in one", advice=advice)])
    made = matrix(data, metrics or None, names, progress=progress, **options)
    words = {
        pair: " ".join(dropped_in_words(one, *pair) for one in shared) for pair, shared in made.shared.items()
    }
    alike = len(set(words.values())) == 1
    notes = [f"{first}, {second}: {said}" for (first, second), said in words.items()]
    answers = [
        answer_of_pairs(made, metric, params) for metric in made.metrics for params in made.params_of(metric)
    ]
    told = [next(iter(words.values()))] if alike else notes
    return Told((*told, *made.notes), tuple(answers), matrix_text(made), matrix_csv(made))


def of_comparison(found: Comparison) -> Told:
    """What is told of a comparison by `compare`."""
    notes = [f"second − first: {found.second} − {found.first}"]
    notes += [dropped_in_words(shared, found.first, found.second) for shared in found.shared]
    answers = [answer(found)]
    for column in found.options.by:
        of_column = found.table[found.table["group_by"] == column]
        for row in of_column[["metric", "params"]].drop_duplicates().to_dict("records"):
            said = answer_of_groups(found, row["metric"], column, params=row["params"])
            named = with_rule(label_of({**row, "params": ""}), row)
            answers.append(f"{named} by {column}: {said}")
    return Told((*notes, *found.notes), tuple(answers), as_text(found), as_csv(found))


def systems_compared(
    data: Data,
    other: Data | None,
    names: Names,
    *,
    inputs: Sequence[str],
    key: str,
    k: int,
    metrics: Sequence[str] = (),
    bootstrap: int,
    permutations: int,
    seed: int,
    progress: Callable[[str], None] | None = None,  # noqa: ARG001 - annotations are few
    **others: Any,
) -> Told:
    """Two systems by their annotations: levels of the column system, or two inputs.

    Parameters
    ----------
    names : of two levels; None where there are only two, or two inputs.
    inputs : what two inputs are called.
    key, k : as of `compare_annotations`.
    metrics : keys or names of what is told; none for all.
    bootstrap, permutations, seed : as of `CompareOptions`.
    others : its other fields, which must be as where nobody names them.

    Raises
    ------
    InputError : OPT-008 for what says nothing of annotations, and for systems that are not there.
    """
    problems = [
        problem("OPT-008", found=f"{one.name} of annotations", expected="none", advice="Leave it out.")
        for one in fields(CompareOptions)
        if one.name not in OF_ANNOTATIONS and others.get(one.name, one.default) != one.default
    ]
    if problems:
        raise InputError(problems)
    first, second, one, two = _systems(data, other, names, inputs)
    how = CompareOptions(bootstrap=bootstrap, permutations=permutations, seed=seed)
    table = compare_annotations(one, two, key=key, k=k, how=how)
    known = {one.key: one.name for one in of_family("rag") if one.name in set(table["metric"])}
    asked = [known.get(name, name) for name in metrics]
    unknown = [
        problem("OPT-003", name="--metrics", found=name, expected=f"one of {', '.join(known)}")
        for name in asked
        if name not in known.values()
    ]
    if unknown:
        raise InputError(unknown)
    if metrics:
        table = table[table["metric"].isin(asked)]
    if len(table) and not table["n"].any():
        keys = [f"--key {name} ({n:,} shared)" for name, n in shared_keys(one, two).items() if n]
        found = f"none is the same by {key}"
        advice = f"Say what names a query with {keys[0] if keys else '--key COL'}."
        raise InputError([problem("OPT-040", first=first, second=second, found=found, advice=advice)])
    rows = table.to_dict("records")
    notes = [f"second − first: {second} − {first}", *fell_out(rows, first, second)]
    n_nobody = n_without_system(data) if other is None else 0
    notes += [f"{n_nobody:,} records name no system: they are on no side."] if n_nobody else []
    text = table_text(table, without=("ci_method", "p_method"))
    return Told(tuple(notes), (answer_of_rows(rows, first, second),), text, table_csv(table))


def _systems(
    data: Data, other: Data | None, names: Names, inputs: Sequence[str]
) -> tuple[str, str, Data, Data]:
    """The names of the two systems and the annotations of each."""
    if other is not None:
        return inputs[0], inputs[1], data, other
    parts = by_system(data)
    only = tuple(parts) if len(parts) == 2 else (None, None)
    first, second = only if names[0] is None else names
    if first in parts and second in parts and first != second:
        return str(first), str(second), parts[str(first)], parts[str(second)]
    found = f"--models {first},{second}" if names[0] else f"{len(parts)} systems"
    advice = "Name two of them: --models A,B."
    expected = f"two of {', '.join(parts)}"
    if len(parts) < 2:
        found = f"{'one system' if parts else 'no column system'} in one input"
        expected = "a column system that names two, or two inputs"
        advice = "Give the second system's export too, or name the column: --column system=NAME."
    raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
