"""Compare: two models or lists on the queries they share, with intervals, tests, and what fell out."""

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from evalcore.compare import Comparison, against_one_scale, answer, as_csv, compare, dropped_in_words
from evalcore.compare.sides import comparable
from evalcore.data import Data
from evalcore.problems import InputError
from evalcore.spec import METRICS
from pages.shared import choices, widgets
from pages.shared.compared.running import computed
from pages.shared.compared.shown import show_all, show_groups
from pages.shared.criteria import label_of as criterion_label
from pages.shared.data import session
from pages.shared.lists.list_metrics import usual_pair
from pages.shared.lists.loaded import data_with_lists
from pages.shared.memo import remember
from pages.shared.point.point import Aim, PointState, current_point
from pages.shared.point.rows import choose_part, counted_key
from pages.shared.written import as_markdown

MODELS, LISTS = "Models", "Ranked lists"
TARGETS, THRESHOLDS, NO_GATE = "targets", "thresholds", "none"
GATES = {TARGETS: "Same targets", THRESHOLDS: "Same thresholds", NO_GATE: "No gate"}
NOTHING = "no breakdown"
ONE_SCALE = (
    "Same targets: each model at its own thresholds, which meet the targets on the rows that are compared. "
    "Same thresholds are offered where both scores are probabilities that promise about as much evidence on "
    "average, at most a tenth apart; averages that agree do not prove one scale."
)


def kinds_of(data: Data) -> dict[str, list[str]]:
    """What can be compared: models, lists, or both, where there are at least two."""
    models = [] if data.queries is None else list(data.queries.models)
    lists = [] if data.rankings is None else list(data.rankings.lists)
    return {kind: names for kind, names in ((MODELS, models), (LISTS, lists)) if len(names) > 1}


def ask_two(kinds: dict[str, list[str]]) -> tuple[str, str, str]:
    """Which kind, and which two of it; the second is compared with the first."""
    kind = next(iter(kinds))
    if len(kinds) > 1:
        kind = choices.segmented(
            "Compare", "kind", list(kinds), kind, key="compare_kind", format_func=as_markdown
        )
    names = kinds[kind]
    before, after = usual_pair(names) if kind == LISTS else (names[-1], names[0])
    first = choices.selectbox("From", "from", names, before, key=f"compare_first_{kind}", width=190)
    others = [name for name in names if name != first]
    usual = after if after in others else others[0]
    second = choices.selectbox("to", "to", others, usual, key=f"compare_second_{kind}_{first}", width=190)
    return kind, first, second


def ask_breakdown(data: Data, kind: str) -> tuple[str, ...]:
    """A column to break down by, or none."""
    part = data.queries if kind == MODELS else data.rankings
    columns = ["criterion"] if part is not None and len(part.criterion_ids) > 1 else []
    if part is not None:
        columns += [name for name, (_, levels) in part.slices.items() if 1 < len(levels) <= 50]
    chosen = choices.optional("By", "by", columns, NOTHING, key=f"compare_by_{kind}", width=160)
    return () if chosen is None else (chosen,)


def model_of_gate(data: Data) -> str:
    """The model in use, whose thresholds are offered; the first one where it has no scores."""
    in_use = session.model()
    return in_use if data.queries is None or in_use in data.queries.models else data.queries.models[0]


def against_scale(data: Data, first: str, second: str) -> str:
    """What speaks against the same thresholds for both, on the rows that are compared."""
    try:
        return remember(
            "scales", (counted_key(), first, second), lambda: against_one_scale(data, first, second)
        )
    except InputError:  # the comparison says it
        return "there is nothing to compare"


def ask_gate(data: Data, *, is_one_scale: bool) -> dict[str, float]:
    """The targets or the thresholds at which two models are compared, as options."""
    gates = [gate for gate in GATES if gate != THRESHOLDS or is_one_scale]
    gate = choices.selectbox(
        "Gate",
        "gate",
        gates,
        TARGETS,
        format_func=GATES.__getitem__,
        key="compare_gate",
        help=ONE_SCALE,
        width=170,
    )
    if gate == NO_GATE:
        return {}
    return ask_targets() if gate == TARGETS else ask_thresholds(data)


def ask_targets() -> dict[str, float]:
    """The targets that each model meets at thresholds of its own; at first those of the session."""
    state = st.session_state.get("operating_point")
    aim = state.aim if isinstance(state, PointState) else Aim()
    asked = (
        ("screening_sensitivity", "Keep of the evidence (%)", "keep", aim.screening_sensitivity),
        ("alert_precision", "Right of the alerts (%)", "right", aim.alert_precision),
    )
    return {
        option: choices.number(
            label, name, 50.0, 100.0, round(100 * usual, 6), key=f"compare_{name}", step=0.1, width=190
        )
        / 100
        for option, label, name, usual in asked
    }


def ask_thresholds(data: Data) -> dict[str, float]:
    """One pair of thresholds for both models; at first that of the model in use."""
    model = model_of_gate(data)
    usual = [None if text is None else float(text) for text in current_point(data, model).pair]
    limits = (0.0, 1.0)  # offered for probabilities alone
    options = {}
    for name, label, value in (("tau_neg", "τ_neg", usual[0]), ("tau_pos", "τ_pos", usual[1])):
        empty = 0.0 if name == "tau_neg" else 1.0
        options[name] = choices.number(
            label,
            name,
            *limits,
            empty if value is None else value,
            key=f"compare_{name}_{model}",
            format="%.6g",
            step=0.001,
            width=130,
            help=f"At first that of the Operating point page for {as_markdown(model)}.",
        )
    return options


def ask_metrics(data: Data, names: tuple[str, str], *, with_gate: bool) -> tuple[str, ...]:
    """The metrics that stand here, and those that are wanted besides."""
    offered = [one for one in comparable(data, names) if with_gate or one.tally != "StateCounts"]
    usual = sorted((one for one in offered if one.compared), key=lambda one: one.compared)
    others = {one.key: f"{one.label} ({one.family})" for one in offered if not one.compared}
    more = choices.several(
        "More metrics",
        "more",
        list(others),
        key="compare_more",
        format_func=lambda key: others.get(key, key),
        placeholder="none",
        width=380,
        help="Any metric that both have data for. One without a fast way to its swaps may take minutes.",
    )
    return (*(one.key for one in usual), *more)


def find(data: Data, first: str, second: str, options: dict[str, Any]) -> Comparison | None:
    """The comparison, kept in the session; None while it is cancelled."""
    key: Hashable = (counted_key(), first, second, tuple(sorted(options.items())))
    return computed("compare", key, lambda tell: compare(data, first, second, progress=tell, **options))


def name_of_group(column: str) -> Callable[[str], str]:
    """What a group of a column is called."""
    return criterion_label if column == "criterion" else str


def show_method(result: Comparison, things: str) -> None:
    """How intervals and p-values came about, as the file says it; `things` are models or lists."""
    row = result.table[result.table["ci_method"].str.startswith("cluster")].head(1)
    unit = "whole posts" if row.empty or "posts=" in row["ci_method"].iloc[0] else "rows (no posts are known)"
    options = result.options
    compared = [METRICS[key] for key in dict.fromkeys(result.table["metric"])]
    of_order = " and ".join(metric.label.split(" (")[0] for metric in compared if metric.is_of_order)
    widgets.plain(
        f"Intervals: percentiles of {options.bootstrap:,} bootstrap replicates of {unit}, both {things} with "
        f"the same weights. p: two-sided, {options.permutations:,} swaps of the two {things} in {unit}"
        f"{f'; {of_order} swap ranks' if of_order else ''}. Seed {options.seed}.",
        is_quiet=True,
    )


def show(data: Data, kinds: dict[str, list[str]]) -> None:
    """Choices, the answer, the differences, and what they rest on."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind, first, second = ask_two(kinds)
        by = ask_breakdown(data, kind)
        is_shared_only = kind == LISTS and choices.checkbox(
            "Only queries that both rank",
            "shared_only",
            key="compare_shared_only",
            help="Otherwise a list that is missing counts as an empty one.",
        )
    options: dict[str, Any] = {"by": by, "shared_only": is_shared_only}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = choose_part(data, "Compare")
        against, gate = "", None
        if kind == MODELS and part is not None:
            against = against_scale(part.data, first, second)
            gate = ask_gate(data, is_one_scale=not against)
        options |= gate or {}
        if part is not None:
            options["metrics"] = ask_metrics(part.data, (first, second), with_gate=gate != {})
    if part is None:
        return
    options["split"] = part.split
    if against:
        widgets.plain(f"The same thresholds are not offered for these two: {against}.", is_quiet=True)
    try:
        result = find(part.data, first, second, options)
    except InputError as error:
        widgets.problem_list(error.problems)
        return
    if result is None:
        return
    widgets.small_heading("What the shared queries say", level=2)
    widgets.plain(answer(result))
    for shared in result.shared:
        widgets.plain(dropped_in_words(shared, result.first, result.second), is_quiet=True)
    for note in result.notes:
        widgets.plain(note, is_quiet=True)
    show_all(result)
    for column in by:
        show_groups(result, column, name_of_group(column))
    show_method(result, "models" if kind == MODELS else "lists")
    widgets.csv_button("Table as CSV", as_csv(result), "comparison.csv", "compare_csv")


st.title("Compare")
found = data_with_lists()
two_of = kinds_of(found)
if session.needs_rows(session.current(), "pair"):
    pass
elif two_of:
    show(found, two_of)
else:
    st.info(
        "These data hold one model only: a comparison needs two. Put several models into one file (a column "
        "model, or several score columns), or several ranked lists, and load it."
    )
    if found.files_as == "parts":
        widgets.plain(
            f"{' '.join(found.notes)} If they are models of the same rows, say so on the Data page."
        )
    st.page_link("pages/common/data.py", label="To the Data page")
