"""Ranked lists on a page: two of them at every K, where their first gold stands, and group by group."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from evalcore.ablation import RankedList
from evalcore.data import Rankings
from evalcore.evaluation import natural_key
from evalcore.evaluation.lists import (
    KS,
    at_every_k,
    first_gold,
    k_name,
    label_at,
    list_differences,
    list_metrics,
    lists_by_group,
    n_over,
    n_shorter,
)
from evalcore.figures.ranking import (
    first_gold_figure,
    k_histogram_figure,
    list_groups_figure,
    over_k_figure,
)
from evalcore.selection_sweep import k_eff_histogram
from evalcore.text.numerals import number, signed
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.criteria import label_of
from pages.shared.links import address
from pages.shared.memo import kept, remember
from pages.shared.point.rows import counted_key
from pages.shared.written import as_markdown

if TYPE_CHECKING:
    from evalcore.spec import Metric
    from evalcore.tallies.ranked import RankedQueries
    from evalcore.tallies.unit_lists import UnitLists

    Lists = dict[str, RankedQueries]

POPULATIONS = {"positives_only": "Queries with gold", "all_queries": "All queries, no gold counts 0"}
K_NAMES = {k_name(k): k for k in KS}
MOST_GROUPS = 40
NO_OTHER = "– no other list –"


def metrics() -> dict[str, Metric]:
    """The metrics of a list by name, in the order in which they are shown."""
    return {metric.name: metric for metric in list_metrics()}


def bare(name: str) -> str:
    """A metric's label without its K."""
    return label_at(metrics()[name], bare=True)


def usual_rows(values: pd.DataFrame) -> pd.DataFrame:
    """The values of each metric over the population that it names first: queries with gold, where it can."""
    first = {name: metric.population[0] for name, metric in metrics().items()}
    return values[values["population"] == values["metric"].map(first)]


def ranked_list(rankings: Rankings, name: str) -> RankedList:
    """One list with its tallies, kept in the session: everything on the page counts it once."""
    return kept("ranked_list", (counted_key(), name), lambda: RankedList(rankings, name))


def tally(rankings: Rankings | UnitLists, name: str) -> RankedQueries:
    """Where the gold stands in one list; of a saved report, as it was counted, ties in one order."""
    if isinstance(rankings, Rankings):
        return ranked_list(rankings, name).ranked
    of_list = rankings.lists[name]
    return of_list.one_order or of_list.ranked


def usual_pair(names: list[str]) -> tuple[str, str]:
    """The lists that are shown first: what is called a retriever and what is called a reranker."""
    before = next((name for name in names if "retriev" in name.lower()), names[0])
    after = next((name for name in names if "rerank" in name.lower() and name != before), names[-1])
    return before, after


def choose_lists(rankings: Rankings | UnitLists) -> Lists:
    """One list, or one against another."""
    names = list(rankings.lists)
    before, after = usual_pair(names)
    if len(names) == 1:
        return {before: tally(rankings, before)}
    first = choices.selectbox("List", "list", names, before, key="ranking_first", width=175)
    others = [name for name in names if name != first]
    usual = after if after in others else others[0]
    key = f"ranking_second_{first}"
    second = choices.optional("against", "against", others, NO_OTHER, key=key, otherwise=usual, width=175)
    chosen = [first] if second is None else [first, second]
    return {name: tally(rankings, name) for name in chosen}


def choose_metric_and_k() -> tuple[str, int | None]:
    """Which metric and which K the charts show."""
    names = list(metrics())
    metric = choices.segmented(
        "Metric", "measure", names, names[0], format_func=lambda name: bare(name), key="ranking_metric"
    )
    k = choices.segmented("K", "k", list(K_NAMES), "10", key="ranking_k")
    return metric, K_NAMES[k]


@st.fragment
def show_lists(rankings: Rankings | UnitLists) -> None:
    """Everything about one list or two."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lists = choose_lists(rankings)
        metric, k = choose_metric_and_k()
    key = counted_key()
    values = pd.concat(
        [
            remember("at_every_k", (key, name), lambda name=name: at_every_k({name: lists[name]}))
            for name in lists
        ]
    )
    if not (next(iter(lists.values())).n_gold > 0).any():
        st.info("No query has gold: the metrics over queries with gold are not defined.")
    left, right = st.columns(2, gap="large")
    with left:
        show_over_k(values, metric, k, (key, *lists))
    with right:
        show_at_k(lists, values, k)
    show_populations(values)
    show_places(lists, k, (key, *lists))
    show_groups(rankings, lists, metric, k)
    address.write()  # a fragment runs without the rest of the app


def show_over_k(values: pd.DataFrame, metric: str, k: int | None, key: tuple[str, ...]) -> None:
    """One metric over K."""
    st.header(f"{bare(metric)} over K")
    rows = usual_rows(values[values["metric"] == metric])
    lines = {name: of_list["value"].to_numpy() for name, of_list in rows.groupby("model", sort=False)}
    kept_chart(
        "over_k",
        (*key, metric),
        lambda dark: over_k_figure(list(K_NAMES), lines, title=metrics()[metric].label, dark=dark),
        height=360,
    )
    at_k = rows[rows["k"] == k_name(k)]
    ties = [f"{one.model} {one.n_ties:,} of {one.n:,}" for one in at_k.itertuples()]
    widgets.plain(
        "Over queries with gold. A gold that the list lacks is a miss. Queries whose "
        f"{label_at(metrics()[metric], k)} depends on the order of equal scores: {', '.join(ties)}.",
        is_quiet=True,
    )


def show_at_k(lists: Lists, values: pd.DataFrame, k: int | None) -> None:
    """At one K: the second list against the first, or of the only one how its queries spread."""
    names = list(lists)
    if len(names) == 1:
        show_spread(values, k, expanded=True)
        return
    first, second = names
    st.header(f"{as_markdown(second)} against {as_markdown(first)}, K = {k_name(k)}")
    key = (counted_key(), first, second)
    rows = remember("list_differences", key, lambda: list_differences(lists[first], lists[second]))
    rows = rows[rows["k"] == k_name(k)]
    shown = pd.DataFrame({"metric": [bare(name) for name in rows["metric"]]})
    for column, source in ((first, "first"), (second, "second"), ("difference", "difference")):
        shown[column] = rows[source].to_numpy()
    for column in ("better", "worse", "equal"):
        shown[column] = rows[f"n_{column}"].to_numpy()
    widths = {name: st.column_config.NumberColumn(width=62) for name in ("better", "worse", "equal")}
    st.dataframe(
        widgets.written(shown, {first: number, second: number, "difference": signed}),
        hide_index=True,
        column_config=widths,
        key="differences",
        alt=f"{second} against {first}",
    )
    n = int(rows["n"].iloc[0])
    widgets.plain(
        f"On the same {n:,} queries with gold; better, worse and equal "
        "count queries. These differences are estimates: whether chance could make them is not said here.",
        is_quiet=True,
    )
    show_spread(values, k, expanded=False)


def show_spread(values: pd.DataFrame, k: int | None, *, expanded: bool) -> None:
    """How the values of queries with gold spread, and how many depend on ties."""
    rows = usual_rows(values[values["k"] == k_name(k)])
    with st.expander(f"Spread over queries with gold, K = {k_name(k)}", expanded=expanded):
        columns = {"value": "mean", "sd": "sd", "p25": "P25", "median": "median", "p75": "P75"}
        shown = rows.rename(columns=columns)[["metric", "model", *columns.values(), "n_ties"]]
        shown = shown.assign(metric=[bare(name) for name in shown["metric"]])
        shown = shown.rename(columns={"model": "list", "n_ties": "ties matter"})
        st.dataframe(
            widgets.written(shown, dict.fromkeys(columns.values(), number)),
            hide_index=True,
            key="spread",
            height="content",
            alt="Spread over queries",
        )
        widgets.plain(
            "sd and quartiles are over queries, not over folds. “ties matter” counts queries whose value "
            "depends on the order of equal scores.",
            is_quiet=True,
        )


def show_populations(values: pd.DataFrame) -> None:
    """Every metric at every K, over both populations beside each other."""
    st.header("Every metric at every K")
    shown = list(metrics())
    for column, (population, title) in zip(st.columns(2, gap="large"), POPULATIONS.items(), strict=True):
        rows = values[values["population"] == population]
        with column:
            st.markdown(f"**{title}** (n = {n_over(rows):,})")
            order = list(dict.fromkeys(zip(rows["metric"], rows["model"], strict=True)))
            order.sort(key=lambda one: shown.index(one[0]))
            table = rows.pivot(index=["metric", "model"], columns="k", values="value").loc[order]
            table = table[list(K_NAMES)].reset_index().rename(columns={"model": "list"})
            table["metric"] = [bare(name) for name in table["metric"]]
            st.dataframe(
                widgets.written(table, dict.fromkeys(K_NAMES, number)),
                hide_index=True,
                key=f"every_k_{population}",
                height="content",
                alt=f"Every metric at every K, over {population}",
            )


def show_places(lists: Lists, k: int | None, key: tuple[str, ...]) -> None:
    """Where the first gold stands, and how many candidates there are to rank."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("Rank of the first gold")
        found = remember("first_gold", key, lambda: first_gold(lists))
        kept_chart("first_gold", key, lambda dark: first_gold_figure(found, dark=dark), height=340)
        parts = [
            f"{name}: {one.n_without:,} of {one.n_queries:,} queries with gold have none in the list"
            for name, one in found.items()
        ]
        widgets.plain("; ".join(parts) + ".", is_quiet=True)
    with right:
        st.header(f"K_eff, K = {k_name(k)}")
        name, queries = list(lists.items())[-1]

        def draw(dark: bool) -> go.Figure:
            histogram = k_eff_histogram(queries, k)
            return k_histogram_figure(histogram, title="K_eff, candidates that K can reach", dark=dark)

        kept_chart("k_eff", (key[0], name, k), draw, height=340)
        short = (
            f"{n_shorter(queries, k):,} of {queries.total:,} lists are shorter than K. "
            if k is not None
            else ""
        )
        widgets.plain(f"{name}. {short}K_eff is the smaller of K and the length of the list.", is_quiet=True)


def show_groups(rankings: Rankings | UnitLists, lists: Lists, metric: str, k: int | None) -> None:
    """The metric by criterion or another column."""
    columns = ["criterion"] if len(rankings.criterion_ids) > 1 else []
    columns += [name for name, (_, levels) in rankings.slices.items() if len(levels) > 1]
    if not columns:
        return
    column = columns[0]
    title = label_at(metrics()[metric], k)
    st.header(f"{title} by {as_markdown(column) if len(columns) == 1 else 'group'}")
    if len(columns) > 1:
        column = choices.segmented(
            "By",
            "by",
            columns,
            column,
            format_func=as_markdown,
            key="ranking_by",
            label_visibility="collapsed",
        )
    key = (counted_key(), *lists, column, k)
    rows = remember("lists_by_group", key, lambda: lists_by_group(rankings, lists, column, k))
    groups = sorted(dict.fromkeys(rows["group"]), key=natural_key)[:MOST_GROUPS]
    of_first = rows[rows["model"] == next(iter(lists))].set_index("group").loc[groups]
    labels = [label_of(name) if column == "criterion" else name for name in groups]
    marks = {
        name: rows[rows["model"] == name].set_index("group").loc[groups, metric].to_numpy() for name in lists
    }
    left, right = st.columns([3, 2], gap="large")
    with left:
        kept_chart(
            "by_group",
            (*key, metric, *labels),
            lambda dark: list_groups_figure(labels, marks, of_first["n"].tolist(), title=title, dark=dark),
            height=max(220, 90 + 27 * len(groups)),
        )
    with right:
        table = pd.DataFrame({column: labels, "with gold": of_first["n"].to_numpy()})
        for name, of_list in marks.items():
            table[name] = of_list
        st.dataframe(
            widgets.written(table, dict.fromkeys(marks, number)),
            hide_index=True,
            key="group_table",
            height="content",
            alt=f"{title} by {column}",
        )
        missing = [
            label for label, value in zip(labels, next(iter(marks.values())), strict=True) if isnan(value)
        ]
        note = f" n/a, no query with gold: {', '.join(missing)}." if missing else ""
        widgets.plain(f"Over queries with gold.{note}", is_quiet=True)
