"""A target out of reach and what can be had instead; requests that are refused."""

import numpy as np
import pytest

from evalcore.operating_point import choose_operating_point, point_from_thresholds
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
)
from evalcore.problems import InputError
from tests.support.made.choices import claims_of, estimate_of, halves
from tests.support.made.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)


def test_when_nothing_can_be_skipped_the_nearest_target_and_the_point_choice_are_offered():
    point = choose_operating_point(data_of(scored(np.full(276, 0.9), np.full(724, 0.1))))
    assert point.tau_neg is None
    assert not point.constraints_met
    claim = claims_of(point, "all")["screening_sensitivity"]
    assert claim["verdict"] == "not_assessed"
    assert "nothing is skipped, so nothing is claimed" in claim["text"]
    guaranteed, by_estimate = point.alternatives
    assert guaranteed.constraint == Constraint(SENSITIVITY, 0.9892, 0.95, is_from_data=True)
    assert guaranteed.nearest == pytest.approx(0.05 ** (1 / 276), abs=1e-12)
    assert (guaranteed.workload, guaranteed.counts.neg_pos) == (0.276, 0)
    assert by_estimate.constraint == Constraint(SENSITIVITY, 0.995, None)
    assert by_estimate.thresholds.tau_neg == 0.8
    assert guaranteed.text == (
        "screening sensitivity of at least 98.92 % with 95 % confidence, "
        "the highest that these rows can support, set after seeing them: "
        "skip 724 of 1,000 checks (workload 27.6 %), 0 of 276 with evidence missed."
    )


def test_what_is_offered_can_be_had():
    data = data_of(scored([0.0] * 3 + [0.9] * 1376, [0.0] * 2000 + [0.4] * 9000 + [0.9] * 400))
    point = choose_operating_point(data)
    assert {alternative.instead_of for alternative in point.alternatives} == {SENSITIVITY, PRECISION}
    for alternative in point.alternatives:
        target = alternative.constraint
        key = "screening_sensitivity" if target.metric == SENSITIVITY else "alert_precision"
        again = choose_operating_point(data, confidence=target.confidence, **{key: target.value})
        tau = again.tau_neg if target.metric == SENSITIVITY else again.tau_pos
        assert tau is not None


def test_an_alert_precision_out_of_reach_leaves_no_alerts_and_offers_the_best():
    point = choose_operating_point(
        data_of(scored(np.full(20, 0.9), np.full(700, 0.1))), screening_sensitivity=None
    )
    assert point.tau_pos is None
    claim = claims_of(point, "all")["alert_precision"]
    assert (claim["verdict"], claim["text"]) == (
        "not_met",
        "Alert precision of at least 90 % on all rows: not met, no alerts.",
    )
    precision = estimate_of(point, "alert_precision", "all")
    assert (precision["value"], precision["undefined_reason"], precision["ci"]) == (None, "no alerts", None)
    best = point.alternatives[0]
    assert best.nearest == pytest.approx(0.05 ** (1 / 20))
    assert (best.counts.n_pos, best.counts.pos_pos) == (20, 20)


def test_the_best_alert_precision_is_looked_for_above_the_threshold_to_skip():
    # All 260 rows from 0.5 on would be alerts of a higher precision, but those below 0.9 are skipped.
    data = data_of(scored([0.9] * 100 + [0.5] * 60, [0.9] * 100))
    point = choose_operating_point(data, screening_sensitivity=0.6, alert_precision=0.9, confidence=None)
    assert 0.5 < point.tau_neg < 0.9
    assert point.tau_pos is None
    (best,) = point.alternatives
    assert (best.instead_of, best.nearest, best.constraint.value) == (PRECISION, 0.5, 0.5)
    assert (best.counts.n_pos, best.counts.pos_pos) == (200, 100)


def test_rows_of_one_score_offer_nothing():
    point = choose_operating_point(data_of(scored(np.full(30, 0.5), np.full(30, 0.5))), alert_precision=None)
    assert point.tau_neg is None
    assert point.alternatives == ()


def test_one_class_only_is_an_answer():
    without = choose_operating_point(data_of(scored([], np.full(30, 0.5))))
    assert (without.tau_neg, without.tau_pos) == (None, None)
    assert (
        estimate_of(without, "screening_sensitivity", "all")["undefined_reason"] == "no query with evidence"
    )
    only = choose_operating_point(data_of(scored(np.linspace(0.1, 0.9, 30), [])))
    assert only.tau_pos == 0.09


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"screening_sensitivity": 99.5}, "screening sensitivity = 99.5"),
        ({"screening_sensitivity": 1.0}, "screening sensitivity = 1,"),
        ({"alert_precision": 0.0}, "alert precision = 0,"),
        ({"alert_precision": float("nan")}, "alert precision = nan"),
        ({"confidence": 95}, "confidence = 95, expected a share from 0.5 to below 1"),
        ({"tune": "train"}, "a split 'train', which occurs nowhere, expected one of tune, test"),
        ({"test": "test"}, "a test split and no tune split"),
        ({"model": "b"}, "the model 'b', expected one of m"),
        ({"author": "\ud800"}, "author = "),
    ],
)
def test_impossible_requests_are_refused_in_words(options, message):
    with pytest.raises(InputError) as caught:
        choose_operating_point(halves(positives=210), **options)
    assert message in str(caught.value)


def test_a_split_is_refused_without_a_split_column():
    with pytest.raises(InputError, match="no split column"):
        choose_operating_point(data_of(scored([0.5], [0.1])), tune="tune")


@pytest.mark.parametrize(
    ("tau_neg", "tau_pos", "message"),
    [
        (0.6, 0.5, "τ_neg = 0.6 above τ_pos = 0.5"),
        (-0.1, 0.5, "τ_neg = -0.1, expected a number from 0 to 1"),
        (0.1, float("nan"), "τ_pos = nan"),
    ],
)
def test_thresholds_out_of_order_or_range_are_refused(tau_neg, tau_pos, message):
    with pytest.raises(InputError) as caught:
        point_from_thresholds(data_of(scored([0.5], [0.1])), tau_neg, tau_pos)
    assert message in str(caught.value)


def test_thresholds_set_by_hand_are_counted_and_exploratory():
    data = data_of(scored([0.2, 0.5, 0.8, 0.9], [0.1, 0.2, 0.3, 0.85]))
    point = point_from_thresholds(data, 0.3, 0.8, screening_sensitivity=0.7)
    assert point.document["selection"]["chosen_on"] == "manual"
    counted = {
        e["metric"].split(".")[1]: (e["numerator"], e["denominator"]) for e in point.document["estimates"]
    }
    assert counted == {
        "neg_rate": (3, 8),
        "uncertain_rate": (2, 8),
        "pos_rate": (3, 8),
        "alerts_per_1000": (3, 8),
        "screening_sensitivity": (3, 4),
        "screening_fn_per_1000": (1, 8),
        "neg_npv": (2, 3),
        "alert_precision": (2, 3),
        "alert_recall": (2, 4),
        "reviews_per_true_alert": (3, 2),
    }


def test_scores_on_another_scale_work():
    data = data_of(scored([-1.5, 2.5, 3.25, 7.0], [-8.0, -3.0, 0.5]), score_kind="score")
    point = choose_operating_point(data, screening_sensitivity=1.0, alert_precision=0.7, confidence=None)
    assert (point.tau_neg, point.tau_pos) == (-2.0, -2.0)
    assert point.document["input"]["range"] == [None, None]
    assert point.apply([-1e9, -2.0, 1e9]).tolist() == ["NEG", "POS", "POS"]


def test_the_summary_says_how_many_checks_with_evidence_it_would_take_to_skip_any():
    few = data_of(scored(np.full(281, 0.9), np.full(724, 0.1)))
    assert (
        "nothing is skipped, so nothing is claimed. To skip any it needs at least 598 independent checks "
        "with evidence, none of them missed; here are 281."
    ) in choose_operating_point(few, alert_precision=None).summary
    enough = data_of(scored([0.1, 0.1, *np.full(598, 0.9)], [0.1]))
    assert "To skip any" not in choose_operating_point(enough, alert_precision=None).summary
    alone = data_of(scored([0.9], [0.1]))
    alone = choose_operating_point(alone, screening_sensitivity=1.0, confidence=None)
    assert "To skip any" not in alone.summary
