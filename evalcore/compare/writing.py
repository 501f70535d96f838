"""A comparison as CSV and as text for a terminal."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from typing import Any

from evalcore.compare.table import Comparison
from evalcore.files import spreadsheet_text

NAMES = {"first": "first_value", "second": "second_value"}


def as_csv(comparison: Comparison) -> str:
    """The table as CSV, the names of the models in front; numbers read back as the same, NaN is empty.

    Text that a spreadsheet would run as a formula is kept from it.
    """
    table = comparison.table
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["first", "second", *(NAMES.get(name, name) for name in table.columns)])
    columns: list[Iterable[Any]] = [table[name].tolist() for name in table.columns]
    models = [spreadsheet_text(name) for name in (comparison.first, comparison.second)]
    lines.writerows([*models, *(_cell(value) for value in row)] for row in zip(*columns, strict=True))
    return out.getvalue()


def as_text(comparison: Comparison) -> str:
    """The table for a terminal, without the columns that say nothing."""
    table = comparison.table
    silent = [name for name in table if bool((table[name].isna() | (table[name] == "")).all())]
    shown = table.drop(columns=[*silent, *{"population", "p_method"} - set(silent)])
    text: str = shown.to_string(index=False, na_rep="n/a", float_format="{:.4f}".format)
    return text


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return spreadsheet_text(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)
