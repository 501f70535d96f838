"""Ranking and extraction: how high evidence stands in the lists, and what is selected from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.data import Data
from evalcore.problems import InputError
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.lists.list_metrics import show_lists
from pages.shared.lists.pipeline import show_pipeline, show_threshold_grid
from pages.shared.lists.selection import show_simulator, show_stated
from pages.shared.point.point import rows_to_choose_on
from pages.shared.point.rows import choose_part

if TYPE_CHECKING:
    from evalcore.tallies.unit_lists import UnitLists


def show_saved(data: Data, model: str, lists: UnitLists | None) -> None:
    """What the tallies of a saved report allow: everything that selects no candidate anew."""
    if lists is None:
        widgets.plain("This saved report was made of no ranked lists.")
    else:
        show_lists(lists)
    show_stated(data, model, lists)
    widgets.plain(
        "A saved report holds no candidates: to simulate a selection, or to set steps of a pipeline beside "
        "each other, load the files that it was made of.",
        is_quiet=True,
    )
    show_threshold_grid(session.current().data, model)


def show(data: Data, model: str) -> None:
    """Everything that the data allow; what is missing is said."""
    part = choose_part(data, "Ranking and extraction")
    if part is None:
        return
    data = part.data
    if session.current().report is not None:
        show_saved(data, model, data.lists)
        return
    if data.rankings is None:
        st.info(
            "These data hold no ranked lists: ranking metrics and a simulated selection need a ranked-lists "
            "or candidates file with the same queries."
        )
        st.page_link("pages/common/data.py", label="To the Data page")
    else:
        if session.current().is_sample:
            names = ", ".join(one.name for one in data.sources if one.role != "queries")
            widgets.plain(f"Lists and candidates of the sample: {names}.", is_quiet=True)
        show_lists(data.rankings)
        show_simulator(data.rankings)
    show_stated(data, model)
    if data.queries is not None and model in data.queries.models:
        # Without tune rows nothing below can be counted, and a fragment cannot say so: app.py does.
        rows_to_choose_on(session.current().data, model)
    show_pipeline(data, model)
    show_threshold_grid(session.current().data, model)


st.title("Ranking and extraction")
try:
    found = session.with_lists()
except InputError as error:
    widgets.problem_list(error.problems)
    found = session.current().data
show(found, session.model())
