"""Beneath the explorer: reviewer time, net benefit, calibration beside the thresholds, and limits."""

import streamlit as st

from evalcore.data import Data
from evalcore.explorer.payload import Review
from evalcore.figures.net_benefit import gate_net_benefit_figure, steps
from evalcore.operating_point.test_rows.row_sets import RowSet
from pages.shared import widgets
from pages.shared.charts import chart, is_dark
from pages.shared.point.point import PointState, document_for
from pages.shared.tiles import NEAREST, beside_tiles, show_tiles
from pages.shared.written import as_markdown

KEPT = "reviewer_time"


def current_review() -> Review:
    """The reviewer time that was last entered in this session; empty at first."""
    kept = st.session_state.get(KEPT)
    return kept if isinstance(kept, Review) else Review()


def ask_review(has_posts: bool) -> None:
    """Minutes, reviewers and period; the workload tile follows them while a handle moves."""
    known = current_review()

    def keep() -> None:
        asked = st.session_state
        st.session_state[KEPT] = Review(
            minutes=asked["review_minutes"],
            per=asked.get("review_per", "check"),
            reviewers=asked["review_reviewers"],
            hours_each=asked["review_hours"],
            n_days=asked["review_days"],
        )

    with st.expander("Reviewer time", expanded=known.minutes is not None):
        st.caption(
            "Reported on the workload tile, never optimised: what is looked at follows from τ neg alone."
        )
        boxes = st.columns(5 if has_posts else 4, vertical_alignment="bottom")
        boxes[0].number_input(
            "Minutes each", 0.1, 600.0, known.minutes, 0.5, key="review_minutes", on_change=keep, format="%g"
        )
        boxes[1].number_input("Reviewers", 1, 1000, known.reviewers, key="review_reviewers", on_change=keep)
        boxes[2].number_input(
            "Hours a day, each",
            0.1,
            24.0,
            known.hours_each,
            0.5,
            key="review_hours",
            on_change=keep,
            format="%g",
        )
        boxes[3].number_input(
            "Rows like these come in (days)", 1, 3660, known.n_days, key="review_days", on_change=keep
        )
        if has_posts:
            boxes[4].selectbox(
                "Minutes are per",
                ["check", "post"],
                index=0 if known.per == "check" else 1,
                key="review_per",
                on_change=keep,
            )


@st.fragment
def show_net_benefit(data: Data, rows: RowSet, state: PointState) -> None:
    """Net benefit of both thresholds over a range that the user sets; for probabilities only."""
    with st.expander("Net benefit"):
        if data.score_kind != "probability":
            st.caption("Net benefit weighs by probability: these scores are none.")
            return
        low, high = st.slider(
            "Threshold probabilities t, %", 0, 100, (0, 50), key="net_benefit_range", persist_state="session"
        )
        if low == high:
            st.caption("A range needs two different ends.")
            return
        tau_neg, tau_pos = (None if text is None else float(text) for text in state.pair)
        counts = rows.states(tau_neg, tau_pos)
        figure = gate_net_benefit_figure(counts, steps(low, high), dark=is_dark())
        chart(figure, "net_benefit", height=340)
        st.caption(
            "t is the probability from which acting is worth its price: a false alarm costs t/(1−t) of what "
            "a check with evidence gains. Holds for calibrated probabilities; undefined at t = 100 %. "
            f"Counted on {as_markdown(rows.in_words)}."
        )


@st.fragment
def show_calibration(data: Data, rows: RowSet, state: PointState) -> None:
    """How far a score can be taken at its word where it decides: beside both thresholds."""
    if data.score_kind != "probability":
        return
    with st.expander("Calibration beside the thresholds"):
        show_tiles(beside_tiles(rows.table, state.pair))
        told = f"{NEAREST} Counted on {rows.in_words}; the Calibration page has the rest."
        widgets.plain(told, is_quiet=True)


@st.fragment
def show_limits(data: Data, model: str, state: PointState) -> None:
    """What the numbers do not say, as the exported document will have it; written once it is opened."""
    section = st.expander("Limits: what these numbers do not say", key="limits_section", on_change="rerun")
    if not section.open:
        return
    with section:
        for text in document_for(data, model, state, state.pair).document["limits"]:
            widgets.plain(text)
