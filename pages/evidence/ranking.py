"""Ranking: how high evidence stands in the lists, at every K, and of one list against another."""

import streamlit as st

from pages.shared import widgets
from pages.shared.data import session
from pages.shared.lists.list_metrics import show_lists
from pages.shared.lists.loaded import data_with_lists, say_no_lists, show_sources
from pages.shared.point.rows import choose_part

st.title("Ranking")
part = choose_part(data_with_lists(), "Ranking")
if part is not None:
    lists = part.data.lists if session.current().report is not None else part.data.rankings
    if lists is not None:
        show_sources(part.data)
        show_lists(lists)
    elif session.current().report is not None:
        widgets.plain("This saved report was made of no ranked lists.")
    else:
        say_no_lists("ranking metrics need")
