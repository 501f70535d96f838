"""Popularity: how interactions and recommendations pile up on popular items, and what is left to others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from evalcore.curves import PopularityCurves, popularity_curves
from evalcore.evaluation import Options, Report
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.figures.recommender.popularity import popularity_figure
from evalcore.operating_point.wording import percent
from evalcore.text.numerals import percent_of_share
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.recommended import recommended, rows
from pages.shared.tasks import RECOMMENDER

SECTIONS = ("Bias", "Novelty", "Diversity")
COVERAGE = "Coverage"
"""Sections of document 004 that say which items are shown; of coverage the metrics that stand first."""


def choose_head() -> float:
    """Which share of the interactions the head of the catalogue reaches; a saved report says it."""
    kept = recommended.saved()
    if kept is not None:
        widgets.plain(f"Head: {percent(kept.options.pop_ratio)} of the interactions, as the report was made.")
        return kept.options.pop_ratio
    return choices.number(
        "Head: share of interactions",
        "head",
        0.05,
        1.0,
        Options().pop_ratio,
        key="recommender_head",
        step=0.05,
        format="%.2f",
        width=210,
        help="The most popular items that together reach this share of the interactions in train.",
    )


def show_curves(curves: PopularityCurves, k: int, pop_ratio: float) -> None:
    """The curves, and in counts what the head is and gets."""
    if curves.n_head:
        key = (session.of_task(RECOMMENDER).key, k, pop_ratio)
        kept_chart(
            "recommender_popularity", key, lambda dark: popularity_figure(curves, dark=dark), height=440
        )
        widgets.plain(
            f"The head is {curves.n_head:,} of {curves.n_items:,} items "
            f"({percent_of_share(curves.head_share_of_items)}): together they have "
            f"{percent_of_share(curves.of_head(curves.train))} of the interactions in train. A curve above "
            "that of train shows popular items more often than users had them; on the dashed line every item "
            "would be shown alike."
        )
    else:
        widgets.plain(
            "There are no train interactions, and no item is more popular than another: head, tail and "
            "curves are not known. They take a train file with the columns user and item, loaded beside the "
            "lists on the Data page."
        )
    widgets.table(
        ["", f"recommendations, K = {k}", "to the head", "items never recommended"],
        [
            [
                name,
                f"{curves.n_recommended[name]:,}",
                share_of_head(curves, name),
                f"{curves.n_never[name]:,} of {curves.n_items:,}",
            ]
            for name in curves.recommended
        ],
        name="What is recommended",
    )


def share_of_head(curves: PopularityCurves, model: str) -> str:
    """Which share of a model's recommendations goes to the head, or why there is none."""
    if not curves.n_head:
        return "n/a — no train interactions"
    if not curves.n_recommended[model]:
        return "n/a — nothing is recommended"
    return percent_of_share(curves.of_head(curves.recommended[model]))


def show_values(found: Report, k: int, models: list[str]) -> pd.DataFrame:
    """The metrics that say which items are shown; returns their rows."""
    st.header("What it does to the values")
    table = default_rows(found.table, k)
    metrics = [one for name in SECTIONS for one in recommended.sections().get(name, [])]
    metrics += [one for one in recommended.sections().get(COVERAGE, []) if one.headline]
    shown = rows.of(table, metrics)
    by_metric = rows.values(shown)
    lines = [
        [
            recommended.label_at(metric, k),
            *(by_metric.get((metric.name, model, "")) for model in models),
        ]
        for metric in metrics
    ]
    means = recommended.meanings(metrics, k)
    recommended.show_values(["", *models], lines, name="What it does to the values", meanings=means)
    recommended.quiet(
        (
            recommended.intervals(found),
            "Definitions on the Reference page.",
        )
    )
    return shown


def show() -> None:
    """Curves, head and tail, and the values that rest on them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = recommended.choose_k()
        pop_ratio = choose_head()
    found = recommended.report(k, pop_ratio=pop_ratio)
    curves = popularity_curves(
        found.gathered.tallies[recommended.TALLY].models, k=k, pop_ratio=found.options.pop_ratio
    )
    show_curves(curves, k, pop_ratio)
    shown = show_values(found, k, recommended.models_of(found))
    rows.show_download(shown, "popularity")


st.title("Popularity")
if recommended.in_use() is not None:
    show()
