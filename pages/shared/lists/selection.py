"""Dynamic K on a page: what a policy selects from scored lists, or what a file says was selected."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import streamlit as st

from evalcore.ablation import gamma_table
from evalcore.data import Data, Rankings
from evalcore.evaluation.lists import Value, selection_metrics, selection_values, selections_stated
from evalcore.figures.ranking import k_histogram_figure, recall_workload_figure
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
from evalcore.text.numerals import as_given, number, percent_of, value_text
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.links import address
from pages.shared.lists.list_metrics import ranked_list, tally, usual_pair
from pages.shared.lists.policy import choose_policy
from pages.shared.memo import remember
from pages.shared.point.rows import counted_key
from pages.shared.tiles import Tile, show_tiles
from pages.shared.written import as_markdown

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
    with outcome:
        show_policy(lists, policy)


def choose_scored(rankings: Rankings, names: list[str]) -> ScoredLists:
    """The list to select from."""
    usual = usual_pair(names)[1]
    name = choices.selectbox("Select from", "select_from", names, usual, key="selection_list")
    st.session_state["selection_key"] = (counted_key(), name)
    return ranked_list(rankings, name).scored


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
    begun: dict[str, dict[str, Any]] = {"fixed": {"k": 1}, "threshold": {"threshold": 0.0}}
    own = begun.get(policy.kind, {"gamma": 0.5})
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
        widgets.small_heading("Recall against workload")
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
        widgets.small_heading("Selected K")
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
    values = dict.fromkeys(("mean K", "evidence recall", "evidence precision"), number)
    st.dataframe(
        widgets.written(shown, values),
        hide_index=True,
        key="gammas",
        alt="What each γ selects",
    )
    widgets.plain(
        "No effect: another γ of the table selects as many from every list. Workload: candidates in all.",
        is_quiet=True,
    )


def selection_tiles(values: dict[str, Value]) -> list[Tile]:
    """The extraction metrics as tiles."""
    tiles = []
    for metric in selection_metrics():
        one = values[metric.name]
        is_k = metric.bounds[1] > 1
        text = count_text(metric.name, one.value) if is_k else value_text(metric, one.value)
        over = f"over {one.n:,} queries{' with gold' if metric.population[0] == 'positives_only' else ''}"
        note = f"n/a — {one.note} (n = {one.n:,})" if isnan(one.value) else over
        tiles.append(Tile(metric.label, text, metric.meaning, note))
    return tiles


def count_text(name: str, k: float) -> str:
    """A mean K with three digits after the point, a quantile as it is."""
    if isnan(k):
        return "n/a"
    return f"{k:,.3f}" if name.startswith("mean") else f"{as_given(k, 4)}"


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
