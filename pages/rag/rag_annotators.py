"""Annotators: how far they agree, who says yes more often, and what they discarded."""

import pandas as pd
import streamlit as st

from evalcore.agreement import Alpha, discards, kappas, stated_facts, tendencies
from evalcore.annotations import Annotations
from evalcore.figures.rag import alpha_figure, discards_figure, tendencies_figure
from evalcore.text.legible import spaced
from evalcore.text.numerals import between, number, percent_of_share
from pages.shared import widgets
from pages.shared.annotations import annotated
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.memo import remember

OUTCOMES = {True: "the same", False: "differs", None: "not compared"}
MOST_PAIRS = 300
FEW = 20
"""Records below which an interval is shown with a warning."""


def show_alphas(found: tuple[Alpha, ...]) -> None:
    """Krippendorff's alpha of every label."""
    st.header("Agreement beyond chance")
    key = (session.annotated().key,)
    kept_chart(
        "rag_alphas", key, lambda dark: alpha_figure(found, dark=dark), height=120 + 30 * max(len(found), 1)
    )
    lines = [
        (
            spaced(one.label),
            number(one.value),
            one.reason or one.ci_note or between(one.low, one.high).replace(" ", annotated.NO_BREAK),
            percent_of_share(one.observed_agreement),
            f"{one.n_pairable:,} of {one.n_units:,}",
        )
        for one in found
    ]
    with st.expander("As numbers"):
        widgets.table(
            ("label", "alpha", "95 % interval, or why not", "pairs that agree", "judged twice"),
            lines,
            name="Agreement on each label",
        )
    few = [spaced(one.label) for one in found if 0 < one.n_records < FEW]
    if few:
        named = "every label" if len(few) == len(found) else ", ".join(few)
        widgets.plain(f"Judged twice in fewer than {FEW} records, the interval may mislead: {named}.")
    widgets.plain(
        "Krippendorff's alpha, nominal: 1 is agreement throughout, 0 what chance alone gives. Pairs may "
        "agree often and alpha still be 0 where a label is nearly always the same.",
        is_quiet=True,
    )


def show_stated(annotations: Annotations) -> None:
    """What the sidecars of the export state, beside what the responses give; what differs first."""
    found = remember("rag_stated", session.annotated().key, lambda: stated_facts(annotations))
    if not found:
        return
    n_differing = sum(one.is_same is False for one in found)
    with st.expander(f"What the export states ({n_differing:,} of {len(found)} differ)"):
        lines = [
            (
                one.task,
                spaced(one.what),
                one.stated,
                one.ours,
                OUTCOMES[one.is_same] + (one.note and f": {one.note}"),
            )
            for one in sorted(found, key=lambda one: [False, None, True].index(one.is_same))
        ]
        widgets.table(
            ("task", "what", "stated", "from the responses", "outcome"), lines, name="What the export states"
        )


def show_kappas(annotations: Annotations) -> None:
    """Cohen's kappa of every pair of annotators."""
    found = [one for responses in annotations.responses.values() for one in kappas(responses)]
    if not found:
        return
    with st.expander(f"Pairs of annotators ({len(found):,})"):
        lines = [
            (
                spaced(one.label),
                f"{one.annotator_a} and {one.annotator_b}",
                number(one.value),
                f"{one.n_shared:,}",
                one.reason,
            )
            for one in found
        ]
        annotated.without_empty(
            ("label", "annotators", "kappa", "shared", "remark"), lines[:MOST_PAIRS], name="Kappa of pairs"
        )
        if len(lines) > MOST_PAIRS:
            widgets.plain(f"… and {len(lines) - MOST_PAIRS:,} more.", is_quiet=True)


def show_tendencies(annotations: Annotations) -> None:
    """Who says yes more often than the others on shared units."""
    st.header("Who says yes more often")
    table = remember(
        "rag_tendencies",
        session.annotated().key,
        lambda: pd.concat([tendencies(one) for one in annotations.responses.values()], ignore_index=True),
    )
    if table.empty or not (table["n_shared"] > 0).any():
        widgets.plain("No unit was judged by two named annotators: nobody can be compared.")
        return
    n_lines = table["label"].nunique()
    key = (session.annotated().key,)
    kept_chart(
        "rag_tendencies", key, lambda dark: tendencies_figure(table, dark=dark), height=140 + 34 * n_lines
    )
    widgets.plain(
        "On the units that an annotator shares with others; each dot is an annotator.", is_quiet=True
    )


def show_discards(annotations: Annotations) -> None:
    """Discarded responses by reason."""
    table = pd.concat([discards(one) for one in annotations.responses.values()], ignore_index=True)
    st.header("Discarded responses")
    if table.empty:
        widgets.plain("None was discarded.")
        return
    key = (session.annotated().key,)
    kept_chart(
        "rag_discards", key, lambda dark: discards_figure(table, dark=dark), height=110 + 30 * len(table)
    )


def show(annotations: Annotations) -> None:
    """Agreement, tendencies, discards."""
    if not annotations.responses:
        widgets.plain("These data hold no responses of annotators: no agreement can be computed.")
        return
    found = annotated.agreement(annotations)
    show_alphas(found)
    show_stated(annotations)
    show_kappas(annotations)
    show_tendencies(annotations)
    show_discards(annotations)


st.title("Annotators")
in_use = annotated.annotations_in_use()
if in_use is not None:
    show(in_use)
