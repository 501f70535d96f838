"""Two models beside each other on a page: figures and tables of all metrics, and of one in every group."""

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import streamlit as st

from evalcore.compare import Comparison, answer_of_groups
from evalcore.compare.wording import change_in_words, favours, label_of, metric_of, places_of, with_rule
from evalcore.evaluation import natural_key
from evalcore.figures.comparison import comparison_figure, difference_title
from evalcore.figures.drawing import Ends
from evalcore.spec import METRICS
from evalcore.text.numerals import change_between, change_text, value_text
from pages.shared import choices, widgets
from pages.shared.charts import chart, is_dark
from pages.shared.links import address
from pages.shared.written import as_markdown

MEASURES = ("difference", "95 % interval")
NO_BREAK = "\u00a0"
LEAST_SHOWN = 0.0001


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
        changes=[change_in_words(row) for row in rows],
        title=title,
        are_shares=all(metric_of(row).is_percent for row in rows),
        dark=is_dark(),
    )
    chart(figure, key, height=130 + 32 * len(rows))


def is_delong(row: dict[str, Any]) -> bool:
    """Whether a row is DeLong's."""
    return str(row["ci_method"]).startswith("delong")


def cells(row: dict[str, Any], label: str, *, with_holm: bool) -> list[str]:
    """One line of a table."""
    metric, places = metric_of(row), places_of(row)
    values = [value_text(metric, row[name]) for name in ("first", "second")]
    interval = change_between(metric, row["ci_low"], row["ci_high"], places).replace(" ", NO_BREAK)
    ps = [p_text(row[name]) for name in ("p", "p_holm")]
    line = [
        label,
        *values,
        change_text(metric, row["difference"], places).replace(" ", NO_BREAK),
        interval,
        ps[0],
    ]
    n = dict.fromkeys(f"{row[name]:,}" for name in ("n_first", "n_second"))
    return [*line, *(ps[1:] if with_holm else []), f"{NO_BREAK}/{NO_BREAK}".join(n)]


def p_text(p: float) -> str:
    """A p-value with four decimals."""
    if isnan(p):
        return "n/a"
    if p == 1:
        return "1"
    return f"{p:.4f}" if p >= LEAST_SHOWN else f"<{NO_BREAK}{LEAST_SHOWN}"


def name_of(row: dict[str, Any]) -> str:
    """A metric as a line of the table calls it."""
    return with_rule(label_of(row), row, in_table=True) + (", DeLong" if is_delong(row) else "")


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
        beside = [label_of(row) for row in rows if not is_delong(row) and row not in drawn]
        if beside:
            told = f"Not drawn, as on a scale of their own: {', '.join(dict.fromkeys(beside))}."
            widgets.plain(told, is_quiet=True)
    with right:
        header = ("", result.first, result.second, *MEASURES, "p", "n")
        labels = [name_of(row) for row in rows]
        lines = [cells(row, label, with_holm=False) for row, label in zip(rows, labels, strict=True)]
        name = f"Differences between {result.second} and {result.first}"
        means = {
            label: widgets.meaning(METRICS[row["metric"]]) for row, label in zip(rows, labels, strict=True)
        }
        widgets.table(header, lines, name=name, meanings=means)
        widgets.plain(" ".join(reasons(rows, labels)), is_quiet=True)


@st.fragment
def show_groups(result: Comparison, column: str, name_of_group: Callable[[str], str] = str) -> None:
    """One metric in every group of a column, which are called as `name_of_group` says."""
    st.header(f"By {as_markdown(column)}")
    found = result.table[result.table["group_by"] == column]
    found = found[~found["ci_method"].str.startswith("delong")].drop_duplicates(["metric", "params"])
    shown = {f"{row['metric']} {row['params']}": row for row in found.to_dict("records")}
    if not shown:
        widgets.plain("Nothing that is shared has a value of this column.")
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
    labels = [name_of_group(str(row["group"])) for row in rows]
    left, right = st.columns([2, 3], gap="large")
    with left:
        title = f"{label_of(shown[chosen])}, {result.second} − {result.first}"
        draw(rows, labels, result, title, "differences_by_group")
    with right:
        header = (column, result.first, result.second, *MEASURES, "p", "p (Holm)", "n")
        named = list(zip(rows, labels, strict=True))
        widgets.table(
            header, [cells(row, name, with_holm=True) for row, name in named], name=f"{title}, by {column}"
        )
        names = {str(row["group"]): name for row, name in named}
        told = answer_of_groups(result, metric, column, names, params=params)
        widgets.plain(" ".join([told, *reasons(rows, labels)]), is_quiet=True)
