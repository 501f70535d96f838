"""Compare: two models or lists on the queries they share, with intervals, tests, and what fell out."""

from collections.abc import Hashable
from math import isnan
from typing import Any

import numpy as np
import streamlit as st

from evalcore.compare import (
    Comparison,
    answer,
    answer_of_groups,
    as_csv,
    compare,
    dropped_in_words,
)
from evalcore.compare.options import SENSITIVITY
from evalcore.compare.sides import comparable
from evalcore.compare.wording import favours, label_of, params_of, places_of, signed
from evalcore.data import Data
from evalcore.evaluation import natural_key
from evalcore.figures.comparison import comparison_figure, difference_title
from evalcore.figures.drawing import Ends
from evalcore.problems import InputError
from evalcore.spec import METRICS
from pages.shared import choices, widgets
from pages.shared.charts import chart, is_dark
from pages.shared.criteria import label_of as criterion_label
from pages.shared.data import session
from pages.shared.links import address
from pages.shared.lists.list_metrics import usual_pair
from pages.shared.point.point import current_point
from pages.shared.point.rows import choose_part, counted_key
from pages.shared.written import as_markdown

MODELS, LISTS = "Models", "Ranked lists"
GATES = {"sensitivity": "Same screening sensitivity", "thresholds": "Same thresholds", "none": "No gate"}
NOTHING = "no breakdown"
MEASURES = ("difference", "95 % interval")
NO_BREAK = "\u00a0"
LEAST_SHOWN = 0.0001
KEPT = 6
STEPS = {"intervals": 0.3, "test": 0.7}
"""Which share of the time each part takes."""


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
    options = [NOTHING, *columns]
    chosen = choices.selectbox("By", "by", options, NOTHING, key=f"compare_by_{kind}", width=160)
    return () if chosen == NOTHING else (chosen,)


def model_of_gate(data: Data) -> str:
    """The model in use, whose thresholds are offered; the first one where it has no scores."""
    in_use = session.model()
    return in_use if data.queries is None or in_use in data.queries.models else data.queries.models[0]


def ask_gate(data: Data) -> dict[str, float]:
    """The thresholds or the sensitivity at which two models are compared, as options."""
    gate = choices.selectbox(
        "Gate",
        "gate",
        list(GATES),
        "sensitivity",
        format_func=GATES.__getitem__,
        key="compare_gate",
        help="One threshold asks the same of two models only where their scores are of one scale.",
        width=230,
    )
    if gate == "none":
        return {}
    if gate == "sensitivity":
        share = choices.number(
            "Keep of the evidence (%)",
            "keep",
            50.0,
            100.0,
            100 * SENSITIVITY,
            key="compare_share",
            step=0.1,
            width=190,
        )
        return {"screening_sensitivity": share / 100}
    model = model_of_gate(data)
    usual = [None if text is None else float(text) for text in current_point(data, model).pair]
    is_probability = data.score_kind == "probability"
    limits = (0.0, 1.0) if is_probability else (None, None)
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
    kept: dict[Hashable, Comparison] = st.session_state.setdefault("memo_compare", {})
    if key in kept:
        return kept[key]
    place = st.empty()
    if st.session_state.get("compare_cancelled") == key:
        with place.container(horizontal=True, vertical_alignment="center"):
            widgets.plain("Cancelled.")
            is_wanted = st.button("Compute", key="compare_again")
        if not is_wanted:
            return None
        st.session_state.pop("compare_cancelled")
    with place.container():
        bar = st.progress(0.0, "Waiting for a free place…")
        st.button("Cancel", key="compare_cancel", on_click=cancel, args=(key,))
    with session.heavy_work():
        # Each message to the page is where a click on Cancel, or on another page, ends the computation.
        result = compare(
            data, first, second, progress=lambda text: bar.progress(*share_done(text)), **options
        )
    place.empty()
    kept[key] = result
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)))
    return result


def cancel(key: Hashable) -> None:
    """Remember that this comparison is not wanted now."""
    st.session_state["compare_cancelled"] = key


def share_done(text: str) -> tuple[float, str]:
    """How far a comparison is, from its own words, and what is shown."""
    part, _, counts = text.partition(", ")
    done, _, of = counts.partition(" of ")
    share = 0.0
    if of:
        share = int(done.replace(",", "")) / int(of.split()[0].replace(",", ""))
    before = 0.0 if part.startswith("intervals") else STEPS["intervals"]
    width = next((size for name, size in STEPS.items() if part.startswith(name)), 0.0)
    return min(before + share * width if width else 0.0, 1.0), as_markdown(text)


def draw(rows: list[dict[str, Any]], labels: list[str], result: Comparison, title: str, key: str) -> None:
    """Differences with intervals, each a line."""
    columns = {name: np.array([row[name] for row in rows]) for name in ("difference", "ci_low", "ci_high")}
    figure = comparison_figure(
        labels,
        columns["difference"],
        Ends(columns["ci_low"], columns["ci_high"]),
        [favours(row) for row in rows],
        first=result.first,
        second=result.second,
        title=title,
        dark=is_dark(),
    )
    chart(figure, key, height=130 + 32 * len(rows))


def is_delong(row: dict[str, Any]) -> bool:
    """Whether a row is DeLong's."""
    return str(row["ci_method"]).startswith("delong")


def cells(row: dict[str, Any], label: str, *, with_holm: bool) -> list[str]:
    """One line of a table."""
    places = places_of(row)
    values = ["n/a" if isnan(row[name]) else f"{row[name]:.{places}f}" for name in ("first", "second")]
    low, high = row["ci_low"], row["ci_high"]
    interval = (
        "n/a" if isnan(low) else f"{signed(low, places)} to {signed(high, places)}".replace(" ", NO_BREAK)
    )
    ps = [p_text(row[name]) for name in ("p", "p_holm")]
    line = [label, *values, signed(row["difference"], places), interval, ps[0]]
    n = dict.fromkeys(f"{row[name]:,}" for name in ("n_first", "n_second"))
    return [*line, *(ps[1:] if with_holm else []), f"{NO_BREAK}/{NO_BREAK}".join(n)]


def p_text(p: float) -> str:
    """A p-value with four decimals."""
    if isnan(p):
        return "n/a"
    return f"{p:.4f}" if p >= LEAST_SHOWN else f"<{NO_BREAK}{LEAST_SHOWN}"


def name_of(row: dict[str, Any]) -> str:
    """A metric as a line of the table calls it."""
    params = params_of(row)
    return label_of(row) + (f", {params}" if params else "") + (", DeLong" if is_delong(row) else "")


def reasons(rows: list[dict[str, Any]], labels: list[str]) -> list[str]:
    """Why something is not defined, and other remarks of the rows."""
    return [f"{label}: {row['note']}." for label, row in zip(labels, rows, strict=True) if row["note"]]


def show_all(result: Comparison) -> None:
    """Every metric over all shared queries."""
    rows = result.table[result.table["group_by"] == ""].to_dict("records")
    drawn = [row for row in rows if not is_delong(row) and METRICS[row["metric"]].bounds[1] <= 1]
    left, right = st.columns([2, 3], gap="large")
    with left:
        title = difference_title(result.first, result.second)
        draw(drawn, [name_of(row) for row in drawn], result, title, "differences_all")
    with right:
        header = ("", result.first, result.second, *MEASURES, "p", "n")
        labels = [name_of(row) for row in rows]
        lines = [cells(row, label, with_holm=False) for row, label in zip(rows, labels, strict=True)]
        widgets.table(header, lines)
        widgets.plain(" ".join(reasons(rows, labels)), is_quiet=True)


@st.fragment
def show_groups(result: Comparison, column: str) -> None:
    """One metric in every group."""
    st.subheader(f"By {as_markdown(column)}")
    found = result.table[result.table["group_by"] == column]
    found = found[~found["ci_method"].str.startswith("delong")].drop_duplicates(["metric", "params"])
    shown = {f"{row['metric']} {row['params']}": row for row in found.to_dict("records")}
    if not shown:
        widgets.plain("No shared query has a value of this column.")
        return
    usual = next(iter(shown))
    chosen = choices.segmented(
        "Metric",
        "measure",
        list(shown),
        usual,
        format_func=lambda name: as_markdown(name_of(shown[name])),
        key=f"compare_metric_{usual}",
        label_visibility="collapsed",
    )
    address.write()  # a fragment runs without the rest of the app
    metric, params = shown[chosen]["metric"], shown[chosen]["params"]
    rows = sorted(
        result.of(metric, group_by=column, params=params).to_dict("records"),
        key=lambda row: natural_key(row["group"]),
    )
    labels = [criterion_label(row["group"]) if column == "criterion" else row["group"] for row in rows]
    left, right = st.columns([2, 3], gap="large")
    with left:
        title = f"{label_of(shown[chosen])}, {result.second} − {result.first}"
        draw(rows, labels, result, title, "differences_by_group")
    with right:
        header = (column, result.first, result.second, *MEASURES, "p", "p (Holm)", "n")
        named = list(zip(rows, labels, strict=True))
        widgets.table(header, [cells(row, name, with_holm=True) for row, name in named])
        names = {str(row["group"]): name for row, name in named}
        told = answer_of_groups(result, metric, column, names, params=params)
        widgets.plain(" ".join([told, *reasons(rows, labels)]), is_quiet=True)


def show_method(result: Comparison) -> None:
    """How intervals and p-values came about, as the file says it."""
    row = result.table[result.table["ci_method"].str.startswith("cluster")].head(1)
    unit = "whole posts" if row.empty or "posts=" in row["ci_method"].iloc[0] else "rows (no posts are known)"
    options = result.options
    widgets.plain(
        f"Intervals: percentiles of {options.bootstrap:,} bootstrap replicates of {unit}, both models with "
        f"the same weights. p: two-sided, {options.permutations:,} swaps of the two models in {unit}; AUROC "
        f"and AUPRC swap ranks. Seed {options.seed}.",
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
        gate = ask_gate(data) if kind == MODELS else None
        options |= gate or {}
        if part is not None:
            options["metrics"] = ask_metrics(part.data, (first, second), with_gate=gate != {})
    if part is None:
        return
    options["split"] = part.split
    try:
        result = find(part.data, first, second, options)
    except InputError as error:
        widgets.problem_list(error.problems)
        return
    if result is None:
        return
    st.markdown("**What the shared queries say**")
    widgets.plain(answer(result))
    for shared in result.shared:
        widgets.plain(dropped_in_words(shared, result.first, result.second), is_quiet=True)
    for note in result.notes:
        widgets.plain(note, is_quiet=True)
    show_all(result)
    for column in by:
        show_groups(result, column)
    show_method(result)
    st.download_button(
        "Table as CSV",
        as_csv(result),
        file_name="comparison.csv",
        mime="text/csv",
        on_click="ignore",
        key="compare_csv",
    )


st.title("Compare")
try:
    found = session.with_lists()
except InputError as error:
    widgets.problem_list(error.problems)
    found = session.current().data
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
