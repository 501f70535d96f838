"""Compare: two recommenders on the users they share, and every two of several, with intervals and tests."""

from collections.abc import Hashable
from math import isnan
from typing import Any

import streamlit as st

from evalcore.compare import (
    Comparison,
    Matrix,
    answer,
    as_csv,
    compare_recommendations,
    dropped_in_words,
    matrix,
)
from evalcore.compare.recommendations import KINDS, USUAL
from evalcore.compare.wording import ALPHA, answer_of_pairs, label_of, metric_of, places_of, row_of_pair
from evalcore.compare.writing import matrix_csv
from evalcore.data import Data
from evalcore.evaluation import group_columns
from evalcore.problems import InputError
from evalcore.spec import METRICS
from evalcore.text.numerals import change_between, change_text, value_text
from pages.shared import choices, widgets
from pages.shared.compared.running import computed
from pages.shared.compared.second import Second
from pages.shared.compared.shown import NO_BREAK, p_text, show_all, show_groups
from pages.shared.data import session
from pages.shared.recommended import recommended
from pages.shared.tasks import RECOMMENDER

NOTHING = "no breakdown"
UPLOAD = Second(RECOMMENDER, "upload", "recommendation lists")
PAIRS = "user_group;item_group"
"""The pairs of groups that every comparison has rows of."""


def ask_two(models: list[str], others: list[str] | None = None) -> tuple[str, str]:
    """Which two, of one upload or of two; the second is compared with the first."""
    first = choices.selectbox("From", "from", models, models[0], key="recommender_first", width=166)
    if others is not None:
        how: dict[str, Any] = {"key": "recommender_second_other", "width": 200}
        return first, choices.selectbox("to", "to_other", others, others[0], **how)
    others = [name for name in models if name != first]
    second = choices.selectbox("to", "to", others, others[0], key=f"recommender_second_{first}", width=166)
    return first, second


def ask_metrics() -> tuple[str, ...]:
    """The metrics that stand here, and those that are wanted besides."""
    offered = [one for one in METRICS.values() if one.family == recommended.FAMILY and one.tally in KINDS]
    others = {one.key: recommended.label_at(one) for one in offered if one.key not in USUAL}
    more = choices.several(
        "More metrics",
        "more",
        list(others),
        key="recommender_more",
        format_func=lambda key: others.get(key, key),
        placeholder="none",
        width=380,
    )
    return (*USUAL, *more)


def ask_breakdown(data: Data) -> str | None:
    """A column to break down by, or None: of users, of items, or of both."""
    columns = group_columns(data)
    options = [*columns, *([PAIRS] if {*PAIRS.split(";")} <= {*columns} else [])]
    return choices.optional("By", "by", options, NOTHING, **recommended.BY)


def compared(
    data: Data, other: session.SessionData | None, names: tuple[str, str], options: dict[str, Any]
) -> Comparison | None:
    """The comparison, kept in the session; None while it is cancelled."""
    key: Hashable = (
        session.of_task(RECOMMENDER).key,
        None if other is None else other.key,
        *names,
        tuple(sorted(options.items())),
    )
    theirs = None if other is None else other.data
    return computed(
        "recommender_compare",
        key,
        lambda tell: compare_recommendations(data, *names, other=theirs, progress=tell, **options),
    )


def every_two(data: Data, options: dict[str, Any]) -> Matrix | None:
    """Every two models, kept in the session; None while that is cancelled."""
    metrics = options["metrics"]
    how: dict[str, Any] = {name: value for name, value in options.items() if name in ("k", "shared_only")}
    key: Hashable = (session.of_task(RECOMMENDER).key, metrics, tuple(sorted(how.items())))
    return computed("recommender_matrix", key, lambda tell: matrix(data, metrics, progress=tell, **how))


def pair_cell(row: dict[str, Any], is_second: bool) -> str:
    """The difference of a line's model from a column's, with its adjusted p-value."""
    if isnan(row["difference"]):
        return f"n/a — {row['note'] or 'not defined'}"
    difference = row["difference"] if is_second else -row["difference"]
    is_clear = row["p_holm"] <= ALPHA
    metric, places, mark = metric_of(row), places_of(row), f"{NO_BREAK}*" if is_clear else ""
    text = f"{change_text(metric, difference, places)}{mark}"
    if not isnan(row["ci_low"]):
        low, high = row["ci_low"], row["ci_high"]
        low, high = (low, high) if is_second else (-high, -low)
        text += f" [{change_between(metric, low, high, places)}]"
    return f"{text} (p{NO_BREAK}{p_text(row['p_holm'])})"


def show_matrix(found: Matrix) -> None:
    """Every two models by one metric: the answer, then a table, and all metrics as a file."""
    st.header("Every two models")
    keys = {METRICS[key].name: key for key in found.metrics}
    labels = {name: label_of(found.of(key).iloc[0].to_dict()) for name, key in keys.items()}
    chosen = recommended.choose_measure(labels, next(iter(labels)))
    metric = keys[chosen]
    widgets.plain(answer_of_pairs(found, metric))
    rows = {(row["first"], row["second"]): row for row in found.of(metric).to_dict("records")}
    values = found.values(metric)
    lines = []
    for model in found.models:
        cells = [cell_of(rows, model, beside) for beside in found.models]
        lines.append([model, value_text(METRICS[metric], values.get(model, float("nan"))), *cells])
    widgets.table(
        ["", labels[chosen], *(f"− {name}" for name in found.models)],
        lines,
        name="Pairs of models",
        meanings={labels[chosen]: widgets.meaning(METRICS[metric])},
    )
    recommended.quiet(
        (
            f"A line’s model minus a column’s [95 % interval]; "
            f"* p ≤ {ALPHA} after Holm over {len(rows)} pairs.",
            "All pairs have the same draws of users.",
        )
    )
    widgets.csv_button(
        "All pairs as CSV",
        matrix_csv(found),
        "pairs.csv",
        "recommender_matrix_csv",
    )


def cell_of(rows: dict[tuple[str, str], dict[str, Any]], model: str, other: str) -> str:
    """A cell of the table of pairs; empty for a model beside itself."""
    if (other, model) in rows:
        return pair_cell(dict(row_of_pair(rows[other, model])), is_second=True)
    if (model, other) in rows:
        return pair_cell(dict(row_of_pair(rows[model, other])), is_second=False)
    return ""


def show_pair(result: Comparison, by: str | None) -> None:
    """Two models: the answer, what fell out, all metrics, and one in every group."""
    widgets.small_heading("What the shared users say", level=2)
    widgets.plain(answer(result))
    for shared in result.shared:
        widgets.plain(dropped_in_words(shared, result.first, result.second), is_quiet=True)
    for note in result.notes:
        widgets.plain(note, is_quiet=True)
    show_all(result)
    if by is not None:
        show_groups(result, by, lambda name: name.replace(";", " · "))
    options = result.options
    widgets.plain(
        f"Intervals: percentiles of {options.bootstrap:,} bootstrap replicates of users, both models with "
        f"the same weights{recommended.left_out_in_turn()}. p: two-sided, {options.permutations:,} swaps of "
        f"the two models user by user. Seed {options.seed}.",
        is_quiet=True,
    )
    widgets.csv_button(
        "Table as CSV",
        as_csv(result),
        "comparison.csv",
        "recommender_compare_csv",
    )


def show(data: Data, models: list[str], other: session.SessionData | None) -> None:
    """Choices, two models beside each other, and every two of three and more of one upload."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = ask_two(models, None if other is None else list(other.models))
        k = recommended.choose_k()
        by = ask_breakdown(data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metrics = ask_metrics()
        is_shared_only = choices.checkbox(
            "Only users with a list of each",
            "shared_only",
            key="recommender_shared_only",
            help="Otherwise nothing is found for a user without a list.",
        )
    columns = (by,) if by is not None and by != PAIRS else ()
    options = {"metrics": metrics, "k": k, "by": columns, "shared_only": is_shared_only}
    try:
        result = compared(data, other, names, options)
        if result is not None:
            show_pair(result, by)
        found = every_two(data, options) if len(models) > 2 and other is None else None
    except InputError as error:
        widgets.problem_list(error.problems)
        return
    if found is not None:
        show_matrix(found)


st.title("Compare models")
in_use = recommended.in_use()
if in_use is not None and not session.needs_rows(in_use, "pair"):
    other = UPLOAD.in_use()
    if other is None and len(in_use.models) < 2:
        st.info(
            "These data hold one model only: a comparison needs two. Load the lists of several models in one "
            "upload on the Data page, in files of their own or told apart by a column model; or give the "
            "second model’s lists here: they are judged by train and test of these data, or by their own."
        )
    else:
        show(in_use.data, list(in_use.models), other)
    if other is None:
        UPLOAD.ask(is_needed=len(in_use.models) < 2)
