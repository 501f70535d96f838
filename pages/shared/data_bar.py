"""The bar above every page: which data and which model the page speaks of."""

from contextlib import suppress

import streamlit as st

from evalcore.data import Data, Task
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.test_rows.site_rows import groups_in, has_scores
from evalcore.operating_point.tradeoff.groups import CRITERION, level_names
from evalcore.operating_point.wording import counted
from evalcore.problems import InputError
from evalcore.text.numerals import percent_of
from pages.shared import widgets
from pages.shared.charts import is_dark
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.point.point import has_split, rows_to_choose_on
from pages.shared.tasks import PAGES
from pages.shared.written import as_html

STYLE = """<style>
.data-bar { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; align-items: baseline; font-size: .875rem; }
.data-bar b { font-weight: 600; }
.data-bar .badge { border-radius: 1rem; padding: 0 .6rem; background: rgba(128, 140, 155, .18); }
.data-bar .quiet { opacity: .7; }
.data-bar .warnings summary { cursor: pointer; opacity: .8; text-decoration: underline dotted; }
.data-bar .warnings[open] { flex-basis: 100%; max-width: 54rem; }
.data-bar .warnings ul { margin-top: .4rem; }
[data-testid="stMainBlockContainer"] { padding: 3.8rem clamp(1rem, 3.2vw, 4rem) 3rem; }
[data-testid="stMainBlockContainer"] { --explorer-top: 3.75rem; } /* beneath Streamlit's own bar */
/* Streamlit writes white on the light blue of the dark theme. */
:root [kind^="primary"] { color: light-dark(#ffffff, #12171d); }
[data-testid="stMultiSelectTagsContainer"] :is(span[title], svg) { color: light-dark(#ffffff, #12171d); }
</style>"""
DIALOG_DARK = '<style>[data-testid="stDialog"] { color-scheme: dark; }</style>'
DIALOG_LIGHT = '<style>[data-testid="stDialog"] { color-scheme: light; }</style>'


def show(task: Task) -> None:
    """Show the name, size and digest of the task's data, a choice of models and the way to other data."""
    in_use, sizes = session.of_task(task), PAGES[task].sizes
    has_choice = PAGES[task].has_model and len(in_use.models) > 1
    facts, way, *choice = st.columns([5, 1, 1.4] if has_choice else [6.4, 1], vertical_alignment="center")
    if has_choice:
        with choice[0]:
            _choose_model(in_use.models)
    parts = [f"<b>{as_html(in_use.label)}</b>"]
    if in_use.is_sample:
        parts.append('<span class="badge">synthetic</span>')
    if in_use.report is not None:
        parts.append('<span class="badge">saved report</span>')
    if in_use.values is not None:
        parts.append('<span class="badge">values alone</span>')
    if in_use.is_of_sites:
        parts.append('<span class="badge">tallies, no rows</span>')
    told = _sizes(in_use) if sizes is None else sizes(in_use.data, in_use.report)
    parts += [f"<span>{as_html(text)}</span>" for text in told]
    n_warnings = len(in_use.data.warnings)
    named = f"data {in_use.data.digest[:8]}"
    parts.append(f'<span class="quiet">{as_html(named if n_warnings else f"{named} · no warnings")}</span>')
    if n_warnings:
        listed = widgets.problems_html(in_use.data.warnings, in_use.data.facts.get("n_more"))
        head = as_html(counted(n_warnings, "warning"))
        parts.append(f'<details class="warnings"><summary>{head}</summary>{listed}</details>')
    if in_use.is_sample:
        way.page_link("pages/common/data.py", label="Use your own data")
    # A dialog stands beside what Streamlit colours, and takes neither scheme by itself.
    dialog = DIALOG_DARK if is_dark() else DIALOG_LIGHT
    facts.html(
        f'{STYLE}{dialog}{widgets.STYLE}<div class="data-bar" data-testid="data-bar">{"".join(parts)}</div>'
    )


def _choose_model(models: tuple[str, ...]) -> None:
    # Set rather than given as a default: the browser goes on showing the model of the data before otherwise.
    if st.session_state.get("model_choice") not in models:
        st.session_state["model_choice"] = session.model()
    chosen = st.selectbox(
        "Model",
        models,
        key="model_choice",
        label_visibility="collapsed",
        format_func=lambda name: f"Model: {name}",
    )
    session.choose_model(chosen)


def _sizes(in_use: session.SessionData) -> list[str]:
    if not in_use.models or not has_scores(in_use.data, session.model()):
        return []
    model = session.model()
    return [kept("sizes", (in_use.key, model), lambda: _counted(in_use.data, model))]


def _counted(data: Data, model: str) -> str:
    rows = row_set(data, "all", split=None, model=model)
    sizes = [counted(rows.n_rows, "check")]
    sizes += [counted(rows.n_posts, "post")] if rows.has_units else []
    groups = groups_in(data)
    n_criteria = 0 if groups is None else len(level_names(groups, CRITERION))
    sizes += [f"{n_criteria} criteria"] if n_criteria > 1 else []
    sizes += [f"{percent_of(rows.n_positives, rows.n_rows)} with evidence"]
    if has_split(data):
        with suppress(InputError):  # a model without tune rows
            sizes += [f"tune rows: {rows_to_choose_on(data, model).n_rows:,}"]
    return " · ".join(sizes)
