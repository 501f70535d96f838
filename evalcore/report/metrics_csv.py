"""``metrics.csv``: one line a value, with exactly the columns of the table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from evalcore.evaluation import COLUMNS, Report
from evalcore.files import spreadsheet_text
from evalcore.report.tool_scores import score_rows

if TYPE_CHECKING:
    import pandas as pd


def metrics_csv(report: Report) -> str:
    """Every value of a report as CSV, means of other tools' scores behind ours.

    Undefined values are empty cells, with the reason in ``note``.
    """
    return table_csv(report.table[list(COLUMNS)]) + csv_lines(score_rows(report))


def table_csv(table: pd.DataFrame) -> str:
    """A table of texts and numbers as CSV; NaN is an empty cell."""
    columns = [table[name].tolist() for name in table.columns]
    return csv_lines([tuple(table.columns)]) + csv_lines(zip(*columns, strict=True))


def csv_lines(rows: Iterable[Iterable[str | float]]) -> str:
    """Rows of texts and numbers as lines of CSV."""
    out = io.StringIO()
    known: dict[str, str] = {}  # the same few names stand in thousands of rows

    def text(value: str | float) -> str:
        if not isinstance(value, str):
            return cell(value)
        if value not in known:
            known[value] = cell(value)
        return known[value]

    csv.writer(out, lineterminator="\n").writerows([text(value) for value in row] for row in rows)
    return out.getvalue()


def cell(value: str | float) -> str:
    """One cell: text safe to open in a spreadsheet, or the shortest text that reads back as the same float64.

    Examples
    --------
    >>> cell(0.1), cell(3.0), cell(float("nan")), cell("@SUM(1)")
    ('0.1', '3', '', "'@SUM(1)")
    """
    if isinstance(value, str):
        return spreadsheet_text(value)
    return "" if math.isnan(value) else repr(float(value)).removesuffix(".0")
