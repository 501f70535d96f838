"""Pipeline steps: what each step of a pipeline reaches and changes, and what pairs of thresholds cost."""

import streamlit as st

from pages.shared.data import session
from pages.shared.lists.loaded import data_with_lists, say_no_candidates
from pages.shared.lists.pipeline import show_pipeline, show_threshold_grid
from pages.shared.point.point import rows_to_choose_on
from pages.shared.point.rows import choose_part

st.title("Pipeline steps")
model = session.model()
is_of_sites = session.current().is_of_sites
if is_of_sites:
    session.needs_rows(session.current(), "set beside each other")
part = None if is_of_sites else choose_part(data_with_lists(), "Pipeline steps")
if part is not None:
    if session.current().report is not None:
        say_no_candidates("to set steps of a pipeline beside each other")
    else:
        if part.data.queries is not None and model in part.data.queries.models:
            # Without tune rows nothing below can be counted, and a fragment cannot say so: app.py does.
            rows_to_choose_on(session.current().data, model)
        show_pipeline(part.data, model)
    show_threshold_grid(session.current().data, model)
