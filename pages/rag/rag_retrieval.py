"""Retrieval by rank: what stands at each place of the retrieved lists, and how the metrics grow with K."""

import streamlit as st

from evalcore.agreement import panels, rates_by_rank
from evalcore.annotations import Annotations, Responses
from evalcore.figures.rag import by_rank_figure
from evalcore.tallies.judgements.settled import settled
from pages.shared import annotated, session, widgets
from pages.shared.charts import kept_chart
from pages.shared.predicted_labels import show_predicted

DEEPEST = 20


def show_by_rank(responses: Responses) -> None:
    """The share of chunks with each label at each rank."""
    st.subheader("What stands at each rank")
    found = settled(responses)
    table = rates_by_rank(found.rank, found.labels, max_rank=min(int(found.rank.max(initial=1)), DEEPEST))
    key = (session.annotated().key,)
    kept_chart("rag_by_rank", key, lambda dark: by_rank_figure(table, dark=dark), height=380)
    widgets.plain(
        "Share of judged chunks at each rank, with 95 % intervals (Wilson). A label on which annotators are "
        "tied is left out.",
        is_quiet=True,
    )


def show_at_every_k(responses: Responses) -> None:
    """The retrieval metrics at every K."""
    st.subheader("At every K")
    deepest = int(responses.rank.max()) if len(responses) else 1
    cut_offs = [k for k in annotated.CUT_OFFS if k <= deepest]
    reports = {k: annotated.report(k) for k in cut_offs}
    lines = []
    for metric in annotated.metrics_of("retrieval"):
        rows = [annotated.default_row(found, metric) for found in reports.values()]
        lines.append(
            [
                metric.label.replace("@K", ""),
                *(
                    "–"
                    if row is None
                    else f"{annotated.value_text(row['value'])} ({row['ci_low']:.2f}–{row['ci_high']:.2f})"
                    for row in rows
                ),
            ]
        )
    widgets.table(["", *(f"K = {k}" for k in cut_offs)], lines)
    widgets.plain(
        "In brackets the 95 % interval. Shares divide by the chunks that are present; nDCG is within the "
        "retrieved list.",
        is_quiet=True,
    )


def show_panels(annotations: Annotations, responses: Responses) -> None:
    """How many retrieved lists are wholly annotated, and which are not."""
    found = panels(responses, annotations.record_ids)
    n_complete = int((found["state"] == "complete").sum())
    others = found[found["state"] != "complete"]
    st.subheader("Annotated panels")
    widgets.plain(
        f"{n_complete:,} of {len(found):,} retrieved lists are wholly annotated. A list with a place that "
        "nobody judged is skipped for every K that reaches it, and counted."
    )
    if len(others):
        with st.expander(f"Lists that are not ({len(others):,})"):
            columns = {
                "record_id": "record",
                "n_retrieved": "retrieved",
                "n_judged": "judged",
                "n_only_discarded": "only discarded",
                "state": "panel",
            }
            shown = others.head(200).assign(
                n_retrieved=others["n_retrieved"].head(200).map(lambda n: "not known" if n < 0 else f"{n:,}")
            )
            annotated.frame(shown, **columns)
            if len(others) > len(shown):
                widgets.plain(f"… and {len(others) - len(shown):,} more.", is_quiet=True)


def show(annotations: Annotations) -> None:
    """Ranks, cut-offs, panels, and what a classifier predicts."""
    responses = annotations.responses.get("retrieval")
    if responses is None:
        annotated.show_missing(["retrieval"])
        return
    show_by_rank(responses)
    show_at_every_k(responses)
    show_panels(annotations, responses)
    show_predicted(annotations, ["retrieval"])


st.title("Retrieval by rank")
in_use = annotated.annotations_in_use()
if in_use is not None:
    show(in_use)
