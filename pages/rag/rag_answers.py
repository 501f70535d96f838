"""Grounding and generation: the rates of answers, group by group, and what annotators said."""

from collections.abc import Hashable

import pandas as pd
import streamlit as st

from evalcore.agreement import label_counts
from evalcore.annotations import Annotations, RagTask
from evalcore.evaluation.rag import metrics_of
from evalcore.figures.rag import label_counts_figure
from evalcore.figures.rag_rates import rates_figure
from pages.shared import widgets
from pages.shared.annotations import annotated
from pages.shared.annotations.predicted_labels import show_predicted
from pages.shared.annotations.tool_scores import show_tool_scores
from pages.shared.charts import kept_chart
from pages.shared.data import session

TASKS: tuple[RagTask, ...] = ("grounding", "generation")
HEADINGS = {"grounding": "Grounding", "generation": "Generation"}


def show_rates(task: RagTask, column: str | None) -> None:
    """The rates of a task with their intervals, for everything or for each group."""
    by = () if column is None else (column,)
    found = annotated.report(1, by=by)
    names = [metric.name for metric in metrics_of(task)]
    table = found.table[
        found.table["metric"].isin(names)
        & (found.table["group_by"] == (column or ""))
        & (found.table["variant"].isin([metric.default_variant for metric in metrics_of(task)]))
        & ~found.table["params"].str.contains("stat=")
    ]
    key = (session.annotated().key, task, column)
    labels = {metric.name: metric.label for metric in metrics_of(task)}
    if table["value"].notna().any():
        draw_rates(task, table, labels, key)
    assert found.rag is not None
    covers = found.rag.coverage
    covers = covers[covers["metric"].isin(names) & (covers["group_by"] == (column or ""))]
    undefined = covers[covers["value"].isna()]
    widgets.facts(
        (" · ".join(filter(None, (labels[row.metric], row.group))), f"n/a: {row.left_out}")
        for row in undefined.itertuples()
    )


def draw_rates(task: RagTask, table: pd.DataFrame, labels: dict[str, str], key: tuple[Hashable, ...]) -> None:
    """The figure of a task's rates."""
    kept_chart(
        f"rag_rates_{task}",
        key,
        lambda dark: rates_figure(table, labels, dark=dark),
        height=150 + 34 * max(len(labels), len(table)),
    )


def show_counts(annotations: Annotations, task: RagTask) -> None:
    """What annotators said of each label."""
    counts = label_counts(annotations.responses[task])
    key = (session.annotated().key, task)
    kept_chart(
        f"rag_counts_{task}",
        key,
        lambda dark: label_counts_figure(counts, dark=dark),
        height=130 + 40 * len(counts),
    )


def show(annotations: Annotations) -> None:
    """Rates beside what they rest on, task by task."""
    present = [task for task in TASKS if task in annotations.responses]
    if present:
        column = annotated.choose_column()
    for task in present:
        st.header(HEADINGS[task])
        left, right = st.columns(2, gap="large")
        with left:
            widgets.small_heading("Share of answers, 95 % interval (Wilson)")
            show_rates(task, column)
        with right:
            widgets.small_heading("Responses by label")
            show_counts(annotations, task)
    annotated.show_missing(task for task in TASKS if task not in present)
    show_predicted(annotations, TASKS)
    if annotations.scores:
        show_tool_scores(annotated.report(annotated.USUAL_K))


st.title("Grounding, generation")
in_use = annotated.annotations_in_use()
if in_use is not None:
    show(in_use)
