"""Report: everything about the session's data at its thresholds, to read here and to take away."""

from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from evalcore import evaluate
from evalcore.data import Data
from evalcore.evaluation import Report, gate_options, group_columns, with_states
from evalcore.evaluation.gathering.evidence import parts_of
from evalcore.evaluation.steps import n_steps
from evalcore.files import SAVED_REPORT
from evalcore.operating_point import OperatingPoint
from evalcore.report import Drawing, drawings, layout, report_files
from evalcore.splits import test_split
from pages.shared import choices, widgets
from pages.shared.charts import chart, is_dark
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.point.asking import ask, is_granted
from pages.shared.point.exporting import document_at
from pages.shared.point.point import PointState, current_point
from pages.shared.point.rows import ALL, choose_part, counted_key, say_thresholds, shown_of
from pages.shared.results import tables
from pages.shared.written import as_markdown

SAVED = "report.evalcore"
FILES = {
    "report.html": ("text/html", "Everything on one page that opens offline"),
    "metrics.csv": ("text/csv", "Every value, one a line"),
    "metrics.json": ("application/json", "Every value with inputs and options"),
    "report.md": ("text/markdown", "The tables as Markdown"),
    "tables.tex": ("application/x-tex", "The default variants as LaTeX tables"),
    SAVED: (SAVED_REPORT, "To open here again: values and tallies, no rows"),
}
HEIGHT = 400
REPLICATES = 2_000


def ask_options(data: Data, gate: dict[str, float]) -> dict[str, Any]:
    """What to break down by, and what stands where a metric is undefined."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = choices.several(
            "Broken down by",
            "by",
            group_columns(with_states(data, **gate)),
            key="report_by",
            placeholder="Nothing",
            width=420,
            help="Each column alone and, where there are several, all together.",
        )
        fills = choices.toggle(
            "Fill in undefined values",
            "fills",
            key="report_fills",
            help="As document 000 §5 does: AUROC 0.5, AUPRC the prevalence, shares 0, each marked in its "
            "note; without it they are n/a with the reason.",
        )
        is_drawn = choices.toggle(
            f"Bootstrap intervals ({REPLICATES:,} replicates)",
            "bootstrap",
            key="report_bootstrap",
            help="Intervals of everything that is no share near 0 or 1, by drawing posts; seed 0. With a "
            "breakdown it may take minutes.",
        )
    return {
        "by": tuple(by),
        "undefined": "contract" if fills else "nan",
        "bootstrap": REPLICATES if is_drawn else 0,
    }


def gate_of(data: Data, state: PointState | None) -> dict[str, float]:
    """The session's thresholds as options; those of an empty zone lie beyond every score."""
    if state is None:
        return {}
    low, high = (None if text is None else float(text) for text in state.pair)
    return gate_options(low, high, data.score_kind)


def computed(data: Data, options: dict[str, Any]) -> Report:
    """The report, with each group told while it is made, and a way to stop."""
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Waiting for a free place…")
        st.button("Cancel", key="report_cancel", on_click=cancel)
    n_all, n_begun = n_steps(parts_of(data), options["by"]), 0

    def tell(name: str) -> None:
        # Each message to the page is where a click on Cancel, or on another page, ends the computation.
        nonlocal n_begun
        bar.progress(min(n_begun / n_all, 1.0), f"Evaluating {as_markdown(name)}")
        n_begun += 1

    with session.heavy_work():
        report = evaluate(data, progress=tell, **options)
    place.empty()
    return report


def cancel() -> None:
    """Forget that a report is wanted."""
    st.session_state.pop("report_asked", None)
    st.session_state["report_cancelled"] = True


def say_document(point: OperatingPoint | None) -> None:
    """Which document of the thresholds the first pages say, if any."""
    if point is None:
        told = (
            "No document of these thresholds was exported or opened here, so the report will hold no targets "
            "and no verdicts: export them on the Operating point page first to have them in it."
        )
    else:
        told = f"Its first pages say the targets and verdicts of the document {point.document['id']}."
    widgets.plain(told, is_quiet=True)


def show_files(files: dict[str, bytes]) -> None:
    """A button for each file."""
    with st.container(horizontal=True):
        for name, content in files.items():
            mime, meaning = FILES[name]
            st.download_button(
                name,
                content,
                file_name=name,
                mime=mime,
                help=f"{meaning}, {len(content) / 1000:,.0f} kB",
                icon=":material/download:",
                type="primary" if name == "report.html" else "secondary",
                on_click="ignore",
                key=f"report_{name}",
            )


def show_figures(figures: list[tuple[Drawing, Figure]]) -> None:
    """The figures of the report, two beside each other."""
    for start in range(0, len(figures), 2):
        columns = st.columns(2, gap="large")
        for column, (drawing, figure) in zip(columns, figures[start : start + 2], strict=False):
            with column:
                widgets.small_heading(drawing.title)
                chart(figure, f"report_{drawing.key}", height=int(figure.layout.height or HEIGHT))
                if drawing.note:
                    widgets.plain(drawing.note, is_quiet=True)


def value_tables(report: Report) -> dict[str, pd.DataFrame]:
    """Every value over all rows, a table for each family."""
    shown = tables.by_family(one for one in layout.values(report) if not (one.group_by or one.is_spread))
    return {family: tables.value_table(rows[: tables.MOST_ROWS]) for family, rows in shown.items()}


def files_of(report: Report, of: str | None, point: OperatingPoint | None) -> dict[str, bytes]:
    """Everything there is to take away."""
    return {**report_files(report, thresholds_of=of, point=point), SAVED: report.to_bytes()}


def show_saved(report: Report, data: Data) -> None:
    """A saved report as it was made, at its own thresholds; where it counts test rows, they are asked for."""
    name = shown_of("Saved report", ALL)
    if test_split(data) is not None and not is_granted(name):
        st.info("This report counts test rows too.")
        if st.button("Look at them…", key="report_saved"):
            ask(name)
        return
    options = report.options
    by = f"broken down by {', '.join(options.by)}" if options.by else "without a breakdown"
    drawn = f"{options.bootstrap:,} replicates" if options.bootstrap else "no bootstrap"
    widgets.plain(
        f"As it was saved by evalcore {report.made_by}: {by}, {drawn}. For other options load the files that "
        "it was made of.",
        is_quiet=True,
    )
    show_report(report, (session.current().key,), None)


def show(data: Data, state: PointState | None) -> None:
    """Options, the button, and what it made."""
    say_thresholds(state)
    point = None if state is None else document_at(state.pair, session.model())
    if state is not None:
        say_document(point)
    part = choose_part(data, "Report")
    if part is None:
        return
    data = part.data
    gate = gate_of(data, state)
    options = {**ask_options(data, gate), **gate}
    key = (counted_key(), *sorted(options.items()))
    if st.button("Make the report", type="primary", key="report_make"):
        st.session_state["report_asked"] = key
    if st.session_state.get("report_asked") != key:
        is_cancelled = st.session_state.pop("report_cancelled", False)
        what = "Every metric that the data allow, with figures and tables."
        st.caption("Cancelled." if is_cancelled else f"{what} It takes some seconds.")
        return
    report = remember("report", key, lambda: computed(data, options))
    show_report(report, key, None if state is None else session.model(), point)


def show_report(
    report: Report, key: tuple[Any, ...], of: str | None, point: OperatingPoint | None = None
) -> None:
    """The files, figures and values of a report.

    Parameters
    ----------
    report, key
        The report, and what it was made of.
    of
        The model for which the thresholds were chosen.
    point
        The document that says their targets and verdicts.
    """
    dark = is_dark()
    figures = remember(
        "report_figures",
        (of, dark, *key),
        lambda: [(one, one.draw(dark=dark).plotly()) for one in drawings(report, thresholds_of=of)],
    )
    named = None if point is None else point.document["content_sha256"]
    show_files(remember("report_files", (of, named, *key), lambda: files_of(report, of, point)))
    st.header("Figures")
    show_figures(figures)
    st.header("Values over all rows")
    tables.show_by_family(remember("report_values", key, lambda: value_tables(report)), "report_values")


st.title("Report")
tables.without_own_download()
in_use = session.current()
queries = in_use.data.queries
has_scores = queries is not None and session.model() in queries.models
if in_use.is_of_sites:
    session.needs_rows(in_use, "report")
elif in_use.report is not None:
    show_saved(in_use.report, in_use.data)
else:
    show(session.with_lists(), current_point(in_use.data, session.model()) if has_scores else None)
