"""Fairness: values of groups of users, of groups of items, and of the pairs of both."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.evaluation import Report, group_columns
from evalcore.evaluation.recommender.behind import per_user_metrics
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.evaluation.recommender.group_sizes import GroupSizes, group_sizes, pairs_of_groups
from evalcore.figures.recommender.groups import group_values_figure, pairs_figure
from evalcore.recommendations import ITEM_GROUP, MOST_PAIRS
from evalcore.report.layout import Value
from evalcore.spec import Metric
from evalcore.text.legible import spaced
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.recommended import recommended, rows
from pages.shared.tasks import RECOMMENDER

PAIRS = "user_group;item_group"
EVERYBODY, SPREAD = "all users", "spread over groups"
MOST_GROUPS = 40
ROOM_FOR_AXES, A_GROUP, ROOM_ABOVE, A_ROW = 110, 46, 52, 56


def choose_column() -> str | None:
    """The column of users to break down by; None where there is none."""
    kept = recommended.saved()
    known = group_columns(session.of_task(RECOMMENDER).data) if kept is None else kept.options.by
    columns = [name for name in known if name != ITEM_GROUP]
    if not columns:
        choices.refuse_absent(["by"])
        return None
    return recommended.choose_by(columns, columns[0])


def fairness(*, of_items: bool) -> list[Metric]:
    """The metrics of fairness, of groups of items or of users."""
    found = recommended.sections()["Fairness"]
    return [metric for metric in found if (metric.tally == rows.OF_ITEMS) == of_items]


def groups_of(table: pd.DataFrame) -> list[str]:
    """The groups of a table, in its order."""
    return list(dict.fromkeys(table["group"]))[:MOST_GROUPS]


def show_figure(name: str, table: pd.DataFrame, title: str, key: tuple[object, ...]) -> None:
    """A value of every group and model."""
    groups = groups_of(table)
    table = table[table["group"].isin(groups)]
    if table["value"].notna().any():
        rows.show_legend([*dict.fromkeys(table["model"])])
        kept_chart(
            name,
            (session.of_task(RECOMMENDER).key, *key),
            lambda dark: group_values_figure(table, title=title, dark=dark, has_legend=False),
            height=ROOM_FOR_AXES + A_GROUP * len(groups),
        )


def show_groups(
    table: pd.DataFrame, metrics: list[Metric], models: list[str], sizes: GroupSizes, first: str, k: int
) -> None:
    """A line a group with its size, and a column a metric of one model, or a model of one metric."""
    found = rows.values(table)
    lines = []
    for group in groups_of(table):
        cells = [found.get((metric.name, model, group)) for metric in metrics for model in models]
        lines.append([group, f"{sizes.of.get(group, sizes.n):,}", *cells])
    names = [recommended.label_at(one, k) for one in metrics] if len(metrics) > 1 else models
    header, name = [first, f"n {sizes.what}", *names], f"{first}, group by group"
    recommended.show_values(header, lines, name=name, meanings=recommended.meanings(metrics, k))
    if sizes.n_unknown:
        unknown = f"{sizes.n_unknown:,} of {sizes.n:,} {sizes.what} have no known group and enter none."
        widgets.plain(unknown, is_quiet=True)


def show_users(found: Report, table: pd.DataFrame, column: str | None, k: int) -> None:
    """One metric in every group of users, and how far the groups lie apart."""
    st.header("Groups of users")
    if column is None:
        widgets.plain(
            "These data name no groups of users: it takes a file with the columns user and user_group.",
            is_quiet=True,
        )
        return
    models = recommended.models_of(found)
    defined = set(table.loc[table["value"].notna(), "metric"])
    offered = {one.name: one for one in per_user_metrics(found) if one.name in defined}
    if not offered:
        widgets.plain("No metric has a value of users here: no user has a relevant item or a list.")
        return
    usual = next((name for name, one in offered.items() if one.headline), next(iter(offered)))
    metric = offered[
        recommended.choose_measure(
            {name: recommended.label_at(one, k) for name, one in offered.items()}, usual
        )
    ]
    title = recommended.label_at(metric, k)
    of_groups = rows.of(table, [metric], column)
    show_figure("recommender_user_groups", of_groups, title, (k, column, metric.name))
    show_groups(of_groups, [metric], models, group_sizes(found, column), spaced(column), k)
    apart = rows.of(table, fairness(of_items=False))
    show_apart(apart, models, k, column)
    rows.show_download(pd.concat([of_groups, apart]), "user_groups")


def show_apart(table: pd.DataFrame, models: list[str], k: int, column: str) -> None:
    """How unlike the means of groups are, in one number a model."""
    found = rows.values(table)
    lines = [
        [
            recommended.label_at(metric, k),
            *(found.get((metric.name, model, "")) for model in models),
        ]
        for metric in fairness(of_items=False)
    ]
    recommended.show_values(
        ["how far the groups lie apart", *models],
        lines,
        name="How far the groups lie apart",
        meanings=recommended.meanings(fairness(of_items=False), k),
    )
    if column != "user_group":
        widgets.plain(f"These are over the column user_group, not over {column}.", is_quiet=True)


def show_items(found: Report, table: pd.DataFrame, k: int) -> str:
    """What enters the spread over groups of items, group by group; returns the model that is looked at."""
    models = recommended.models_of(found)
    st.header("Groups of items")
    metrics = [metric for metric in fairness(of_items=True) if metric.better != "neither"]
    of_groups = rows.of(table, metrics, ITEM_GROUP)
    if of_groups.empty:
        widgets.plain(
            "These data name no groups of items: it takes a file with the columns item and item_group.",
            is_quiet=True,
        )
        choices.refuse_absent(["recommender"])
        return models[0]
    by_name = {metric.name: metric for metric in metrics}
    chosen = choices.segmented(
        "Of each group",
        "rate",
        list(by_name),
        metrics[0].name,
        format_func=lambda name: recommended.label_at(by_name[name], k),
        key="recommender_rate",
    )
    metric = by_name[chosen]
    shown = of_groups[of_groups["metric"] == chosen]
    recommended.quiet(
        (f"{metric.label}: {metric.formula}.", "The value of a group is what enters the spread over groups.")
    )
    title = f"{recommended.label_at(metric, k)}, of each group"
    show_figure("recommender_item_groups", shown, title, (k, chosen))
    model = recommended.choose_model(models)
    overall = rows.of(table, metrics)
    both = pd.concat([overall, of_groups])
    both = both[both["model"] == model].replace({"group": {"": SPREAD}})
    widgets.small_heading(model)
    show_groups(both, metrics, [model], group_sizes(found, ITEM_GROUP), "group", k)
    rows.show_download(pd.concat([overall, of_groups]), "item_groups")
    return model


def show_pairs(found: Report, table: pd.DataFrame, model: str, column: str | None, k: int) -> None:
    """How much of each group of items is shown to each group of users, as numbers over colours."""
    st.header("Pairs of a group of users and a group of items")
    metrics = {one.name: one for one in fairness(of_items=True) if one.better == "neither"}
    of_pairs = rows.of(table, metrics.values(), PAIRS)
    of_everybody = rows.of(table, metrics.values(), ITEM_GROUP)
    both = pd.concat(
        [of_everybody.assign(group=[f"{EVERYBODY};{one}" for one in of_everybody["group"]]), of_pairs]
    )
    both = both[both["model"] == model]
    if both.empty:
        widgets.plain("They take groups of items, and groups of users to tell them apart.", is_quiet=True)
        return
    n_pairs = pairs_of_groups(found)
    if n_pairs > MOST_PAIRS:
        widgets.plain(f"{n_pairs:,} pairs are too many: values of pairs are made of at most {MOST_PAIRS:,}.")
    chosen = choices.segmented(
        "Of each pair",
        "pair",
        list(metrics),
        list(metrics)[-1],
        format_func=lambda name: recommended.label_at(metrics[name], k),
        key="recommender_pair",
    )
    metric = metrics[chosen]
    shown = both[both["metric"] == chosen]
    of_items = list(dict.fromkeys(of_everybody["group"]))
    show_matrix(shown, of_items, metric, k, model)
    with st.expander("With intervals"):
        users = None if column is None else group_sizes(found, column)
        items = group_sizes(found, ITEM_GROUP)
        lines: list[list[Value | str | None]] = []
        for one in rows.values(shown).values():
            of_users, of_item = rows.pair_of(one.group, of_items)
            n_users = one.n if users is None else users.of.get(of_users, one.n)
            n_items = items.of.get(of_item, items.n)
            lines.append([of_users, of_item, f"{n_users:,}", f"{n_items:,}", one])
        header = ["users", "items", "n users", "n items", recommended.label_at(metric, k)]
        means = recommended.meanings([metric], k)
        recommended.show_values(header, lines, name="Pairs of groups", meanings=means)
    rows.show_download(rows.of(table, metrics.values(), PAIRS), "pairs")


def show_matrix(shown: pd.DataFrame, names: list[str], metric: Metric, k: int, model: str) -> None:
    """The pairs as a table of numbers over their colours, around the value that is neutral."""
    neutral = 0 if metric.bounds[0] < 0 else 1
    pairs = [rows.pair_of(group, names) for group in shown["group"]]
    of_users, of_items = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    matrix = np.full((len(of_users), len(of_items)), np.nan)
    for (user_group, item_group), value in zip(pairs, shown["value"], strict=True):
        matrix[of_users.index(user_group), of_items.index(item_group)] = value
    label = recommended.label_at(metric, k)
    recommended.quiet(
        (
            f"Of {model}. {metric.label}: {metric.formula}. "
            f"{neutral} is neutral: below it blue, above it orange.",
            *(sorted({f"n/a: {note}." for note in shown.loc[shown["value"].isna(), "note"]})),
        )
    )
    kept_chart(
        "recommender_pairs",
        (session.of_task(RECOMMENDER).key, k, model, metric.name),
        lambda dark: pairs_figure(matrix, of_users, of_items, title=label, neutral=neutral, dark=dark),
        height=ROOM_ABOVE + A_ROW * len(of_users),
    )


def has_groups() -> bool:
    """Whether the data name groups of users or of items."""
    kept = recommended.saved()
    if kept is None:
        return bool(group_columns(session.of_task(RECOMMENDER).data))
    models = kept.gathered.tallies[recommended.TALLY].models.values()
    return bool(kept.options.by) or any(ITEM_GROUP in one.catalogue.groups for one in models)


def show_missing() -> None:
    """What these data lack for this page, and how to bring it."""
    widgets.plain("Fairness compares groups of users or of items, and these data name none of either.")
    widgets.facts(
        [
            ("Groups of users", "a file with the columns user and user_group, a row a user: new or regular"),
            ("Groups of items", "a file with the columns item and item_group, a row an item: its genre"),
        ]
    )
    widgets.plain("Load one or both together with the lists.", is_quiet=True)
    st.page_link("pages/common/data.py", label="To the Data page")


def show() -> None:
    """Groups of users, groups of items, pairs."""
    if not has_groups():
        choices.refuse_absent(["by", "recommender"])
        show_missing()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = recommended.choose_k()
        column = choose_column()
    found = recommended.report(k, by=() if column is None else (column,))
    table = default_rows(found.table, k)
    show_users(found, table, column, k)
    model = show_items(found, table, k)
    show_pairs(found, table, model, column, k)
    if not rows.of(table, fairness(of_items=True), ITEM_GROUP).empty or column is not None:
        recommended.quiet((recommended.intervals(found),))


st.title("Fairness")
if recommended.in_use() is not None:
    show()
