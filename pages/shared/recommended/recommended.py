"""Recommendation lists on a page: their evaluation, its rows, and what is chosen of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from evalcore import evaluate
from evalcore.catalog import METRICS, of_family
from evalcore.evaluation import Options, Report
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.evaluation.recommender.resting import RestsOn, rests_on
from evalcore.problems import InputError
from evalcore.report.layout import Value
from evalcore.spec import Metric
from pages.shared import choices, widgets
from pages.shared.data import session
from pages.shared.links import address
from pages.shared.links.link import as_shown
from pages.shared.memo import remember
from pages.shared.tasks import RECOMMENDER
from pages.shared.written import as_html

B = 1000
USUAL_K = 10
DEEPEST = 1000
CUT_OFFS = (1, 5, 10, 20, 50)
FAMILY = "recommender"
TALLY = "recommendations"
FURTHER = "Further"
DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither direction is better",
}
Values = Mapping[tuple[str, str, int | None], Value]
"""(metric, model, K or None) → the row of its default definition over everything."""


def in_use() -> session.SessionData | None:
    """The session's recommendations; where the sample is damaged the page says so."""
    try:
        return session.of_task(RECOMMENDER)
    except InputError as error:
        widgets.problem_list(error.problems)
        return None


def report(*ks: int, by: tuple[str, ...] = (), pop_ratio: float | None = None) -> Report:
    """Every metric at these cut-offs, with intervals; the head of the catalogue is the usual one for None.

    A saved report is shown as it is: what it was made with cannot be chosen anew.
    """
    kept = saved()
    if kept is not None:
        return kept
    head = {} if pop_ratio in (None, Options().pop_ratio) else {"pop_ratio": pop_ratio}
    key = (session.of_task(RECOMMENDER).key, ks, by, *head.values())
    return remember("recommender_report", key, lambda: _evaluated(ks=ks, by=by, **head))


def saved() -> Report | None:
    """The saved report that is in use; None for data with their rows."""
    return session.of_task(RECOMMENDER).report


def _evaluated(**options: Any) -> Report:
    with session.heavy_work():
        return evaluate(session.of_task(RECOMMENDER).data, bootstrap=B, **options)


def models_of(found: Report) -> list[str]:
    """The names of the models, in the order of the data."""
    return [str(name) for name in found.table["model"].unique()]


def values_of(found: Report) -> Values:
    """The value of each metric's default definition over everything, by metric, model and K."""
    rows = default_rows(found.table)
    ones = (Value(*row) for row in rows[rows["group_by"] == ""].itertuples(index=False))
    return {(one.declared.key, one.model, k_of(one)): one for one in ones}


def k_of(one: Value) -> int | None:
    """The cut-off of a value; None where its metric has none."""
    first = one.params.partition(";")[0]
    return int(first.removeprefix("k=")) if first.startswith("k=") else None


def value_at(values: Values, metric: Metric, model: str, k: int) -> Value | None:
    """The value of a metric at K, or its only one where it is of no K."""
    return values.get((metric.key, model, k)) or values.get((metric.key, model, None))


def sections() -> dict[str, list[Metric]]:
    """The metrics by section of document 004."""
    found: dict[str, list[Metric]] = {}
    for metric in METRICS.values():
        if metric.family == FAMILY:
            found.setdefault(metric.chapter or FURTHER, []).append(metric)
    return found


def headlines() -> list[Metric]:
    """The metrics that are shown first."""
    return [metric for metric in of_family(FAMILY) if "family" in metric.headline]


def label_at(metric: Metric, k: int | None = None) -> str:
    """A metric's label with K as a number; without K where there is none to name."""
    return metric.label.replace("@K", "" if k is None else f"@{k}")


def short_reason(one: Value) -> str:
    """``n/a — reason (n = …)``."""
    return f"n/a — {one.note or 'not defined'} (n = {one.n:,})"


def cell(one: Value | None) -> str:
    """A value with its interval in brackets, or why there is none."""
    if one is None:
        return "–"
    if math.isnan(one.value):
        return short_reason(one)
    return f"{one.text} ({one.interval.partition(' (')[0]})" if one.interval else one.text


def intervals(found: Report) -> str:
    """How the intervals of a report came about."""
    n = found.options.bootstrap
    if not n:
        return "Without intervals, as this was evaluated without bootstrap."
    return f"95 % intervals are percentiles of {n:,} bootstrap replicates of users{left_out_in_turn()}."


def left_out_in_turn() -> str:
    """Which metrics have intervals of another kind, as the end of a sentence about those of most."""
    beside = [label_at(one) for one in of_family(FAMILY) if one.lies_beside]
    return (
        f"; those of {', '.join(beside)} leave out users in turn, as replicates lie beside the value, and so "
        "do those that tell how unlike groups are, as chance never makes groups more alike"
    )


def direction_of(metric: Metric) -> str:
    """Which direction is better, in words."""
    return DIRECTIONS[metric.better]


def interval_of(one: Value) -> str:
    """The interval of a value on one line, or why there is none."""
    if one.interval:
        return one.interval
    is_constant = one.ci_method.startswith("not_estimable(alike_in_replicates")
    return "interval not estimable: every replicate is the same" if is_constant else "no interval"


def has_interval(one: Value) -> bool:
    """Whether both ends are known."""
    return not (math.isnan(one.ci_low) or math.isnan(one.ci_high))


def resting_of(found: Report, model: str, k: int) -> RestsOn | None:
    """What the values of a model at K rest on."""
    return rests_on(found.gathered, k).get(model)


def ks_given(text: str) -> tuple[int, ...]:
    """Cut-offs written one after the other, each once, ascending.

    Raises
    ------
    ValueError
        When a part is no whole number from 1 to `DEEPEST`, with the part; or when there is none.
    """
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    for part in parts:
        if not (part.isascii() and part.isdigit() and 1 <= int(part[:5]) <= DEEPEST and len(part) < 6):
            raise ValueError(as_shown(part))
    if not parts:
        raise ValueError("nothing")
    return tuple(sorted({int(part) for part in parts}))


def choose_ks() -> tuple[int, ...]:
    """Several cut-offs, typed one after the other; what is no cut-off is said, and the usual ones stand."""
    kept = saved()
    if kept is not None:
        return tuple(sorted(kept.options.ks))
    usual = ", ".join(map(str, CUT_OFFS))
    key = "recommender_ks"
    if key not in st.session_state:
        st.session_state[key] = (choices.asked("ks") or [usual])[0]
    text = st.text_input("K", key=key, width=220, max_chars=80, help="Cut-offs, such as 1, 5, 10, 20, 50.")
    try:
        ks = ks_given(str(text))
    except ValueError as fault:
        widgets.plain(
            f"K: found {fault}, expected whole numbers from 1 to {DEEPEST:,}; {usual} are used instead."
        )
        ks = CUT_OFFS
    choices.keep("ks", [] if ks == CUT_OFFS else [", ".join(map(str, ks))])
    return ks


def choose_k() -> int:
    """The cut-off K of this page, the same on the next one that asks for it."""
    kept = saved()
    if kept is not None:
        ks = [f"{k:d}" for k in sorted(kept.options.ks)]
        usual = str(USUAL_K) if str(USUAL_K) in ks else ks[0]
        return int(
            choices.segmented("K", "k", ks, usual, key=f"recommender_saved_k_of_{address.known().page}")
        )
    # A key of each page: with one for all, the field of the next page would begin at its least value.
    key = f"recommender_k_of_{address.known().page}"
    last = int(st.session_state.get("recommender_k_last", USUAL_K))
    choices.start_number(key, "k", 1, DEEPEST, last, is_whole=True)
    k = int(st.number_input("K", 1, DEEPEST, key=key, width=120, help="How many places of each list count."))
    st.session_state["recommender_k_last"] = k
    choices.keep_choice("k", str(k), str(USUAL_K))
    return k


def choose_model(models: list[str]) -> str:
    """The model whose numbers stand first, the same on the next page; nothing is asked where there is one."""
    if len(models) == 1:
        choices.refuse_absent(["recommender"])
        return models[0]
    key, last = f"recommender_model_of_{address.known().page}", st.session_state.get("recommender_model_last")
    choices.start(key, "recommender", models, str(last) if last in models else models[0])
    chosen = str(st.selectbox("Model", models, key=key, width=220))
    st.session_state["recommender_model_last"] = chosen
    choices.keep_choice("recommender", chosen, models[0])
    return chosen


def strong(text: str) -> None:
    """A small heading."""
    widgets.html(f"<strong>{as_html(text)}</strong>")


def quiet(lines: Iterable[str]) -> None:
    """Remarks beneath a table or figure."""
    widgets.plain(" ".join(lines), is_quiet=True)
