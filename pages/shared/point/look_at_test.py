"""The check on test: asked for first, then shown beside what tune had said."""

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.choosing.gaps import gap_rows
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.page_words import claim_on_page
from pages.shared.point import asking, status
from pages.shared.point.marks import marks_in_use
from pages.shared.point.path import outlooks_of
from pages.shared.point.point import PointState, document_for
from pages.shared.written import as_markdown

SHOWN = "Check on test, Operating point"

MOVED, MARKED = "Thresholds or targets", "Marked groups"
MOVED_AND_MARKED = "Thresholds or targets, and marked groups,"


def ask_for_test(data: Data, model: str, state: PointState) -> None:
    """Say what a look at TEST costs and can show, and show the result where it is wanted."""

    def body() -> None:
        if state.look is not None:
            show_result(data, model, state)
            if st.button("Close", key="test_close"):
                st.rerun()
            return
        asking.say_cost(SHOWN)
        prospect = " ".join(one.text for one in outlooks_of(data, model, state.aim))
        if prospect:
            st.markdown(as_markdown(prospect))
        if asking.ask_now(SHOWN, lambda: None):
            st.rerun(scope="fragment")

    st.dialog(asking.TITLE, width="large", on_dismiss="rerun")(body)()


def tested_point(data: Data, model: str, state: PointState) -> OperatingPoint | None:
    """The document of the thresholds for which TEST was shown; None before, and for other targets."""
    look = state.look
    if look is None or not look.is_of(look.pair, state.aim, data):
        return None
    marks = marks_in_use(data).marks
    key = (session.current().key, state.owner, look, marks, tuple(state.particulars.items()))
    return kept("tested_point", key, lambda: document_for(data, model, state, look.pair))


def show_result(data: Data, model: str, state: PointState) -> None:
    """Status, the figures of tune and test with the gap between them, and the claims on TEST."""
    point = tested_point(data, model, state)
    if point is None or state.is_moved:
        show_moved(state, key="back_in_dialog")
        return
    status.show(status.standing_of(point))
    widgets.table(
        ("", "tune", "test", "gap"), gap_rows(point.document), name="Tune and test at these thresholds"
    )
    for claim in point.document["claims"]:
        if claim["evaluated_on"] == "test":
            widgets.plain(claim_on_page(claim))


def show_moved(state: PointState, *, key: str) -> None:
    """That the point was moved after TEST was seen, and the way back."""
    look, moved = state.look, MOVED
    if look is not None and not look.has_marks_of(session.current().data):
        is_same = (look.pair, look.aim) == (state.pair, state.aim)
        moved = MARKED if is_same else MOVED_AND_MARKED
    st.warning(
        f"{moved} were set after the test rows were seen: what is exported now is exploratory, and the "
        "document says so.",
        icon=":material/visibility:",
    )
    if state.look is not None and st.button("Back to the tested thresholds", key=key):
        state.go_back()
        st.rerun()


def standing_now(data: Data, model: str, state: PointState) -> status.Standing | None:
    """What TEST said of the point as it stands; None before, and once it was moved."""
    point = tested_point(data, model, state)
    return None if point is None or state.is_moved else status.standing_of(point)


def show_standing(data: Data, model: str, state: PointState, standing: status.Standing | None) -> None:
    """What TEST said, above the tiles, once it has been seen."""
    if state.look is None:
        return
    if standing is None:
        show_moved(state, key="back_to_tested")
        return
    status.show(standing)
    if st.button("Tune and test side by side…", key="show_tested"):
        ask_for_test(data, model, state)
