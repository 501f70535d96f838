"""Predicted labels beside human ones: matched, counted by hand, and intervals that cover in simulation."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from evalcore.annotations import PredictedLabels
from evalcore.predicted import (
    LabelPairs,
    label_pairs,
    pairs_with_responses,
    quality,
    shares_of_labels,
)
from evalcore.predicted.shares import _corrected
from evalcore.predicted.sums import pair_sums
from tests.support.made.annotated import responses

# The demo export: what the classifier says of three records, and what annotators settled on.
RECORDS = np.array(["uuid-q1", "uuid-q2", "uuid-q3", "uuid-q4"], object)
CHUNKS = np.array([f"uuid-q{q}-c{c}" for q, n in ((1, 5), (2, 3), (4, 2)) for c in range(1, n + 1)], object)
OF_RECORD = np.array([0] * 5 + [1] * 3 + [3] * 2)
CALLED = {
    "topically_relevant": [0, 0, 1, 0, 0, 1, 1, 1, 1, 1],
    "evidence_sufficient": [0, 0, 1, 1, 0, 1, 0, 1, 0, 1],
    "misleading": [0, 0, 1, 0, 0, 1, 0, 1, 1, 0],
}
PROBABILITY = {
    "topically_relevant": [0.236, 0.155, 0.918, 0.2219, 0.1727, 0.9275, 0.8004, 0.627, 0.8801, 0.6717],
    "evidence_sufficient": [0.1032, 0.0665, 0.8005, 0.5367, 0.1062, 0.8289, 0.1934, 0.7319, 0.0867, 0.506],
    "misleading": [0.3961, 0.4016, 0.7652, 0.2767, 0.2144, 0.8067, 0.3098, 0.8546, 0.6059, 0.1778],
}
RELEVANT = np.array([0, 1, 1, 0, 1, 0, 0, 0, 1, 1], np.int8)


def demo(values: dict[str, list[float]], *, is_probability: bool) -> PredictedLabels:
    labels = {name: np.array(value, np.float64) for name, value in values.items()}
    return PredictedLabels("retrieval", OF_RECORD, np.arange(10), CHUNKS, labels, is_probability)


def demo_pairs(label: str = "topically_relevant", said: np.ndarray = RELEVANT) -> LabelPairs:
    given = demo(PROBABILITY, is_probability=True)
    return label_pairs(given, label, RECORDS, record=OF_RECORD, said=said, chunk_id=CHUNKS)


def made(y: list[int], f: list[float], record: list[int] | None = None, **options) -> LabelPairs:
    """Answers, one a record unless told; y is −1 without a human label."""
    code = np.array(range(len(y)) if record is None else record, np.intp)
    ids = np.array([f"q{i}" for i in range(len(y))], object)
    is_probability = options.get("is_probability", True)
    return LabelPairs(
        "grounding", "x", code, ids, np.array(f, float), np.array(y, np.int8), is_probability, 0
    )


def by_method(pairs: LabelPairs, **options) -> dict:
    return {one.method: one for one in shares_of_labels([pairs], **options)[0]}


# Matching


def test_calls_of_the_demo_are_its_probabilities_at_one_half() -> None:
    for label, calls in CALLED.items():
        assert demo_pairs(label).is_called.tolist() == [bool(call) for call in calls]


def test_labels_are_matched_by_record_and_chunk_whatever_their_order() -> None:
    order = np.array([9, 3, 0, 7, 5, 1, 2, 8, 6, 4])
    given = demo(PROBABILITY, is_probability=True)
    pairs = label_pairs(
        given,
        "topically_relevant",
        RECORDS,
        record=OF_RECORD[order],
        said=RELEVANT[order],
        chunk_id=CHUNKS[order],
    )
    assert pairs.human.tolist() == RELEVANT.tolist()


def test_units_of_one_side_only_are_counted_and_enter_nothing_else() -> None:
    values = {"misleading": [0.9, math.nan, *[0.1] * 8]}
    pairs = label_pairs(
        demo(values, is_probability=True),
        "misleading",
        RECORDS,
        record=np.array([0, 0, 2, 0]),
        said=np.array([1, 1, 0, -1], np.int8),
        chunk_id=np.array(["uuid-q1-c1", "uuid-q1-c2", "uuid-q3-c1", "uuid-q1-c3"], object),
    )
    assert len(pairs) == 9  # without the chunk that has no value
    assert int(pairs.has_human.sum()) == 1  # c3 was judged, but not settled
    assert pairs.n_only_human == 2
    answers = PredictedLabels(
        "grounding",
        np.array([0, 1]),
        np.array([-1, -1]),
        np.array([], object),
        {"x": np.array([1.0, 0.0])},
        False,
    )
    matched = label_pairs(answers, "x", RECORDS, record=np.array([1]), said=np.array([1], np.int8))
    assert matched.human.tolist() == [-1, 1]


def test_human_labels_are_the_strict_majority_of_responses() -> None:
    said = {"c1": (1, 1, 0), "c2": (1, 0), "c3": (0,)}
    rows = [
        ("q1", chunk, "abc"[at], {"misleading": code})
        for chunk, one in said.items()
        for at, code in enumerate(one)
    ]
    given, ids = responses([*rows, ("q1", "c4", "a", None)], task="retrieval", rank=[1, 1, 1, 2, 2, 3, 4])
    calls = PredictedLabels(
        "retrieval",
        np.zeros(5, int),
        np.arange(5),
        np.array(["c4", "c3", "c2", "c1", "c9"], object),
        {"misleading": np.array([0.0, 0, 1, 1, 1]), "helpful": np.zeros(5)},
        False,
    )
    pairs = pairs_with_responses(calls, "misleading", given, ids)
    assert pairs.has_human.tolist() == [False, True, False, True, False]  # c2 is tied, c4 discarded
    assert pairs.is_yes.tolist() == [False, False, False, True, False]
    assert by_method(pairs)["human"].value == 1 / 2
    assert not pairs_with_responses(calls, "helpful", given, ids).has_human.any()
    answers, ids = responses([("q1", "", "a", {"helpful": 1})], task="generation")
    calls = PredictedLabels(
        "generation", np.zeros(1, int), np.array([-1]), CHUNKS, {"helpful": np.ones(1)}, False
    )
    assert pairs_with_responses(calls, "helpful", answers, ids).is_yes.tolist() == [True]


# How good it is


def test_quality_is_that_of_scikit_learn() -> None:
    found = quality(demo_pairs())
    y, call, p = RELEVANT, CALLED["topically_relevant"], PROBABILITY["topically_relevant"]
    assert found.sensitivity.value == recall_score(y, call) == 3 / 5
    assert found.specificity.value == recall_score(y, call, pos_label=0) == 2 / 5
    assert found.precision.value == precision_score(y, call) == 3 / 6
    assert found.f1 == pytest.approx(f1_score(y, call), abs=1e-15)
    assert found.auroc == pytest.approx(roc_auc_score(y, p), abs=1e-15)
    assert (found.n, found.n_records, found.accuracy.successes) == (10, 3, 5)
    assert found.sensitivity.low < 3 / 5 < found.sensitivity.high


def test_quality_without_a_human_yes_says_so() -> None:
    found = quality(made([0, 0, -1], [0.1, 0.2, 0.9]))
    assert math.isnan(found.sensitivity.value)
    assert found.sensitivity.reason == "no human yes"
    assert found.precision.reason == "nothing predicted yes"
    assert found.specificity.value == 1
    assert math.isnan(found.f1)
    assert math.isnan(found.auroc)


# The share of a label


def test_predicted_shares_of_the_demo_are_its_calls() -> None:
    found = by_method(demo_pairs())
    assert found["predicted"].value == 6 / 10
    assert found["mean_predicted"].value == pytest.approx(sum(PROBABILITY["topically_relevant"]) / 10)
    calls = label_pairs(
        demo(CALLED, is_probability=False),
        "misleading",
        RECORDS,
        record=OF_RECORD,
        said=RELEVANT,
        chunk_id=CHUNKS,
    )
    assert "mean_predicted" not in by_method(calls)
    assert by_method(calls)["predicted"].value == 4 / 10


def test_an_uninformative_classifier_corrects_nothing() -> None:
    found = by_method(demo_pairs())["rogan_gladen"]  # sensitivity 3/5, specificity 2/5
    assert math.isnan(found.value)
    assert found.reason == "the classifier is uninformative: sensitivity + specificity − 1 ≤ 0"
    assert math.isnan(found.low)


def test_a_resample_in_which_the_classifier_is_worse_than_chance_gives_no_value() -> None:
    whole, _ = pair_sums([made([1, 1, 0, 0, -1], [0.1, 0.9, 0.9, 0.9, 0.1])], n_replicates=0, seed=0)[0]
    assert np.isnan(_corrected(whole))  # sensitivity 1/2, specificity 0: a ratio of two negatives is no share


def test_rogan_gladen_by_hand() -> None:
    # Sensitivity 3/4, specificity 4/5; 7 of 13 are called.
    y = [1, 1, 1, 1, 0, 0, 0, 0, 0, -1, -1, -1, -1]
    f = [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    found = by_method(made(y, f, is_probability=False))["rogan_gladen"]
    assert found.value == pytest.approx((7 / 13 + 4 / 5 - 1) / (3 / 4 + 4 / 5 - 1), abs=1e-15)
    assert dict(found.particulars) == pytest.approx(
        {"sensitivity": 3 / 4, "specificity": 4 / 5, "predicted": 7 / 13, "unclipped": found.value}
    )
    assert found.note == ""


def test_an_estimate_outside_the_unit_interval_is_cut_and_says_so() -> None:
    found = by_method(made([1, 1, 0, 0, 0, -1, -1], [1, 0, 0, 0, 0, 1, 1]))["rogan_gladen"]
    assert found.particulars["unclipped"] == pytest.approx(6 / 7)
    more = by_method(made([1, 1, 0, 0, 0, -1, -1, -1, -1], [1, 0, 0, 0, 0, 1, 1, 1, 1]))["rogan_gladen"]
    assert more.value == 1
    assert more.particulars["unclipped"] == pytest.approx(10 / 9)
    assert more.note == "cut to [0, 1]: 1.111 was found"


def test_with_a_human_label_of_every_unit_correction_gives_the_human_share() -> None:
    y, f = [1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 1, 0]
    found = by_method(made(y, f))
    assert found["rogan_gladen"].value == pytest.approx(found["human"].value, abs=1e-15)
    assert math.isnan(found["prediction_powered"].value)
    assert found["prediction_powered"].reason == (
        "every predicted unit has a human label: the human share is the estimate"
    )


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        ([-1, -1, -1], "no unit has both a human and a predicted label"),
        ([0, 0, -1], "sensitivity undefined: no human yes"),
        ([1, 1, -1], "specificity undefined: no human no"),
    ],
)
def test_what_correction_needs_is_named(y: list[int], reason: str) -> None:
    found = by_method(made(y, [0.9, 0.1, 0.4]))["rogan_gladen"]
    assert math.isnan(found.value)
    assert found.reason == reason
    assert found.ci_note == "no interval without a value"


def plain_powered(y: np.ndarray, f_judged: np.ndarray, f_alone: np.ndarray) -> float:
    """PPI++ for a mean, written as in the paper: one λ from (co)variances, then the rectified mean."""
    n, n_alone = len(y), len(f_alone)
    variance = np.var(np.concatenate([f_judged, f_alone]), ddof=1)
    covariance = np.cov(y, f_judged, bias=True)[0, 1]
    power = np.clip(covariance / ((1 + n / n_alone) * variance), 0, 1) if variance else 0.0
    return float((power * f_alone).mean() + (y - power * f_judged).mean())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=2, max_size=12),
    st.lists(st.integers(0, 20), min_size=1, max_size=12),
)
def test_prediction_powered_means_follow_the_paper(judged: list[tuple[int, int]], alone: list[int]) -> None:
    y = np.array([one for one, _ in judged])
    f_judged, f_alone = np.array([f for _, f in judged]) / 20, np.array(alone) / 20
    pairs = made([*y, *[-1] * len(alone)], [*f_judged, *f_alone])
    found = by_method(pairs, n_replicates=0)["prediction_powered"]
    assert found.particulars["unclipped"] == pytest.approx(plain_powered(y, f_judged, f_alone), abs=1e-12)


def test_predictions_that_say_nothing_leave_the_human_share() -> None:
    found = by_method(made([1, 0, 0, -1, -1], [0.4] * 5))
    assert found["prediction_powered"].value == found["human"].value == 1 / 3
    assert found["prediction_powered"].particulars["power"] == 0


def population(seed: int, n_records: int, share: float = 0.3) -> tuple[LabelPairs, float]:
    """Three units a record that tend to agree, a quarter of the records judged; and the share by the law."""
    rng = np.random.default_rng(seed)
    chance = np.clip(rng.beta(1.5, 3.5, n_records), 0, 1).repeat(3)
    y = rng.random(3 * n_records) < chance
    f = np.where(y, rng.beta(5, 2, len(y)), rng.beta(2, 5, len(y)))
    record = np.arange(n_records).repeat(3)
    judged = (rng.random(n_records) < 0.25).repeat(3)
    pairs = made(np.where(judged, y, -1).tolist(), f.tolist(), record.tolist())
    assert share == 1.5 / 5
    return pairs, share


@pytest.mark.long
def test_intervals_cover_the_true_share_and_predictions_narrow_them() -> None:
    n_draws = 150
    covered = dict.fromkeys(("human", "predicted", "rogan_gladen", "prediction_powered"), 0)
    width = dict.fromkeys(covered, 0.0)
    for seed in range(n_draws):
        pairs, share = population(seed, 240)
        found = by_method(pairs, n_replicates=300, seed=seed)
        for method in covered:
            covered[method] += found[method].low <= share <= found[method].high
            width[method] += (found[method].high - found[method].low) / n_draws
    for method in ("human", "rogan_gladen", "prediction_powered"):
        # 95 % of 150, less three standard deviations of the count and what few replicates take away
        assert covered[method] / n_draws >= 0.89, (method, covered)
    assert covered["predicted"] / n_draws < 0.9, covered  # its errors stay in, however many units there are
    assert width["prediction_powered"] < 0.9 * width["human"]


def test_the_order_of_units_and_codes_of_records_changes_no_bit() -> None:
    pairs, _ = population(7, 40)
    backwards = made(pairs.human[::-1].tolist(), pairs.predicted[::-1].tolist(), pairs.record[::-1].tolist())
    assert repr(shares_of_labels([backwards], n_replicates=100)) == repr(
        shares_of_labels([pairs], n_replicates=100)
    )


def test_one_record_gives_no_interval() -> None:
    found = by_method(made([1, 0, -1], [0.9, 0.2, 0.4], [0, 0, 0]))
    assert found["human"].value == 0.5
    assert found["human"].ci_note == "interval not estimable: fewer than two records"


def test_an_interval_that_many_resamples_cannot_give_is_not_given() -> None:
    # One human yes: without it, in more than a third of the resamples, sensitivity has no value.
    found = by_method(made([1, 0, 0, 0, -1], [0.9, 0.1, 0.6, 0.1, 0.9]))["rogan_gladen"]
    assert found.value > 0
    assert math.isnan(found.low)
    said = re.fullmatch(r"interval not estimable: undefined in (.+)% of the resamples", found.ci_note)
    assert said is not None
    assert float(said[1]) > 100 / math.e
