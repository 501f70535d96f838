"""A comparison that may take long: a bar of its progress, a way to cancel it, and kept in the session."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from pages.shared import widgets
from pages.shared.data import session
from pages.shared.written import as_markdown

KEPT = 6
STEPS = {"intervals": 0.3, "test": 0.7}
"""Which share of the time each part takes."""
Tell = Callable[[str], None]
Result = TypeVar("Result")


def computed(name: str, key: Hashable, compute: Callable[[Tell], Result]) -> Result | None:
    """The result for a key, kept in the session; None while it is cancelled.

    Parameters
    ----------
    name
        Unique on the page.
    key
        Everything the result depends on.
    compute
        Makes it, and tells in words how far it is.
    """
    kept: dict[Hashable, Result] = st.session_state.setdefault(f"memo_{name}", {})
    if key in kept:
        return kept[key]
    place = st.empty()
    if st.session_state.get(f"{name}_cancelled") == key:
        with place.container(horizontal=True, vertical_alignment="center"):
            widgets.plain("Cancelled.")
            is_wanted = st.button("Compute", key=f"{name}_again")
        if not is_wanted:
            return None
        st.session_state.pop(f"{name}_cancelled")
    with place.container():
        bar = st.progress(0.0, "Waiting for a free place…")
        st.button("Cancel", key=f"{name}_cancel", on_click=cancel, args=(name, key))
    with session.heavy_work():
        # Each message to the page is where a click on Cancel, or on another page, ends the computation.
        result = compute(lambda text: _told(bar, text))
    place.empty()
    kept[key] = result
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)))
    return result


def _told(bar: Any, text: str) -> None:
    bar.progress(*share_done(text))


def cancel(name: str, key: Hashable) -> None:
    """Remember that this comparison is not wanted now."""
    st.session_state[f"{name}_cancelled"] = key


def share_done(text: str) -> tuple[float, str]:
    """How far a comparison is, from its own words, and what is shown."""
    part, _, counts = text.partition(", ")
    done, _, of = counts.partition(" of ")
    share = 0.0
    if of:
        share = int(done.replace(",", "")) / int(of.split()[0].replace(",", ""))
    before = 0.0 if part.startswith("intervals") else STEPS["intervals"]
    width = next((size for name, size in STEPS.items() if part.startswith(name)), 0.0)
    return min(before + share * width if width else 0.0, 1.0), as_markdown(text)
