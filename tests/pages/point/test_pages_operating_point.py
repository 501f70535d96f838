"""The Operating point page, through app.py: the look at TEST is asked for, kept and told."""

from html import escape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.explorer.payload import Review
from evalcore.figures.front import front_figure
from evalcore.operating_point.choosing.folds import over_folds, spread_in_words
from evalcore.operating_point.choosing.front import pareto_front
from evalcore.operating_point.choosing.request import constraints_of, targets_of
from evalcore.operating_point.document.limits import ALWAYS, READER
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.tallies.decisions import states_at
from pages.shared.point.other_choices import has_folds, pair_at
from pages.shared.point.point import Aim, FirstLook, PointState, document_for
from tests.support.made.scored_data import data_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = "pages/evidence/operating_point.py"
PAIR = ("0.01", "0.8")
NOON = "2026-01-31T12:00:00Z"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the page at two thresholds."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE)
    app.query_params["tau"] = list(PAIR)
    return app


def opened(app: AppTest) -> AppTest:
    """The page after a run that showed no fault."""
    app.run()
    assert not app.exception
    return app


def state_of(app: AppTest) -> PointState:
    return app.session_state["operating_point"]


def said(app: AppTest) -> str:
    """Everything on the page as text and HTML."""
    parts = [*app.markdown, *app.get("html"), *app.warning]
    return "\n".join(str(one.value) for one in parts).replace("\N{NO-BREAK SPACE}", " ")


def seen(app: AppTest) -> AppTest:
    """The page after a look at TEST at the thresholds that stand."""
    state = state_of(app)
    state.look = FirstLook(state.pair, state.aim, state.chosen, LooksAtTest(0, (), "session", NOON))
    return opened(app)


def after_reload(app: AppTest) -> AppTest:
    """Another session that opens the address of this one."""
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE)
    for name in ("tau", "tested"):
        again.query_params[name] = list(app.query_params[name])
    return opened(again)


def test_tune_rows_are_named_beside_all_rows(app: AppTest) -> None:
    assert "tune rows: 7,390" in said(opened(app))


def test_nothing_is_said_of_test_before_it_is_seen(app: AppTest) -> None:
    assert "on test" not in said(opened(app))
    assert "tested" not in app.query_params


def test_result_stands_above_the_tiles_with_the_gap_and_in_the_address(app: AppTest) -> None:
    opened(app)
    seen(app)
    text = said(app)
    assert "<b>Not met on test. This point is not certified (status: tuned).</b>" in text
    assert (
        "Screening sensitivity of at least 99.5 %: <b>not met on test</b>: 97.8 %, beside 96.4 % on tune "
        in text
    )
    assert "(not met), gap +1.5 points." in text
    assert text.index("not met on test") < text.index("96.4 % on tune")
    assert app.query_params["tested"][:2] == list(PAIR)


def test_thresholds_moved_after_test_are_exploratory_on_screen_and_in_the_document(app: AppTest) -> None:
    opened(app)
    seen(app)
    state = state_of(app)
    state.move(("0.02", "0.8"))
    opened(app)
    assert "set after the test rows were seen" in said(app)
    data = app.session_state["data_in_use"].data
    document = document_for(data, "gnn_gate", state, state.pair).document
    assert document["status"] == "exploratory"
    assert document["selection"]["test_seen_before"] is True


def test_reload_remembers_that_test_was_seen(app: AppTest) -> None:
    opened(app)
    seen(app)
    state_of(app).move(("0.02", "0.8"))
    opened(app)
    again = after_reload(app)
    assert state_of(again).tested == PAIR
    assert state_of(again).look.before.n_before == 1
    assert "set after the test rows were seen" in said(again)


def test_look_at_test_of_other_data_is_not_believed(app: AppTest) -> None:
    app.query_params["tested"] = [*PAIR, "00000000"]
    assert state_of(opened(app)).tested is None


def test_calibration_stands_beside_both_thresholds_and_limits_are_those_of_the_document(app: AppTest) -> None:
    opened(app)
    text = said(app)
    below, above = PAIR
    assert f"Just below the skip threshold, {below}" in text
    assert f"Just above the alert threshold, {above}" in text
    assert READER not in text
    opened_section(app, "limits_section")
    assert all(one in said(app) for one in ALWAYS)


def test_reviewer_time_reaches_the_tile(app: AppTest) -> None:
    opened(app)
    app.number_input(key="review_minutes").set_value(2.5)
    app.number_input(key="review_reviewers").set_value(2)
    opened(app)
    assert app.session_state["reviewer_time"] == Review(2.5, "check", 2, 4.0, None)


def test_review_tells_the_team_and_its_hours_a_day() -> None:
    assert Review(2.5, "post", 2, 4.0, 30).as_json() == {
        "minutes": 2.5,
        "per": "post",
        "hours_a_day": 8.0,
        "team": "2 × 4 h a day",
        "n_days": 30,
    }


def opened_section(app: AppTest, key: str) -> AppTest:
    """The page with one of its closed sections open."""
    app.session_state[key] = True
    return opened(app)


def test_other_choices_are_not_computed_before_they_are_opened(app: AppTest) -> None:
    opened(app)
    assert "memo_front" not in app.session_state
    assert "memo_folds" not in app.session_state


def test_front_marks_the_thresholds_of_now_and_a_click_moves_both() -> None:
    rows = [(f"p{at}", "A.1", at / 100, int(at >= 40)) for at in range(100)]
    row = row_set(data_of(rows), "all", split=None, model=None)
    front = pareto_front(row.table, fewest_alerts=5)
    figure = front_figure(front, current=states_at(row.table, 0.5, 0.9))
    marks = figure.data[2]
    assert list(marks.x) == [0.5, 0.5]
    assert list(marks.y) == [pytest.approx(50 / 60), 1.0]
    last = len(front) - 1
    assert pair_at(front, last) == (
        None if np.isnan(front["tau_neg"][last]) else str(front["tau_neg"][last]),
        str(front["tau_pos"][last]),
    )


def test_folds_of_the_rows_chosen_on_are_shown_as_the_core_counts_them(app: AppTest) -> None:
    opened(app)
    state = state_of(app)
    state.aim = Aim(0.98, 0.8, 0.95, 0.95)
    opened_section(app, "folds_section")
    (found,) = app.session_state["memo_folds"].values()
    data = app.session_state["data_in_use"].data
    rows = row_set(data, "tune", split="tune", model="gnn_gate")
    expected = over_folds(rows, *targets_of(constraints_of(0.98, 0.8, 0.95, ())))
    assert found.entry() == expected.entry()
    assert int(found.pooled.total) == len(rows.queries)
    text = said(app)
    assert escape(spread_in_words(expected.entry())) in text
    assert "no verdict" in text
    assert state.tested is None


def test_data_without_folds_have_no_section_for_them() -> None:
    rows = row_set(data_of([("p1", "A.1", 0.2, 0), ("p2", "A.1", 0.6, 1)]), "all", split=None, model=None)
    assert not has_folds(rows)
