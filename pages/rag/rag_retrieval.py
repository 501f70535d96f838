"""Retrieval by rank: what stands at each place of the retrieved lists, and how the metrics grow with K."""

import math

import pandas as pd
import streamlit as st

from evalcore.agreement import PanelCounts, panels, settled_rates_by_rank
from evalcore.annotations import Annotations, Responses
from evalcore.evaluation.rag import metrics_of
from evalcore.figures.rag import by_rank_figure
from evalcore.text.numerals import between_text, value_text
from pages.shared import widgets
from pages.shared.annotations import annotated
from pages.shared.annotations.predicted_labels import show_predicted
from pages.shared.charts import kept_chart
from pages.shared.data import session

DEEPEST = 20


def show_by_rank(responses: Responses) -> None:
    """The share of chunks with each label at each rank."""
    st.header("What stands at each rank")
    table = settled_rates_by_rank(responses, DEEPEST)
    if not table["n"].any():
        widgets.plain("No retrieved chunk has a settled label: nothing can be said of any rank.")
        return
    key = (session.annotated().key,)
    kept_chart("rag_by_rank", key, lambda dark: by_rank_figure(table, dark=dark), height=380)
    widgets.plain(
        "Share of judged chunks at each rank, with 95 % intervals (Wilson). A label on which annotators are "
        "tied is left out.",
        is_quiet=True,
    )


def show_at_every_k(annotations: Annotations) -> None:
    """The retrieval metrics at every K."""
    st.header("At every K")
    cut_offs = annotated.cut_offs(annotations)
    found = annotated.report(*cut_offs)
    lines, means = [], {}
    for metric in metrics_of("retrieval"):
        name = metric.label.replace("@K", "")
        rows = [annotated.default_row(found, metric, k=k) for k in cut_offs]
        lines.append([name, *map(cell, rows)])
        means[name] = widgets.meaning(metric)
    header = ["", *(f"K = {k}" for k in cut_offs)]
    widgets.table(header, lines, name="Metrics of retrieval at every K", meanings=means)
    widgets.plain(
        "In brackets the 95 % interval. Shares divide by the chunks that are present; nDCG is within the "
        "retrieved list.",
        is_quiet=True,
    )


def cell(row: pd.Series | None) -> str:
    """A value with its interval, where it has one."""
    if row is None:
        return "–"
    has_interval = not math.isnan(row["ci_low"])
    metric = annotated.of(row)
    between = f" ({between_text(metric, row['ci_low'], row['ci_high'])})" if has_interval else ""
    return value_text(metric, row["value"]) + between


def show_panels(annotations: Annotations, responses: Responses) -> None:
    """How many retrieved lists are wholly annotated, and which are not."""
    found = panels(responses, annotations.record_ids)
    counts = PanelCounts.of(found)
    others = found[found["state"] != "complete"].sort_values(
        "n_retrieved", key=lambda n: n < 0, kind="stable"
    )
    st.header("Annotated panels")
    widgets.plain(panels_in_words(counts))
    if len(others) and session.annotated().report is not None:
        widgets.plain(
            "Which lists are not, or may not be, the files name; a saved report holds no ids.", is_quiet=True
        )
    elif len(others):
        with st.expander(f"{others_in_words(counts)} ({len(others):,})"):
            columns = {
                "record_id": "record",
                "n_retrieved": "retrieved",
                "n_judged": "judged",
                "n_only_discarded": "only discarded",
            }
            shown = others.head(200).assign(
                n_retrieved=others["n_retrieved"].head(200).map(lambda n: "not known" if n < 0 else f"{n:,}")
            )
            annotated.frame(shown, "Lists that are not annotated panels", **columns)
            if len(others) > len(shown):
                widgets.plain(f"… and {len(others) - len(shown):,} more.", is_quiet=True)


def others_in_words(counts: PanelCounts) -> str:
    """What is known of the lists that are not known to be wholly annotated."""
    if not counts.n_unknown:
        return "Lists that are not wholly annotated"
    if counts.n_complete == counts.n_known:
        return "Lists that may not be wholly annotated"
    return "Lists that are not wholly annotated, or may not be"


def panels_in_words(counts: PanelCounts) -> str:
    """How many lists of known length are wholly annotated, and how long the others are taken to be."""
    told = []
    if counts.n_known:
        told.append(
            f"{counts.n_complete:,} of {counts.n_known:,} retrieved lists are wholly annotated. "
            "A list with a place that nobody judged is skipped for every K that reaches it, and counted."
        )
    if counts.n_unknown:
        lists = "one list" if counts.n_unknown == 1 else f"{counts.n_unknown:,} lists"
        told.append(
            f"For {lists} the data do not say how many chunks were retrieved (n_retrieved_chunks): each is "
            "taken to end at the last rank that stands there."
        )
    return " ".join(told)


def show(annotations: Annotations) -> None:
    """Ranks, cut-offs, panels, and what a classifier predicts."""
    responses = annotations.responses.get("retrieval")
    if responses is None:
        annotated.show_missing(["retrieval"])
        return
    show_by_rank(responses)
    show_at_every_k(annotations)
    show_panels(annotations, responses)
    show_predicted(annotations, ["retrieval"])


st.title("Retrieval by rank")
in_use = annotated.annotations_in_use()
if in_use is not None:
    show(in_use)
