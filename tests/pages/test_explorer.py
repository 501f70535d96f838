"""What the threshold explorer sends to the browser, and how it reads what comes back."""

import base64
import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from pages.shared.explorer import widget as explorer
from pages.shared.explorer.payload import ACTIONS, CriterionLabel, Review, browser_payload
from pages.shared.threshold_text import link_values, thresholds_from_link

KINDS = {"f64": "<f8", "i32": "<i4", "u16": "<u2", "u8": "u1"}


def made_tradeoff() -> Tradeoff:
    rng = np.random.default_rng(0)
    n = 600
    is_positive = rng.random(n) < 0.2
    score = np.where(is_positive, rng.beta(2, 2, n), rng.beta(0.4, 4, n)).round(3)
    rows = ScoredRows(score, is_positive, np.arange(n) // 3, n // 3)
    return compute_tradeoff(rows, criterion=np.arange(n) % 3, n_criteria=3)


def payload_of(tradeoff: Tradeoff, **changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "key": "explorer",
        "criteria": [CriterionLabel("A.1"), CriterionLabel("A.2"), CriterionLabel("A.9", "ideation", True)],
        "score_kind": "probability",
        "review": Review(),
        "actions": ACTIONS,
        "method": "",
    }
    return browser_payload(tradeoff, **{**options, **changes})


def unpacked(column: dict[str, Any]) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(column["base64"]), KINDS[column["kind"]])
    return np.cumsum(values, dtype=np.int64) if column["is_delta"] else values


def test_payload_is_strict_json_and_reads_back() -> None:
    """NumPy integers would silently become text in the browser, and NaN is no JSON."""
    payload = payload_of(made_tradeoff())
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload


def test_packed_columns_read_back_exactly() -> None:
    tradeoff = made_tradeoff()
    columns = payload_of(tradeoff)["columns"]
    for name in ("score", "threshold", "pos_below", "neg_below", "posts_missed", "posts_unopened"):
        np.testing.assert_array_equal(unpacked(columns[name]), getattr(tradeoff, name))
    step = unpacked(columns["step"])
    np.testing.assert_array_equal(
        np.diff(tradeoff.pos_below, prepend=-1) != 0, np.isin(np.arange(len(tradeoff.pos_below)), step)
    )


def test_bounds_travel_outward_in_billionths() -> None:
    tradeoff = made_tradeoff()
    columns = payload_of(tradeoff)["columns"]
    low, high = unpacked(columns["workload_low"]), unpacked(columns["workload_high"])
    assert (low <= tradeoff.workload_interval.low * 1e9).all()
    assert (low > tradeoff.workload_interval.low * 1e9 - 1).all()
    assert (high >= tradeoff.workload_interval.high * 1e9).all()
    assert (high < tradeoff.workload_interval.high * 1e9 + 1).all()
    assert unpacked(columns["precision_low"])[-1] == -1  # undefined: no alerts


def test_criteria_that_must_not_be_missed_come_first() -> None:
    tradeoff = made_tradeoff()
    criteria = payload_of(tradeoff)["criteria"]
    assert [criterion["id"] for criterion in criteria] == ["A.9", "A.1", "A.2"]
    assert criteria[0]["n_pos"] == tradeoff.criteria[2].n_pos
    np.testing.assert_array_equal(unpacked(criteria[0]["n_missed"]), tradeoff.criteria[2].n_missed)


def test_every_criterion_needs_a_label() -> None:
    with pytest.raises(ValueError, match="zip"):
        payload_of(made_tradeoff(), criteria=[CriterionLabel("A.1")])


def test_payload_is_renamed_when_anything_in_it_changes() -> None:
    tradeoff = made_tradeoff()
    ids = {payload_of(tradeoff, review=Review(minutes))["payload_id"] for minutes in (None, 1.0, 2.0)}
    assert len(ids) == 3


def test_scores_that_are_no_probabilities_get_no_logit_axis() -> None:
    payload = payload_of(made_tradeoff(), score_kind="score")
    assert (payload["axis"], payload["is_probability"]) == ("linear", False)


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
