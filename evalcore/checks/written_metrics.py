"""Columns of metrics that a pipeline wrote beside its predictions, row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.identities import RULES, Key, Relation, is_rate, metric_of, relations
from evalcore.checks.results import CheckResult, file_of, numeric_columns, result
from evalcore.data import Data, Queries
from evalcore.problems import SHOWN, Problem, problem

Column = tuple[str, NDArray[np.float64]]


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of metric columns such as ``recall@10``, where the data have any."""
    queries = data.queries
    if queries is None:
        return
    columns: dict[Key, Column] = {}
    for name, values in numeric_columns(queries):
        metric = metric_of(name)
        if metric is not None and metric[1] is not None:
            columns[metric] = name, values
    if not columns:
        return
    file = file_of(data, "queries")
    what = "Every value of a metric column lies from 0 to 1."
    yield result("Metric columns: ranges", what, len(queries), _outside(queries, columns, file))
    related = list(relations(columns))
    for rule, what in RULES.items():
        of_rule = [one for one in related if one.rule == rule]
        if of_rule:
            name = f"Metric columns: {rule[0].lower()}{rule[1:]}"
            yield result(name, what, len(queries), _broken(queries, columns, of_rule, file))


def _broken(
    queries: Queries, columns: dict[Key, Column], related: list[Relation], file: str | None
) -> Iterator[Problem]:
    for one in related:
        column, (name, other) = columns[one.metric], columns[one.other]
        rows = np.flatnonzero(one.is_broken(column[1], other))
        expected = (
            f"the {name} of its row" if one.demand == "equal" else f"{one.demand} the {name} of its row"
        )
        yield from _at_rows(queries, column, rows, expected, file)


def _outside(queries: Queries, columns: dict[Key, Column], file: str | None) -> Iterator[Problem]:
    for column in columns.values():
        rows = np.flatnonzero(~is_rate(column[1]))
        yield from _at_rows(queries, column, rows, "a value from 0 to 1", file)


def _at_rows(
    queries: Queries, column: Column, rows: NDArray[np.intp], expected: str, file: str | None
) -> Iterator[Problem]:
    """A count of the rows that break a rule, then the first of them."""
    name, values = column
    if len(rows):
        yield problem("QRY-045", file=file, column=name, n=len(rows), expected=expected)
    for i in rows[:SHOWN].tolist():
        found = f"{values[i]:.6g}"
        yield problem(
            "QRY-046", file=file, row=int(queries.row[i]), column=name, found=found, expected=expected
        )
