"""What the threshold explorer sends to the browser."""

import base64
import json
from typing import Any

import numpy as np

from evalcore.explorer.payload import ACTIONS, NO_GROUP_BOUND, Review, browser_payload, pack
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups, all_groups
from evalcore.operating_point.tradeoff.table import Tradeoff, compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from tests.support.reading import read

KINDS = {"f64": "<f8", "i32": "<i4", "u16": "<u2", "u8": "u1"}


def made_tradeoff() -> Tradeoff:
    rng = np.random.default_rng(0)
    n = 600
    is_positive = rng.random(n) < 0.2
    score = np.where(is_positive, rng.beta(2, 2, n), rng.beta(0.4, 4, n)).round(3)
    rows = ScoredRows(score, is_positive, np.arange(n) // 3, n // 3)
    return compute_tradeoff(rows)


def payload_of(tradeoff: Tradeoff, **changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "key": "explorer",
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


def groups_of_a_file() -> tuple[RowSet, tuple[ColumnGroups, ...]]:
    """Rows of three criteria in two hospitals, one of them without a positive."""
    lines = ["post_id,criterion_id,has_evidence,probability,hospital"]
    for at in range(120):
        lines.append(
            f"p{at // 3},A.{at % 3 + 8},{int(at % 3 != 1 and at % 4 == 0)},{at / 120:.2f},{'AB'[at % 2]}"
        )
    rows = row_set(read("\n".join(lines)), "all", split=None, model=None)
    return rows, all_groups(rows.scored, rows.queries, target=0.9, confidence=0.95)


def test_groups_travel_with_what_every_number_of_misses_means() -> None:
    rows, groups = groups_of_a_file()
    tradeoff = compute_tradeoff(rows.scored)
    criteria, hospitals = payload_of(tradeoff, groups=groups)["groups"]
    assert [level["id"] for level in criteria["levels"]] == ["A.8", "A.9", "A.10"]
    assert criteria["levels"][1]["name"] == "suicidal ideation"
    assert [level["name"] for level in hospitals["levels"]] == ["", ""]
    np.testing.assert_array_equal(unpacked(criteria["n_pos"]), groups[0].n_pos)
    np.testing.assert_array_equal(unpacked(criteria["step"]), groups[0].steps(tradeoff.score))
    np.testing.assert_array_equal(unpacked(criteria["verdict"]), groups[0].verdict)


def test_bounds_of_groups_are_rounded_down_to_hundredths_of_a_percent() -> None:
    rows, groups = groups_of_a_file()
    packed = payload_of(compute_tradeoff(rows.scored), groups=groups)["groups"][0]
    sent, is_known = unpacked(packed["low"]).astype(float), ~np.isnan(groups[0].low)
    assert (sent[is_known] <= groups[0].low[is_known] * 1e4).all()
    assert (sent[is_known] > groups[0].low[is_known] * 1e4 - 1).all()
    assert set(sent[~is_known]) == {NO_GROUP_BOUND}


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
