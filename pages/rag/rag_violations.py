"""Violations and failures: labels that contradict each other, and the answers and lists that failed."""

import pandas as pd
import streamlit as st

from evalcore.agreement import counts_by_rule, violations
from evalcore.annotations import Annotations
from evalcore.evaluation.rag.failures import FAILURES, failures
from evalcore.files import table_csv
from evalcore.operating_point.wording import counted
from evalcore.text.legible import spaced
from pages.shared import choices, widgets
from pages.shared.annotations import annotated
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.written import in_options

OF_A_VIOLATION = ["record_id", "chunk_id", "rule", "task", "annotator", "row"]
"""Columns; of these a phone shows two or three, so that which response it is comes first."""
MOST_ROWS = 1_000
MOST_SEEN = 8
ROW_HEIGHT = 35


def show_violations(annotations: Annotations) -> None:
    """Responses that break a rule of the labels."""
    st.header("Labels that contradict each other")
    parts = [
        violations(responses, annotations.record_ids).assign(task=task)
        for task, responses in annotations.responses.items()
    ]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if found.empty:
        widgets.plain("No response breaks a rule.")
        return
    widgets.table(
        ("rule", "kind", "responses"),
        [
            (spaced(rule), "unlikely" if mild else "impossible", f"{n:,}")
            for rule, mild, n in counts_by_rule(found)
        ],
        name="Responses that break each rule",
    )
    show_rows(chosen_of(found)[OF_A_VIOLATION], "violations")


def chosen_of(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of the rule and the annotator that are chosen; all of them at first."""
    with st.container(horizontal=True):
        for column, label, every in (("rule", "Rule", "every rule"), ("annotator", "Annotator", "everybody")):
            shown = in_options(name for name in dict.fromkeys(found[column]) if name)
            if column == "rule":
                shown = {rule: spaced(text) for rule, text in shown.items()}
            if len(shown) < 2:
                continue
            chosen = choices.selectbox(
                label,
                column,
                ["", *shown],
                "",
                format_func=({"": every} | shown).__getitem__,
                key=f"violations_{column}",
                width=420,
            )
            found = found[found[column] == chosen] if chosen else found
    return found


def show_failures(annotations: Annotations) -> None:
    """Answers and lists that failed, with their record ids."""
    st.header("What failed")
    present = [kind for kind in FAILURES if kind.task in annotations.responses]
    if not present:
        widgets.plain("These data hold no responses of annotators.")
        return
    found = remember("rag_failures", session.annotated().key, lambda: failures(annotations))
    counts = {kind.name: found[found["failure"] == kind.name] for kind in present}
    of_name = {kind.name: kind for kind in present}
    name = choices.selectbox(
        "Failure",
        "failure",
        list(of_name),
        present[0].name,
        format_func=lambda name: f"{of_name[name].text} ({len(counts[name]):,})",
        key="rag_failure",
        width=420,
    )
    chosen = of_name[name]
    is_of_chunk = chosen.task == "retrieval" and not chosen.is_of_list
    table = counts[chosen.name][["record_id", *(["chunk_id", "rank"] if is_of_chunk else [])]]
    if table.empty:
        widgets.plain("None.")
        return
    show_rows(table, chosen.name)


def show_rows(table: pd.DataFrame, name: str) -> None:
    """The first rows, and all of them as CSV."""
    height = ROW_HEIGHT * (min(len(table), MOST_SEEN) + 1) + 3
    shown = table.head(MOST_ROWS)
    if "rule" in shown:
        shown = shown.assign(rule=shown["rule"].map(spaced))
    st.dataframe(
        shown,
        hide_index=True,
        height=height,
        key=f"table_of_{name}",
        alt=spaced(name.capitalize()),
        column_config={column: spaced(column) for column in shown},
    )
    if len(table) > MOST_ROWS:
        n_more = f"{len(table) - MOST_ROWS:,}"
        widgets.plain(f"The first {MOST_ROWS:,}; {n_more} more in the CSV file.", is_quiet=True)
    widgets.csv_button(
        f"{counted(len(table), 'row')} as CSV",
        table_csv(table).encode(),
        f"{name}.csv",
        f"csv_of_{name}",
    )


def show_suspicious(annotations: Annotations) -> None:
    """Scores of other tools that should not exist."""
    told = [(f"{one.tool}: {one.name}", text) for one in annotations.scores for text in one.suspicious]
    if told:
        st.header("Scores that should not exist")
        widgets.facts(told[:MOST_ROWS])


def show(annotations: Annotations) -> None:
    """Contradictions, failures, suspicious scores."""
    show_violations(annotations)
    show_failures(annotations)
    show_suspicious(annotations)


st.title("Violations and failures")
# The tables' own download would write ids as they are, and a spreadsheet could run them.
st.html('<style>button[aria-label^="Download as CSV"] { display: none; }</style>')
in_use = annotated.annotations_in_use()
if in_use is not None and not session.needs_rows(session.annotated(), "look at one by one"):
    show(in_use)
