"""Choosing thresholds: counts by hand, every threshold tried, and what is said of a target out of reach."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalcore.operating_point import choose_operating_point, outlook, point_from_thresholds
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    find_thresholds,
    n_allowed_misses,
)
from evalcore.operating_point.prospects import outlook_on_test
from evalcore.operating_point.row_sets import row_set
from evalcore.problems import InputError
from evalcore.tallies.decisions import states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)


def table_of(positives, negatives):
    p = np.array([*positives, *negatives], float)
    y = np.arange(len(p)) < len(positives)
    return ScoreTable.from_rows(ScoredRows(p, y, np.arange(len(p)), len(p)))


def claims_of(point, role):
    return {c["metric"].split(".")[1]: c for c in point.document["claims"] if c["evaluated_on"] == role}


def estimate_of(point, name, role):
    return next(
        e for e in point.document["estimates"] if e["metric"] == f"gate.{name}" and e["evaluated_on"] == role
    )


# --- tau_neg ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "target", "confidence", "expected"),
    [
        (1379, 0.995, 0.95, 2),
        (1103, 0.995, 0.95, 1),
        (598, 0.995, 0.95, 0),
        (597, 0.995, 0.95, -1),
        (946, 0.995, 0.95, 0),
        (947, 0.995, 0.95, 1),
        (1258, 0.995, 0.95, 2),
        (1549, 0.995, 0.95, 3),
        (1379, 0.995, None, 6),
        (1000, 0.995, None, 5),
        (199, 0.995, None, 0),
        (10, 1.0, None, 0),
        (0, 0.995, None, -1),
        (0, 0.995, 0.95, -1),
    ],
)
def test_so_many_misses_are_allowed(n, target, confidence, expected):
    assert n_allowed_misses(n, Constraint(SENSITIVITY, target, confidence)) == expected


def test_tau_neg_is_the_positive_after_the_allowed_misses():
    positives = np.arange(1379) / 2000 + 0.1
    table = table_of(positives, [0.05])
    found = find_thresholds(table, BOUND, None)
    assert found.tau_neg == positives[2]
    assert states_at(table, found.tau_neg, None).neg_pos == 2
    assert found.tau_pos is None


def test_tied_positives_are_missed_together_or_not_at_all():
    positives = [0.1, 0.2, 0.2, 0.2, *np.full(1375, 0.9)]
    found = find_thresholds(table_of(positives, [0.05, 0.15, 0.85]), BOUND, None)
    assert found.tau_neg == 0.2  # misses 1 of the 2 allowed; the next step would miss 4


def test_nothing_is_skipped_when_the_lowest_scores_hold_too_many_positives():
    found = find_thresholds(table_of([0, 0, 0, *np.full(1376, 0.9)], np.zeros(5000)), BOUND, None)
    assert found.tau_neg is None


def test_nothing_is_skipped_below_598_positives():
    table = table_of(np.full(597, 0.9), np.full(1000, 0.1))
    assert find_thresholds(table, BOUND, None).tau_neg is None
    assert find_thresholds(table, Constraint(SENSITIVITY, 0.995, None), None).tau_neg == 0.9


def test_nothing_is_skipped_when_no_row_lies_below_the_threshold():
    assert find_thresholds(table_of(np.full(700, 0.3), np.full(50, 0.6)), BOUND, None).tau_neg is None
    assert find_thresholds(table_of(np.full(700, 0.3), []), BOUND, None).tau_neg is None


def test_the_exported_thresholds_have_the_fewest_digits_that_decide_alike():
    table = table_of([0.0853124, 0.91327, 0.93], [0.0847, 0.05, 0.9071])
    found = find_thresholds(table, Constraint(SENSITIVITY, 1.0, None), Constraint(PRECISION, 1.0, None))
    assert (found.tau_neg, found.tau_pos) == (0.085, 0.91)
    counts = states_at(table, found.tau_neg, found.tau_pos)
    assert (counts.n_neg, counts.neg_pos, counts.n_pos, counts.pos_pos) == (2, 0, 2, 2)


# --- tau_pos ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_right", "n_wrong", "is_reached"),
    [(29, 0, True), (28, 0, False), (49, 1, True), (48, 2, False), (96, 4, True), (95, 5, False)],
)
def test_precision_of_90_percent_needs_so_many_alerts(n_right, n_wrong, is_reached):
    table = table_of(np.full(n_right, 0.9), np.full(n_wrong, 0.9))
    found = find_thresholds(table, None, Constraint(PRECISION, 0.9, 0.95))
    assert (found.tau_pos is not None) == is_reached


def test_the_most_alerts_win_even_where_precision_dips_between():
    positives = [*np.full(40, 0.9), *np.full(60, 0.5)]
    negatives = [*np.full(8, 0.7), *np.full(1, 0.3)]
    table = table_of(positives, negatives)
    found = find_thresholds(table, None, Constraint(PRECISION, 0.85, 0.95))
    # from 0.7 on 40 of 48 are right (not enough), from 0.5 on 100 of 108, from 0.3 on 100 of 109
    assert found.tau_pos == 0.3
    assert states_at(table, None, found.tau_pos).n_pos == 109


def test_tau_pos_is_never_below_tau_neg():
    table = table_of([0.2, *np.full(99, 0.6)], [0.1] * 5)
    found = find_thresholds(table, Constraint(SENSITIVITY, 0.98, None), Constraint(PRECISION, 0.5, None))
    assert found.tau_neg == 0.6
    assert found.tau_pos == 0.6


# --- against every threshold ------------------------------------------------------------------------------


def reaches(constraint, n_good, n):
    """Whether so many of n reach the target, by the tail of the binomial instead of the bound."""
    if n == 0:
        return False
    if constraint.confidence is None:
        return n_good / n >= constraint.value
    return binom.sf(n_good - 1, n, constraint.value) <= 1 - constraint.confidence


def best_by_trying(p, y, sensitivity, precision):
    """(rows skipped, alerts) of the best thresholds among all, by plain counting."""
    cuts = [*sorted(set(p)), np.inf]
    skipped = [
        tau
        for tau in cuts[:-1]
        if reaches(sensitivity, int((y & (p >= tau)).sum()), int(y.sum())) and (p < tau).any()
    ]
    tau_neg = max(skipped, key=lambda tau: (p < tau).sum(), default=-np.inf)
    alerted = [
        tau
        for tau in cuts
        if tau >= tau_neg and reaches(precision, int((y & (p >= tau)).sum()), int((p >= tau).sum()))
    ]
    tau_pos = max(alerted, key=lambda tau: (p >= tau).sum(), default=np.inf)
    return int((p < tau_neg).sum()), int((p >= tau_pos).sum())


scores = st.sampled_from([0.0, 0.001, 0.02, 0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.51, 0.7, 0.9, 0.99, 1.0])
rows = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=60)
shares = st.sampled_from([0.5, 0.6, 0.75, 0.8, 0.9, 0.95])
levels = st.sampled_from([None, 0.8, 0.9, 0.95])


@given(rows, shares, shares, levels)
@settings(max_examples=300, deadline=None)
def test_the_choice_is_the_best_of_all_thresholds(rows, least_kept, least_right, confidence):
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    sensitivity, precision = (
        Constraint(SENSITIVITY, least_kept, confidence),
        Constraint(PRECISION, least_right, confidence),
    )
    found = find_thresholds(table_of(p[y], p[~y]), sensitivity, precision)
    n_skipped = 0 if found.tau_neg is None else int((p < found.tau_neg).sum())
    n_alerts = 0 if found.tau_pos is None else int((p >= found.tau_pos).sum())
    assert (n_skipped, n_alerts) == best_by_trying(p, y, sensitivity, precision)
    assert found.tau_neg is None or found.tau_pos is None or found.tau_neg <= found.tau_pos


@given(st.integers(0, 400), st.integers(0, 10), shares, st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=200, deadline=None)
def test_allowed_misses_agree_with_the_binomial_tail(n, n_extra, target, confidence):
    constraint = Constraint(SENSITIVITY, target, confidence)
    allowed = n_allowed_misses(n, constraint)
    assert allowed < 0 or reaches(constraint, n - allowed, n)
    assert not any(
        reaches(constraint, n - k, n) for k in range(allowed + 1, min(allowed + 2 + n_extra, n + 1))
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.lists(st.floats(0, 1), max_size=30))
@settings(deadline=None)
def test_the_order_of_the_rows_changes_nothing(positives, negatives):
    sensitivity, precision = Constraint(SENSITIVITY, 0.8, None), Constraint(PRECISION, 0.6, None)
    forwards = find_thresholds(table_of(positives, negatives), sensitivity, precision)
    backwards = find_thresholds(table_of(positives[::-1], negatives[::-1]), sensitivity, precision)
    assert forwards == backwards


# --- verdicts and status ----------------------------------------------------------------------------------


def halves(positives=700, misses_on_test=0, *, shared_post=False, right=200, wrong=5):
    """Tune and test with so many positives each; alerts from 0.9 on, skipped below 0.5."""
    tune = scored(
        [*np.full(right, 0.95), *np.full(positives - right, 0.5)],
        [*np.full(wrong, 0.95), *np.full(800, 0.2)],
        split="tune",
    )
    kept = positives - misses_on_test
    test = scored(
        [*np.full(right, 0.95), *np.full(kept - right, 0.5), *np.full(misses_on_test, 0.2)],
        [*np.full(wrong, 0.95), *np.full(800, 0.2)],
        split="test",
        first_post=0 if shared_post else 100_000,
    )
    return data_of([*tune, *test])


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


@pytest.mark.parametrize(
    "choose",
    [
        lambda data: choose_operating_point(data, tune="tune", test_data=data),
        lambda data: choose_operating_point(data, test_data=data),
        lambda data: choose_operating_point(data),
        lambda data: choose_operating_point(data, tune="tune"),
        lambda data: choose_operating_point(data, tune="tune", test="test", test_seen=True),
        lambda data: by_hand(data, test=None),
        lambda data: by_hand(data, test_seen=True),
    ],
)
def test_nothing_but_an_unseen_disjoint_test_certifies(choose):
    point = choose(halves())
    assert point.status == "exploratory"
    assert any(sentence.startswith("Exploratory: ") for sentence in point.document["limits"])


def by_hand(data, **options):
    aims = {"screening_sensitivity": 0.995, "alert_precision": 0.9}
    return point_from_thresholds(data, 0.5, 0.95, **aims, **{"tune": "tune", "test": "test"} | options)


def test_thresholds_set_by_hand_are_tuned_at_best():
    point = by_hand(halves())
    assert {claim["verdict"] for claim in claims_of(point, "test").values()} == {"met_with_confidence"}
    assert point.status == "tuned"


def test_every_reason_for_exploratory_is_a_sentence_of_its_own():
    point = choose_operating_point(halves(shared_post=True), tune="tune", test="test", test_seen=True)
    assert [s for s in point.document["limits"] if s.startswith("Exploratory")] == [
        "Exploratory: 1,505 posts have rows in both tune and test, so the test is not independent.",
        "Exploratory: the thresholds were moved after the test rows were seen.",
    ]
    assert point.document["selection"]["test_seen_before"] is True


def test_one_split_cannot_be_tune_and_test():
    with pytest.raises(InputError, match="the split 'tune' for both tune and test, expected two splits"):
        choose_operating_point(halves(), tune="tune", test="tune")


def distinct_rows(rename=str, split="", n=300):
    """Rows of distinct scores that certify: five checks of which two hold evidence in each of n posts."""
    rng = np.random.default_rng(5)
    positive, negative = rng.uniform(0.6, 1, (n, 2)), rng.uniform(0, 0.4, (n, 3))
    return [
        (rename(f"s{post}"), f"A.{at}", score, int(at < 2), split)
        for post in range(n)
        for at, score in enumerate([*positive[post], *negative[post]])
    ]


@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name,
        lambda name: f" {name}",
        lambda name: f"{name[0]} {name[1:]}",
        lambda name: f"{name}\u200b",
        lambda name: f"'{name.upper()}'",
        lambda name: f"post-{name}-renamed",
    ],
)
def test_the_same_rows_in_another_file_are_found_whatever_their_posts_are_called(rename):
    tune, test = data_of(distinct_rows()), data_of(distinct_rows(rename), name="other.csv")
    point = choose_operating_point(tune, test_data=test, screening_sensitivity=0.99)
    assert point.document["selection"]["overlap_posts_tune_test"] == 300
    assert point.status == "exploratory"
    together = data_of([*distinct_rows(split="tune"), *distinct_rows(rename, split="test")])
    point = choose_operating_point(together, tune="tune", test="test", screening_sensitivity=0.99)
    assert point.status == "exploratory"


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


def test_positives_that_share_posts_are_counted_strictly():
    rows = scored([*np.full(2995, 0.9), *np.full(5, 0.2)], np.full(500, 0.1), per_post=5)
    table, rows = table_and_posts(rows)
    found = find_thresholds(table, Constraint(SENSITIVITY, 0.995, 0.95), None, posts=rows)
    # 3,000 positives allow 8 misses if independent; 600 posts of five are worth 600, which allow none.
    assert n_allowed_misses(3000, Constraint(SENSITIVITY, 0.995, 0.95)) == 8
    assert n_allowed_misses(3000, Constraint(SENSITIVITY, 0.995, 0.95), n_effective=600.0) == 0
    assert found.tau_neg == 0.2


def table_and_posts(rows):
    chosen = row_set(data_of(rows), "all", split=None, model=None)
    return chosen.table, chosen.posts


def test_posts_in_both_parts_are_counted_and_never_certified():
    point = choose_operating_point(halves(shared_post=True), tune="tune", test="test")
    assert point.status == "exploratory"
    assert point.document["selection"]["overlap_posts_tune_test"] == 1505
    assert (
        "Exploratory: 1,505 posts have rows in both tune and test, so the test is not independent."
        in point.document["limits"]
    )


def test_post_ids_that_differ_in_form_only_overlap():
    tune = [("17", "A.1", 0.9, 1, "tune"), ("s2", "A.1", 0.1, 0, "tune")]
    test = [("17.0", "A.1", 0.9, 1, "test"), (" S2", "A.1", 0.1, 0, "test"), ("s3", "A.1", 0.1, 0, "test")]
    point = choose_operating_point(data_of([*tune, *test]), tune="tune", test="test", confidence=None)
    assert point.document["selection"]["overlap_posts_tune_test"] == 2


def test_rows_of_one_file_overlap_whatever_their_posts_are_called():
    rows = scored(np.full(700, 0.9), np.full(700, 0.1))
    renamed = data_of(rows)
    object.__setattr__(
        renamed.queries, "post_ids", np.array([f"x{name}" for name in renamed.queries.post_ids], object)
    )
    point = choose_operating_point(data_of(rows), test_data=renamed)
    assert point.document["selection"]["overlap_posts_tune_test"] == 1400
    assert point.status == "exploratory"


def test_rows_without_posts_cannot_be_certified():
    rows = [
        *scored(np.full(700, 0.95), np.full(700, 0.1), split="tune"),
        *scored(np.full(700, 0.95), np.full(700, 0.1), split="test", first_post=10_000),
    ]
    assert choose_operating_point(data_of(rows), tune="tune", test="test").status == "certified"
    point = choose_operating_point(data_of(rows, has_posts=False), tune="tune", test="test")
    assert point.status == "exploratory"
    assert "overlap_posts_tune_test" not in point.document["selection"]
    assert any("cannot be shown" in sentence for sentence in point.document["limits"])


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


# --- empty zones, alternatives ----------------------------------------------------------------------------


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
    assert by_estimate.thresholds.tau_neg == 0.9
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
    assert only.tau_pos == 0.1


# --- refusals ---------------------------------------------------------------------------------------------


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


# --- what a test can show ---------------------------------------------------------------------------------


def test_half_the_positives_certify_about_half_of_the_time():
    found = outlook_on_test(BOUND, 690, 689)
    assert found.chance == pytest.approx(690 / 1379, abs=1e-9)
    assert found.text == (
        "Test can show at most ≥ 99.56 % with 689 positives; "
        "the chance that it confirms 99.5 % is about 50 %."
    )
    assert outlook_on_test(BOUND, 1103, 276).chance == 0
    assert "nothing about" in outlook_on_test(BOUND, 1103, 0).text


def test_the_outlook_of_data_counts_their_test_positives():
    found = outlook(halves(), tune="tune", test="test")
    assert found == outlook_on_test(BOUND, 700, 700)
    assert outlook(halves()) is None
    assert outlook(halves(), screening_sensitivity=None, tune="tune", test="test") is None


def test_the_chance_to_certify_agrees_with_drawing_splits():
    rng = np.random.default_rng(0)
    constraint = Constraint(SENSITIVITY, 0.95, 0.9)
    n_tune, n_test = 120, 90
    n_missed, n_allowed = n_allowed_misses(n_tune, constraint), n_allowed_misses(n_test, constraint)
    confirmed = []
    for _ in range(4000):
        order = rng.permutation(n_tune + n_test)
        tau = np.sort(order[:n_tune])[n_missed]
        confirmed.append((order[n_tune:] < tau).sum() <= n_allowed)
    assert outlook_on_test(constraint, n_tune, n_test).chance == pytest.approx(np.mean(confirmed), abs=0.03)
