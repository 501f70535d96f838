"""Recommendation lists on a page: their evaluation, its rows, and what is chosen of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from evalcore import evaluate
from evalcore.catalog import METRICS, of_family
from evalcore.evaluation import Options, Report
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.evaluation.recommender.resting import RestsOn, rests_on
from evalcore.problems import InputError
from evalcore.report.layout import Value, alike
from evalcore.spec import Metric
from pages.shared import choices, widgets
from pages.shared.data import session
from pages.shared.links.strangers_text import as_shown
from pages.shared.memo import remember
from pages.shared.tasks import RECOMMENDER

B = 1000
USUAL_K = 10
DEEPEST = 1000
CUT_OFFS = (1, 5, 10, 20, 50)
FAMILY = "recommender"
TALLY = "recommendations"
FURTHER = "Further"
NO_BREAK = "\u00a0"
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither direction is better",
}
Values = Mapping[tuple[str, str, int | None], Value]
"""(metric, model, K or None) → the row of its default definition over everything."""


def in_use() -> session.SessionData | None:
    """The session's recommendations; None, and why, for a damaged sample and a report of nothing at any K."""
    try:
        found = session.of_task(RECOMMENDER)
    except InputError as error:
        widgets.problem_list(error.problems)
        return None
    kept = found.report
    if kept is None or (kept.options.ks and len(kept.table) and TALLY in kept.gathered.tallies):
        return found
    widgets.plain(
        "This saved report has no value of lists at a cut-off K, which these pages are about. Load what it "
        "was made of, or a report with one."
    )
    return None


def report(*ks: int, by: tuple[str, ...] = (), pop_ratio: float | None = None, **further: Any) -> Report:
    """Every metric at these cut-offs, with intervals; the head of the catalogue is the usual one for None.

    ``further`` may hold further settings of metrics, and the keys of those that are computed.

    A saved report is shown as it is: what it was made with cannot be chosen anew.
    """
    kept = saved()
    if kept is not None:
        return kept
    head = {} if pop_ratio in (None, Options().pop_ratio) else {"pop_ratio": pop_ratio}
    key = (session.of_task(RECOMMENDER).key, ks, by, *head.values(), *further.items())
    return remember("recommender_report", key, lambda: _evaluated(ks=ks, by=by, **head, **further))


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


def meanings(metrics: Iterable[Metric], k: int | None = None) -> dict[str, str]:
    """What metrics say, by their labels; Recall and nDCG are those of lists for users here."""
    return {label_at(one, k): widgets.meaning(one) for one in metrics}


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


def show_values(
    header: Sequence[str],
    lines: Iterable[Sequence[Value | str | None]],
    *,
    name: str,
    meanings: Mapping[str, str] | None = None,
) -> None:
    """A table of values with their intervals; why there is none stands beneath it, however narrow it is.

    Parameters
    ----------
    header : a name for each column.
    lines : values, with texts as they stand.
    name : of the table.
    meanings : what the names of columns and lines mean, by which they explain themselves.
    """
    ns: dict[str, set[int]] = {}
    table = []
    for line in alike(lines):
        cells = []
        for one in line:
            if isinstance(one, Value) and math.isnan(one.value):
                ns.setdefault(one.note or "not defined", set()).add(one.n)
                place = list(ns).index(one.note or "not defined") + 1
                cells.append(f"n/a{NO_BREAK}{str(place).translate(RAISED)}")
            else:
                cells.append(one if isinstance(one, str) else cell(one))
        table.append(cells)
    widgets.table(header, table, name=name, meanings=meanings)
    if ns:
        told = enumerate(ns.items(), 1)
        notes = (f"{str(at).translate(RAISED)} {why} (n = {_from_to(n)})" for at, (why, n) in told)
        quiet(("n/a: " + "; ".join(notes) + ".",))


def _from_to(numbers: Iterable[int]) -> str:
    first, *others = sorted(numbers)
    return f"{first:,} to {others[-1]:,}" if others else f"{first:,}"


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


def usual_ks(longest: int) -> tuple[int, ...]:
    """The cut-offs that stand there where nobody chose: none beyond the longest list, at least two.

    Examples
    --------
    >>> usual_ks(20), usual_ks(3), usual_ks(1)
    ((1, 5, 10, 20), (1, 3), (1,))
    """
    within = tuple(k for k in CUT_OFFS if k <= longest)
    return within if len(within) > 1 else tuple(sorted({*within, max(longest, 1)}))


def choose_ks() -> tuple[int, ...]:
    """Several cut-offs, typed one after the other; what is no cut-off is said, and the usual ones stand."""
    kept = saved()
    if kept is not None:
        return tuple(sorted(kept.options.ks))
    found = session.of_task(RECOMMENDER).data.recommendations
    begun = CUT_OFFS if found is None else usual_ks(found.longest)
    usual = ", ".join(map(str, begun))
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
        ks = begun
    choices.keep("ks", [] if ks == begun else [", ".join(map(str, ks))])
    return ks


def choose_k() -> int:
    """The cut-off K of this page, the same on the next one that asks for it."""
    kept = saved()
    if kept is not None:
        ks = [f"{k:d}" for k in sorted(kept.options.ks)]
        usual = str(USUAL_K) if str(USUAL_K) in ks else ks[0]
        return int(choices.segmented("K", "k", ks, usual, key="recommender_saved_k", is_shared=True))
    return choices.whole_number(
        "K",
        "k",
        1,
        DEEPEST,
        USUAL_K,
        key="recommender_k",
        is_shared=True,
        width=120,
        help="How many places of each list count.",
    )


def choose_model(models: list[str]) -> str:
    """The model whose numbers stand first, the same on the next page; nothing is asked where there is one."""
    if len(models) == 1:
        choices.refuse_absent(["recommender"])
        return models[0]
    how: dict[str, Any] = {"key": "recommender_model", "is_shared": True, "width": 220}
    return choices.selectbox("Model", "recommender", models, models[0], **how)


BY: dict[str, Any] = {
    "format_func": lambda name: name.replace(";", " and "),
    "key": "recommender_by",
    "is_shared": True,
    "width": 200,
}
"""How each page shows the column to break down by."""


def choose_by(columns: list[str], usual: str) -> str:
    """The column to break down by, the same on the next page that offers it."""
    return choices.selectbox("By", "by", columns, usual, **BY)


def choose_measure(metrics: Mapping[str, str], usual: str) -> str:
    """One metric of those that a page offers, by name, the same on the next page that offers it.

    Parameters
    ----------
    metrics : name → label.
    usual : the name of the one that stands there where nobody chose.
    """
    return choices.selectbox(
        "Metric",
        "measure",
        list(metrics),
        usual,
        format_func=metrics.__getitem__,
        key="recommender_measure",
        is_shared=True,
        width=260,
    )


def quiet(lines: Iterable[str]) -> None:
    """Remarks beneath a table or figure."""
    widgets.plain(" ".join(lines), is_quiet=True)
