"""What stands around every page: settings, guard, data bar, and the list of pages."""

from pathlib import Path

import streamlit as st

from evalcore.problems import InputError
from pages.shared import data_bar, guard, widgets
from pages.shared.charts import files
from pages.shared.data import opening
from pages.shared.explorer import messenger
from pages.shared.links import address, link_notes, lost, menu
from pages.shared.links.navigation import first_screen
from pages.shared.results import opened
from pages.shared.tasks import EVIDENCE, PAGES, RAG, RECOMMENDER
from pages.shared.written import as_markdown


def show() -> None:
    """Show the page that the address names, for one session."""
    st.set_page_config(layout="wide", initial_sidebar_state=220)
    st.logo(Path(__file__).parent / "name.svg", size="medium")

    operating_point = st.Page("pages/evidence/operating_point.py", title="Operating point")
    criteria = st.Page("pages/evidence/criteria.py", title="Criteria")
    calibration = st.Page("pages/evidence/calibration.py", title="Calibration")
    ranking = st.Page("pages/evidence/ranking.py", title="Ranking")
    selection = st.Page("pages/evidence/selection.py", title="Selection")
    pipeline_steps = st.Page("pages/evidence/pipeline_steps.py", title="Pipeline steps")
    failures = st.Page("pages/evidence/failures.py", title="Failures")
    compare = st.Page("pages/evidence/compare.py", title="Compare")
    report = st.Page("pages/evidence/report.py", title="Report")
    of_rag = [
        st.Page("pages/rag/rag_overview.py", title="RAG overview"),
        st.Page("pages/rag/rag_retrieval.py", title="Retrieval by rank"),
        st.Page("pages/rag/rag_answers.py", title="Grounding, generation"),
        st.Page("pages/rag/rag_annotators.py", title="Annotators"),
        st.Page("pages/rag/rag_violations.py", title="Violations and failures"),
        st.Page("pages/rag/rag_compare.py", title="Compare systems"),
    ]
    of_recommender = [
        st.Page("pages/recommender/recommender_overview.py", title="Overview"),
        st.Page("pages/recommender/recommender_k.py", title="Metric against K"),
        st.Page("pages/recommender/recommender_tradeoff.py", title="Trade-off"),
        st.Page("pages/recommender/recommender_fairness.py", title="Fairness"),
        st.Page("pages/recommender/recommender_popularity.py", title="Popularity"),
        st.Page("pages/recommender/recommender_users.py", title="Users and items"),
        st.Page("pages/recommender/recommender_compare.py", title="Compare models"),
    ]
    of_evidence = [
        operating_point,
        criteria,
        calibration,
        ranking,
        selection,
        pipeline_steps,
        failures,
        compare,
        report,
    ]
    pages_of = {EVIDENCE: of_evidence, RAG: of_rag, RECOMMENDER: of_recommender}
    start = first_screen(operating_point)
    data = st.Page("pages/common/data.py", title="Data")
    reference = st.Page("pages/common/reference.py", title="Reference")

    page = st.navigation(
        {
            "": [start, data],
            **{PAGES[task].title: pages for task, pages in pages_of.items()},
            "Definitions": [reference],
        },
        position="sidebar" if guard.is_passed() else "hidden",
    )
    if guard.is_passed():
        menu.close_after_a_choice()
        files.offer()
        messenger.stand_by()
        shown_on = opening.begin()  # before the address is read: a link may be about these data
        if shown_on is not None and (page == start or shown_on == opening.DATA_PAGE):
            st.switch_page(shown_on)
    if not guard.is_passed():
        guard.ask()
    elif page == start:
        page.run()
    else:
        if page == operating_point:
            menu.skip_to_the_handles()
        address.begin(page.url_path, next((task for task, pages in pages_of.items() if page in pages), None))
        if address.is_lost(address.known().part):  # the sample must not stand in for what was there
            st.title(as_markdown(page.title))
            link_notes.show()
        else:
            task = address.known().part or EVIDENCE
            if not address.is_lost(task):
                data_bar.show(task)
            news = st.container()
            with news:
                shown = link_notes.show()
            try:
                if not opened.show(page.title, page.url_path):
                    page.run()
            except InputError as error:  # such as a model without tune rows
                widgets.problem_list(error.problems)
            with news:
                link_notes.show_new(shown)
        address.write()
        lost.run_again_after_a_restart()
