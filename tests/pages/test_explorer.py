"""How the threshold explorer reads what comes back from the browser, and what it keeps in a session."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from pages.shared.explorer import messenger
from pages.shared.point.point import PointState
from pages.shared.threshold_text import link_values, thresholds_from_link


def made_tradeoff() -> Tradeoff:
    score = np.array([0.1, 0.5, 0.9])
    return compute_tradeoff(ScoredRows(score, score > 0.2, np.arange(3), 3))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0.0085", "0.78"], ("0.0085", "0.78")),
        (["none", "0.78"], (None, "0.78")),
        (["none", "none"], (None, None)),
        (["0.5", "0.5"], ("0.5", "0.5")),
        (["0.78", "0.0085"], None),  # crossed
        (["-0.1", "0.5"], None),
        (["0.1", "1.5"], None),
        (["nan", "0.5"], None),
        (["0.1", "inf"], None),
        (["0.1"], None),
        (["0.1", "0.2", "0.3"], None),
        (["<b>", "0.5"], None),
        (["0." + "0" * 60 + "1", "0.5"], None),
        ([], None),
    ],
)
def test_link_is_read_only_when_it_holds_two_thresholds_in_order(
    values: list[str], expected: tuple[str | None, str | None] | None
) -> None:
    assert thresholds_from_link(values) == expected
    if expected is not None:
        assert link_values(*expected) == values


def test_link_of_scores_may_leave_the_unit_interval() -> None:
    assert thresholds_from_link(["-4.5", "12"], "score") == ("-4.5", "12")
    assert thresholds_from_link(["-4.5", "12"]) is None


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "0.1",
        {},
        {"tau_neg": "0.1", "tau_pos": "0.5", "revision": 3},
        {"tau_neg": "0.1", "tau_pos": "0.5", "revision": 3, "data_id": "other data"},
        {"tau_neg": "0.6", "tau_pos": "0.5", "revision": 3, "data_id": None},
        {"tau_neg": 0.1, "tau_pos": "0.5", "revision": 3, "data_id": None},
        {"tau_neg": "0.1", "tau_pos": "0.5", "revision": "3", "data_id": None},
    ],
)
def test_point_from_the_browser_is_not_believed_unless_it_is_whole(raw: Any) -> None:
    tradeoff = made_tradeoff()
    if isinstance(raw, dict) and "data_id" in raw and raw["data_id"] is None:
        raw = {**raw, "data_id": tradeoff.data_id}
    assert messenger.read_point(raw, tradeoff.data_id, "probability") is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (["ward", "A"], ("ward", "A")),
        (None, None),
        ("wA", None),
        (["ward"], None),
        (["ward", 3], None),
        (["ward", "A", "B"], None),
    ],
)
def test_a_group_from_the_browser_is_two_texts_or_none(raw: Any, expected: Any) -> None:
    assert messenger.read_mark(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"marks": [["ward", "A"], ["ward", 1]], "revision": 4}, messenger.Marks((("ward", "A"),), 4)),
        ({"marks": [], "revision": 5}, messenger.Marks((), 5)),
        ({"marks": "ward", "revision": 5}, None),
        ({"marks": [["ward", "A"]], "revision": "5"}, None),
        ({"marks": [["ward", "A"]], "revision": 5, "data_id": "other data"}, None),
        (None, None),
    ],
)
def test_marks_from_the_browser_are_taken_only_of_these_data(raw: Any, expected: Any) -> None:
    if isinstance(raw, dict):
        raw = {"data_id": "these data", **raw}
    assert messenger.read_marks(raw, "these data") == expected


def test_newer_point_wins_and_the_hand_wins_a_tie() -> None:
    state = PointState("owner", "0.1", "0.5", 4)
    state.take_released("0.2", "0.5", 4)
    assert state.pair == ("0.2", "0.5")
    state.take_released("0.3", "0.5", 3)
    assert (state.pair, state.revision) == (("0.2", "0.5"), 4)


RELEASED = {"tau_neg": "0.1", "tau_pos": "0.5", "revision": 3, "data_id": "these data"}
MARKED = {"marks": [["ward", "A"]], "revision": 3, "data_id": "these data"}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session, and in it what the browser says."""
    session: dict[str, Any] = {messenger._KEY: {}}
    monkeypatch.setattr(messenger.st, "session_state", session)
    return session[messenger._KEY]


def listener(data_id: str, heard: list[Any]) -> messenger.Listener:
    return messenger.Listener(data_id, "probability", lambda *point: heard.append(point), heard.append)


def test_what_was_said_before_anybody_listened_is_heard_once(said: dict[str, Any]) -> None:
    heard: list[Any] = []
    said |= {"point": RELEASED, "marks": MARKED}
    messenger._pass_on()
    messenger.listen(listener("these data", heard))
    assert messenger.was_released()
    messenger._pass_on()
    assert heard == [("0.1", "0.5", 3), messenger.Marks((("ward", "A"),), 3)]
    assert not messenger.was_released()


def test_release_stays_with_the_rows_it_was_made_on(said: dict[str, Any]) -> None:
    of_these: list[Any] = []
    of_others: list[Any] = []
    messenger.listen(listener("these data", of_these))
    said["point"] = RELEASED
    messenger._pass_on()  # on the page that comes next
    messenger.listen(listener("other data", of_others))
    assert (of_these, of_others) == ([("0.1", "0.5", 3)], [])


def test_old_release_does_not_move_a_point_that_began_anew(said: dict[str, Any]) -> None:
    before, anew = PointState("owner"), PointState("owner")
    for state in (before, anew):
        messenger.listen(messenger.Listener("these data", "probability", state.take_released, lambda _: None))
        said["point"] = RELEASED
        messenger._pass_on()
    assert (before.pair, anew.pair) == (("0.1", "0.5"), (None, None))


def test_the_same_release_said_again_moves_a_point_that_began_anew(said: dict[str, Any]) -> None:
    for nth in (1, 2):
        state = PointState("owner")
        messenger.listen(messenger.Listener("these data", "probability", state.take_released, lambda _: None))
        said["point"] = {**RELEASED, "nth": nth}
        messenger._pass_on()
        assert state.pair == ("0.1", "0.5")


def test_explorer_mounts_in_a_session_of_its_own() -> None:
    def page() -> None:
        import numpy as np
        import streamlit as st

        from evalcore.operating_point.tradeoff.table import compute_tradeoff
        from evalcore.tallies.scores import ScoredRows
        from pages.shared.explorer.widget import threshold_explorer

        rows = ScoredRows(np.array([0.1, 0.5, 0.9]), np.array([False, True, True]), np.arange(3), 3)
        st.write(str(threshold_explorer(compute_tradeoff(rows), tau_neg=None, tau_pos="0.9", revision=2)))

    for _ in range(2):
        app = AppTest.from_function(page).run(timeout=30)
        assert not app.exception
        assert app.markdown[-1].value == "None"
