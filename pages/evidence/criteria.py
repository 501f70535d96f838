"""Criteria: which are hard, at the thresholds they share and at thresholds of their own."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from evalcore.curves import pr_points, reliability, roc_points
from evalcore.data import Data
from evalcore.evaluation.criteria import FEW_POSITIVES, CriterionResult, criterion_results, share_intervals
from evalcore.figures import cooccurrence_figure, criterion_bars, pr_figure, reliability_figure, roc_figure
from evalcore.figures.criteria import Unit
from evalcore.inference.binomial import clopper_pearson, positives_needed
from evalcore.operating_point.own_thresholds import OwnThresholds, own_thresholds
from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.thresholds import threshold_text
from evalcore.operating_point.wording import counted, percent, percent_of
from evalcore.spec import Ratio
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.tallies.decisions import StateCounts
from evalcore.tallies.labels import LabelMatrix
from pages.shared import criterion_table, session, widgets
from pages.shared.charts import chart, is_dark, kept_chart
from pages.shared.criteria import MUST_NOT_MISS, label_of, name_of, rename
from pages.shared.memo import remember
from pages.shared.point import Aim, PointState, current_point, rows_to_choose_on
from pages.shared.rows import choose_rows, data_with_scores, note_test_seen, show_rows

FAILURES = "pages/evidence/failures.py"
CHOICE, BARS_KEY = "criterion_choice", "criterion_bars"
MOST_IN_GRID = 30
ESTIMATE = "own, by the estimate alone"
Value = Callable[[CriterionResult], Ratio | float]

BARS: dict[str, Value] = {
    "AUROC": lambda one: one.auroc,
    "AUPRC": lambda one: one.auprc,
    "Sensitivity (screened in)": lambda one: one.screening_sensitivity,
    "Alert precision": lambda one: one.alert_precision,
    "Skipped": lambda one: one.skipped,
    "Prevalence": lambda one: one.prevalence,
    "Missed checks": lambda one: float(one.states.neg_pos),
}
UNITS: dict[str, Unit] = {"AUROC": "index", "AUPRC": "index", "Missed checks": "count"}


def thresholds_of(state: PointState) -> tuple[float | None, float | None]:
    """The session's thresholds as numbers."""
    tau_neg, tau_pos = (None if text is None else float(text) for text in state.pair)
    return tau_neg, tau_pos


def show_thresholds(state: PointState) -> None:
    """The thresholds that all criteria share, and the way to change them."""
    skip = "skip nothing" if state.tau_neg is None else f"skip below {state.tau_neg}"
    alert = "raise no alerts" if state.tau_pos is None else f"alert from {state.tau_pos}"
    widgets.plain(f"Shared thresholds: {skip}, {alert}.")
    st.page_link("pages/evidence/operating_point.py", label="Change them", icon=":material/tune:")


def note_small(results: Sequence[CriterionResult]) -> None:
    """Which criteria have too few positives to say much."""
    small = [f"{label_of(one.criterion)} ({one.n_positives})" for one in results if one.is_small]
    if small:
        widgets.plain(
            f"Grey: fewer than {FEW_POSITIVES} positives, so that the figures say little: {', '.join(small)}."
        )


def start_choice(ids: Sequence[str]) -> None:
    """The criterion to begin with: that of the address, else the last one, else one not to be missed."""
    asked = st.query_params.get("criterion")
    if asked is not None and asked not in ids and CHOICE not in st.session_state:
        widgets.plain(f"No criterion {asked} in these rows; known are {', '.join(ids)}.")
    if st.session_state.get(CHOICE) in ids:
        return
    wanted = [asked, st.session_state.get("criterion_in_use"), *(id_ for id_ in ids if id_ in MUST_NOT_MISS)]
    st.session_state[CHOICE] = next((id_ for id_ in wanted if id_ in ids), ids[0])


def take_row(ids: Sequence[str]) -> None:
    """Look at the criterion whose row was selected in the table."""
    rows = st.session_state[criterion_table.KEY].selection.rows
    if rows:
        st.session_state[CHOICE] = ids[rows[0]]


def take_bar(ids: Sequence[str]) -> None:
    """Look at the criterion whose bar was clicked."""
    points = st.session_state[BARS_KEY].selection.points
    if points:
        st.session_state[CHOICE] = ids[points[0]["point_index"]]


def take_name(criterion: str, key: str) -> None:
    """Keep the name that was typed."""
    rename(criterion, st.session_state[key])


def choose_criterion(ids: Sequence[str]) -> str:
    """The criterion that is looked at, its name, and the way to its failures."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        criterion = st.selectbox("Criterion", ids, key=CHOICE, width=160)
        key = f"criterion_name_{criterion}"
        st.text_input(
            "Name",
            name_of(criterion),
            key=key,
            max_chars=60,
            width=240,
            on_change=take_name,
            args=(criterion, key),
            help="Kept in this session, on every page.",
        )
        st.page_link(
            FAILURES,
            label=f"Failures of {criterion}",
            icon=":material/arrow_forward:",
            query_params={"criterion": criterion},
        )
    st.session_state["criterion_in_use"] = criterion
    st.query_params["criterion"] = criterion
    return criterion


def show_curves(one: CriterionResult, data: Data, key: tuple[str, ...]) -> None:
    """ROC, precision–recall and reliability of one criterion."""
    if one.reason is not None:
        widgets.plain(f"No curves: {one.reason}.")
        return
    dark, name = is_dark(), label_of(one.criterion)

    def draw() -> dict[str, go.Figure]:
        figures = {
            "ROC": roc_figure({name: roc_points(one.table).corners()}, dark=dark),
            "Precision and recall": pr_figure({name: pr_points(one.table).corners()}, dark=dark),
        }
        if data.score_kind == "probability":
            bins = reliability(one.table, 10, "equal_mass")
            interval = clopper_pearson(bins.n_pos, bins.n)
            figures["Reliability"] = reliability_figure(bins, interval=interval, dark=dark)
        return figures

    figures = remember("criterion_curves", (*key, one.criterion, name, dark), draw)
    for panel, (title, figure) in zip(st.columns(len(figures)), figures.items(), strict=True):
        with panel:
            st.markdown(f"**{title}**")
            chart(figure, f"criterion_{title}", height=330)


def outcome(name: str, tau_neg: str, tau_pos: str, states: StateCounts) -> list[str]:
    """One pair of thresholds as a row of text."""
    n_alerts = int(states.n_pos)
    right = f"{percent_of(int(states.pos_pos), n_alerts)} of {n_alerts:,}" if n_alerts else "no alerts"
    skipped = f"{int(states.n_neg):,} ({percent_of(int(states.n_neg), int(states.total))})"
    missed = f"{int(states.neg_pos):,} of {int(states.total_pos):,}"
    return [name, tau_neg, tau_pos, skipped, missed, right]


def show_own(one: CriterionResult, rows: RowSet, state: PointState) -> None:
    """What thresholds chosen for this criterion alone would skip and miss, beside the shared ones."""
    st.markdown("**What its own thresholds would buy**")
    shared = outcome("shared", state.tau_neg or "none", state.tau_pos or "none", one.states)
    level = state.aim.sensitivity_confidence or state.aim.precision_confidence or 0.95
    ways = {f"own, shown with {percent(level)} confidence": level, ESTIMATE: None}
    found = {name: own_of(one, state.aim, confidence) for name, confidence in ways.items()}
    widgets.table(
        ["thresholds", "skip below", "alert from", "skipped", "missed", "alerts that are right"],
        [shared, *(outcome(name, *texts_of(own), own.states) for name, own in found.items())],
    )
    needed = positives_needed(0, state.aim.screening_sensitivity, level)
    if one.n_positives < needed:
        widgets.plain(
            f"With {percent(level)} confidence nothing can be skipped: that takes at least {needed:,} "
            f"positives without a miss, and {label_of(one.criterion)} has {one.n_positives:,}."
        )
    widgets.plain(
        f"Optimistic: its own thresholds are chosen and counted on the same rows, {rows.in_words} "
        f"(with {counted(one.n_positives, 'positive')} of {label_of(one.criterion)}). On other rows expect "
        "more missed evidence and fewer alerts that are right, all the more where positives are few."
    )
    aim = f"{percent(state.aim.screening_sensitivity)} sensitivity, {percent(state.aim.alert_precision)}"
    widgets.plain(
        f"Aim of the session: {aim} alert precision. " + difference(one.states, found[ESTIMATE].states),
        is_quiet=True,
    )


def own_of(one: CriterionResult, aim: Aim, confidence: float | None) -> OwnThresholds:
    """Thresholds of one criterion for the session's aim."""
    return own_thresholds(
        one.table,
        screening_sensitivity=aim.screening_sensitivity,
        alert_precision=aim.alert_precision,
        confidence=confidence,
    )


def texts_of(own: OwnThresholds) -> tuple[str, str]:
    """Both thresholds as text."""
    taus = (own.thresholds.tau_neg, own.thresholds.tau_pos)
    tau_neg, tau_pos = ("none" if tau is None else threshold_text(tau) for tau in taus)
    return tau_neg, tau_pos


def difference(shared: StateCounts, own: StateCounts) -> str:
    """What changes from the shared thresholds to those that the estimate alone allows."""
    skipped, missed = int(own.n_neg) - int(shared.n_neg), int(own.neg_pos) - int(shared.neg_pos)
    more = f"{counted(abs(skipped), 'check')} {'more' if skipped >= 0 else 'fewer'} would be skipped"
    misses = f"{abs(missed):,} {'more' if missed > 0 else 'fewer'}" if missed else "no more"
    return f"By the estimate alone: {more} than at the shared thresholds, and {misses} missed."


def show_bars(results: Sequence[CriterionResult], criterion: str, key: tuple[object, ...]) -> None:
    """One figure of every criterion as bars; a click looks at a criterion."""
    metric = st.selectbox("Bars show", list(BARS), key="criterion_metric", width=280)
    ids = [one.criterion for one in results]
    labels = tuple(label_of(id_) for id_ in ids)
    kept_chart(
        BARS_KEY,
        (*key, metric, criterion, labels),
        lambda dark: bars_of(results, metric, labels, ids.index(criterion), dark=dark),
        height=110 + 32 * len(ids),
        on_select=partial(take_bar, ids),
        selection_mode="points",
    )


def bars_of(
    results: Sequence[CriterionResult], metric: str, labels: Sequence[str], selected: int, *, dark: bool
) -> go.Figure:
    """One figure of every criterion as bars."""
    values = [BARS[metric](one) for one in results]
    ratios = [value for value in values if isinstance(value, Ratio)]
    return criterion_bars(
        labels,
        np.array([value.value if isinstance(value, Ratio) else value for value in values], float),
        title=metric,
        interval=share_intervals(ratios) if ratios else None,
        is_small=np.array([one.is_small for one in results]),
        selected=selected,
        unit=UNITS.get(metric, "share"),
        dark=dark,
    )


def show_cooccurrence(rows: RowSet, ids: Sequence[str], key: tuple[str, ...]) -> None:
    """How many posts have evidence for both criteria of a pair."""
    st.markdown("**Posts with evidence for both criteria**")
    if not rows.queries.has_posts:
        widgets.plain("The rows name no posts, so nothing can occur together.")
        return
    if len(ids) > MOST_IN_GRID:
        widgets.plain(f"Shown for up to {MOST_IN_GRID} criteria; here are {len(ids):,}.")
        return

    def draw(dark: bool) -> go.Figure:
        counts = Cooccurrence.from_labels(LabelMatrix.from_queries(rows.queries))
        return cooccurrence_figure(counts.ordered(tuple(ids)), dark=dark)

    kept_chart("cooccurrence", key, draw, height=90 + 34 * len(ids))
    widgets.plain("On the diagonal: posts with evidence for the criterion at all.", is_quiet=True)


def show(data: Data, model: str) -> None:
    """The table, one criterion closely, and all of them beside each other."""
    state = current_point(data, model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rows = choose_rows(data, model)
        show_thresholds(state)
    show_rows(rows)
    key = (session.current().key, model, rows.role)
    results = remember(
        "criteria", (*key, state.pair), lambda: criterion_results(rows.queries, *thresholds_of(state))
    )
    if not results:
        st.info(
            "These rows name no criteria: there is nothing to compare. The Operating point page counts them."
        )
        return
    note_test_seen(rows, state)
    ids = [one.criterion for one in results]
    start_choice(ids)
    criterion_table.show_table(results, state.aim, partial(take_row, ids))
    note_small(results)
    st.subheader("One criterion")
    criterion = choose_criterion(ids)
    show_curves(results[ids.index(criterion)], data, key)
    show_own_of(data, model, state, criterion)
    st.subheader("All criteria")
    left, right = st.columns(2, gap="large")
    with left:
        show_bars(results, criterion, (*key, state.pair))
    with right:
        show_cooccurrence(rows, ids, key)


def show_own_of(data: Data, model: str, state: PointState, criterion: str) -> None:
    """Own thresholds are chosen where the session chooses: on tune rows, or on all."""
    rows = rows_to_choose_on(data, model)
    found = remember(
        "criteria",
        (session.current().key, model, rows.role, state.pair),
        lambda: criterion_results(rows.queries, *thresholds_of(state)),
    )
    one = next((one for one in found if one.criterion == criterion), None)
    if one is None:
        widgets.plain(f"No thresholds of its own: {criterion} has no row among {rows.in_words}.")
    else:
        show_own(one, rows, state)


st.title("Criteria")
in_use = data_with_scores("compare")
if in_use is not None:
    show(in_use, session.model())
