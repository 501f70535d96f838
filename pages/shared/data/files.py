"""The files of a report, made on request and offered one by one."""

from pathlib import Path

import streamlit as st

from evalcore.evaluation import Report
from evalcore.report import report_files
from evalcore.tasks import drawings

TYPES = {".html": "text/html", ".csv": "text/csv", ".json": "application/json", ".md": "text/markdown"}


def show_files(found: Report, name: str, key: tuple[object, ...]) -> None:
    """A button that makes the files, and then one for each of them.

    Parameters
    ----------
    found
        The report.
    name
        Unique in a session.
    key
        What the report depends on: files of another one are not offered.
    """
    st.header("Take away")
    slot = f"{name}_files"
    if st.button("Make the files", key=f"{name}_make"):
        with st.spinner("Writing…", show_time=True):
            st.session_state[slot] = (key, report_files(found, drawn=drawings))
    made_for, files = st.session_state.get(slot, ((), {}))
    if made_for == key:
        with st.container(horizontal=True):
            for file, content in files.items():
                mime = TYPES.get(Path(file).suffix, "text/plain")
                st.download_button(
                    file, content, file_name=file, mime=mime, on_click="ignore", key=f"{name}_{file}"
                )
