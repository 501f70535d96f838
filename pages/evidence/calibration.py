"""Calibration: whether a probability can be taken at its word, and what recalibration would change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import streamlit as st

from evalcore.catalog import METRICS, of_family
from evalcore.curves import reliability, score_distribution, smoothed_reliability
from evalcore.data import Data
from evalcore.evaluation.calibration import (
    CalibrationValue,
    Recalibrated,
    bins_with_interval,
    calibration_values,
    recalibrated,
)
from evalcore.evaluation.criteria import FEW_POSITIVES, CriterionResult, criterion_results
from evalcore.evaluation.values import NOT_A_PROBABILITY
from evalcore.figures import recalibration_figure, reliability_figure, reliability_multiples
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.wording import counted
from evalcore.splits import test_split
from evalcore.text.numerals import as_given, number, value_text
from pages.shared import choices, widgets
from pages.shared.charts import chart, is_dark, kept_chart
from pages.shared.criteria import label_of
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.point.asking import ask, is_granted
from pages.shared.point.point import PointState, current_point, has_split, rows_to_choose_on
from pages.shared.point.rows import choose_part, data_with_scores, show_rows
from pages.shared.tiles import NEAREST, Tile, beside_tiles, show_tiles

BINS = {"default": "Equal width", "equal_mass": "Equal mass"}
RECALIBRATION = "Recalibration, test rows"
MULTIPLE_BINS = 5
MOST_MULTIPLES = 30
Values = dict[tuple[str, str], CalibrationValue]

if TYPE_CHECKING:
    from evalcore.tallies.scores import ScoreTable


def choose_bins() -> tuple[str, int]:
    """How bins are made, and how many."""
    variant = choices.segmented(
        "Bins",
        "bins",
        list(BINS),
        "default",
        format_func=BINS.__getitem__,
        key="calibration_bins",
        help="Of equal width, or each with as many rows as the others.",
    )
    n_bins = choices.whole_number("Number of bins", "n_bins", 2, 50, 10, key="calibration_n_bins")
    return variant, n_bins


def show_reliability(table: ScoreTable, variant: str, n_bins: int, key: tuple[object, ...]) -> None:
    """The reliability diagram over the distribution of the probabilities."""
    has_both = int(table.total_pos) > 0 and int(table.total_neg) > 0
    smooth = remember("smoothed", key, lambda: smoothed_reliability(table)) if has_both else None

    def draw(dark: bool) -> go.Figure:
        bins, interval = bins_with_interval(table, n_bins, variant)
        return reliability_figure(
            bins,
            interval=interval,
            smooth=smooth,
            distribution=score_distribution(table),
            dark=dark,
        )

    kept_chart("reliability", (*key, variant, n_bins), draw, height=620)
    widgets.plain(
        "Points: observed rate in each bin, with its 95 % interval (Clopper–Pearson, rows taken as "
        "independent). Dotted: smoothed rate. Beneath: checks by probability, each part on its own scale.",
        is_quiet=True,
    )


def show_values(values: Values, variant: str) -> None:
    """Every calibration metric as a tile, with its meaning and, where it has no value, the reason."""
    tiles = []
    for key in dict.fromkeys(key for key, _ in values):
        metric = METRICS[key]
        one = values[key, variant if (key, variant) in values else metric.default_variant]
        tiles.append(Tile(metric.label, value_text(metric, one.value), metric.meaning, one.note))
    show_tiles(tiles)
    others = [
        f"{METRICS[key].label.lower()}, {METRICS[key].variants[name]}: {number(one.value)}"
        for (key, name), one in values.items()
        if METRICS[key].variants and name != variant
    ]
    with st.expander("Other variants"):
        for text in others:
            widgets.plain(text)


def show_beside_thresholds(table: ScoreTable, state: PointState) -> None:
    """The observed rate of evidence just below the skip threshold and just above the alert threshold."""
    st.header("Beside the thresholds")
    show_tiles(beside_tiles(table, state.pair))
    widgets.plain(NEAREST, is_quiet=True)


def show_criteria(rows: RowSet, key: tuple[object, ...]) -> None:
    """A small reliability diagram for each criterion."""
    results = remember("criterion_tables", key, lambda: criterion_results(rows.queries, None, None))
    if len(results) < 2:
        return
    st.header("By criterion")
    if len(results) > MOST_MULTIPLES:
        widgets.plain(f"The first {MOST_MULTIPLES} of {len(results)} criteria.")
    dark = is_dark()
    figures = remember(
        "multiples", (*key, dark), lambda: [small_figure(one, dark=dark) for one in results[:MOST_MULTIPLES]]
    )
    with st.container(horizontal=True, gap="small"):
        for at, (one, figure) in enumerate(zip(results, figures, strict=False)):
            chart(figure, f"multiple_{at}", height=185, width=170, file=f"reliability {one.criterion}")
    small = [label_of(one.criterion) for one in results if one.is_small]
    note = f" Fewer than {FEW_POSITIVES} positives: {', '.join(small)}." if small else ""
    widgets.plain(
        f"Up to {MULTIPLE_BINS} bins with equally many rows; above each, checks with evidence.{note}",
        is_quiet=True,
    )


def small_figure(one: CriterionResult, *, dark: bool) -> go.Figure:
    """The reliability diagram of one criterion."""
    name = f"{one.criterion} · {one.n_positives:,} of {one.n:,}"
    bins = bins_with_interval(one.table, MULTIPLE_BINS, "equal_mass")
    return reliability_multiples({name: bins}, columns=1, dark=dark)


def show_recalibration(data: Data, model: str, n_bins: int) -> None:
    """What recalibration fitted on tune rows gives on test rows."""
    st.header("Recalibration")
    if not has_split(data):
        widgets.plain(
            "A recalibration is fitted on tune rows and judged on test rows; on the rows it was fitted on it "
            "would flatter itself. These data have no split column with tune and test."
        )
        return
    if not is_granted(RECALIBRATION):
        widgets.plain(
            "Fitted on tune rows and shown on test rows: what isotonic regression, Platt scaling and "
            "temperature would change."
        )
        if st.button("Show it on the test rows…", key="recalibrate"):
            ask(RECALIBRATION)
        return
    key = (session.current().key, model)
    tune = rows_to_choose_on(data, model)
    test = row_set(data, "test", split=test_split(data), model=model)
    table = remember("score_table", (*key, test.role), lambda: test.table)
    fitted_in = remember("recalibrated", key, lambda: (n_bins, recalibrated(tune.table, table, n_bins)))
    before, after = remember(
        "recalibration",
        (*key, n_bins),
        lambda: (calibration_values(table, n_bins), in_bins(*fitted_in, n_bins)),
    )
    left, right = st.columns(2, gap="large")
    with left:
        show_before_and_after(before, after)
        widgets.plain(
            f"Fitted on {counted(len(tune.queries), 'tune check')} and shown on "
            f"{counted(len(test.queries), 'test check')}; the differences are estimates without an interval. "
            "Recalibrated probabilities need thresholds of their own.",
            is_quiet=True,
        )
    with right:

        def draw(dark: bool) -> go.Figure:
            curves = {
                name.capitalize(): reliability(one.table, n_bins, "equal_mass")
                for name, one in after.items()
                if one.table
            }
            return recalibration_figure(reliability(table, n_bins, "equal_mass"), curves, dark=dark)

        kept_chart("recalibration", (*key, n_bins), draw, height=430)


def in_bins(measured_in: int, fitted: dict[str, Recalibrated], n_bins: int) -> dict[str, Recalibrated]:
    """The same recalibrations, measured in so many bins; the smoothed rates stay with their tables."""
    if n_bins == measured_in:
        return fitted
    return {
        name: replace(one, values=calibration_values(one.table, n_bins)) if one.table else one
        for name, one in fitted.items()
    }


def show_before_and_after(before: Values, after: dict[str, Recalibrated]) -> None:
    """The metrics of the test rows as they are and after each method."""
    compared = [metric for metric in of_family("calibration") if "family" in metric.headline]
    keys = [(metric.key, metric.default_variant) for metric in compared]
    lines = [["As it is", *(number(before[key].value) for key in keys), ""]]
    for name, one in after.items():
        fitted = ", ".join(f"{part} {as_given(value, 4)}" for part, value in one.fit.parameters.items())
        cells = [number(one.values[key].value) if one.values else "–" for key in keys]
        lines.append(
            [
                name.capitalize(),
                *cells,
                one.fit.reason or fitted.replace("n_levels", "levels"),
            ]
        )
    widgets.table(
        ["on test", *(metric.short for metric in compared), "fitted on tune"], lines, name="Recalibration"
    )


def show(data: Data, model: str) -> None:
    """The rows, their reliability and metrics, the thresholds' neighbours, the criteria, recalibration."""
    if data.score_kind == "score":
        st.info(
            f"Calibration is not defined: {NOT_A_PROBABILITY}. It compares a promised rate with the "
            "observed one, and a score on another scale promises none. Thresholds, ROC and precision–recall "
            "curves work all the same: see Operating point and Criteria."
        )
        return
    state = current_point(data, model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = choose_part(data, "Calibration")
        variant, n_bins = choose_bins()
    if part is None:
        return
    rows = part.rows(model)
    show_rows(rows)
    key = (session.current().key, model, rows.role)
    table = remember("score_table", key, lambda: rows.table)
    values = remember("calibration", (*key, n_bins), lambda: calibration_values(table, n_bins))
    left, right = st.columns([6, 5], gap="large")
    with left:
        show_reliability(table, variant, n_bins, key)
    with right:
        show_values(values, variant)
    show_beside_thresholds(table, state)
    show_criteria(rows, key)
    show_recalibration(data, model, n_bins)


st.title("Calibration")
in_use = data_with_scores("calibrate")
if in_use is not None:
    show(in_use, session.model())
