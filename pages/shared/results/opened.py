"""A metrics.json that was opened: its values on the page that shows values, and what other pages say."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore.data import Data
from evalcore.evaluation import COLUMNS
from evalcore.files import table_csv
from evalcore.operating_point.wording import counted
from evalcore.problems import shortened
from evalcore.report import MetricsFile, layout
from evalcore.report.beside import agreement_lines, predicted_lines
from pages.shared import choices, widgets
from pages.shared.annotations.tool_scores import show_tool_scores
from pages.shared.data.session import SessionData
from pages.shared.links import address
from pages.shared.memo import remember
from pages.shared.results import tables
from pages.shared.tasks import PAGES, Shown
from pages.shared.written import as_markdown

DATA_PAGE = "pages/common/data.py"
ALL_ROWS, EVERY = "all rows", "all"
SHOWN = {"values": "Values", "spread": "How they spread"}
MOST_NAMED = 50
"""Files, notes and groups that are named one by one."""
MOST_OPTIONS = 1_000


def show(title: str, page: str) -> bool:
    """Show what a metrics.json has for a page, where its values are what the page's data are; whether so.

    Parameters
    ----------
    title, page
        The title and the address of the page.
    """
    task = address.known().part
    shown = None if task is None else PAGES[task]
    in_use: SessionData | None = None if shown is None else st.session_state.get(shown.slot)
    if shown is None or in_use is None or in_use.values is None:
        return False
    st.title(as_markdown(title))
    if page == Path(shown.values).stem:
        show_values(in_use.values)
    else:
        say_what_is_missing(in_use.values, shown)
    return True


def say_what_is_missing(found: MetricsFile, shown: Shown) -> None:
    """That a page needs what the values were computed from, and where the values stand."""
    named = shortened(", ".join(source.name for source in found.data.sources[:MOST_NAMED])) or "its files"
    st.info(
        "What is in use are the values of a report, without rows and without tallies: there is nothing to "
        f"draw or to count here. Load what they were computed from: {as_markdown(named)}."
    )
    with st.container(horizontal=True):
        st.page_link(shown.values, label="To the values")
        st.page_link(DATA_PAGE, label="To the Data page")


def show_values(found: MetricsFile) -> None:
    """What was evaluated, how, and every value, group by group."""
    tables.without_own_download()
    widgets.facts(facts_of(found))
    if any("split" in source.columns for source in found.data.sources):
        widgets.plain(
            "The files name a split, so that values may count test rows. They were computed elsewhere: that "
            "they are read here is not counted as a look at these rows.",
            is_quiet=True,
        )
    with st.expander("How they were computed"):
        widgets.facts(how_of(found))
    st.header("Values")
    show_chosen(found)
    if found.rag is not None:
        show_beside(found)


def facts_of(found: MetricsFile) -> Iterator[tuple[str, str]]:
    """What the values are, and of which files."""
    yield "Values of a report", f"{len(found.table):,}, computed by evalcore {found.made_by}"
    yield from sources_of(found.data)


def sources_of(data: Data) -> list[tuple[str, str]]:
    """The files of some data with their rows, then what is to be known of them; the first of very many."""
    sources = [
        (shortened(source.name), shortened(rows_read(source.n_rows, source.n_used, source.excluded)))
        for source in data.sources[:MOST_NAMED]
    ]
    notes = [("Note", shortened(note)) for note in data.notes[:MOST_NAMED]]
    n_more = len(data.sources[MOST_NAMED:]) + len(data.notes[MOST_NAMED:])
    return [*sources, *notes, *([("", f"… and {n_more:,} more files or notes")] if n_more else [])]


def rows_read(n_rows: int, n_used: int, excluded: Mapping[str, int]) -> str:
    """Rows in = used + excluded, by reason."""
    reasons = " + ".join(f"{n:,} excluded ({reason})" for reason, n in excluded.items())
    return f"{n_rows:,} rows in = {n_used:,} used + {reasons or '0 excluded'}"


def how_of(found: MetricsFile) -> Iterator[tuple[str, str]]:
    """The options, and of each file its digest and how it was read."""
    yield from ((shortened(name), shortened(text)) for name, text in islice(found.said.items(), MOST_NAMED))
    for source in found.data.sources[:MOST_NAMED]:
        columns = ", ".join(
            f"{role} from {name if isinstance(name, str) else ' and '.join(name)}"
            for role, name in source.columns.items()
        )
        read = f"{source.role}, {source.format}; SHA-256 {source.sha256}; {columns}"
        yield shortened(source.name), shortened(read)


def show_chosen(found: MetricsFile) -> None:
    """The values that are asked for: over all rows or of the groups of a column, of a model, by a word."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = choices.optional("By", "by", found.group_columns, ALL_ROWS, key="values_by", width=200) or ""
        part = found.part(by)
        group = one_of("Group", "group", part, key=f"values_group_{by}") if by else None
        model = one_of("Model", "of", part, key="values_model")
        search = st.text_input(
            "Search",
            key="values_search",
            placeholder="recall, k=10",
            type="search",
            live=True,
        )
        what = "values"
        if part.has_spread:
            what = choices.segmented(
                "Show", "show", list(SHOWN), "values", key="values_show", format_func=SHOWN.__getitem__
            )
    every = remember("values_part", (found.sha256, by), part.values)
    values = [
        one
        for one in every
        if one.is_spread == (what == "spread")
        and group in (None, one.group)
        and model in (None, one.model)
        and fits(one, search)
    ]
    if not values:
        widgets.plain("No value fits.")
        return
    show_tables(found, values)


def show_tables(found: MetricsFile, values: list[layout.Value]) -> None:
    """A table for each family, of very many values the first ones, and all of them to take along."""
    most, families = tables.MOST_ROWS, tables.by_family(values)
    told = [f"{counted(len(values), 'value')} of {len(found.table):,}"]
    for name, rows in families.items():
        if rows[most:]:
            told.append(f"{layout.family_title(name)}: the first {most:,}, {len(rows[most:]):,} more")
    widgets.plain("; ".join(told), is_quiet=True)
    shown = {name: tables.value_table(rows[:most], tables.IN_FULL) for name, rows in families.items()}
    tables.show_by_family(shown, "opened")
    widgets.csv_button("These values as CSV", lambda: as_csv(values), "values.csv", "values_csv")


def one_of(label: str, column: str, part: MetricsFile, *, key: str) -> str | None:
    """A choice among what a column of the table says, or None: all of it, or so many that one searches."""
    name = "group" if column == "group" else "model"
    options = [str(one) for one in dict.fromkeys(part.table[name]) if one]
    if not 1 < len(options) <= MOST_OPTIONS:
        choices.refuse_absent({column})
        return None
    return choices.optional(label, column, options, EVERY, key=key, width=200)


def fits(one: layout.Value, search: str) -> bool:
    """Whether every word of the search stands in what is said of a value."""
    words = search.lower().split()
    if not words:
        return True
    known = one.declared.label if one.is_declared else ""
    said = (
        one.family,
        one.metric,
        known,
        one.params,
        one.variant,
        one.population,
        one.model,
        one.group,
        one.note,
    )
    text = " ".join(said).lower()
    return all(word in text for word in words)


def as_csv(values: list[layout.Value]) -> str:
    """Values with the columns of metrics.csv."""
    return table_csv(pd.DataFrame(values, columns=list(layout.Value._fields))[list(COLUMNS)])


def show_beside(found: MetricsFile) -> None:
    """What stands beside values over annotations."""
    show_tool_scores(found)
    if agreed := agreement_lines(found):
        st.header("Agreement of annotators")
        widgets.table(
            ("label", "alpha", "interval", "pairs that agree", "judged twice", "remark"),
            agreed[:MOST_OPTIONS],
            name="Agreement of annotators",
        )
    if predicted := predicted_lines(found):
        st.header("Predicted labels")
        widgets.table(
            ("classifier", "label", "quantity", "value", "interval", "n", "remark"),
            predicted[:MOST_OPTIONS],
            name="Predicted labels",
        )
    if rests_on := coverage_lines(found):
        with st.expander("What the values rest on"):
            head = ("metric", "by", "group", "used", "left out, and what it could change")
            widgets.table(head, rests_on[:MOST_OPTIONS], name="What the values rest on")


def coverage_lines(found: MetricsFile) -> list[tuple[str, str, str, str, str]]:
    """Of each value over annotations that leaves something out, how much it rests on."""
    assert found.rag is not None
    return [
        (
            " ".join(filter(None, (row["metric"], row["params"].replace(";", ", ")))),
            row["group_by"].replace(";", ", "),
            row["group"].replace(";", ", "),
            f"{row['n_used']:,} of {row['n_eligible']:,}",
            row["left_out"],
        )
        for row in found.rag.coverage.to_dict("records")
        if row["left_out"]
    ]
