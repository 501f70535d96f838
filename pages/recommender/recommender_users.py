"""Users and items: whose values a number is the mean of, and which items are shown, found and never shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.evaluation import Report
from evalcore.evaluation.recommender.behind import (
    UserValues,
    items_behind,
    list_of_user,
    per_user_metrics,
    user_values,
)
from evalcore.evaluation.recommender.defaults import default_rows
from evalcore.failures import LIMIT
from evalcore.figures.recommender.groups import user_values_figure
from evalcore.files import table_csv
from evalcore.operating_point.wording import percent
from evalcore.spec import Metric
from evalcore.text.legible import spaced
from evalcore.text.numerals import value_text
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.memo import kept, remember
from pages.shared.recommended import recommended, rows
from pages.shared.tasks import RECOMMENDER

WORST, BEST = "worst first", "best first"
ITEMS = {
    "most": "Most recommended",
    "never": "Never recommended",
    "unfound": "Relevant and never found",
}
SHOWN_NAMES = {
    "n_relevant": "relevant",
    "n_found": "found",
    "n_listed": "list",
    "n_recommended": "recommended to",
    "is_head": "head",
    "is_relevant": "relevant",
    "popularity": "in train",
}
ROW, MOST_SEEN = 35, 12


def choose_metric(found: Report, model: str, k: int) -> Metric | None:
    """A metric with values of users; one that these data do not define is not offered."""
    table = rows.of(default_rows(found.table, k), per_user_metrics(found))
    defined = set(table.loc[(table["model"] == model) & table["value"].notna(), "metric"])
    offered = {one.name: one for one in per_user_metrics(found) if one.name in defined}
    if not offered:
        choices.refuse_absent(["measure"])
        return None
    usual = next((name for name, one in offered.items() if one.headline), next(iter(offered)))
    name = recommended.choose_measure(
        {name: recommended.label_at(one, k) for name, one in offered.items()}, usual
    )
    return offered[name]


def show_distribution(found: Report, values: UserValues, model: str, k: int) -> None:
    """How the values of users spread, and what their mean is."""
    title = recommended.label_at(values.metric, k)
    table = rows.of(default_rows(found.table, k), [values.metric])
    one = rows.values(table)[values.metric.name, model, ""]
    left_out = f" {values.n_left_out:,} more have no value and do not enter." if values.n_left_out else ""
    widgets.plain(
        f"{title} of {model} is {recommended.cell(one)}: the mean over {one.n:,} users, "
        f"{values.n_zero:,} of them with 0.{left_out}"
    )
    bins = values.bins
    kept_chart(
        "recommender_user_values",
        (session.of_task(RECOMMENDER).key, model, values.metric.name, k),
        lambda dark: user_values_figure(bins.labels, bins.n.tolist(), title=title, dark=dark),
        height=300,
    )
    if values.n_zero and bins.labels[0] == "0":
        recommended.quiet(("Orange: users whose value is 0, in a bar of their own.",))


def show_users(found: Report, values: UserValues, model: str, k: int) -> None:
    """The users, worst or best first, and the list of the one that is picked."""
    st.header("Users")
    order = choices.segmented(
        "Order", "order", [WORST, BEST], WORST, key="recommender_order", label_visibility="collapsed"
    )
    table = values.table if order == WORST else values.table.iloc[::-1].reset_index(drop=True)
    left, right = st.columns([1, 1], gap="large")
    with left:
        how = {"on_select": "rerun", "unit": "users"}
        texts = {"value": partial(value_text, values.metric)}
        picked = frame(table, f"recommender_users_{order}", "Users by their value", texts, **how)
        user = choose_user(table["user"], picked)
        show_csv(table, "users", "users", (model, values.metric.name, k, order))
    with right:
        show_list(found, model, user, k)


def choose_user(users: pd.Series, picked: int | None) -> str:
    """The user that is looked at: the picked one, that of the link or of the last look, else the first."""
    key = "recommender_user"
    asked = choices.asked("user")
    if picked is not None:
        st.session_state[key] = str(users[picked])
    elif asked and asked[0] in set(users):
        st.session_state[key] = asked[0]
    elif choices.is_unread("user"):
        choices.refuse("user", ())
    user = str(st.session_state.get(key, users[0]))
    user = user if user in set(users) else str(users[0])
    choices.keep("user", [] if user == users[0] else [user])
    return user


def show_list(found: Report, model: str, user: str, k: int) -> None:
    """What a user was shown, with relevant items marked, and then those that were missed."""
    own = list_of_user(found, model, user, k)
    shows = f"that {model} shows within K = {k}"
    of_relevant = f"{own.n_found:,} of {own.n_relevant:,} relevant items among the {own.n_shown:,} {shows}"
    rows = session.of_task(RECOMMENDER).data.recommendations
    if rows is not None and rows.test is None:
        widgets.plain(f"User {user}: the {own.n_shown:,} items {shows}; there are no test interactions.")
    else:
        widgets.plain(f"User {user}: {of_relevant}; those missed stand at the end.")
    table = own.table.assign(rank=[f"{rank}" if rank else "–" for rank in own.table["rank"]])
    frame(table.dropna(axis=1, how="all"), "recommender_list", f"The list of user {user}")


def show_items(found: Report, model: str, k: int) -> None:
    """Items by how often they are recommended, relevant and found."""
    st.header("Items")
    key = (session.of_task(RECOMMENDER).key, model, k)
    table = remember("recommender_items", key, lambda: items_behind(found, model, k))
    parts = {
        "most": table[table["n_recommended"] > 0],
        "never": by_count(table[table["n_recommended"] == 0], "popularity"),
        "unfound": by_count(table[(table["n_relevant"] > 0) & (table["n_found"] == 0)], "n_relevant"),
    }
    kind = choices.segmented(
        "Which items",
        "items",
        list(ITEMS),
        "most",
        format_func=lambda name: f"{ITEMS[name]} ({len(parts[name]):,})",
        key="recommender_items_kind",
        label_visibility="collapsed",
    )
    shown = parts[kind].reset_index(drop=True)
    if shown.empty:
        widgets.plain(f"None of the {len(table):,} items of the catalogue.")
        return
    frame(shown, f"recommender_items_{kind}", ITEMS[kind])
    told = ["Counts of users, but for “in train”, which counts interactions."]
    if table["is_head"].any():
        told.append(f"The head reaches {percent(found.options.pop_ratio)} of the interactions in train.")
    else:
        told.append("There are no train interactions: no item is of the head.")
    recommended.quiet(told)
    show_csv(shown, f"items_{kind}", "items", (model, k))


def by_count(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The greatest counts first."""
    return table.sort_values(column, ascending=False, kind="stable")


def frame(
    table: pd.DataFrame,
    key: str,
    said: str,
    texts: Mapping[str, Callable[[float], str]] = MappingProxyType({}),
    *,
    unit: str = "items",
    **options: Any,
) -> int | None:
    """The first rows as a table; returns the one that is picked, None before anything is.

    Parameters
    ----------
    table, key, said
        To be shown, the widget's name, and what the table is called.
    texts
        Column → how its numbers are written, where they are no counts and not as given.
    unit
        What a row is.
    options
        Of `st.dataframe`.
    """
    shown = table.head(LIMIT)
    flags = {name: shown[name].map({True: "yes", False: ""}) for name in shown if shown[name].dtype == bool}
    settings = {name: SHOWN_NAMES.get(name, spaced(name)) for name in map(str, shown.columns)}
    if "on_select" in options:
        options["selection_mode"] = "single-row"
    picked = st.dataframe(
        widgets.written(shown.assign(**flags), texts, absent="–"),
        hide_index=True,
        height=ROW * (min(len(shown), MOST_SEEN) + 1) + 3,
        row_height=ROW,
        placeholder="–",
        column_config=settings,
        key=key,
        alt=said,
        **options,
    )
    if len(table) > len(shown):
        n_more = f"{len(table) - len(shown):,}"
        widgets.plain(f"The first {len(shown):,}; {n_more} more {unit} in the CSV file.", is_quiet=True)
    at = picked.selection.rows if "on_select" in options else []
    return at[0] if at and at[0] < len(shown) else None


def show_csv(table: pd.DataFrame, name: str, unit: str, key: tuple[object, ...]) -> None:
    """The way to take all rows along, which the key names."""
    data = session.of_task(RECOMMENDER).key
    widgets.csv_button(
        f"{len(table):,} {unit} as CSV",
        kept("recommender_csv", (data, name, *key), lambda: table_csv(table).encode()),
        f"{name}.csv",
        f"recommender_csv_{name}",
    )


def show() -> None:
    """A metric at K, the users that it is the mean of, and the items of the lists."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        k = recommended.choose_k()
    found = recommended.report(k)
    with row:
        model = recommended.choose_model(recommended.models_of(found))
        metric = choose_metric(found, model, k)
    if metric is None:
        widgets.plain("No metric has a value of users here: no user has a relevant item or a list.")
    else:
        key = (session.of_task(RECOMMENDER).key, model, metric.name, k)
        values = remember("recommender_users", key, lambda: user_values(found, model, metric, k))
        show_distribution(found, values, model, k)
        show_users(found, values, model, k)
    show_items(found, model, k)


st.title("Users and items")
# The tables' own download would write ids as they are, and a spreadsheet could run them.
st.html('<style>button[aria-label^="Download as CSV"] { display: none; }</style>')
if (in_use := recommended.in_use()) is not None and not session.needs_rows(in_use, "look at one by one"):
    show()
