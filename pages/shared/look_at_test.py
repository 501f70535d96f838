"""The one look at the test rows: asked for first, then shown with what tune had said."""

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point import OperatingPoint, outlooks
from evalcore.operating_point.claims import IN_WORDS
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.gaps import gap_rows
from evalcore.operating_point.wording import capitalised, percent
from pages.shared import widgets
from pages.shared.point import TEST, TUNE, PointState, document_for, see_test


@st.dialog("Check on test", width="large", on_dismiss="rerun")
def ask_for_test(data: Data, model: str, state: PointState) -> None:
    """Say what a look at TEST costs and can show, and show the result where it is wanted."""
    if state.tested is None:
        skip = "nothing is skipped" if state.tau_neg is None else f"skip below {state.tau_neg}"
        alert = "no alerts" if state.tau_pos is None else f"alert from {state.tau_pos}"
        st.write(
            "The test rows can be seen **once** for thresholds that are still free. "
            f"This spends that look on: {skip}, {alert}. "
            "Thresholds that are moved afterwards are exploratory."
        )
        prospect = prospect_of(data, model, state)
        if prospect:
            st.write(prospect)
        with st.container(horizontal=True):
            is_wanted = st.button("Check now", type="primary", key="test_now")
            if st.button("Not yet", key="test_later"):
                st.rerun()
        if is_wanted:
            see_test(data, state)
            st.rerun(scope="fragment")
        return
    show_result(data, model, state)
    if st.button("Close", key="test_close"):
        st.rerun()


def prospect_of(data: Data, model: str, state: PointState) -> str:
    """What TEST can show at best of each target, and the chance that it confirms it."""
    found = outlooks(data, **state.aim.targets_wanted, tune=TUNE, test=TEST, model=model)
    return " ".join(one.text for one in found)


def verdicts(point: OperatingPoint) -> str:
    """What TEST says of each target, and the point's status: what a reader must know first."""
    said = [
        f"{capitalised(NAMES[claim['metric']])} of at least {percent(claim['value'])} "
        f"{IN_WORDS[claim['verdict']].format(level=percent(claim['confidence'] or 0.95))}."
        for claim in point.document["claims"]
        if claim["evaluated_on"] == "test"
    ]
    return " ".join([*said, f"This point is **{point.document['status']}**."])


def show_result(data: Data, model: str, state: PointState) -> None:
    """Status, the figures of tune and test with the gap between them, and the claims on TEST."""
    if state.pair != state.tested:
        show_moved(state, key="back_in_dialog")
        return
    point = document_for(data, model, state, state.pair)
    st.markdown(verdicts(point))
    widgets.table(("", "tune", "test", "gap"), gap_rows(point.document))
    for claim in point.document["claims"]:
        if claim["evaluated_on"] == "test":
            widgets.plain(" ".join([claim["text"], claim.get("note", "")]))


def show_moved(state: PointState, *, key: str) -> None:
    """That the thresholds were moved after TEST was seen, and the way back."""
    st.warning(
        "The thresholds were moved after the test rows were seen: what is exported now is exploratory, and "
        "the document says so.",
        icon=":material/visibility:",
    )
    if state.tested is not None and st.button("Back to the tested thresholds", key=key):
        state.move(state.tested)
        st.rerun()


def show_standing(data: Data, model: str, state: PointState) -> None:
    """One line above the tiles once TEST has been seen."""
    if state.tested is None:
        return
    if state.pair != state.tested:
        show_moved(state, key="back_to_tested")
        return
    point = document_for(data, model, state, state.pair)
    rows = gap_rows(point.document)
    figures = [f"{name} {test} (tune {tune}, gap {gap})" for name, tune, test, gap in rows]
    st.markdown(f"On the test rows: {verdicts(point)} {' · '.join(figures)}.")
