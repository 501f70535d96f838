"""The ranked lists in use, and what a page says where they are missing."""

import streamlit as st

from evalcore.data import Data
from evalcore.problems import InputError
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.written import as_markdown


def data_with_lists() -> Data:
    """The session's data with their lists; without them, and the page says why, where they cannot be read."""
    try:
        return session.with_lists()
    except InputError as error:
        widgets.problem_list(error.problems)
        return session.current().data


def show_sources(data: Data) -> None:
    """Which files of the sample the lists are of."""
    if session.current().is_sample:
        names = ", ".join(one.name for one in data.sources if one.role != "queries")
        widgets.plain(f"Lists and candidates of the sample: {names}.", is_quiet=True)


def say_no_lists(what: str) -> None:
    """Say that there are no ranked lists.

    Parameters
    ----------
    what
        What needs them, with its verb: ``ranking metrics need``.
    """
    st.info(
        f"These data hold no ranked lists: {as_markdown(what)} a ranked-lists or candidates file with the "
        "same queries."
    )
    st.page_link("pages/common/data.py", label="To the Data page")


def say_no_candidates(purpose: str) -> None:
    """Say that a saved report holds no candidates.

    Parameters
    ----------
    purpose
        What they are needed for: ``to simulate a selection``.
    """
    widgets.plain(
        f"A saved report holds no candidates: {purpose}, load the files that it was made of.", is_quiet=True
    )
