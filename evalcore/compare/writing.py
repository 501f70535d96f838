"""A comparison as CSV and as text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalcore.compare.matrix import Matrix
from evalcore.compare.table import Comparison
from evalcore.compare.wording import ALPHA, label_among, metric_of, places_of, row_of_pair
from evalcore.files import table_csv
from evalcore.text.numerals import NO_VALUE, change_text, percent, value_text

if TYPE_CHECKING:
    import pandas as pd

NAMES = {"first": "first_value", "second": "second_value"}


def as_csv(comparison: Comparison) -> str:
    """The table as CSV, the names of the models in front; numbers read back as the same, NaN is empty.

    Text that a spreadsheet would run as a formula is kept from it.
    """
    table = comparison.table.rename(columns=NAMES)
    table.insert(0, "second", comparison.second)
    table.insert(0, "first", comparison.first)
    return table_csv(table)


def matrix_csv(found: Matrix) -> str:
    """The pairs as CSV, one a row, with the columns of `as_csv`."""
    return table_csv(found.table)


def as_text(comparison: Comparison) -> str:
    """The table for a terminal, without the columns that say nothing."""
    return table_text(comparison.table, without=("population", "p_method"))


def table_text(table: pd.DataFrame, *, without: Sequence[str] = ()) -> str:
    """Values and differences of metrics for a terminal, each written as its metric declares it.

    Parameters
    ----------
    table : a row a metric; both values in ``first_value`` and ``second_value``, or ``first`` and ``second``.
    without : columns that are left out, as are those that say nothing.
    """
    silent = [name for name in table if bool((table[name].isna() | (table[name] == "")).all())]
    shown = table.drop(columns=[*silent, *set(without) - set(silent)])
    rows = table.to_dict("records")
    values = {"first": "first", "second": "second"}
    if "first_value" in table:  # the columns first and second are taken by the names of the models
        values = NAMES
        rows = [{**row, **{of: row[name] for of, name in NAMES.items()}} for row in rows]
    for of, name in values.items():
        if name in shown:
            shown[name] = [value_text(metric_of(row), row[of]) for row in rows]
    for name in {"difference", "ci_low", "ci_high"} & {*shown}:
        shown[name] = [change_text(metric_of(row), row[name], places_of(row)) for row in rows]
    if "ci_level" in shown:
        shown["ci_level"] = [NO_VALUE if math.isnan(one) else percent(one) for one in table["ci_level"]]
    text: str = shown.to_string(index=False, na_rep=NO_VALUE, float_format="{:.4f}".format)
    return text


def matrix_text(found: Matrix) -> str:
    """The values of each metric and the differences of all pairs, for a terminal; groups are in the file."""
    return "\n\n".join(
        _square_text(found, metric, params) for metric in found.metrics for params in found.params_of(metric)
    )


def _square_text(found: Matrix, metric: str, params: str) -> str:
    rows = found.of(metric, params=params)
    if rows.empty:
        return ""
    row = row_of_pair(rows.to_dict("records")[0])
    values = found.values(metric, params=params)
    sign = 1 if metric_of(row).better == "lower" else -1
    names = sorted(values, key=lambda name: (math.isnan(values[name]), sign * values[name]))
    differences, p = (found.square(one, metric, params=params) for one in ("difference", "p_holm"))
    places, of = places_of(row), metric_of(row)
    text = differences.map(lambda value: "" if math.isnan(value) else change_text(of, value, places))
    text = (text + p.map(lambda one: "*" if one <= ALPHA else "")).loc[names, names]
    text.insert(0, "value", [value_text(metric_of(row), values[name]) for name in names])
    n_pairs = int(rows["p_holm"].notna().sum())
    marked = f"* p ≤ {ALPHA} after Holm over {n_pairs} pairs"
    return f"{label_among(found, row)}; differences are row − column, {marked}\n{text.to_string()}"
