"""Means of other tools' scores, under their own names, with how many records were scored."""

import math

import streamlit as st

from evalcore.evaluation import Report
from evalcore.report import MetricsFile
from evalcore.text.numerals import between, number
from pages.shared import widgets


def show_tool_scores(found: Report | MetricsFile) -> None:
    """Scores of other tools, under their own names."""
    assert found.rag is not None
    scores = found.rag.scores
    if scores.empty:
        return
    st.header("Scores of other tools")
    lines = []
    for one in scores.itertuples():
        bounds = "" if math.isnan(one.low) or one.low == one.high else between(one.low, one.high)
        scored = f"{one.n_scored:,} of {one.n_total:,}"
        lines.append((f"{one.tool}: {one.score}", one.group, number(one.mean), scored, bounds))
    widgets.table(
        ("score", "group", "mean", "scored", "if the missing were least or greatest"),
        lines,
        name="Scores of other tools",
    )
    widgets.facts(dict(zip(scores["score"], scores["meaning"], strict=True)).items())
    widgets.plain(
        "A mean over fewer rows says nothing of the others: where the ranges overlap, none is ahead.",
        is_quiet=True,
    )
