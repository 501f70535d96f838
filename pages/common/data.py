"""The data of this session: what is in use, what a file must hold, and the way in for one's own."""

from dataclasses import replace
from hashlib import sha256

import pandas as pd
import streamlit as st

from evalcore import checks
from evalcore.data import Data
from evalcore.evaluation import Report
from evalcore.problems import Problem
from evalcore.readers import Inspection, TableInspection
from evalcore.report import MetricsFile, report_files
from evalcore.splits import can_divide, divided
from evalcore.tasks import performed
from pages.server import uploads
from pages.shared import memo, widgets
from pages.shared.data import formats, questions, results, session, upload
from pages.shared.links import address, lost
from pages.shared.page_words import on_page
from pages.shared.point import reopening
from pages.shared.recommended import settings
from pages.shared.results.opened import facts_of, sources_of
from pages.shared.tasks import EVIDENCE, PAGES
from pages.shared.written import as_html

DIVISION = (
    "Half of the posts each, by lot, which follows from the ids of the posts: everybody who divides these "
    "rows gets the same halves, in whatever order or format, and only other ids would give another draw."
)
FAILURES_SHOWN = 3
CRITERIA_SHOWN = 50
OPERATING_POINT = "pages/evidence/operating_point.py"


def show_in_use(in_use: session.SessionData) -> None:
    """The data of one task, with what was read and what was left out."""
    task = in_use.data.task
    pairs = [*sources_of(in_use.data), *([("Models", ", ".join(in_use.models))] if in_use.models else [])]
    if in_use.report is not None:
        pairs.append(("Saved report", f"{len(in_use.report.table):,} values and their tallies, no rows"))
    if in_use.values is not None:
        pairs.append(("Values of a report", f"{len(in_use.values.table):,}, no rows and no tallies"))
    widgets.facts(pairs)
    with st.container(horizontal=True, vertical_alignment="center"):
        if in_use.values is None:
            st.page_link(PAGES[task].start, label=PAGES[task].start_title, icon=":material/arrow_forward:")
        else:
            st.page_link(PAGES[task].values, label=PAGES[task].values_title, icon=":material/arrow_forward:")
        if not in_use.is_sample:
            st.button(
                "Use the sample data", on_click=session.use_sample, args=(task,), key=f"use_sample_{task}"
            )
        if in_use.report is None and can_divide(in_use.data):
            st.button(
                "Divide by post into tune and test",
                on_click=put_to_use,
                args=(in_use.data, in_use.label, True),
                help=f"{DIVISION} Figures of these rows that were shown count as looks at the test rows.",
                key="divide_in_use",
            )
    if in_use.data.warnings:
        with st.expander(f"Warnings ({len(in_use.data.warnings):,})"):
            widgets.problem_list(in_use.data.warnings, in_use.data.facts.get("n_more"))


def show_checks(in_use: session.SessionData) -> None:
    """What was checked about the data of one task and what came of it, and the counts behind it."""
    if in_use.report is not None:
        widgets.plain("They need the rows, which a saved report does not hold; its warnings stand above.")
        return
    if in_use.values is not None:
        widgets.plain("They need the rows, which values come without; the warnings of then stand above.")
        return
    if in_use.is_of_sites:
        widgets.plain(
            "They need the rows, which sites keep; each file was checked in itself and beside the others."
        )
        return
    results = in_use.data.checked
    if results is None:
        results = memo.remember("checks", in_use.key, lambda: performed(in_use.data))
    n_failed = sum(not one.passed for one in results)
    told = f"{len(results)} things were checked, {n_failed or 'none'} failed."
    widgets.plain(f"{told} What failed stops nothing." if n_failed else told)
    with st.expander("What was checked", expanded=bool(n_failed)):
        widgets.table(
            ("what is checked", "what holds where it passes", "looked at", "outcome"),
            map(check_row, results),
            name="What was checked",
        )
    show_grid(memo.remember("completeness", in_use.key, lambda: checks.completeness(in_use.data)))
    show_parts(memo.remember("counts_by_part", in_use.key, lambda: checks.counts_by_part(in_use.data)))


def check_row(one: checks.CheckResult) -> tuple[str, str, str, str]:
    """A check as the cells of a table; what failed is told with its first rows, in full under Warnings."""
    said = [f"{on_page(problem)} [{problem.code}]" for problem in one.problems[:FAILURES_SHOWN]]
    n_more = len(one.problems) - len(said)
    outcome = " ".join([*said, *([f"… and {n_more:,} more"] if n_more else [])])
    return one.name, one.what, f"{one.n_rows_checked:,}", outcome or "passed"


def show_grid(cells: tuple[checks.CriterionCells, ...]) -> None:
    """The grid posts × criteria as one row of counts for each criterion."""
    if not cells:
        return
    n_missing, n_cells = checks.missing_cells(cells)
    grid = f"{cells[0].n_posts:,} posts × {len(cells)} criteria"
    with st.expander(f"Grid of {grid}: {n_missing:,} of {n_cells:,} cells missing", expanded=bool(n_missing)):
        counts = [
            (one.criterion, f"{one.n_present:,}", f"{one.n_missing:,}", f"{one.n_positive:,}")
            for one in cells[:CRITERIA_SHOWN]
        ]
        widgets.table(
            ("criterion", "posts with a row", "posts without", "with evidence"),
            counts,
            name=f"Grid of {grid}",
        )
        if len(cells) > CRITERIA_SHOWN:
            widgets.plain(f"… and {len(cells) - CRITERIA_SHOWN:,} more criteria.", is_quiet=True)


def show_parts(parts: tuple[checks.PartCounts, ...]) -> None:
    """Posts, rows and rows with evidence of every fold and split."""
    if not parts:
        return
    with st.expander("Folds and splits"):
        counts = [
            (f"{one.column} {one.name}", f"{one.n_posts:,}", f"{one.n_rows:,}", f"{one.n_positive:,}")
            for one in parts
        ]
        widgets.table(
            ("part", "posts", "rows", "rows with evidence"), counts[:CRITERIA_SHOWN], name="Folds and splits"
        )


def show_upload(files: list[object]) -> None:
    """What was found in the files, what to choose, and the button that puts them to use."""
    outcome, choices = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
    with choices:
        encoding = questions.encoding_field()
        no_header = questions.no_header_field()
    tables, said, roles = show_tables(files, upload.Choices(encoding=encoding, no_header=no_header))
    with choices:
        is_of_labels = any(table.kind not in questions.ROLES for table in tables)
        score_kind = questions.score_kind_field() if is_of_labels or not tables else "probability"
        has_lists = any(table.kind != "queries" for table in tables)
        keep_first = questions.keep_first_field() if has_lists else False
        is_rated = questions.predicted_ratings_field(tables)
    columns = questions.changed_columns(tables, said)
    chosen = upload.Choices(columns, None, score_kind, encoding, keep_first, no_header, roles=roles)
    chosen = replace(chosen, predicted_ratings=is_rated)
    mapped = upload.read(files, chosen)
    with choices:
        positive = questions.positive_field(mapped.tables)
        files_as = questions.files_as_field(mapped)
        score_of = questions.score_of_field(mapped)
        truth = questions.truth_field(mapped)
        asked = replace(chosen, positive=positive, score_of=score_of, files_as=files_as, truth=truth)
        positive = questions.predicted_positive_field(upload.read(files, asked), positive)
    with outcome:
        show_outcome(upload.read(files, replace(asked, positive=positive)))


def show_tables(
    files: list[object], first: upload.Choices
) -> tuple[list[TableInspection], list[dict[str, tuple[str, ...]]], dict[str, str]]:
    """Every file as it is understood, the columns of its roles, and what files are that say it otherwise."""
    seen = upload.read(files, first)
    cards = [st.container(border=True) for _ in seen.tables]
    roles: dict[str, str] = {}
    for place, (card, table) in enumerate(zip(cards, seen.tables, strict=True)):
        with card:
            show_file(table)
            role = questions.role_field(seen, table, place)
        if role is not None:
            roles[table.name] = role
    anew = upload.read(files, replace(first, roles=roles)).tables if roles else ()
    by_name = {table.name: table for table in anew}
    tables = [by_name.get(table.name, table) for table in seen.tables]
    said = []
    for place, (card, table) in enumerate(zip(cards, tables, strict=True)):
        with card:
            said.append(questions.mapping_form(table, place))
            show_preview(table)
    return tables, said, roles


def show_file(table: TableInspection) -> None:
    """The file's name, its kind and its format."""
    kind = formats.FORMATS.get(table.kind or "", (table.kind or "fits no table").upper())
    widgets.html(
        f'<div class="line"><strong>{as_html(table.name)}</strong><span class="chip">{as_html(kind)}</span>'
        f'<span class="quiet">{as_html(table.format)}</span></div>'
    )


def show_preview(table: TableInspection) -> None:
    """The first rows as text, and what is left out."""
    preview = pd.DataFrame(table.preview, columns=list(table.columns), dtype=str)
    preview.index = pd.RangeIndex(1, len(preview) + 1, name="row")
    texts = {name: st.column_config.TextColumn() for name in table.columns}
    st.dataframe(preview, column_config=texts, alt="The first rows of the file")
    if table.unused:
        left_out = "; ".join(f"{name} ({why})" for name, why in table.unused.items())
        widgets.plain(f"Left out: {left_out}.", is_quiet=True)


def show_outcome(found: Inspection) -> None:
    """Whether the files can be used, and everything that is wrong with them or worth knowing."""
    if found.data is None:
        widgets.plain("These files cannot be used yet.")
    else:
        widgets.facts(sources_of(found.data))
        label = ", ".join(one.name for one in found.data.sources)
        is_divided = can_divide(found.data) and st.checkbox(
            "Divide by post into tune and test, before any figure is shown",
            help=f"{DIVISION} Thresholds are then chosen on tune, and test can confirm them once.",
            key="divide_upload",
        )
        st.button("Use these data", type="primary", on_click=put_to_use, args=(found.data, label, is_divided))
    widgets.problem_list(found.problems, found.n_more)


def show_saved(found: Report | tuple[Problem, ...], name: str) -> None:
    """A saved report: what it was made of, and the button that opens it; of annotations, its files too."""
    if isinstance(found, tuple):
        widgets.plain("This report cannot be opened.")
        widgets.problem_list(found)
        return
    values = f"{len(found.table):,} values, computed by evalcore {found.made_by}"
    widgets.facts([("Saved report", values), *sources_of(found.data)])
    st.button("Open this report", type="primary", on_click=open_saved, args=(found, name))
    if PAGES[found.data.task].has_model:  # then the Report page offers them
        return
    widgets.plain("Its own files:")
    key = sha256(found.to_bytes()).hexdigest()
    contents = memo.remember("saved_files", key, lambda: report_files(found))
    with st.container(horizontal=True):
        for file, content in contents.items():
            st.download_button(file, content, file_name=file, on_click="ignore", key=f"saved_{file}")


def show_metrics(found: MetricsFile | tuple[Problem, ...], name: str) -> None:
    """The values of a report: what was evaluated, and the button that opens them."""
    if isinstance(found, tuple):
        widgets.plain("These values cannot be opened.")
        widgets.problem_list(found)
        return
    widgets.facts(facts_of(found))
    if found.data.warnings:
        with st.expander(f"Warnings ({len(found.data.warnings):,})"):
            widgets.problem_list(found.data.warnings, found.data.facts["n_more"])
    st.button("Open these values", type="primary", on_click=open_values, args=(found, name))


def show_tallies(found: Data | tuple[Problem, ...]) -> None:
    """Files of sites: what they hold together, and the button that puts them to use."""
    if isinstance(found, tuple):
        widgets.plain("These files cannot be used together.")
        widgets.problem_list(found)
        return
    widgets.facts([("Tallies of sites", "counts and sums, no rows"), *sources_of(found)])
    label = ", ".join(one.name for one in found.sources)
    st.button("Use these tallies", type="primary", on_click=put_to_use, args=(found, label))


def open_saved(report: Report, name: str) -> None:
    """Make a saved report what the pages of this session show, and drop the upload itself."""
    session.use_saved(report, name)
    upload.forget()


def open_values(found: MetricsFile, name: str) -> None:
    """Make the values of a report what the pages of their task show, and drop the upload itself."""
    session.use_values(found, name)
    upload.forget()


def put_to_use(data: Data, label: str, is_divided: bool = False) -> None:
    """Make data those of the session, divided by post where that is wanted, and drop the upload itself."""
    session.use(divided(data) if is_divided else data, label)
    upload.forget()


st.title("Data")
st.header("In use")
is_lost = address.is_lost(EVIDENCE)
if is_lost:
    widgets.plain("Nothing: the server has lost what was in use.")
else:
    show_in_use(session.current())
    show_checks(session.current())
for task in [*PAGES][1:]:
    of_task = st.session_state.get(PAGES[task].slot)
    if of_task is not None and not of_task.is_sample:
        st.header(PAGES[task].in_use)
        show_in_use(of_task)
        show_checks(of_task)
st.header("Load your own")
widgets.plain(
    "CSV, Parquet, JSON, Feather, Arrow, or runs and qrels (TREC, BEIR, MS MARCO and others), plain or "
    "compressed; a saved report (.evalcore) or its values alone (metrics.json); tallies of sites (.tally), "
    "all of them at once; an exported document of thresholds (.json), which opens again; or the settings of "
    "recommender metrics (.yaml, with a block “evaluation:”). They are read in the memory of this session, "
    "seen by nobody else, and nothing is written to disk. Post text is not needed and never kept. Links to "
    "pages hold the names of the files and a digest, so that whoever opens one is told what to load."
)
given = upload.uploader()
blocks = [file for file in given if settings.is_block(file.name, file.getvalue())]
documents = reopening.documents_among(given)
reopening.show_documents()
told = reopening.just_opened()
if told is not None:
    upload.forget()
    address.say("document", told)
    st.switch_page(OPERATING_POINT)
files = [file for file in given if file not in blocks and file not in documents]
for block in blocks:
    settings.show_file(block.name, block.getvalue())
saved = results.saved_report(files)
values = results.metrics_file(files)
tallies = results.tallies_of_sites(files)
broken_off = uploads.broken_off()
if broken_off is not None:
    widgets.problem_list([broken_off])
if saved is not None:
    show_saved(saved, files[0].name)
elif values is not None:
    show_metrics(values, files[0].name)
elif tallies is not None:
    show_tallies(tallies)
elif files:
    show_upload(files)
    with st.expander("What a file must hold"):
        formats.show_formats()
else:
    if lost.is_of_a_lost_session() and session.current().is_sample:
        widgets.plain(
            "The server was restarted, or this page was without a connection for some minutes: files "
            "that were chosen here and not yet in use have to be chosen again."
        )
    formats.show_formats()
