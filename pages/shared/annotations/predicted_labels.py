"""Predicted labels beside human ones: what both together say of all units."""

from collections.abc import Collection
from typing import Any

import streamlit as st

from evalcore.annotations import Annotations, RagTask
from evalcore.report.beside import QUANTITIES, predicted_between, predicted_text
from evalcore.text.legible import spaced
from pages.shared import widgets
from pages.shared.annotations import annotated
from pages.shared.written import as_markdown

METHODS = {
    "share_human": "people",
    "share_predicted": "predicted",
    "share_mean_predicted": "mean probability",
    "share_rogan_gladen": "corrected (Rogan–Gladen)",
    "share_prediction_powered": "prediction-powered",
}
QUALITY = {name: text for name, text in QUANTITIES.items() if not name.startswith("share_")}
Rows = list[dict[str, Any]]


def show_predicted(annotations: Annotations, tasks: Collection[RagTask]) -> None:
    """Predicted labels of these tasks beside human ones; nothing where the data hold none."""
    if not any(one.task in tasks for one in annotations.predictions):
        return
    found = annotated.report(1).rag
    assert found is not None
    rows: Rows = found.predicted[found.predicted["task"].isin(tasks)].to_dict("records")
    for classifier in dict.fromkeys(row["classifier"] for row in rows):
        show_classifier([row for row in rows if row["classifier"] == classifier])
    widgets.plain(
        "The corrected and the prediction-powered share hold if the units that people judged are a "
        "random sample of all that were predicted; of a chosen round they need not hold.",
        is_quiet=True,
    )


def show_classifier(rows: Rows) -> None:
    """The shares of each label by every method, and how well people are predicted."""
    st.header(f"Predicted labels: {as_markdown(rows[0]['classifier'])}")
    shares = [share_cells(row) for row in rows if row["quantity"] in METHODS]
    header = ("label", "share by", "value", "95 % interval", "units", "remark")
    annotated.without_empty(header, shares, name="Share of yes of each label, by method")
    with st.expander("How well people are predicted"):
        labels = dict.fromkeys(row["label"] for row in rows)
        lines = [quality_cells(label, [row for row in rows if row["label"] == label]) for label in labels]
        widgets.table(
            ("label", "both labels", *QUALITY.values()), lines, name="How well each label is predicted"
        )
        widgets.plain("In brackets: how many units a rate rests on.", is_quiet=True)


def share_cells(row: dict[str, Any]) -> list[str]:
    """One line for each method."""
    return [
        spaced(row["label"]),
        METHODS[row["quantity"]],
        predicted_text(row),
        (predicted_between(row) or "n/a").replace(" ", annotated.NO_BREAK),
        f"{row['n']:,}",
        row["note"],
    ]


def quality_cells(label: str, rows: Rows) -> list[str]:
    """Rates with how many units they rest on."""
    by_name = {row["quantity"]: row for row in rows}
    n_both = by_name["f1"]["n_human"]
    cells = []
    for name in QUALITY:
        row = by_name[name]
        text = predicted_text(row)
        cells.append(text if name in ("f1", "auroc") or text == "n/a" else f"{text} ({row['n']:,})")
    return [spaced(label), f"{n_both:,}", *cells]
