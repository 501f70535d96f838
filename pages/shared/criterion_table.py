"""The table of criteria: shares as percentages with their intervals, sortable, a row to select."""

from collections.abc import Callable, Sequence
from math import isnan

import pandas as pd
import streamlit as st

from evalcore.evaluation.criteria import CriterionResult, share_intervals
from evalcore.inference.binomial import Interval
from evalcore.operating_point.wording import percent_at_least, percent_at_most, percent_of
from evalcore.spec import Ratio
from pages.shared.criteria import name_of
from pages.shared.point import Aim

KEY = "criteria_table"
GREY = "color: #8a94a0"


def percentage(ratio: Ratio, target: float | None = None) -> float:
    """A share as the number to print before the percent sign, on its side of the target; NaN if undefined."""
    if not int(ratio.denominator):
        return float("nan")
    text = percent_of(int(ratio.numerator), int(ratio.denominator), target=target)
    return float(text.removesuffix(" %"))


def range_text(low: float, high: float) -> str:
    """One interval in per cent, rounded outward; a dash where there is none."""
    limits = (percent_at_least(low), percent_at_most(high)) if not isnan(low) else ("", "")
    return "–".join(limit.removesuffix(" %") for limit in limits)


def ranges(interval: Interval) -> list[str]:
    """Intervals in words."""
    return [range_text(low, high) for low, high in zip(interval.low, interval.high, strict=True)]


def table_of(results: Sequence[CriterionResult], aim: Aim) -> pd.DataFrame:
    """One row per criterion, in the order given."""
    kept = [one.screening_sensitivity for one in results]
    right = [one.alert_precision for one in results]
    prevalence = [one.prevalence for one in results]
    return pd.DataFrame(
        {
            "Criterion": [one.criterion for one in results],
            "Name": [name_of(one.criterion) for one in results],
            "Checks": [one.n for one in results],
            "Positives": [one.n_positives for one in results],
            "Prevalence": [percentage(ratio) for ratio in prevalence],
            "± prevalence": ranges(share_intervals(prevalence, is_exact=False)),
            "AUROC": [one.auroc for one in results],
            "AUPRC": [one.auprc for one in results],
            "Sensitivity": [percentage(ratio, aim.screening_sensitivity) for ratio in kept],
            "± sensitivity": ranges(share_intervals(kept)),
            "Missed": [int(one.states.neg_pos) for one in results],
            "Alerts": [int(one.states.n_pos) for one in results],
            "Precision": [percentage(ratio, aim.alert_precision) for ratio in right],
            "± precision": ranges(share_intervals(right)),
        }
    )


def columns() -> dict[str, object]:
    """How each column is shown, with what it means."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    interval = "95 % interval in per cent, rows taken as independent"
    return {
        "Criterion": text(pinned=True, width=68),
        "Name": text(width=130),
        "Checks": number(width=60, format="localized"),
        "Positives": number(width=68, help="Checks with evidence"),
        "Prevalence": number(width=80, format="%.6g %%", help="Share of the checks with evidence"),
        "± prevalence": text("95 % interval", width=92, help=f"Of the prevalence: {interval} (Wilson)"),
        "AUROC": number(width=60, format="%.3f"),
        "AUPRC": number(width=60, format="%.3f", help="Average precision; by chance it is the prevalence"),
        "Sensitivity": number(
            width=84, format="%.6g %%", help="Screened in at the skip threshold, of the checks with evidence"
        ),
        "± sensitivity": text(
            "95 % interval", width=92, help=f"Of the sensitivity: {interval} (Clopper–Pearson)"
        ),
        "Missed": number(width=58, help="Checks with evidence that are skipped"),
        "Alerts": number(width=54, help="Checks from the alert threshold on"),
        "Precision": number(width=80, format="%.6g %%", help="Alerts that are right, of all alerts"),
        "± precision": text(
            "95 % interval", width=92, help=f"Of the precision: {interval} (Clopper–Pearson)"
        ),
    }


def show_table(results: Sequence[CriterionResult], aim: Aim, on_select: Callable[[], None]) -> None:
    """The table; criteria with few positives in grey."""
    is_small = [one.is_small for one in results]
    frame = table_of(results, aim)
    st.dataframe(
        frame.style.apply(lambda row: [GREY if is_small[row.name] else ""] * len(row), axis=1),
        hide_index=True,
        height="content",
        placeholder="–",
        key=KEY,
        on_select=on_select,
        selection_mode="single-row",
        column_config=columns(),
        alt="One row per criterion: counts, AUROC, AUPRC, and shares at the shared thresholds.",
    )
