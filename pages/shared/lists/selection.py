"""Dynamic K on a page: what a policy selects from scored lists, or what a file says was selected."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import streamlit as st

from evalcore.ablation import gamma_table
from evalcore.data import Data, Rankings
from evalcore.evaluation.lists import Value, selection_metrics, selection_values, selections_stated
from evalcore.figures.ranking import k_histogram_figure, recall_workload_figure
from evalcore.operating_point.wording import percent_of
from evalcore.problems import InputError
from evalcore.selection_sweep import (
    GAMMAS,
    Policy,
    PolicyResult,
    along,
    gamma_sweep,
    inert_note,
    k_histogram,
    sweep,
)
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.links import address
from pages.shared.lists.list_metrics import ranked_list, tally, usual_pair
from pages.shared.memo import remember
from pages.shared.point.rows import counted_key
from pages.shared.tiles import Tile, show_tiles
from pages.shared.written import as_markdown

KINDS = {"fixed": "Fixed K", "threshold": "Threshold", "mass": "Mass γ", "combined": "Combined"}
RULES = {
    "fixed": "The first K candidates.",
    "threshold": "Every candidate whose score reaches the threshold.",
    "mass": "The fewest candidates whose shares of the score add up to γ.",
    "combined": "The smaller of what threshold and mass select.",
}
N_POINTS = 12
if TYPE_CHECKING:
    from evalcore.tallies.selections import ScoredLists, Selections
    from evalcore.tallies.unit_lists import UnitLists


@st.fragment
def show_simulator(rankings: Rankings) -> None:
    """The simulator: choose a policy, see at once what it selects and finds."""
    st.header("Dynamic K")
    names = [name for name, rows in rankings.lists.items() if rows.has_scores]
    if not names:
        widgets.plain(
            "A policy selects by the scores of the candidates, and these lists came without: load a "
            "candidates file with the same queries to select by threshold or mass. The first K can be "
            "selected from any list.",
        )
    setting, outcome = st.columns([1, 3], gap="large")
    with setting:
        lists = choose_scored(rankings, names or list(rankings.lists))
        policy = choose_policy(lists, has_scores=bool(names))
    address.write()  # a fragment runs without the rest of the app
    if policy is None:
        return
    st.session_state["simulated_policy"] = policy
    with outcome:
        show_policy(lists, policy)


def choose_scored(rankings: Rankings, names: list[str]) -> ScoredLists:
    """The list to select from."""
    usual = usual_pair(names)[1]
    name = choices.selectbox("Select from", "select_from", names, usual, key="selection_list")
    st.session_state["selection_key"] = (counted_key(), name)
    return ranked_list(rankings, name).scored


def choose_policy(lists: ScoredLists, *, has_scores: bool) -> Policy | None:
    """The rule and its caps; None where they contradict each other, which is said."""
    kinds = list(KINDS) if has_scores else ["fixed"]
    kind = choices.selectbox(
        "Policy",
        "policy",
        kinds,
        "mass" if has_scores else kinds[0],
        format_func=KINDS.__getitem__,
        key=f"selection_kind_{has_scores}",
        help="  \n".join(RULES.values()),
    )
    setting: dict[str, float | int | None] = {}
    if kind == "fixed":
        setting["k"] = choices.whole_number("K", "first", 1, 1000, 10, key="selection_k", width="stretch")
    if kind in ("threshold", "combined"):
        setting["threshold"] = choices.number(
            "Score at least",
            "threshold",
            None,
            None,
            usual_threshold(lists),
            key="selection_threshold",
            format="%.4g",
        )
    if kind in ("mass", "combined"):
        setting["gamma"] = choices.number(
            "γ", "gamma", 0.05, 1.0, 0.9, key="selection_gamma", is_slider=True, step=0.01
        )
        is_probability = lists.scale == "probability"
        if not is_probability or choices.checkbox(
            "Share by softmax",
            "softmax",
            key="selection_softmax",
            help="Otherwise the share of a candidate is its probability over the sum of its list.",
        ):
            setting["temperature"] = choices.number(
                "Temperature T",
                "temperature",
                0.01,
                None,
                1.0,
                step=0.1,
                key="selection_temperature",
                help="The share of a candidate is softmax(score / T) over its list.",
            )
    with st.expander("Caps", expanded=True):
        k_min = choices.whole_number(
            "At least (k_min)", "k_min", 0, 200, 2, key="selection_k_min", width="stretch"
        )
        hard_cap = choices.whole_number(
            "At most (hard_cap)", "hard_cap", 1, 1000, 10, key="selection_hard_cap", width="stretch"
        )
        ratio = choices.number(
            "Share of the candidates (ratio)",
            "ratio",
            0.0,
            1.0,
            0.5,
            key="selection_ratio",
            is_slider=True,
            step=0.05,
        )
        rounding = choices.selectbox(
            "Rounding of that share",
            "rounding",
            ["floor", "ceil"],
            "floor",
            format_func={"floor": "down (floor)", "ceil": "up (ceil)"}.__getitem__,
            key="selection_rounding",
        )
    caps = {"k_min": k_min, "hard_cap": hard_cap, "ratio": f"{ratio:.2f}", "rounding": rounding}
    try:
        return Policy(kind, **setting, **caps)
    except InputError as error:
        widgets.problem_list(error.problems)
        return None


def usual_threshold(lists: ScoredLists) -> float:
    """A threshold to begin with."""
    return 0.5 if lists.scale == "probability" else 0.0


def show_policy(lists: ScoredLists, policy: Policy) -> None:
    """What the policy selects and finds, against its other settings."""
    key = (*st.session_state["selection_key"], policy)
    has_gamma = policy.kind in ("mass", "combined")
    results = remember(
        "policy_results",
        key,
        lambda: gamma_sweep(lists, policy) if has_gamma else sweep(lists, [policy]),
    )
    now = next(one for one in results if one.policy.gamma == policy.gamma)
    own = {"fixed": {"k": 1}, "threshold": {"threshold": 0.0}}.get(policy.kind, {"gamma": 0.5})
    path_key = (*st.session_state["selection_key"], replace(policy, **own))
    path = remember("policy_path", path_key, lambda: sweep(lists, along(lists, policy, N_POINTS)))
    values = remember("selection_values", key, lambda: selection_values(now.selections))
    show_tiles(
        [
            *selection_tiles(values),
            Tile("Workload", f"{now.n_selected:,}", "candidates selected in all"),
            Tile(
                "At the cap",
                percent_of(now.n_at_cap, len(now.selections)),
                f"{now.n_at_cap:,} of {len(now.selections):,} queries have as many as their caps allow",
            ),
        ]
    )
    note = inert_note(results)
    if note:
        st.warning(f"{as_markdown(note)}.", icon=":material/vertical_align_top:")
    marked = [one for one in results if one.policy.gamma in GAMMAS] if has_gamma else []
    show_charts(path, now, marked, key)
    if has_gamma:
        show_gammas(results)


def show_charts(
    path: tuple[PolicyResult, ...],
    now: PolicyResult,
    marked: list[PolicyResult],
    key: tuple[Hashable, ...],
) -> None:
    """Recall against workload, and how many queries have which K."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Recall against workload**")
        if isnan(now.evidence_recall):
            widgets.plain("n/a: no query with gold, so there is no recall.")
        else:
            kept_chart(
                "workload",
                key,
                lambda dark: recall_workload_figure(path, current=now, marked=marked, dark=dark),
                height=330,
            )
    with right:
        st.markdown("**Selected K**")
        show_histogram(now.selections, "simulated_k", key)


def show_histogram(selections: Selections, name: str, key: tuple[Hashable, ...]) -> None:
    """How many queries have which K, with gold and without."""

    def draw(dark: bool) -> go.Figure:
        histogram = k_histogram(selections.n_selected, selections.n_gold > 0)
        return k_histogram_figure(histogram, title="selected K", dark=dark)

    kept_chart(name, key, draw, height=330)


def show_gammas(results: tuple[PolicyResult, ...]) -> None:
    """The sweep over γ as a table."""
    names = {
        "gamma": "γ",
        "mean_k": "mean K",
        "median_k": "median K",
        "p90_k": "P90 K",
        "evidence_recall": "evidence recall",
        "evidence_precision": "evidence precision",
        "n_selected": "workload",
        "n_at_cap": "at the cap",
        "is_inert": "no effect",
    }
    shown = gamma_table(results).rename(columns=names)
    numbers = {
        "γ": st.column_config.NumberColumn(format="%.3g"),
        "mean K": st.column_config.NumberColumn(format="%.3f"),
        "evidence recall": st.column_config.NumberColumn(format="%.4f"),
        "evidence precision": st.column_config.NumberColumn(format="%.4f"),
        "workload": st.column_config.NumberColumn(format="localized"),
        "at the cap": st.column_config.NumberColumn(format="localized"),
    }
    st.dataframe(shown, hide_index=True, column_config=numbers, key="gammas", alt="What each γ selects")
    widgets.plain(
        "No effect: another γ of the table selects as many from every list. Workload: candidates in all.",
        is_quiet=True,
    )


def selection_tiles(values: dict[str, Value]) -> list[Tile]:
    """The extraction metrics as tiles."""
    tiles = []
    for metric in selection_metrics():
        one = values[metric.name]
        is_share = metric.bounds == (0, 1)
        text = f"{one.value:.4f}" if is_share else count_text(metric.name, one.value)
        text = "n/a" if isnan(one.value) else text
        over = f"over {one.n:,} queries{' with gold' if metric.population[0] == 'positives_only' else ''}"
        note = f"n/a — {one.note} (n = {one.n:,})" if isnan(one.value) else over
        tiles.append(Tile(metric.label, text, metric.meaning, note))
    return tiles


def count_text(name: str, k: float) -> str:
    """A mean K with three digits after the point, a quantile as it is."""
    return f"{k:,.3f}" if name.startswith("mean") else f"{k:,.4g}"


@st.fragment
def show_stated(data: Data, model: str, lists: UnitLists | None = None) -> None:
    """The selections that the rows of a model state in their column selected_k.

    Parameters
    ----------
    data, model
        Whose rows.
    lists
        The tallies of lists that a saved report has in place of the lists.
    """
    queries = data.queries
    if queries is None or model not in queries.models or "selected_k" not in queries.numbers:
        return
    st.header("As selected in the file")
    rankings = data.rankings if lists is None else lists
    key: tuple[str, ...] = (counted_key(), model)
    if rankings is None:
        selections = remember("stated_selections", key, lambda: selections_stated(queries, model))
        source = "These data hold no ranked lists: how many were selected is known, not which."
    else:
        names = list(rankings.lists)
        name = choices.selectbox(
            "Selected from",
            "selected_from",
            names,
            usual_pair(names)[1],
            key="stated_list",
            width=230,
            help="The file says how many of a list were selected, not of which list.",
        )
        key = (*key, name)
        selections = remember(
            "stated_selections",
            key,
            lambda: selections_stated(queries, model, rankings, tally(rankings, name)),
        )
        source = f"The first selected_k of {name}."
    left, right = st.columns([3, 2], gap="large")
    with left:
        values = remember("stated_values", key, lambda: selection_values(selections))
        show_tiles(selection_tiles(values))
        widgets.plain(f"{model}, {len(selections):,} checks. {source}", is_quiet=True)
    with right:
        show_histogram(selections, "stated_k", key)


def policy_in_words(policy: Policy) -> str:
    """A policy in one line."""
    named = {"k": "K = {}", "threshold": "score ≥ {}", "gamma": "γ = {}"}
    parts = [text.format(getattr(policy, name)) for name, text in named.items() if getattr(policy, name)]
    return ", ".join([KINDS[policy.kind].lower(), *parts])
