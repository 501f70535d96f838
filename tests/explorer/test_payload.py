"""What the threshold explorer sends to the browser."""

import base64
import json
from typing import Any

import numpy as np
import pytest

from evalcore.explorer.payload import ACTIONS, CriterionLabel, Review, browser_payload, pack
from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows

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


def test_arrays_packed_before_are_sent_as_they_are() -> None:
    tradeoff = made_tradeoff()
    packed = pack(tradeoff)
    payload = payload_of(tradeoff, packed=packed)
    assert payload["columns"] is packed.columns
    assert payload == payload_of(tradeoff)
