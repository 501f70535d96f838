"""What a session begins with: the sample, or the files that the server was started with."""

import streamlit as st

from evalcore.data import Data
from evalcore.evaluation import Report
from evalcore.report import MetricsFile
from pages.server import start_files
from pages.shared.data import results, session, upload
from pages.shared.tasks import PAGES

BEGUN = "begun_with_start_files"
DATA_PAGE = "pages/common/data.py"


def begin() -> str | None:
    """Put the files that the server was started with to use, once a session; the page that shows them.

    None where nothing new has come. What cannot be used as it is, or opens by itself, is shown by the Data
    page as an upload is.
    """
    files = start_files.kept()
    if not files or BEGUN in st.session_state:
        return None
    st.session_state[BEGUN] = True
    found = _read(tuple(file.file_id for file in files))
    label = ", ".join(file.name for file in files)
    if isinstance(found, Report):
        session.use_saved(found, label)
        return PAGES[found.data.task].start
    if isinstance(found, MetricsFile):
        session.use_values(found, label)
        return PAGES[found.data.task].values
    if isinstance(found, Data):
        session.use(found, label)
        return PAGES[found.task].start
    upload.show_start_files()
    return DATA_PAGE


@st.cache_resource(max_entries=1, show_spinner="Reading", show_time=True)
def _read(ids: tuple[str, ...]) -> Data | Report | MetricsFile | None:  # noqa: ARG001 - the key
    """What the files hold, read once for all sessions; None for what cannot be used at once."""
    files = start_files.kept()
    found = results.saved_report(files) or results.metrics_file(files)
    return found if isinstance(found, Report | MetricsFile) else upload.first_look(files).data
