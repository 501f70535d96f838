"""``metrics.csv``: one line a value, with exactly the columns of the table."""

from __future__ import annotations

from evalcore.evaluation import COLUMNS, Report
from evalcore.files import shortest, table_csv
from evalcore.report.tool_scores import score_rows


def metrics_csv(report: Report) -> str:
    """Every value of a report as CSV, means of other tools' scores behind ours.

    Undefined values are empty cells, with the reason in ``note``.
    """
    import pandas as pd

    others = pd.DataFrame(score_rows(report), columns=list(COLUMNS))
    ours, theirs = (table_csv(one, number=shortest) for one in (report.table[list(COLUMNS)], others))
    return ours + theirs.partition("\n")[2]
