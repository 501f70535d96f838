"""Groups that must not be missed in what the page exports, and after a look at the test rows."""

from pathlib import Path

import streamlit as st
from streamlit.testing.v1 import AppTest

from evalcore.operating_point.test_rows.looks import LooksAtTest
from pages.shared.explorer.widget import Marks
from pages.shared.point.marks import KEY
from pages.shared.point.point import FirstLook, PointState, document_for

ROOT = Path(__file__).resolve().parents[3]
SUICIDAL = ("criterion", "A.9")
NOON = "2026-01-31T12:00:00Z"


def said(app: AppTest) -> str:
    return "\n".join(str(one.value) for one in [*app.markdown, *app.get("html"), *app.warning])


def test_marks_are_exported_and_one_that_changes_after_the_look_at_test_speaks_against_a_certificate() -> (
    None
):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/evidence/operating_point.py").run()
    state: PointState = app.session_state["operating_point"]
    in_use = app.session_state["data_in_use"]
    st.session_state.pop(KEY, None)  # of a test before, which shares the state outside an app
    document = document_for(in_use.data, "gnn_gate", state, state.pair).document
    assert document["selection"]["must_not_miss"] == [{"column": SUICIDAL[0], "level": SUICIDAL[1]}]

    before = LooksAtTest(0, (), "session", NOON)
    state.look = FirstLook(state.pair, state.aim, state.chosen, before, (SUICIDAL,))
    app.run()
    assert not app.exception
    assert "set after the test rows were seen" not in said(app)
    app.session_state[KEY] = (in_use.key, Marks((), 1))
    app.run()
    assert "Thresholds or targets were set after the test rows were seen" in said(app)
    app.button(key="back_to_tested").click().run()
    assert app.session_state[KEY][1].marks == (SUICIDAL,)
    assert "set after the test rows were seen" not in said(app)
