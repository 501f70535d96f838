"""Export: who chose, why and for which setting is asked, and may be skipped, which the document then says."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import streamlit as st

from evalcore.data import Data
from evalcore.explorer import part
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.deploying import LANGUAGES, Language, rule_file, rule_name
from evalcore.operating_point.typed import LONGEST, LONGEST_NAME
from evalcore.operating_point.wording import capitalised
from evalcore.report.point_page import point_html
from pages.shared.data import session
from pages.shared.point.asking import pair_in_words
from pages.shared.point.point import Pair, PointState, document_for
from pages.shared.written import as_markdown

NEXT, KEPT = "export_next", "document_kept"
WHO = {"author": "Who chose", "rationale": "Why these thresholds", "setting": "For which setting"}
MORE = {
    "title": "Title of the document",
    "model_version": "Model version",
    "data_collected": "Dates of the data",
    "labelled_by": "Who labelled",
    "label_agreement": "How the labellers agreed",
}
SAVER = """
export default function save({ data }) {
  const saved = (globalThis.evalcore_saved ??= new Set());
  if (saved.has(data.seq)) return;
  saved.add(data.seq);
  saveFile(data.file_name, data.content, data.media_type);
}
"""


def ask_for_export_next() -> None:
    """Ask for the export as soon as the page has run again with the thresholds that are exported."""
    st.session_state[NEXT] = True


def is_asked_for_next() -> bool:
    """Whether the export is to be asked for now; true once."""
    return bool(st.session_state.pop(NEXT, False))


@st.dialog("Export", width="large")
def export_dialog(data: Data, model: str, state: PointState, pair: Pair) -> None:
    """Ask who chose, why and for which setting, and save the document as it stands."""
    st.write(
        f"{as_markdown(capitalised(pair_in_words(pair)))}. Whoever reads the document asks who chose, why, "
        "and for which setting. Nothing of it is needed: what is left empty stands there as not stated."
    )
    with st.form("export_form", border=False):
        said = {name: _field(state, name, label) for name, label in WHO.items()}
        with st.expander("What an auditor asks beyond that"):
            said |= {name: _field(state, name, label) for name, label in MORE.items()}
        with st.container(horizontal=True):
            is_document = st.form_submit_button("Save the document (JSON)", type="primary")
            is_page = st.form_submit_button("Save a page to print (HTML)")
        with st.expander("Rule for your system"):
            language, is_rule = _ask_for_rule()
    if not (is_document or is_page or is_rule):
        return
    state.particulars = said
    name = f"operating-point_{pair[0] or 'none'}_{pair[1] or 'none'}.{'json' if is_document else 'html'}"
    with st.spinner("Writing…"):
        point = document_for(data, model, state, pair)
        if is_rule:
            name, content = rule_name(point, language), rule_file(point, language)
        else:
            content = point.text if is_document else point_html(point, [data])
    keep(point)
    save(name, content, "application/json" if is_document else "text/plain" if is_rule else "text/html")
    left_out = [] if is_rule else [label for field, label in WHO.items() if not said[field]]
    missing = f" It says that these are not stated: {', '.join(left_out)}." if left_out else ""
    st.markdown(as_markdown(f"Saved {name}.{missing}"))


def _ask_for_rule() -> tuple[Language, bool]:
    """The language of a file for another system, and whether it is to be saved."""
    st.write(
        "One file that decides as the document does, in the language of the system that has the scores. It "
        "names the document by its hash, so save the document too, and it tests itself where it runs."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = st.selectbox(
            "Language", [*LANGUAGES], format_func=lambda one: LANGUAGES[one].label, key="rule_language"
        )
        return language, st.form_submit_button("Save the rule")


def keep(point: OperatingPoint) -> None:
    """Remember the document that was exported or opened last: it stands for the data in use."""
    st.session_state[KEPT] = (session.current().key, point)


def document_at(pair: Pair, model: str) -> OperatingPoint | None:
    """The document that was exported or opened last, where it is of these data, model and thresholds."""
    owner, point = st.session_state.get(KEPT, ("", None))
    if point is None or owner != session.current().key or point.model not in (None, model):
        return None
    numbers = tuple(None if text is None else float(text) for text in pair)
    return point if (point.tau_neg, point.tau_pos) == numbers else None


def _field(state: PointState, name: str, label: str) -> str:
    known, most = state.particulars.get(name, ""), LONGEST.get(name, LONGEST_NAME)
    return st.text_input(label, known, max_chars=most, key=f"particular_{name}").strip()


def save(file_name: str, content: str, media_type: str) -> None:
    """Let the browser save a file, once."""
    _saver()(
        data={
            "seq": time.time_ns() // 1000,
            "file_name": file_name,
            "content": content,
            "media_type": media_type,
        },
        key=f"saver_{file_name}",
    )


@cache
def _saver() -> Any:
    return st.components.v2.component("evalcore_saver", js="\n".join([part("export"), SAVER]))
