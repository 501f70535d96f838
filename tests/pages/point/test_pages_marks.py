"""Groups that must not be missed in what the page exports, and after a look at the test rows."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import streamlit as st
from streamlit.testing.v1 import AppTest

from evalcore.operating_point.test_rows.looks import LooksAtTest
from pages.shared.explorer.messenger import Marks
from pages.shared.point import path
from pages.shared.point.marks import KEY
from pages.shared.point.point import Aim, FirstLook, PointState, document_for
from tests.support.made.scored_data import data_of

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
    assert "Marked groups were set after the test rows were seen" in said(app)
    app.button(key="back_to_tested").click().run()
    assert app.session_state[KEY][1].marks == (SUICIDAL,)
    assert "set after the test rows were seen" not in said(app)

    other = ("criterion", "A.1")
    state.look = FirstLook(state.pair, state.aim, state.chosen, before, (SUICIDAL, other))
    app.session_state[KEY] = (in_use.key, Marks((other, SUICIDAL), 2))
    app.run()
    assert "set after the test rows were seen" not in said(app)
    state.move((state.pair[0], None))
    app.session_state[KEY] = (in_use.key, Marks((other,), 3))
    app.run()
    assert "Thresholds or targets, and marked groups, were set after the test rows were seen" in said(app)


def test_the_chance_that_test_confirms_takes_the_marked_groups_in(monkeypatch) -> None:
    given = data_of(
        (f"{split}{post}", f"A.{at}", 0.5 + post / 1000 if at < 2 else 0.01 + post / 1000, int(at < 2), split)
        for split in ("tune", "test")
        for post in range(300)
        for at in range(4)
    )
    first = replace(given.queries, slices={**given.queries.slices, "ward": ward_of(given)})
    given = replace(given, tables={"queries": first})
    marks = Marks((), 1)
    monkeypatch.setattr(path, "marks_in_use", lambda _data: marks)
    monkeypatch.setattr(path, "kept", lambda _name, _key, make: make())
    monkeypatch.setattr(path.session, "current", lambda: SimpleNamespace(key="key"))
    aim = Aim(screening_sensitivity=0.9)
    assert "at most" not in path.outlooks_of(given, "m", aim)[0].text.partition("; the chance")[2]
    marks = Marks((("criterion", "A.1"),), 2)
    assert "is at most about" in path.outlooks_of(given, "m", aim)[0].text
    marks = Marks((("ward", "B"),), 3)
    assert path.outlooks_of(given, "m", aim)[0].chance == 0


def ward_of(data):
    """Ten posts of each half are of ward B."""
    return np.where(data.queries.post % 300 < 10, 1, 0), ("A", "B")
