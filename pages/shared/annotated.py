"""What the RAG pages show of the session's annotations, computed once for a setting."""

import math
from collections.abc import Iterable
from html import escape

import pandas as pd
import streamlit as st

from evalcore.agreement import Alpha, Weakest, alphas, weakest
from evalcore.annotations import LABELS, Annotations, RagTask
from evalcore.evaluation import Report, evaluate, group_columns
from evalcore.metrics.rag import LABELS_OF
from evalcore.problems import InputError
from evalcore.spec import METRICS, Metric
from pages.shared import session, widgets
from pages.shared.memo import remember

B = 2000
CUT_OFFS = (1, 3, 5, 10, 20)
NOTHING = "no breakdown"
MOST_GROUPS = 50
ABOUT = {"retrieval": "retrieved chunks", "grounding": "grounding of answers", "generation": "answers"}


def annotations_in_use() -> Annotations | None:
    """The session's annotations; where the sample is damaged the page says so."""
    try:
        return session.annotated().data.annotations
    except InputError as error:
        widgets.problem_list(error.problems)
        return None


def report(k: int, by: tuple[str, ...] = ()) -> Report:
    """Every metric at one cut-off, with intervals, and what each rests on."""
    in_use = session.annotated()
    return remember("rag_report", (in_use.key, k, by), lambda: _evaluated(k, by))


def _evaluated(k: int, by: tuple[str, ...]) -> Report:
    with session.heavy_work():
        return evaluate(session.annotated().data, ks=(k,), by=by, bootstrap=B)


def agreement(annotations: Annotations) -> tuple[Alpha, ...]:
    """How far annotators agree on every label of every task."""
    return remember(
        "rag_agreement",
        session.annotated().key,
        lambda: tuple(
            alpha
            for responses in annotations.responses.values()
            for alpha in alphas(responses, annotations.record_ids, n_replicates=B)
        ),
    )


def metrics_of(task: RagTask) -> list[Metric]:
    """The metrics of a task, in the order of document 003."""
    labels = set(LABELS[task])
    return [METRICS[key] for key, of in LABELS_OF.items() if labels & set(of)]


def default_row(found: Report, metric: Metric, *, group_by: str = "", group: str = "") -> pd.Series | None:
    """The row of a metric's default definition, or None where the data lack the task."""
    table = found.table
    rows = table[
        (table["metric"] == metric.name)
        & (table["variant"] == metric.default_variant)
        & (table["group_by"] == group_by)
        & (table["group"] == group)
        & ~table["params"].str.contains("stat=")
    ]
    # The whole list stands behind the cut-off that was asked for.
    at_k = rows[rows["params"].str.startswith("k=")]
    rows = at_k if len(at_k) else rows
    return None if rows.empty else rows.iloc[0]


def value_text(value: float) -> str:
    """A share or a mean as it is printed."""
    return "n/a" if math.isnan(value) else f"{value:.3f}"


def interval_text(row: pd.Series) -> str:
    """The interval of a value, or nothing."""
    if math.isnan(row["ci_low"]):
        return "no interval"
    method = "Wilson" if row["ci_method"].startswith("wilson") else "bootstrap"
    return f"{row['ci_low']:.3f} to {row['ci_high']:.3f} ({row['ci_level']:.0%}, {method})"


def weakest_of(metric: Metric, found: Iterable[Alpha]) -> Weakest:
    """The weakest agreement that a metric rests on."""
    return weakest(found, LABELS_OF[metric.key])


def choose_cut_off(annotations: Annotations) -> int:
    """The K of the retrieval metrics."""
    responses = annotations.responses.get("retrieval")
    deepest = 5 if responses is None or not len(responses) else max(int(responses.rank.max()), 1)
    options = [k for k in CUT_OFFS if k <= deepest] or [1]
    options = options if deepest in options else [*options, deepest]
    usual = 5 if 5 in options else options[-1]
    return int(
        st.segmented_control("K", options, default=usual, required=True, key="rag_k", persist_state="session")
    )


def choose_column(key: str) -> str | None:
    """A column to break down by, or None."""
    columns = [NOTHING, *group_columns(session.annotated().data)]
    chosen = st.selectbox("By", columns, key=key, width=200)
    return None if chosen == NOTHING else chosen


def show_missing(tasks: Iterable[RagTask]) -> None:
    """Which tasks the data lack, and what cannot be computed therefore."""
    for task in tasks:
        labels = ", ".join(LABELS[task])
        widgets.plain(
            f"No {task} responses: nothing can be said about {ABOUT[task]}. It takes a file with one row a "
            f"response and at least one of the labels {labels}.",
            is_quiet=True,
        )


def frame(table: pd.DataFrame, **columns: str) -> None:
    """A table whose text is shown as it is written, with the columns named."""
    shown = table[list(columns)].rename(columns=columns)
    widgets.table(shown.columns, shown.astype(str).itertuples(index=False))


def strong(text: str) -> None:
    """A small heading."""
    widgets.html(f"<strong>{escape(text)}</strong>")
