"""The dashboard: page settings, guard, and the list of pages."""

from pathlib import Path

import streamlit as st

from pages.shared import data_bar, guard
from pages.shared.navigation import first_screen

st.set_page_config(layout="wide", initial_sidebar_state=220)
st.logo(Path(__file__).parent / "pages" / "shared" / "name.svg", size="medium")

operating_point = st.Page("pages/evidence/operating_point.py", title="Operating point")
criteria = st.Page("pages/evidence/criteria.py", title="Criteria")
calibration = st.Page("pages/evidence/calibration.py", title="Calibration")
ranking = st.Page("pages/evidence/ranking.py", title="Ranking and extraction")
failures = st.Page("pages/evidence/failures.py", title="Failures")
compare = st.Page("pages/evidence/compare.py", title="Compare")
report = st.Page("pages/evidence/report.py", title="Report")
rag = [
    st.Page("pages/rag/rag_overview.py", title="RAG overview"),
    st.Page("pages/rag/rag_retrieval.py", title="Retrieval by rank"),
    st.Page("pages/rag/rag_answers.py", title="Grounding, generation"),
    st.Page("pages/rag/rag_annotators.py", title="Annotators"),
    st.Page("pages/rag/rag_violations.py", title="Violations and failures"),
    st.Page("pages/rag/rag_compare.py", title="Compare systems"),
]
data = st.Page("pages/common/data.py", title="Data")
reference = st.Page("pages/common/reference.py", title="Reference")

page = st.navigation(
    {
        "": [first_screen(operating_point), data],
        "Evidence": [operating_point, criteria, calibration, ranking, failures, compare, report],
        "RAG annotations": rag,
        "Definitions": [reference],
    },
    position="sidebar" if guard.is_passed() else "hidden",
)
if guard.is_passed():
    data_bar.show("rag" if page in rag else "evidence")
    page.run()
else:
    guard.ask()
