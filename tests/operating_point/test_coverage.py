"""Chosen thresholds and intervals hold what they promise, in small simulations of the coverage benchmark."""

import numpy as np
import pytest

from benchmarks.certificates import false_certificates, not_promised, power
from benchmarks.coverage import (
    Coverage,
    _after_each_miss,
    calibration_error,
    difference_of_errors,
    page,
    reach_of_choice,
    reach_of_clustered_choice,
    workload,
)
from evalcore.inference.clustered import ClusterSums


def within_error(row: Coverage) -> bool:
    return abs(row.found - row.promised) < 4 * row.error


@pytest.mark.parametrize("n", [690, 1103, 1379])
def test_a_guaranteed_threshold_reaches_its_target_as_often_as_the_binomial_says(n):
    row = reach_of_choice(n, 0.95, target=0.995, n_draws=2000, seed=1)
    assert within_error(row)
    assert row.found > 0.95


def test_an_empirical_threshold_reaches_its_target_in_about_half_of_the_draws():
    row = reach_of_choice(1379, None, target=0.995, n_draws=2000, seed=1)
    assert within_error(row)
    assert row.promised == pytest.approx(0.535, abs=5e-4)


def test_only_bounds_that_take_positives_as_independent_fall_short_with_five_correlated_ones_a_post():
    strict, korn_graubard, clopper_pearson = reach_of_clustered_choice(
        600, 5, 0.9, target=0.995, n_draws=2000, seed=1
    )
    for row in (strict, korn_graubard):
        assert row.found > 0.95 - 4 * row.error, row.method
    assert clopper_pearson.found < 0.95 - 3 * clopper_pearson.error


PROMISED = 0.06


@pytest.fixture(scope="module")
def certificates():
    return list(false_certificates(250, seed=1))


def test_hardly_a_certificate_is_false_in_any_clustered_setting(certificates):
    for one in certificates:
        assert one.found < PROMISED + 3 * one.error, one.case


def test_without_the_guard_the_same_draws_are_certified_far_too_often(certificates):
    by_case = {one.case: one for one in certificates}
    pairs = by_case["350 posts of two positives, alike, target 99.5%"]
    alerts = by_case["30 alerts in pairs, alike, target 90%"]
    assert min(pairs.unguarded, alerts.unguarded) > 0.12
    assert (pairs.found, alerts.found) == (0, 0)


def test_what_fails_as_a_whole_unseen_is_not_promised():
    assert max(one.found for one in not_promised(250, seed=1)) > PROMISED


def test_screening_sensitivity_of_independent_cases_loses_less_than_a_tenth_of_its_power():
    for one in power(250, seed=1):
        if "target 99%" not in one.case or "alerts" not in one.case:
            assert one.found >= 0.9 * one.unguarded - 1e-9, one.case


def test_no_interval_of_the_ece_covers_a_calibrated_model():
    rows = calibration_error(0.0, 1.0, n=400, n_draws=60, n_replicates=120, seed=1)
    assert max(row.found for row in rows) < 0.9


def test_percentiles_of_a_difference_of_ece_miss_that_of_a_calibrated_model_and_another():
    assert difference_of_errors(0.4, n=400, n_draws=60, n_replicates=120, seed=1).found < 0.5


def test_workload_interval_needs_posts_as_units_when_their_checks_correlate():
    by_method = {
        row.method: row for row in workload(200, 8, 0.3, rate=0.3, n_draws=1000, n_replicates=1000, seed=1)
    }
    for method in ("bootstrap over posts", "linearised over posts"):
        assert within_error(by_method[method]), method
    assert by_method["bootstrap over rows"].found < 0.88


def test_row_bootstrap_covers_where_checks_are_independent():
    rows = workload(200, 5, 0.0, rate=0.3, n_draws=1000, n_replicates=1000, seed=1)
    assert all(within_error(row) for row in rows)


def test_same_seed_same_page():
    first, second = (page([reach_of_choice(690, 0.95, target=0.995, n_draws=50, seed=3)]) for _ in range(2))
    assert first == second
    assert np.isclose(Coverage("", "", 0.95, 0.9, 900).error, 0.01)


def test_sums_after_each_miss_equal_those_counted_post_by_post():
    """Three posts of two; missed in this order: post 1, post 2, post 1."""
    together = _after_each_miss(np.array([[1, 2, 1]]), 6, 3, 2)
    counted = [ClusterSums.from_posts(x, [2, 2, 2]) for x in ([2, 2, 2], [2, 1, 2], [2, 1, 1], [2, 0, 1])]
    for name in ("successes", "n", "n_posts", "sum_xx", "sum_xm", "sum_mm", "n_telling", "n_mixed"):
        assert getattr(together, name)[0].tolist() == [getattr(one, name) for one in counted], name
