"""Criteria: which are hard, at the thresholds they share and at thresholds of their own."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from evalcore.curves import pr_points, roc_points
from evalcore.data import Data
from evalcore.evaluation.calibration import bins_with_interval
from evalcore.evaluation.criteria import (
    AUPRC,
    AUROC,
    FEW_POSITIVES,
    CriterionResult,
    as_interval,
    cooccurrence,
    criterion_results,
    ranking_bounds,
)
from evalcore.evaluation.intervals.bounds import Bounds
from evalcore.figures import cooccurrence_figure, criterion_bars, pr_figure, reliability_figure, roc_figure
from evalcore.figures.criteria import Unit
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.spec import Ratio
from pages.shared import choices, criterion_table, widgets
from pages.shared.charts import chart, is_dark, kept_chart
from pages.shared.criteria import MUST_NOT_MISS, label_of, name_of, rename
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.point.criterion_own import show_own_of, thresholds_of
from pages.shared.point.point import PointState, current_point
from pages.shared.point.rows import choose_part, data_with_scores, show_rows
from pages.shared.written import as_markdown

FAILURES = "pages/evidence/failures.py"
CHOICE, BARS_KEY = "criterion_choice", "criterion_bars"
MOST_IN_GRID = 30
Value = Callable[[CriterionResult], Ratio | float]

Drawn = dict[str, dict[str, Bounds]]

BARS: dict[str, Value] = {
    "AUROC": lambda one: one.auroc,
    "AUPRC": lambda one: one.auprc,
    "Sensitivity (screened in)": lambda one: one.screening_sensitivity,
    "Alert precision": lambda one: one.alert_precision,
    "Skipped": lambda one: one.skipped,
    "Prevalence": lambda one: one.prevalence,
    "Missed checks": lambda one: float(one.states.neg_pos),
}
SHARES = {
    "Sensitivity (screened in)": "screening_sensitivity",
    "Alert precision": "alert_precision",
    "Skipped": "skipped",
    "Prevalence": "prevalence",
}
UNITS: dict[str, Unit] = {"AUROC": "index", "AUPRC": "index", "Missed checks": "count"}


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
    wanted = [st.session_state.get("criterion_in_use"), *(id_ for id_ in ids if id_ in MUST_NOT_MISS)]
    choices.start(CHOICE, "criterion", ids, next((str(id_) for id_ in wanted if id_ in ids), ids[0]))


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
            label=f"Failures of {as_markdown(criterion)}",
            icon=":material/arrow_forward:",
            query_params={"criterion": criterion},
        )
    st.session_state["criterion_in_use"] = criterion
    choices.keep("criterion", [criterion])
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
            bins, interval = bins_with_interval(one.table, 10, "equal_mass")
            figures["Reliability"] = reliability_figure(bins, interval=interval, dark=dark)
        return figures

    figures = remember("criterion_curves", (*key, one.criterion, name, dark), draw)
    for panel, (title, figure) in zip(st.columns(len(figures)), figures.items(), strict=True):
        with panel:
            widgets.small_heading(title)
            chart(figure, f"criterion_{title}", height=330, file=f"{one.criterion} {title}")


def show_bars(
    results: Sequence[CriterionResult], criterion: str, drawn: Drawn | None, key: tuple[object, ...]
) -> None:
    """One figure of every criterion as bars; a click looks at a criterion."""
    metric = choices.selectbox("Bars show", "bars", list(BARS), "AUROC", key="criterion_metric", width=280)
    ids = [one.criterion for one in results]
    labels = tuple(label_of(id_) for id_ in ids)
    kept_chart(
        BARS_KEY,
        (*key, metric, criterion, labels, drawn is not None),
        lambda dark: bars_of(results, metric, labels, ids.index(criterion), drawn, dark=dark),
        height=110 + 32 * len(ids),
        on_select=partial(take_bar, ids),
        selection_mode="points",
    )


def bars_of(
    results: Sequence[CriterionResult],
    metric: str,
    labels: Sequence[str],
    selected: int,
    drawn: Drawn | None,
    *,
    dark: bool,
) -> go.Figure:
    """One figure of every criterion as bars."""
    values = [BARS[metric](one) for one in results]
    bounds = bounds_of(results, metric, drawn)
    return criterion_bars(
        labels,
        np.array([value.value if isinstance(value, Ratio) else value for value in values], float),
        title=metric,
        interval=None if bounds is None else as_interval(bounds),
        is_small=np.array([one.is_small for one in results]),
        selected=selected,
        unit=UNITS.get(metric, "share"),
        dark=dark,
    )


def bounds_of(results: Sequence[CriterionResult], metric: str, drawn: Drawn | None) -> list[Bounds] | None:
    """The intervals behind bars; None where a figure has none."""
    if metric in SHARES:
        return [one.bounds[SHARES[metric]] for one in results]
    key = {"AUROC": AUROC, "AUPRC": AUPRC}.get(metric)
    if key is not None and drawn is not None:
        return [drawn[one.criterion][key] for one in results]
    return [one.auroc_bounds for one in results] if key == AUROC else None


def ask_bootstrap(rows: RowSet, key: tuple[str, ...]) -> Drawn | None:
    """Bootstrap intervals of AUROC and AUPRC where they are wanted: they take some seconds, once."""
    is_wanted = choices.toggle(
        "Bootstrap intervals of AUROC and AUPRC",
        "bootstrap",
        key="criterion_bootstrap",
        help=f"{criterion_table.REPLICATES:,} replicates of posts, seed 0, as evaluate gives them; with "
        "many rows it takes some seconds, once.",
    )
    if not is_wanted:
        return None

    def draw() -> Drawn:
        with session.heavy_work():
            return ranking_bounds(rows.queries, replicates=criterion_table.REPLICATES)

    return remember("criterion_bootstrap", key, draw)


def show_cooccurrence(rows: RowSet, ids: Sequence[str], key: tuple[str, ...]) -> None:
    """How many posts have evidence for both criteria of a pair."""
    widgets.small_heading("Posts with evidence for both criteria")
    if not rows.queries.has_posts:
        widgets.plain("The rows name no posts, so nothing can occur together.")
        return
    if len(ids) > MOST_IN_GRID:
        widgets.plain(f"Shown for up to {MOST_IN_GRID} criteria; here are {len(ids):,}.")
        return

    def draw(dark: bool) -> go.Figure:
        return cooccurrence_figure(cooccurrence(rows.queries, ids), dark=dark)

    kept_chart("cooccurrence", key, draw, height=90 + 34 * len(ids))
    widgets.plain("On the diagonal: posts with evidence for the criterion at all.", is_quiet=True)


def show(data: Data, model: str) -> None:
    """The table, one criterion closely, and all of them beside each other."""
    state = current_point(data, model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = choose_part(data, "Criteria")
        show_thresholds(state)
    if part is None:
        return
    rows = part.rows(model)
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
    ids = [one.criterion for one in results]
    start_choice(ids)
    table = st.container()
    drawn = ask_bootstrap(rows, key)
    with table:
        criterion_table.show_table(results, state.aim, partial(take_row, ids), drawn)
    note_small(results)
    st.header("One criterion")
    criterion = choose_criterion(ids)
    show_curves(results[ids.index(criterion)], data, key)
    show_own_of(data, model, state, criterion)
    st.header("All criteria")
    left, right = st.columns(2, gap="large")
    with left:
        show_bars(results, criterion, drawn, (*key, state.pair))
    with right:
        show_cooccurrence(rows, ids, key)


st.title("Criteria")
in_use = data_with_scores("compare")
if in_use is not None:
    show(in_use, session.model())
