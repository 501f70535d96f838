"""What stands beside the values of annotations: scores of other tools, and what each value rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.evaluation import Report
from evalcore.files import shortest, table_csv
from evalcore.text.legible import spaced
from evalcore.text.numerals import bound, number, percent_at_least, percent_at_most, percent_of_share

if TYPE_CHECKING:
    from evalcore.report.metrics_json import MetricsFile

TABLES = {
    "coverage": "coverage",
    "tool_scores": "scores",
    "agreement": "agreement",
    "predicted_labels": "predicted",
}
"""Name of a table in ``metrics.json`` → the field of `RagResults` that it is."""


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


def agreement_lines(report: Report | MetricsFile) -> list[AgreementLine]:
    """A line a label; none where nobody annotated."""
    if report.rag is None:
        return []
    return [
        AgreementLine(
            label=spaced(row["label"]),
            alpha=number(row["value"]),
            between="" if math.isnan(row["low"]) else _between(row["low"], row["high"]),
            agreeing=percent_of_share(row["observed_agreement"]),
            judged_twice=f"{row['n_pairable']:,} of {row['n_units']:,}",
            note=row["reason"],
        )
        for row in report.rag.agreement.to_dict("records")
    ]


QUANTITIES = {
    "share_human": "share by people",
    "share_predicted": "share predicted",
    "share_mean_predicted": "mean probability",
    "share_rogan_gladen": "share corrected (Rogan–Gladen)",
    "share_prediction_powered": "share, prediction-powered",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
    "accuracy": "accuracy",
    "f1": "F1",
    "auroc": "AUROC",
}
"""Quantity of a predicted label → in words."""
NO_SHARES = ("share_mean_predicted", "f1", "auroc")
"""Those of them that are no share of units."""


class PredictedLine(NamedTuple):
    """One quantity of a label that a classifier predicts, in words."""

    classifier: str
    label: str
    quantity: str
    value: str
    between: str
    n: str
    note: str


def predicted_text(row: Mapping[str, Any]) -> str:
    """The value of a quantity of a predicted label, as a person reads it."""
    return number(row["value"]) if row["quantity"] in NO_SHARES else percent_of_share(row["value"])


def predicted_between(row: Mapping[str, Any]) -> str:
    """Its interval; empty without one."""
    low, high = row["ci_low"], row["ci_high"]
    if math.isnan(low) or math.isnan(high):
        return ""
    if row["quantity"] in NO_SHARES:
        return _between(low, high)
    return f"{percent_at_least(low)} to {percent_at_most(high)}"


def predicted_lines(report: Report | MetricsFile) -> list[PredictedLine]:
    """A line a quantity; none where nothing was predicted."""
    if report.rag is None:
        return []
    return [
        PredictedLine(
            classifier=f"{row['classifier']} ({row['kind']})",
            label=spaced(row["label"]),
            quantity=QUANTITIES.get(row["quantity"], row["quantity"]),
            value=predicted_text(row),
            between=predicted_between(row),
            n=f"{row['n']:,}",
            note=row["note"],
        )
        for row in report.rag.predicted.to_dict("records")
    ]


def predicted_csv(report: Report) -> str:
    """The rows of predicted labels as CSV; empty where nothing was predicted."""
    if report.rag is None or report.rag.predicted.empty:
        return ""
    return table_csv(report.rag.predicted, number=shortest)


def beside_json(report: Report) -> dict[str, list[dict[str, Any]]]:
    """The tables beside the values as objects; an undefined number is None."""
    if report.rag is None:
        return {}
    tables = {name: getattr(report.rag, field).to_dict("records") for name, field in TABLES.items()}
    return {
        name: [{key: _strict(value) for key, value in row.items()} for row in rows]
        for name, rows in tables.items()
    }


def _between(low: float, high: float) -> str:
    if math.isnan(low):
        return "no bounds"
    return f"{bound(low, is_low=True)} to {bound(high, is_low=False)}"


def _strict(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
