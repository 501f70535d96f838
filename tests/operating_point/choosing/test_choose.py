"""Choosing thresholds: verdicts, status, models, and what a document says of them."""

import numpy as np
import pytest

from evalcore.operating_point import choose_operating_point, choose_thresholds
from evalcore.operating_point.constraints import (
    SENSITIVITY,
    Constraint,
)
from evalcore.problems import InputError
from tests.support.made.choices import claims_of, estimate_of, halves
from tests.support.made.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)


def test_a_point_is_certified_when_test_confirms_every_target():
    point = choose_operating_point(halves(), tune="tune", test="test")
    assert point.status == "certified"
    assert point.constraints_met
    assert claims_of(point, "test")["screening_sensitivity"]["verdict"] == "met_with_confidence"
    assert claims_of(point, "test")["alert_precision"]["verdict"] == "met_with_confidence"


def test_a_precision_is_never_met_with_confidence_where_it_was_chosen():
    point = choose_operating_point(halves(), tune="tune", test="test")
    assert claims_of(point, "tune")["screening_sensitivity"]["verdict"] == "met_with_confidence"
    assert claims_of(point, "tune")["alert_precision"]["verdict"] == "met_point_only"
    assert choose_operating_point(halves(), tune="tune").constraints_met


def test_a_point_is_tuned_when_test_does_not_confirm_a_target():
    point = choose_operating_point(halves(misses_on_test=1), tune="tune", test="test")
    assert point.status == "tuned"
    assert not point.constraints_met
    assert claims_of(point, "test")["screening_sensitivity"]["verdict"] == "met_point_only"
    assert estimate_of(point, "screening_sensitivity", "test")["numerator"] == 699


def test_a_target_that_test_can_never_confirm_is_infeasible_with_this_n():
    small = data_of(
        [
            *scored(np.full(700, 0.9), np.full(700, 0.1), split="tune"),
            *scored(np.full(276, 0.9), np.full(700, 0.1), split="test", first_post=10_000),
        ]
    )
    claim = claims_of(choose_operating_point(small, tune="tune", test="test"), "test")[
        "screening_sensitivity"
    ]
    assert claim["verdict"] == "infeasible_with_this_n"
    assert claim["note"] == "It needs at least 598 cases without a failure; 276 can show at most 98.92 %."


@pytest.mark.parametrize("confidence", [0.95, None, (None, 0.9)])
@pytest.mark.parametrize("tune", ["tune", None])
def test_the_thresholds_alone_are_those_of_the_point(confidence, tune):
    wanted = {"alert_precision": 0.8, "confidence": confidence, "tune": tune, "model": "m"}
    point, pair = (choose(halves(), **wanted) for choose in (choose_operating_point, choose_thresholds))
    assert (pair.tau_neg, pair.tau_pos) == (point.tau_neg, point.tau_pos)
    assert pair.tau_neg is not None


def test_a_target_taken_from_the_data_is_not_called_met_where_it_was_taken():
    aims = {"screening_sensitivity": 0.99, "targets_from_data": ("screening_sensitivity",)}
    point = choose_operating_point(halves(), tune="tune", test="test", **aims)
    on_tune = claims_of(point, "tune")["screening_sensitivity"]
    assert on_tune["verdict"] == "not_assessed"
    assert "the highest that these rows can support, set after seeing them" in on_tune["text"]
    assert claims_of(point, "test")["screening_sensitivity"]["verdict"] == "met_with_confidence"
    sentence = "Screening sensitivity of at least 99 % is a target set after seeing the data"
    assert any(limit.startswith(sentence) for limit in point.document["limits"])
    with pytest.raises(InputError, match="targets_from_data = npv"):
        choose_operating_point(halves(), targets_from_data=("npv",))


def test_thresholds_are_for_one_model_and_the_document_names_it():
    rows = [
        (f"s{i}", "A.1", p, i < 700, "", model) for model, p in (("a", 0.9), ("b", 0.8)) for i in range(1400)
    ]
    data = data_of(rows)
    second = choose_operating_point(data, model="b", confidence=None)
    assert second.document["data"][0]["row_filter"] == "model = b"
    assert second.document["input"]["model"] == {"name": "b", "level": "b"}
    assert second.document["data"][0]["rows"] == 1400
    first = choose_operating_point(data, confidence=None)
    assert first.document["input"]["model"]["name"] == "a"
    assert "The thresholds are for the scores of a only; the data hold 2 models." in first.document["limits"]


def test_a_test_of_another_models_scores_is_told():
    tune = data_of(scored(np.full(700, 0.9), np.full(700, 0.1)))
    test = data_of(
        [(*row[:4], "", "other") for row in scored(np.full(700, 0.9), np.full(700, 0.1), first_post=5000)]
    )
    limits = choose_operating_point(tune, test_data=test).document["limits"]
    assert "The scores on test are those of other, the thresholds are for m." in limits
