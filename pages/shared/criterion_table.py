"""The table of criteria: shares as percentages with their intervals, sortable, a row to select."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.evaluation.criteria import AUPRC, AUROC, CriterionResult
from evalcore.evaluation.intervals.bounds import Bounds
from evalcore.spec import Ratio
from evalcore.text.numerals import (
    bound,
    number,
    percent_at_least,
    percent_at_most,
    percent_of,
    rounded_percent,
)
from pages.shared import widgets
from pages.shared.criteria import name_of
from pages.shared.point.point import Aim

KEY = "criteria_table"
GREY = "color: #8a94a0"
REPLICATES = 2000
BOOTSTRAP = f"percentiles of {REPLICATES:,} bootstrap replicates of posts"
SHARES = ("Prevalence", "Sensitivity", "Precision")
WRITTEN = {
    **dict.fromkeys(SHARES, rounded_percent),
    **dict.fromkeys(("AUROC", "AUPRC"), number),
    **dict.fromkeys(("Checks", "Positives", "Missed", "Alerts"), "{:,}".format),
}
METHODS = {
    "korn_graubard": "Korn–Graubard",
    "strict": "exact at Kish’s effective number of cases",
    "clopper_pearson": "Clopper–Pearson",
}
"""Name of a method in ``ci_method`` → what it is called on the page."""


def percentage(ratio: Ratio, target: float | None = None) -> float:
    """A share as the number to print before the percent sign, on its side of the target; NaN if undefined."""
    if not int(ratio.denominator):
        return float("nan")
    text = percent_of(int(ratio.numerator), int(ratio.denominator), target=target)
    return float(text.removesuffix(" %"))


def range_text(bounds: Bounds) -> str:
    """One interval in per cent, rounded outward; a dash where there is none."""
    if isnan(bounds.low):
        return "–"
    limits = percent_at_least(bounds.low), percent_at_most(bounds.high)
    return "–".join(limit.removesuffix(" %") for limit in limits)


def index_text(bounds: Bounds) -> str:
    """The interval of an index from 0 to 1, rounded outward; a dash where there is none."""
    if isnan(bounds.low):
        return "–"
    return f"{bound(bounds.low, is_low=True)}–{bound(bounds.high, is_low=False)}"


def table_of(
    results: Sequence[CriterionResult], aim: Aim, drawn: Mapping[str, Mapping[str, Bounds]] | None = None
) -> pd.DataFrame:
    """One row per criterion, in the order given.

    Parameters
    ----------
    results
        What is known of each criterion.
    aim
        Targets, across which no share rounds.
    drawn
        Bootstrap bounds of AUROC and AUPRC by criterion and metric; None: AUROC has DeLong's, AUPRC none.
    """
    auroc = [one.auroc_bounds if drawn is None else drawn[one.criterion][AUROC] for one in results]
    table = {
        "Criterion": [one.criterion for one in results],
        "Name": [name_of(one.criterion) for one in results],
        "Checks": [one.n for one in results],
        "Positives": [one.n_positives for one in results],
        "Prevalence": [percentage(one.prevalence) for one in results],
        "± prevalence": ranges(results, "prevalence"),
        "AUROC": [one.auroc for one in results],
        "± AUROC": [index_text(bounds) for bounds in auroc],
        "AUPRC": [one.auprc for one in results],
        **(
            {} if drawn is None else {"± AUPRC": [index_text(drawn[one.criterion][AUPRC]) for one in results]}
        ),
        "Sensitivity": [percentage(one.screening_sensitivity, aim.screening_sensitivity) for one in results],
        "± sensitivity": ranges(results, "screening_sensitivity"),
        "Missed": [int(one.states.neg_pos) for one in results],
        "Alerts": [int(one.states.n_pos) for one in results],
        "Precision": [percentage(one.alert_precision, aim.alert_precision) for one in results],
        "± precision": ranges(results, "alert_precision"),
    }
    return pd.DataFrame(table)


def ranges(results: Sequence[CriterionResult], share: str) -> list[str]:
    """The intervals of one share in words."""
    return [range_text(one.bounds[share]) for one in results]


def shares_by(results: Sequence[CriterionResult]) -> str:
    """How the intervals of shares came about."""
    if all(one.is_one_row_a_post for one in results):
        return "Clopper–Pearson: no post has two checks of a criterion"
    methods = {bounds.method.partition("(")[0] for one in results for bounds in one.bounds.values()}
    names = [name for method, name in METHODS.items() if method in methods]
    return f"{' or '.join(names)}, over posts" if names else "none"


def columns(shares: str, *, is_drawn: bool) -> dict[str, Any]:
    """How each column is shown, with what it means."""
    numbers, text = st.column_config.NumberColumn, st.column_config.TextColumn
    of_share = f"95 % interval in per cent ({shares})"
    index = BOOTSTRAP if is_drawn else "DeLong, assumes independent checks"
    return {
        "Criterion": text(pinned=True, width=66),
        "Name": text(width=122),
        "Checks": numbers(width=54),
        "Positives": numbers(width=64, help="Checks with evidence"),
        "Prevalence": numbers(width=76, help="Share of the checks with evidence"),
        "± prevalence": text("95 %", width=80, help=f"Of the prevalence: {of_share}"),
        "AUROC": numbers(width=58),
        "± AUROC": text("95 %", width=92, help=f"Of the AUROC: 95 % interval ({index})"),
        "AUPRC": numbers(width=58, help="Average precision; by chance it is the prevalence"),
        "± AUPRC": text("95 %", width=92, help=f"Of the AUPRC: 95 % interval ({index})"),
        "Sensitivity": numbers(
            width=76, help="Screened in at the skip threshold, of the checks with evidence"
        ),
        "± sensitivity": text("95 %", width=80, help=f"Of the sensitivity: {of_share}"),
        "Missed": numbers(width=54, help="Checks with evidence that are skipped"),
        "Alerts": numbers(width=50, help="Checks from the alert threshold on"),
        "Precision": numbers(width=70, help="Alerts that are right, of all alerts"),
        "± precision": text("95 %", width=80, help=f"Of the precision: {of_share}"),
    }


def show_table(
    results: Sequence[CriterionResult],
    aim: Aim,
    on_select: Callable[[], None],
    drawn: Mapping[str, Mapping[str, Bounds]] | None,
) -> None:
    """The table, criteria with few positives in grey, and what its intervals are."""
    is_small = [one.is_small for one in results]
    frame = table_of(results, aim, drawn)
    shares = shares_by(results)
    st.dataframe(
        frame.style.format(WRITTEN, na_rep="–").apply(
            lambda row: [GREY if is_small[row.name] else ""] * len(row), axis=1
        ),
        hide_index=True,
        height="content",
        placeholder="–",
        key=KEY,
        on_select=on_select,
        selection_mode="single-row",
        column_config=columns(shares, is_drawn=drawn is not None),
        alt="One row per criterion: counts, AUROC, AUPRC, and shares at the shared thresholds.",
    )
    indices = (
        f"AUROC, AUPRC: {BOOTSTRAP}" if drawn is not None else "AUROC: DeLong, assumes independent checks"
    )
    widgets.plain(f"95 % intervals. Shares: {shares}. {indices}.", is_quiet=True)
