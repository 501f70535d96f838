"""Few failures say little of how failures cluster: what is certified on them, in every place that says so."""

import json

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.inference.clustered import ClusterSums, ci_method, korn_graubard, share_interval
from evalcore.operating_point import choose_operating_point, point_from_thresholds
from evalcore.operating_point.choosing.claims.judging import judge
from evalcore.operating_point.choosing.estimates import count, estimates
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    find_thresholds,
    n_to_choose_by,
)
from evalcore.operating_point.missed import most_missed_per_1000
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.post_sums import RULES, post_sums
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.spec import METRICS
from evalcore.tallies.scores import ScoredRows
from tests.support.made.choices import claims_of, estimate_of
from tests.support.made.scored_data import data_of


def pairs(n, *, alike, first=0, split="", seed=0, negatives=3):
    """Posts of two positives above .5, of one score or of two, and some negatives below .4."""
    rng = np.random.default_rng(seed)
    rows = []
    for post in range(first, first + n):
        scores = rng.uniform(0.5, 1, 2)
        scores[1] = scores[0] if alike else scores[1]
        rows += [(f"s{post}", f"A.{at}", scores[at], 1, split) for at in range(2)]
        rows += [(f"s{post}", f"B.{at}", rng.uniform(0, 0.4), 0, split) for at in range(negatives)]
    return rows


def both(n, *, alike):
    return data_of(
        [*pairs(n, alike=alike, split="tune"), *pairs(n, alike=alike, split="test", first=50_000, seed=1)]
    )


AIM = {"screening_sensitivity": 0.995, "alert_precision": None, "tune": "tune", "test": "test"}


def test_alike_pairs_are_worth_half_and_do_not_certify_what_all_could():
    """350 alike pairs are 350 independent positives: 598 are needed for 99.5 %."""
    point = choose_operating_point(both(350, alike=True), **AIM)
    assert point.tau_neg is None
    by_hand = point_from_thresholds(both(350, alike=True), 0.45, None, **AIM)
    claim = claims_of(by_hand, "test")["screening_sensitivity"]
    assert claim["verdict"] == "infeasible_with_this_n"
    assert claim["note"] == (
        "It needs at least 598 independent cases without a failure; 700, worth 350.0 independent ones, can "
        "show at most 99.14 %."
    )
    estimate = estimate_of(by_hand, "screening_sensitivity", "test")
    assert estimate["ci"]["method"] == "korn_graubard(n_eff=350.0;rho=1.000;sides=1)"


def test_independent_pairs_still_certify():
    point = choose_operating_point(both(350, alike=False), **AIM)
    assert point.status == "certified"
    assert "at a correlation of 0." in claims_of(point, "test")["screening_sensitivity"]["text"]
    assert point.verify(both(350, alike=False)).holds


def test_30_alerts_in_15_pairs_can_never_show_nine_tenths():
    rows = pairs(15, alike=False, split="tune", negatives=30)
    data = data_of([*rows, *pairs(15, alike=False, split="test", first=50_000, negatives=30)])
    aim = {"screening_sensitivity": None, "alert_precision": 0.9, "tune": "tune", "test": "test"}
    claim = claims_of(point_from_thresholds(data, None, 0.45, **aim), "test")["alert_precision"]
    assert claim["verdict"] == "infeasible_with_this_n"
    assert claim["note"] == (
        "It needs at least 29 independent cases without a failure; 30, worth 15.0 independent ones, can show "
        "at most 81.89 %."
    )


def test_one_bound_in_the_choice_the_claim_the_explorer_and_the_metrics_file():
    data = data_of(pairs(200, alike=False, seed=3))
    point = point_from_thresholds(data, 0.51, 0.9, screening_sensitivity=0.9, alert_precision=0.9)
    rows = ScoredRows.from_queries(data.queries)
    tradeoff = compute_tradeoff(rows)
    at = tradeoff.index(0.51)
    low = estimate_of(point, "screening_sensitivity", "all")["ci"]["low"]
    assert 0 < tradeoff.pos_below[at] < 10
    assert tradeoff.sensitivity_low[at] == low
    table = evaluate(data, tau_neg=0.51, tau_pos=0.9).table.set_index("metric")
    assert table.ci_low["screening_sensitivity"] == tradeoff.sensitivity_interval.low[at]
    assert ";rho=" in table.ci_method["screening_sensitivity"]
    posts = row_set(data, "all", split=None, model=None).posts
    assert n_to_choose_by(posts) == posts.kept(slice(0, 1)).n_if_unseen[0] < 400


def test_the_unit_may_be_coarser_than_the_post():
    """Ten posts of one positive each a unit: the sums over units are those of their posts together."""
    rng = np.random.default_rng(1)
    positive = np.ones(60, bool)
    rows = ScoredRows(rng.random(60), positive, np.arange(60), 60)
    coarse = ScoredRows(rows.score, positive, np.arange(60) // 2, 30)
    fine, of_units = compute_tradeoff(rows), compute_tradeoff(coarse)
    assert fine.n_posts == 60
    assert of_units.n_posts == 30
    assert (of_units.sensitivity_low <= fine.sensitivity_low + 1e-12).all()
    assert of_units.sensitivity_low[0] < fine.sensitivity_low[0]


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_no_further_failure_raises_the_bound(rho):
    """Posts of two, one case of each failing post fails: with a step at some number a bound would rise."""
    n_failing = np.arange(0, 40)
    x = np.full((40, 300), 2)
    for at in n_failing:
        x[at, :at] = 1
    sums = ClusterSums.from_posts(x, np.full_like(x, 2), correlation=rho)
    low = korn_graubard(sums, sides=1).low
    assert (np.diff(low) < 0).all()


def test_the_guard_ends_where_ten_posts_hold_a_failure():
    def worth(n_failing):
        x = [1] * n_failing + [2] * (300 - n_failing)
        return korn_graubard(ClusterSums.from_posts(x, [2] * 300), sides=1)

    assert worth(0).n_effective == 300
    # Five posts that hold a success as well take the correlation down to a sixth, not to a half.
    assert worth(5).n_effective == pytest.approx(600 * 6 / 7)
    assert worth(5).correlation == pytest.approx(1 / 6)
    assert ci_method(worth(5), sides=1) == "korn_graubard(n_eff=514.3;rho=0.167;sides=1)"
    assert np.isnan(worth(10).correlation)
    assert worth(10).n_effective == pytest.approx(600, rel=0.01)


def test_posts_that_fail_as_a_whole_tell_less_than_posts_that_fail_in_part():
    whole = ClusterSums.from_posts([0] * 3 + [2] * 297, [2] * 300)
    part = ClusterSums.from_posts([1] * 3 + [2] * 297, [2] * 300)
    assert whole.assumed_correlation == pytest.approx(0.7)
    assert part.assumed_correlation == pytest.approx(0.25)
    assert (whole.n_mixed, part.n_mixed) == (0, 3)


@pytest.mark.parametrize("rules", ["1.1", "1.2"])
def test_sums_at_each_threshold_know_the_posts_with_both_outcomes(rules):
    rng = np.random.default_rng(2)
    rows = ScoredRows(rng.integers(0, 9, 60) / 10, rng.random(60) < 0.5, rng.integers(0, 12, 60), 12)
    score, at = np.unique(rows.score, return_inverse=True)
    sums = post_sums(rows, at, len(score), rules=rules)
    for index, tau in enumerate(score):
        is_up, pos = rows.score >= tau, rows.is_positive
        for found, success, case in (
            (sums.kept(index), is_up & pos, pos),
            (sums.opened(index), is_up, np.ones(60, bool)),
            (sums.right(index), is_up & pos, is_up),
        ):
            counted = ClusterSums.from_rows(success, case, rows.post, 12)
            assert found.n_mixed == (0 if rules == "1.1" else counted.n_mixed)
            assert found.n_telling == counted.n_telling


def test_all_successes_have_the_power_bound_and_no_fraction_of_a_failure():
    for rho, worth in ((0.0, 14), (0.5, 14 / 1.5), (1.0, 7)):
        sums = ClusterSums.from_posts([2] * 7, [2] * 7, correlation=rho)
        interval = share_interval(sums, sides=1)
        assert interval.low == pytest.approx(0.05 ** (1 / worth), abs=1e-15)
        assert interval.high == 1
        assert share_interval(sums, sides=2).high == 1


def test_rules_of_before_make_the_bounds_of_before():
    data = both(350, alike=True)
    assert RULES == "1.3"
    old, new = (row_set(data, "test", split="test", model=None, rules=rules) for rules in ("1.0", "1.1"))
    before, now = (count(rows, 0.45, 0.9) for rows in (old, new))
    constraint = Constraint(SENSITIVITY, 0.995, 0.95)
    assert judge(constraint, before) == "met_with_confidence"
    assert judge(constraint, now) == "infeasible_with_this_n"
    method = {one["metric"]: one["ci"]["method"] for one in estimates(before, {}) if one["ci"] is not None}
    assert method[SENSITIVITY] == "korn_graubard(n_eff=700.0;sides=1;independence_assumed)"
    assert "rho" not in json.dumps(method)
    found = [find_thresholds(rows.table, constraint, None, posts=rows.posts).tau_neg for rows in (old, new)]
    assert found[0] is not None
    assert found[1] is None


def test_missed_per_1000_is_bounded_as_sensitivity_is():
    data = both(350, alike=False)
    for rules in ("1.0", "1.1"):
        counted = count(row_set(data, "test", split="test", model=None, rules=rules), 0.5005, 0.9)
        ci = {one["metric"]: one["ci"] for one in estimates(counted, {})}
        kept = counted.interval(counted.sums(METRICS[SENSITIVITY]), confidence=0.95, sides=2)
        implied = 1000 * 700 / 1750 * (1 - float(kept.low))
        missed = ci["gate.screening_fn_per_1000"]
        assert (missed["high"] == pytest.approx(implied)) == (rules == "1.1")
        assert most_missed_per_1000(float(kept.low), n_pos=700, n_rows=1750) == pytest.approx(implied)


def test_precision_constraint_is_judged_by_kish_while_few_alerts_are_wrong():
    data = both(100, alike=False)
    rows = row_set(data, "test", split="test", model=None)
    assert judge(Constraint(PRECISION, 0.98, 0.95), count(rows, None, 0.45)) == "infeasible_with_this_n"
    assert judge(Constraint(PRECISION, 0.97, 0.95), count(rows, None, 0.45)) == "met_with_confidence"
