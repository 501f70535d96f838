"""One status: what banner, tiles and dialog say of a point is what its document says."""

from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore.inference.verdicts import VERDICTS
from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.tallies.scores import ScoredRows
from pages.shared.point import offers, status
from pages.shared.point.point import Aim, PointState
from tests.support.but_long import but_long

ROOT = Path(__file__).resolve().parents[3]
PAIRS = [(0.01, 0.8), (0.0005, 0.95), (0.3, 0.3), (None, 0.9), (0.002, None), (0.0, 1.0)]


@pytest.fixture(scope="module")
def sample() -> evalcore.data.Data:
    return evalcore.load([ROOT / "sample_data" / "queries.csv"])


def point_at(data: evalcore.data.Data, pair: tuple[float | None, float | None]) -> OperatingPoint:
    options = {"screening_sensitivity": 0.98, "alert_precision": 0.8, "tune": "tune", "test": "test"}
    return point_from_thresholds(data, *pair, model="gnn_gate", **options)


@pytest.mark.parametrize("pair", but_long([(one,) for one in PAIRS], 2))
def test_words_of_the_standing_stand_in_the_claims(sample: evalcore.data.Data, pair) -> None:
    point = point_at(sample, pair)
    standing = status.standing_of(point)
    texts = {(one["metric"], one["evaluated_on"]): one["text"] for one in point.document["claims"]}
    for target in standing.targets:
        assert f": {target.chosen.words}." in texts[target.metric, "tune"]
        assert f": {target.test.words}." in texts[target.metric, "test"]
        assert target.test.said.startswith(target.test.short)
    assert point.document["status"] in standing.headline
    on_test = [one["verdict"] for one in point.document["claims"] if one["evaluated_on"] == "test"]
    assert standing.headline.startswith("Not met on test.") == ("not_met" in on_test)
    assert [one.is_failed for one in standing.targets] == sorted(
        (one.is_failed for one in standing.targets), reverse=True
    )


@pytest.mark.parametrize("pair", but_long([(one,) for one in PAIRS], 3))
def test_tiles_judge_the_tune_rows_as_the_document_does(sample: evalcore.data.Data, pair) -> None:
    rows = row_set(sample, "tune", split="tune", model="gnn_gate")
    targets = Aim(0.98, 0.8).targets
    tradeoff = compute_tradeoff(ScoredRows.from_queries(rows.queries), targets=targets)
    low, high = (-np.inf if pair[0] is None else pair[0]), (np.inf if pair[1] is None else pair[1])
    codes = {
        SENSITIVITY: tradeoff.sensitivity_verdict[tradeoff.index(low)],
        PRECISION: tradeoff.precision_verdict[tradeoff.index(high)],
    }
    for claim in point_at(sample, pair).document["claims"]:
        if claim["evaluated_on"] == "tune":
            assert VERDICTS[codes[claim["metric"]]] == claim["verdict"], claim["text"]


def test_tiles_of_a_tested_point_hold_the_counts_of_the_test_rows(sample: evalcore.data.Data) -> None:
    point = point_at(sample, (0.01, 0.8))
    tiles = status.for_tiles(point, most_missed=5.0)
    counts = {
        one["metric"]: (one["numerator"], one["denominator"])
        for one in point.document["estimates"]
        if one["evaluated_on"] == "test"
    }
    assert (tiles["sensitivity"]["n_good"], tiles["sensitivity"]["n"]) == counts[SENSITIVITY]
    assert (tiles["precision"]["n_good"], tiles["precision"]["n"]) == counts[PRECISION]
    assert (tiles["missed"]["n_missed"], tiles["missed"]["n"]) == counts["gate.screening_fn_per_1000"]
    assert tiles["missed"]["n_pos"] == counts[SENSITIVITY][1]
    assert tiles["missed"]["words"]
    untargeted = status.for_tiles(point, most_missed=Aim().targets.missed_per_1000)["missed"]
    assert untargeted.keys() == {"high", "n_missed", "n_pos", "n"}  # nobody set a target: no verdict
    assert tiles["sensitivity"]["words"] == "not met"


def test_a_target_that_no_model_is_needed_for_is_never_in_the_colour_of_success(sample) -> None:
    options = {"screening_sensitivity": 0.3, "alert_precision": 0.02, "tune": "tune", "test": "test"}
    point = choose_operating_point(sample, model="gnn_gate", **options)
    standing = status.standing_of(point)
    assert (standing.status, standing.tone) == ("certified", "plain")
    for target in standing.targets:
        assert target.test.said == "met with 95 % confidence, also without the model"
        assert "<b>met with 95 % confidence on test</b>, also without the model: " in target.sentence
    tiles = status.for_tiles(point, most_missed=5.0)
    assert {tiles[name]["tone"] for name in ("sensitivity", "precision")} == {"plain"}
    assert tiles["precision"]["words"] == "met with 95 % confidence, also without the model"


def test_what_speaks_against_a_certificate_stands_in_the_banner(sample: evalcore.data.Data) -> None:
    options = {"screening_sensitivity": 0.98, "alert_precision": 0.8}
    point = point_from_thresholds(sample, 0.01, 0.8, model="gnn_gate", test_seen=True, tune="tune", **options)
    standing = status.standing_of(point)
    assert "Exploratory: the thresholds were moved after the test rows were seen." in standing.against
    assert standing.against[0] in standing.html


def test_a_target_that_was_offered_and_then_typed_is_one_set_after_seeing_the_data(
    sample: evalcore.data.Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, object] = {}
    monkeypatch.setattr(offers.st, "session_state", kept)
    state = PointState("data:model")
    aim = Aim(0.9999, 0.9)
    assert offers.marked(aim, state) == aim
    point = choose_operating_point(sample, **aim.options, tune="tune", model="gnn_gate")
    offers.remember(point, aim, state)
    (offered,) = (
        one.constraint.value
        for one in point.alternatives
        if one.constraint.is_from_data and one.constraint.metric == SENSITIVITY
    )
    for value, is_seen in ((offered, True), (offered - 0.0003, True), (offered + 0.001, False)):
        names = offers.marked(Aim(value, 0.9), state).set_from_data
        assert ("screening_sensitivity" in names) == is_seen
    # What was wanted before, and what every session begins with, was set before any figure.
    assert not offers.marked(Aim(0.9999, 0.9), state).set_from_data
    assert "alert_precision" not in offers.marked(Aim(offered, 0.9), state).set_from_data
    assert not offers.marked(Aim(offered, 0.9), PointState("other:model")).set_from_data
