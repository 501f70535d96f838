"""Overview: the sixteen numbers of document 003, what each rests on, and where they differ."""

import math

import pandas as pd
import streamlit as st

from evalcore.agreement import Alpha
from evalcore.annotations import LABELS, Annotations, RagTask
from evalcore.evaluation import Report
from evalcore.evaluation.rag import metrics_of
from evalcore.spec import Metric
from evalcore.text.numerals import value_text
from pages.shared import widgets
from pages.shared.annotations import annotated
from pages.shared.annotations.tool_scores import show_tool_scores
from pages.shared.data import session
from pages.shared.data.files import show_files
from pages.shared.tiles import Tile, show_tiles
from pages.shared.written import as_markdown

HEADINGS: dict[RagTask, str] = {
    "retrieval": "Retrieval",
    "grounding": "Grounding",
    "generation": "Generation",
}
NARROW = "11rem"
"""Least width of a tile: the six of retrieval stand in one line of a laptop's screen."""


def named(metric: Metric, k: int) -> str:
    """A metric with its cut-off."""
    return metric.label.replace("@K", f"@{k}")


def tile(found: Report, metric: Metric, k: int, agreement: tuple[Alpha, ...]) -> Tile | None:
    """A metric with its interval, what it rests on, and the weakest agreement behind it."""
    row = annotated.default_row(found, metric)
    if row is None:
        return None
    rests_on = annotated.coverage_of(found, metric)
    used = f"{rests_on['n_used']:,} of {rests_on['n_eligible']:,} used"
    is_defined = not math.isnan(row["value"])
    meaning = f"{annotated.interval_text(row)}, {used}" if is_defined else rests_on["left_out"]
    return Tile(
        named(metric, k),
        value_text(metric, row["value"]),
        meaning,
        annotated.weakest_of(metric, agreement).text,
    )


def show_remarks(found: Report, task: RagTask, k: int) -> None:
    """What is left out of the numbers and what it could change."""
    told = [(named(one, k), annotated.coverage_of(found, one)["left_out"]) for one in metrics_of(task)]
    told = [(name, text) for name, text in told if text]
    if told:
        with st.expander("What is left out, and what it could change"):
            widgets.facts(told)


def show_groups(annotations: Annotations, k: int, column: str) -> None:
    """Every metric in every group of a column."""
    found = annotated.report(k, by=(column,))
    st.header(f"By {as_markdown(column)}")
    groups = list(dict.fromkeys(found.table.loc[found.table["group_by"] == column, "group"]))
    shown = groups[: annotated.MOST_GROUPS]
    lines, means = [], {}
    for task in annotations.responses:
        for metric in metrics_of(task):
            rows = [annotated.default_row(found, metric, group_by=column, group=group) for group in shown]
            cells = ["–" if row is None else cell(row) for row in rows]
            lines.append([named(metric, k), *cells])
            means[named(metric, k)] = widgets.meaning(metric)
    widgets.table(["", *shown], lines, name=f"Every metric by {column}", meanings=means)
    if len(groups) > len(shown):
        widgets.plain(f"… and {len(groups) - len(shown):,} more groups in metrics.csv.", is_quiet=True)
    widgets.plain("In brackets: how many queries or answers a value rests on.", is_quiet=True)


def cell(row: pd.Series) -> str:
    """A value with what it rests on."""
    return f"{value_text(annotated.of(row), row['value'])} ({row['n']:,})"


def show(annotations: Annotations) -> None:
    """Tiles by task, then groups, other tools' scores and the files."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = annotated.choose_cut_off(annotations)
        column = annotated.choose_column()
    found = annotated.report(k)
    agreement = annotated.agreement(annotations)
    for task, heading in HEADINGS.items():
        if task not in annotations.responses:
            continue
        st.header(heading)
        tiles = [tile(found, metric, k, agreement) for metric in metrics_of(task)]
        show_tiles((one for one in tiles if one is not None), least=NARROW)
        show_remarks(found, task, k)
    annotated.show_missing(task for task in LABELS if task not in annotations.responses)
    if column is not None:
        show_groups(annotations, k, column)
    show_tool_scores(found)
    show_files(found, "rag", (session.annotated().key, k, column))


st.title("RAG overview")
in_use = annotated.annotations_in_use()
if in_use is not None:
    show(in_use)
