"""Means of other tools' scores as rows beside ours, so that no file or screen of a report lacks them."""

from __future__ import annotations

from evalcore.evaluation import Report
from evalcore.evaluation.row import Row

SCORES = "tool_scores"
"""The family that means of other tools' scores have in ``metrics.csv``; no metric of ours is one of it."""


def score_rows(report: Report) -> list[Row]:
    """The means of other tools' scores as rows of ``metrics.csv``: the tool stands as the model.

    ``n`` is how many records were scored; the note says of how many, and within which bounds the mean lies
    where some were not.
    """
    if report.rag is None:
        return []
    return [
        Row(
            family=SCORES,
            metric=row["score"],
            params="",
            variant="default",
            population="scored_records",
            model=row["tool"],
            group_by=row["group_by"],
            group=row["group"],
            value=row["mean"],
            n=row["n_scored"],
            note=row["note"]
            if row["n_scored"] < row["n_total"]
            else f"{row['n_total']:,} of {row['n_total']:,} scored",
        )
        for row in report.rag.scores.to_dict("records")
    ]
