"""What stands beside the values of annotations: scores of other tools, and what each value rests on."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from evalcore.evaluation import Report
from evalcore.report.numbers import bound, number


class ScoreLine(NamedTuple):
    """The mean of one score of another tool, in words; never in an order of systems."""

    name: str
    tool: str
    group: str
    mean: str
    scored: str
    between: str
    note: str
    meaning: str


def score_lines(report: Report) -> list[ScoreLine]:
    """A line a score and group, in the order of the files; none where no file holds scores."""
    if report.rag is None:
        return []
    return [
        ScoreLine(
            name=row["score"],
            tool=row["tool"],
            group=f"{row['group_by'].replace(';', ', ')}: {row['group'].replace(';', ', ')}"
            if row["group_by"]
            else "",
            mean=number(row["mean"]),
            scored=f"{row['n_scored']:,} of {row['n_total']:,}",
            between=_between(row["low"], row["high"]) if row["n_scored"] < row["n_total"] else "",
            note=row["note"],
            meaning=row["meaning"],
        )
        for row in report.rag.scores.to_dict("records")
    ]


class AgreementLine(NamedTuple):
    """How far annotators agree on one label, in words."""

    label: str
    alpha: str
    between: str
    agreeing: str
    judged_twice: str
    note: str


def agreement_lines(report: Report) -> list[AgreementLine]:
    """A line a label; none where nobody annotated."""
    if report.rag is None:
        return []
    return [
        AgreementLine(
            label=row["label"],
            alpha=number(row["value"]),
            between="" if math.isnan(row["low"]) else _between(row["low"], row["high"]),
            agreeing=number(row["observed_agreement"]),
            judged_twice=f"{row['n_pairable']:,} of {row['n_units']:,}",
            note=row["reason"],
        )
        for row in report.rag.agreement.to_dict("records")
    ]


def beside_json(report: Report) -> dict[str, list[dict[str, Any]]]:
    """The tables beside the values as objects; an undefined number is None."""
    if report.rag is None:
        return {}
    tables = {
        "coverage": report.rag.coverage,
        "tool_scores": report.rag.scores,
        "agreement": report.rag.agreement,
    }
    return {
        name: [{key: _strict(value) for key, value in row.items()} for row in table.to_dict("records")]
        for name, table in tables.items()
    }


def _between(low: float, high: float) -> str:
    if math.isnan(low):
        return "no bounds"
    return f"{bound(low, is_low=True)} to {bound(high, is_low=False)}"


def _strict(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
