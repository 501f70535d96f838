"""Further settings of metrics that a session asks for: a block ``evaluation:``, as a file or pasted."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import streamlit as st

from evalcore.catalog import METRICS
from evalcore.evaluation.recommender.configuration import LARGEST, configuration_of
from evalcore.problems import InputError
from pages.shared import widgets

ENDINGS = (".yaml", ".yml")
_KEY = re.compile(rb"^\s*(evaluation|complex_metrics|metrics|top_k)\s*:", re.MULTILINE)
SLOT = "recommender_settings"
PASTED = "the pasted text"
EXAMPLE = """evaluation:
    complex_metrics:
        - name: F1
          params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}
        - name: ACLT
          params: {pop_ratio: 0.9}"""


class Asked(NamedTuple):
    """What a block asks for.

    Parameters
    ----------
    name
        Of its file, or what else it is called.
    settings
        As of `evalcore.evaluation.Options`.
    left_out
        What else stands there, which is chosen on the pages.
    """

    name: str
    settings: tuple[Any, ...]
    left_out: tuple[str, ...]

    @property
    def in_words(self) -> str:
        """What it asks for, on a line."""
        labels = [METRICS[key].label.replace("@K", "") for key, _ in self.settings]
        told = f"{self.name}: further settings of {', '.join(labels)}." if labels else f"{self.name}: none."
        chosen = f" Its {' and '.join(self.left_out)} are chosen on the pages." if self.left_out else ""
        return told + chosen


def is_block(name: str, raw: bytes) -> bool:
    """Whether a file is one with settings: YAML with a key that such a block has."""
    return name.lower().endswith(ENDINGS) and _KEY.search(raw) is not None


def in_use() -> Asked | None:
    """What the session asks for."""
    found: Asked | None = st.session_state.get(SLOT)
    return found


def options() -> dict[str, Any]:
    """The options of an evaluation that it gives; nothing without any."""
    found = in_use()
    return {"settings": found.settings} if found is not None and found.settings else {}


def show_file(name: str, raw: bytes) -> None:
    """What a file asks for, and the way to use it; or what is wrong with it."""
    found = _read(name, raw)
    if found is None:
        return
    widgets.facts([("Evaluation settings", found.in_words)])
    if found == in_use():
        widgets.plain("They are in use: the overview of recommendations shows them.", is_quiet=True)
    elif found.settings:
        st.button("Use these settings", type="primary", on_click=_keep, args=(found,))


def ask() -> None:
    """What is in use, with the way to drop it, and a field to paste a block into."""
    found = in_use()
    with st.expander("Further settings of metrics", expanded=False):
        if found is not None:
            widgets.plain(f"In use: {found.in_words}")
            st.button("Drop them", key="recommender_settings_drop", on_click=_drop)
        text = st.text_area(
            "A block evaluation: of document 004",
            key="recommender_settings_text",
            max_chars=LARGEST,
            placeholder=EXAMPLE,
            help="A file can be dropped on the Data page. Cut-offs and metrics are chosen on the pages.",
        )
        if not str(text or "").strip():
            return
        pasted = _read(PASTED, str(text).encode())
        if pasted is not None and pasted != found:
            widgets.plain(pasted.in_words)
            if pasted.settings:
                st.button(
                    "Use these settings", key="recommender_settings_use", on_click=_keep, args=(pasted,)
                )


def _read(name: str, raw: bytes) -> Asked | None:
    try:
        found = configuration_of(raw, name)
    except InputError as error:
        widgets.problem_list(error.problems)
        return None
    left_out = {"ks": "cut-offs", "metrics": "metrics"}
    own = {key for key, _ in found.get("settings", ())}
    named = {option for option in left_out if option in found and set(found[option]) - own}
    others = tuple(word for option, word in left_out.items() if option in named)
    return Asked(name, tuple(found.get("settings", ())), others)


def _keep(asked: Asked) -> None:
    st.session_state[SLOT] = asked


def _drop() -> None:
    st.session_state.pop(SLOT, None)
