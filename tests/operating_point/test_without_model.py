"""What a rule without scores reaches stands beside each target, and a target that it meets is said to be."""

import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point
from evalcore.operating_point.choosing.without_model import WithoutModel
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.problems import InputError
from tests.support.made.choices import claims_of, halves
from tests.support.made.documents import codes, rehashed, written

SPLIT = {"tune": "tune", "test": "test"}


def without(metric, target, *, n_skipped=40, n_positives=10):
    return WithoutModel(metric, target, "test", 100, n_positives, n_skipped)


@pytest.mark.parametrize(
    ("target", "note"),
    [
        (0.6, "60 of 100 checks drawn at random keep 60 % of those with evidence on average."),
        (0.5, "a coin for each check keeps 50 % of those with evidence."),
        (0.001, "a coin for each check keeps 50 % of those with evidence."),
        (0.6000001, None),
    ],
)
def test_a_draw_of_as_many_checks_keeps_the_same_share_of_those_with_evidence(target, note):
    found = without(SENSITIVITY, target)
    assert found.note == (note and f"Met without the model: {note}")
    assert found.is_met == (note is not None)


def test_a_coin_keeps_one_half_however_much_is_skipped():
    found = without(SENSITIVITY, 0.5, n_skipped=99)
    assert found.note == "Met without the model: a coin for each check keeps 50 % of those with evidence."
    assert not without(SENSITIVITY, 0.5000001, n_skipped=99).is_met


def test_to_skip_nothing_meets_no_target_for_what_may_be_skipped():
    found = without(SENSITIVITY, 0.3, n_skipped=0)
    assert (found.is_met, found.note) == (False, None)
    assert found.sentence == ("Without the model, on test: nothing is skipped, which no score is needed for.")


@pytest.mark.parametrize(("target", "is_met"), [(0.1, True), (0.1000001, False), (0.001, True)])
def test_an_alert_on_every_check_is_right_as_often_as_checks_hold_evidence(target, is_met):
    found = without(PRECISION, target)
    assert found.is_met == is_met
    assert (found.note is not None) == is_met
    assert "an alert on every check is right in 10 % (10 of 100)" in found.sentence


def test_the_sentence_says_what_it_takes_without_scores():
    assert without(SENSITIVITY, 0.995).sentence == (
        "Without the model, on test: 60 of 100 checks drawn at random keep 60 % of those with evidence on "
        "average. Screening sensitivity of at least 99.5 % takes 99.5 % of the checks drawn at random."
    )


def trivial():
    return choose_operating_point(halves(), screening_sensitivity=0.001, alert_precision=0.2, **SPLIT)


def test_trivial_targets_certify_and_are_said_to_be_met_without_the_model():
    point = trivial()
    claims = claims_of(point, "test")
    assert point.status == "certified"
    coin = "Met without the model: a coin for each check keeps 50 % of those with evidence."
    assert claims["screening_sensitivity"]["note"] == coin
    right = "Met without the model: an alert on every check is right in 46.51 % (700 of 1,505)."
    assert claims["alert_precision"]["note"] == right
    assert point.summary.count("Met without the model") == 4
    assert sum(line.startswith("Without the model, on test") for line in point.document["limits"]) == 2
    assert point.verify(halves()).holds


def test_targets_that_need_the_model_carry_no_such_note():
    point = choose_operating_point(halves(), screening_sensitivity=0.99, alert_precision=0.9, **SPLIT)
    assert "Met without" not in point.summary
    assert sum(line.startswith("Without the model, on test") for line in point.document["limits"]) == 2


def test_without_a_test_the_rows_chosen_on_decide():
    point = choose_operating_point(halves(), screening_sensitivity=0.99, alert_precision=0.9)
    said = [line for line in point.document["limits"] if line.startswith("Without the model")]
    assert all(line.startswith("Without the model, on all rows: ") for line in said)
    assert len(said) == 2


def test_a_document_that_leaves_it_out_contradicts_itself(tmp_path):
    document = trivial().document
    claims = [{key: claim[key] for key in claim if key != "note"} for claim in document["claims"]]
    limits = [line for line in document["limits"] if not line.startswith("Without the model")]
    with pytest.raises(InputError) as caught:
        OperatingPoint.load(written(tmp_path, rehashed(document | {"limits": limits})))
    assert codes(caught) == ["DOC-033", "DOC-033"]
    with pytest.raises(InputError) as caught:
        OperatingPoint.load(written(tmp_path, rehashed(document | {"claims": claims})))
    assert set(codes(caught)) == {"DOC-032"}
