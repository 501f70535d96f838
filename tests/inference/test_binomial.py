"""Exact bounds agree with published values, hold what they promise, and give the sample sizes that follow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalcore.inference.binomial import (
    clopper_pearson,
    lower_bound,
    max_misses,
    min_alerts,
    positives_needed,
    wilson,
)

# Newcombe 1998, Stat Med 17:857, Table I: successes, trials, Wilson, Clopper–Pearson.
NEWCOMBE = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]


@pytest.mark.parametrize(("successes", "n", "score", "exact"), NEWCOMBE)
def test_intervals_equal_newcombe(
    successes: int, n: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    for interval, published in ((wilson(successes, n), score), (clopper_pearson(successes, n), exact)):
        assert (float(interval.low), float(interval.high)) == pytest.approx(published, abs=6e-5)


def test_interval_at_all_successes_is_not_empty() -> None:
    """A percentile bootstrap gives [1, 1] here (NVIDIA/garak#2033)."""
    assert float(clopper_pearson(50, 50).low) == pytest.approx(0.9288782635358024, abs=1e-12)
    assert float(clopper_pearson(50, 50).high) == 1.0
    assert float(wilson(50, 50).low) == pytest.approx(0.9286524008666414, abs=1e-12)
    assert lower_bound(50, 50) == pytest.approx(0.9418449208830277, abs=1e-12)


@pytest.mark.parametrize(("misses", "bound"), [(0, 0.99783), (2, 0.99544), (3, 0.99439), (6, 0.99143)])
def test_one_sided_bounds_at_1379_positives(misses: int, bound: float) -> None:
    assert round(lower_bound(1379 - misses, 1379), 5) == bound


def test_bounds_are_undefined_without_trials() -> None:
    for interval in (clopper_pearson(0, 0), wilson(0, 0)):
        assert np.isnan(interval.low)
        assert np.isnan(interval.high)


def test_bounds_are_computed_for_many_counts_at_once() -> None:
    successes, n = np.array([0, 0, 20, 81]), np.array([0, 20, 20, 263])
    many = clopper_pearson(successes, n)
    single = [clopper_pearson(x, trials) for x, trials in zip(successes, n, strict=True)]
    np.testing.assert_array_equal(many.low, [one.low for one in single])
    np.testing.assert_array_equal(many.high, [one.high for one in single])


@given(n=st.integers(1, 3000), data=st.data(), confidence=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_clopper_pearson_solves_its_own_tail(n: int, data: st.DataObject, confidence: float) -> None:
    """At the lower bound, as many successes or more have exactly the tail's probability."""
    x = data.draw(st.integers(0, n))
    for sides in (1, 2):
        interval = clopper_pearson(x, n, confidence=confidence, sides=sides)
        tail = (1 - confidence) / sides
        if x > 0:
            assert stats.binom.sf(x - 1, n, float(interval.low)) == pytest.approx(tail, rel=1e-6)
        if x < n:
            assert stats.binom.cdf(x, n, float(interval.high)) == pytest.approx(tail, rel=1e-6)
        assert 0 <= interval.low <= x / n <= interval.high <= 1


@given(n=st.integers(1, 2000), data=st.data())
def test_intervals_mirror_successes_and_failures(n: int, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, n))
    for interval in (clopper_pearson, wilson):
        assert float(interval(x, n).low) == pytest.approx(1 - float(interval(n - x, n).high), abs=1e-9)


def test_misses_allowed_for_995_per_mille() -> None:
    allowed = {n: max_misses(n, 0.995) for n in (1379, 1103, 947, 946, 598, 597, 0)}
    assert allowed == {1379: 2, 1103: 1, 947: 1, 946: 0, 598: 0, 597: -1, 0: -1}


def test_positives_needed_for_995_per_mille() -> None:
    assert [positives_needed(misses, 0.995) for misses in range(4)] == [598, 947, 1258, 1549]


def test_alerts_that_show_90_percent_precision() -> None:
    assert min_alerts(0.9) == 29
    assert [max_misses(n, 0.9) for n in (28, 29, 50, 100)] == [-1, 0, 1, 4]


@given(target=st.floats(0.5, 0.999), confidence=st.sampled_from([0.8, 0.9, 0.95]))
def test_fewest_alerts_are_those_needed_without_a_miss(target: float, confidence: float) -> None:
    assert min_alerts(target, confidence) == positives_needed(0, target, confidence)


@given(n=st.integers(1, 1500), target=st.sampled_from([0.9, 0.95, 0.99, 0.995]))
def test_one_miss_more_than_allowed_is_too_many(n: int, target: float) -> None:
    most = max_misses(n, target)
    if most >= 0:
        assert lower_bound(n - most, n) >= target
    assert most == n or lower_bound(n - most - 1, n) < target


@given(misses=st.integers(0, 30), target=st.sampled_from([0.9, 0.99, 0.995]))
def test_positives_needed_inverts_misses_allowed(misses: int, target: float) -> None:
    n = positives_needed(misses, target)
    assert max_misses(n, target) == misses
    assert max_misses(n - 1, target) == misses - 1


@pytest.mark.parametrize("n", [5, 400])
def test_one_end_alone_and_equal_pairs_are_the_same_bits(n):
    """Arrays beyond `WORTH_SORTING` compute each distinct pair once."""
    x = np.arange(n) % 7
    cases = np.where(np.arange(n) % 3 == 0, 9.5, 7.0)
    both = clopper_pearson(x, cases, sides=1)
    each = [clopper_pearson(float(a), float(b), sides=1) for a, b in zip(x, cases, strict=True)]
    assert both.low.tolist() == [float(one.low) for one in each]
    assert both.high.tolist() == [float(one.high) for one in each]
    low, high = clopper_pearson(x, cases, sides=1, end="low"), clopper_pearson(x, cases, sides=1, end="high")
    assert (low.low.tolist(), high.high.tolist()) == (both.low.tolist(), both.high.tolist())
    assert np.isnan(low.high).all()
    assert np.isnan(high.low).all()
