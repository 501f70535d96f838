"""What other thresholds would give: those that no others beat, and the same choice tried over folds."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from evalcore.figures.front import front_figure
from evalcore.operating_point.choosing.folds import OverFolds, over_folds, spread_in_words
from evalcore.operating_point.choosing.front import pareto_front
from evalcore.operating_point.choosing.request import constraints_of, targets_of
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted
from evalcore.problems import InputError
from evalcore.text.numerals import percent_of
from pages.shared import widgets
from pages.shared.charts import chart, is_dark
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.point.point import Aim, Pair, PointState
from pages.shared.written import as_markdown

FEWEST_ALERTS = 29
"""A precision on the front counts from so many alerts on: the fewest that can show 90 % with confidence."""


@st.fragment
def show_front(rows: RowSet, state: PointState) -> None:
    """The Pareto front with the current point on it; a click moves the handles. Computed once opened."""
    section = st.expander("What no other thresholds beat", key="front_section", on_change="rerun")
    if st.session_state.pop("front_moved", False):
        st.rerun()
    if not section.open:
        return
    with section:
        front = remember(
            "front",
            (session.current().key, state.owner, rows.role),
            lambda: pareto_front(rows.table, fewest_alerts=FEWEST_ALERTS),
        )
        if front.empty:
            st.caption("No row with evidence: there is nothing to weigh.")
            return
        # A chart of its own for each point: a click on the same place counts again after a move.
        key = f"front_{state.revision}"
        chart(
            clickable(front, rows, state),
            key,
            height=360,
            file="front",
            on_select=partial(take_point, key, state, front),
            selection_mode="points",
        )
        st.caption(
            "Each workload with the screening sensitivity it leaves and the best alert precision beside it "
            f"(of at least {FEWEST_ALERTS} alerts). Points: the thresholds now. A click moves both. "
            f"Estimates on {as_markdown(rows.in_words)}, without a bound: the best of many looks better than "
            "it is."
        )


def clickable(front: pd.DataFrame, rows: RowSet, state: PointState) -> go.Figure:
    """The front as a figure whose lines take clicks."""
    tau_neg, tau_pos = (None if text is None else float(text) for text in state.pair)
    figure = front_figure(front, current=rows.states(tau_neg, tau_pos), dark=is_dark())
    # Lines alone cannot be clicked: marks that are not seen can.
    for trace in figure.data[:2]:
        trace.update(mode="lines+markers", marker={"size": 9, "color": "rgba(0,0,0,0)"})
    return figure


def take_point(key: str, state: PointState, front: pd.DataFrame) -> None:
    """Move the handles to the point that was clicked; the points of now stand where they are."""
    points = [one for one in st.session_state[key].selection.points if one["curve_number"] < 2]
    if points:
        state.move(pair_at(front, points[0]["point_index"]))
        st.session_state["front_moved"] = True


def pair_at(front: pd.DataFrame, at: int) -> Pair:
    """Both thresholds of one point of the front as exact text."""
    tau_neg, tau_pos = (front[name].iloc[at] for name in ("tau_neg", "tau_pos"))
    return text_of(tau_neg), text_of(tau_pos)


def text_of(tau: float) -> str | None:
    """A threshold as text; None for NaN, an empty zone."""
    return None if pd.isna(tau) else threshold_text(float(tau))


def has_folds(rows: RowSet) -> bool:
    """Whether the rows come in at least two folds."""
    return len(rows.fold_names) > 1


@st.fragment
def show_folds(rows: RowSet, aim: Aim) -> None:
    """The choice tried over folds, where the rows have any: it describes the rule, not these thresholds."""
    if not has_folds(rows):
        return
    section = st.expander("Choice over folds", key="folds_section", on_change="rerun")
    if not section.open:
        return
    with section:
        try:
            found = remember(
                "folds",
                (session.current().key, rows.role, rows.model, aim),
                lambda: over_folds(rows, *targets_of(constraints_of(**aim.targets_wanted))),
            )
        except InputError as error:
            widgets.problem_list(error.problems)
            return
        show_found(found, rows, aim)


def show_found(found: OverFolds, rows: RowSet, aim: Aim) -> None:
    """The spread of the thresholds, each fold, and the counts of all folds together."""
    entry = found.entry()
    widgets.plain(spread_in_words(entry))
    widgets.table(
        ["held out", "skip below", "alert from", "checks", "skipped", "missed", "alerts that are right"],
        [*(line_of(one) for one in entry["held_out"]), pooled_line(found)],
        name="Thresholds chosen without each fold, and what they do on it",
    )
    several = (
        f" {counted(found.n_posts_shared, 'post')} with rows in several folds: these are not independent."
        if found.n_posts_shared
        else ""
    )
    targets = " ".join(f"{aim.in_words(metric)}." for metric in NAMES)
    widgets.plain(
        f"{targets} Chosen on the other folds of {rows.in_words} and counted on the one held out. The counts "
        f"describe this procedure, not one pair of thresholds: no verdict.{several}",
        is_quiet=True,
    )


def line_of(fold: dict[str, object]) -> list[str]:
    """One fold as a row of text."""
    taus = [fold[name]["value"] for name in ("tau_neg", "tau_pos")]  # type: ignore[index]
    texts = ["none" if tau is None else threshold_text(tau) for tau in taus]
    return [f"{fold['fold']}", *texts, *counts_of(*(int(fold[name]) for name in COUNTS))]  # type: ignore[call-overload]


COUNTS = ("rows", "positives", "skipped", "missed", "alerts", "alerts_right")


def pooled_line(found: OverFolds) -> list[str]:
    """All held-out rows together; their thresholds differ, and no mean of these is meant."""
    states = found.pooled
    counts = (states.total, states.total_pos, states.n_neg, states.neg_pos, states.n_pos, states.pos_pos)
    return ["all", "", "", *counts_of(*map(int, counts))]


def counts_of(n: int, n_pos: int, skipped: int, missed: int, alerts: int, right: int) -> list[str]:
    """Counts of rows as text."""
    alerted = f"{percent_of(right, alerts)} of {alerts:,}" if alerts else "no alerts"
    return [f"{n:,}", f"{skipped:,} ({percent_of(skipped, n)})", f"{missed:,} of {n_pos:,}", alerted]
