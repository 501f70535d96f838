"""The one look at the test rows: asked for first, then shown with what tune had said."""

import math
from typing import Any

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point import OperatingPoint, outlook
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.wording import capitalised, percent_of
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
    """What TEST can show at best, and the chance that it confirms the target."""
    aim = state.aim
    found = outlook(
        data,
        screening_sensitivity=aim.screening_sensitivity,
        confidence=aim.sensitivity_confidence,
        tune=TUNE,
        test=TEST,
        model=model,
    )
    return "" if found is None else found.text


def show_result(data: Data, model: str, state: PointState) -> None:
    """Status, the figures of tune and test with the gap between them, and the claims on TEST."""
    if state.pair != state.tested:
        show_moved(state, key="back_in_dialog")
        return
    point = document_for(data, model, state, state.pair)
    st.write(f"This point is **{point.document['status']}**.")
    widgets.table(("", "tune", "test", "gap"), gap_rows(point))
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
    figures = [f"{name} {test} (tune {tune}, gap {gap})" for name, tune, test, gap in gap_rows(point)]
    widgets.plain(f"On the test rows: {' · '.join(figures)} · {point.document['status']}.")


def gap_rows(point: OperatingPoint) -> list[tuple[str, str, str, str]]:
    """Each rate on tune and on test, and how much lower or higher it is on test, in percentage points."""
    by_place: dict[tuple[str, str], dict[str, Any]] = {
        (one["metric"], one["evaluated_on"]): one for one in point.document["estimates"]
    }
    rows = []
    for metric, name in NAMES.items():
        tune, test = by_place.get((metric, "tune")), by_place.get((metric, "test"))
        if tune is None or test is None:
            continue
        rows.append((capitalised(name), share(tune), share(test), gap(tune["value"], test["value"])))
    return rows


def share(estimate: dict[str, Any]) -> str:
    """A rate as it is printed; n/a where it is undefined."""
    if not estimate["denominator"]:
        return "n/a"
    return percent_of(estimate["numerator"], estimate["denominator"])


def gap(tune: float | None, test: float | None) -> str:
    """Test less tune in percentage points."""
    if tune is None or test is None or math.isnan(tune) or math.isnan(test):
        return "n/a"
    return f"{100 * (test - tune):+.1f} points".replace("-", "−")
