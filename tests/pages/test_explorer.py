"""How the threshold explorer reads what comes back from the browser, and what it keeps in a session."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from pages.shared.explorer import widget as explorer
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
    assert explorer._read_point(raw, tradeoff, "probability") is None


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
    assert explorer._read_mark(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"marks": [["ward", "A"], ["ward", 1]], "revision": 4}, explorer.Marks((("ward", "A"),), 4)),
        ({"marks": [], "revision": 5}, explorer.Marks((), 5)),
        ({"marks": "ward", "revision": 5}, None),
        ({"marks": [["ward", "A"]], "revision": "5"}, None),
        ({"marks": [["ward", "A"]], "revision": 5, "data_id": "other data"}, None),
        (None, None),
    ],
)
def test_marks_from_the_browser_are_taken_only_of_these_data(
    raw: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tradeoff, taken = made_tradeoff(), []
    if isinstance(raw, dict):
        raw = {"data_id": tradeoff.data_id, **raw}
    monkeypatch.setattr(explorer.st, "session_state", {"explorer": {"marks": raw}})
    explorer._hear_marks("explorer", tradeoff, taken.append)
    assert taken == ([] if expected is None else [expected])


def test_newer_point_wins_and_the_hand_wins_a_tie() -> None:
    server, browser = explorer._Point("0.1", "0.5", 4), explorer._Point("0.2", "0.5", 4)
    assert explorer._newest(server, browser) is browser
    assert explorer._newest(explorer._Point("0.3", "0.5", 5), browser).tau_neg == "0.3"
    assert explorer._newest(server, None) is server


def test_explorer_mounts_in_a_session_of_its_own() -> None:
    def page() -> None:
        import numpy as np
        import streamlit as st

        from evalcore.operating_point.tradeoff.table import compute_tradeoff
        from evalcore.tallies.scores import ScoredRows
        from pages.shared.explorer.widget import threshold_explorer

        rows = ScoredRows(np.array([0.1, 0.5, 0.9]), np.array([False, True, True]), np.arange(3), 3)
        result = threshold_explorer(
            compute_tradeoff(rows), key="explorer", tau_neg=None, tau_pos="0.9", revision=2
        )
        st.write(f"{result.tau_neg} {result.tau_pos} {result.revision} {result.action}")

    for _ in range(2):
        app = AppTest.from_function(page).run(timeout=30)
        assert not app.exception
        assert app.markdown[-1].value == "None 0.9 2 None"
