"""``metrics.csv``: one line a value, with exactly the columns of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluation import COLUMNS, Report
from evalcore.files import spreadsheets
from evalcore.report.tool_scores import score_rows

if TYPE_CHECKING:
    import pandas as pd


def metrics_csv(report: Report) -> str:
    """Every value of a report as CSV, means of other tools' scores behind ours.

    Undefined values are empty cells, with the reason in ``note``.
    """
    import pandas as pd

    others = pd.DataFrame(score_rows(report), columns=list(COLUMNS))
    return table_csv(report.table[list(COLUMNS)]) + table_csv(others).partition("\n")[2]


def table_csv(table: pd.DataFrame) -> str:
    """A table of texts and numbers as CSV; NaN is an empty cell."""
    return spreadsheets.table_csv(table, number=shortest)


def shortest(value: float) -> str:
    """The shortest text that reads back as the same float64.

    Examples
    --------
    >>> shortest(0.1), shortest(3.0)
    ('0.1', '3')
    """
    return repr(value).removesuffix(".0")
