"""Selection: what a dynamic K selects from the lists, and what the file says was selected."""

import streamlit as st

from pages.shared.data import session
from pages.shared.lists.loaded import data_with_lists, say_no_candidates, say_no_lists, show_sources
from pages.shared.lists.selection import show_simulator, show_stated
from pages.shared.point.rows import choose_part

st.title("Selection")
part = choose_part(data_with_lists(), "Selection")
if part is not None:
    of_report = session.current().report is not None
    if of_report:
        say_no_candidates("to simulate a selection")
    elif part.data.rankings is None:
        say_no_lists("a simulated selection needs")
    else:
        show_sources(part.data)
        show_simulator(part.data.rankings)
    show_stated(part.data, session.model(), part.data.lists if of_report else None)
