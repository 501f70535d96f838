"""Bounds of shares whose cases come in posts: definitions, undefined cases and what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalcore.inference.binomial import clopper_pearson
from evalcore.inference.clustered import (
    ClusterSums,
    ci_method,
    korn_graubard,
    linearised,
    share_interval,
    strict,
)

posts = st.lists(
    st.integers(0, 6).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), min_size=1, max_size=12
)


def sums_of(by_post):
    x, m = np.array(by_post).T
    return ClusterSums.from_posts(x, m)


def effective_by_definition(x, m, tail):
    """Korn–Graubard's effective number of cases, post by post."""
    x, m = (np.array([a for a, b in zip(v, m, strict=True) if b > 0], float) for v in (x, m))
    n, n_posts = m.sum(), len(m)
    share = x.sum() / n
    variance = n_posts / (n_posts - 1) * sum((a - share * b) ** 2 for a, b in zip(x, m, strict=True)) / n**2
    ratio = stats.t.ppf(1 - tail, n - 1) / stats.t.ppf(1 - tail, n_posts - 1)
    return min(share * (1 - share) / variance * ratio**2, n)


@pytest.mark.parametrize(("sides", "tail"), [(1, 0.05), (2, 0.025)])
def test_korn_graubard_uses_t_at_the_bounds_own_tail(sides, tail):
    x, m = [2, 2, 1, 3, 0, 1, 1, 1, 0], [2, 2, 2, 3, 1, 1, 1, 1, 0]
    interval = korn_graubard(ClusterSums.from_posts(x, m, correlation=0), sides=sides)
    n_effective = effective_by_definition(x, m, tail)
    assert n_effective < 13
    assert interval.n_effective == pytest.approx(n_effective, rel=1e-12)
    assert interval.low == pytest.approx(
        stats.beta.ppf(tail, 11 / 13 * n_effective, 2 / 13 * n_effective + 1), abs=1e-9
    )
    assert interval.high == pytest.approx(
        stats.beta.ppf(1 - tail, 11 / 13 * n_effective + 1, 2 / 13 * n_effective), abs=1e-9
    )
    assert ci_method(interval, sides=sides) == f"korn_graubard(n_eff={n_effective:.1f};sides={sides})"


def test_two_posts_have_one_degree_of_freedom():
    x, m = [3, 1], [4, 4]
    interval = korn_graubard(ClusterSums.from_posts(x, m, correlation=0), sides=1)
    assert interval.n_effective == pytest.approx(effective_by_definition(x, m, 0.05), rel=1e-12)
    assert 0 < interval.n_effective < 1


def test_effective_number_of_two_missed_together_by_hand():
    """Ten posts of two, one missed: R = 9/10, Var = 10/9·(9·(1/5)² + (9/5)²)/20² = 1/100, R(1−R)/Var = 9."""
    interval = linearised(ClusterSums.from_posts([2] * 9 + [0], [2] * 10))
    assert interval.n_effective == pytest.approx(9)
    assert interval.low == pytest.approx(9 / 10 - stats.t.ppf(0.975, 9) / 10)
    assert interval.high == 1


@pytest.mark.parametrize(("kept", "low", "high"), [(10, 0.05 ** (1 / 10), 1), (0, 0, 1 - 0.05 ** (1 / 10))])
def test_all_kept_or_all_missed_of_uncorrelated_cases_takes_them_as_independent_and_says_so(kept, low, high):
    x, m = [1 if kept else 0] * 4 + [2 if kept else 0] * 3, [1] * 4 + [2] * 3
    sums = ClusterSums.from_posts(x, m, correlation=0)
    for interval in (korn_graubard(sums, sides=1), linearised(sums, sides=1)):
        assert interval.n_effective == 10
        assert interval.low == pytest.approx(low)
        assert interval.high == pytest.approx(high)
        assert interval.is_independence_assumed
        assert ci_method(interval, sides=1).endswith("(n_eff=10.0;sides=1;independence_assumed)")


def test_one_post_says_nothing_of_the_spread_and_only_strict_counts_it_once():
    sums = ClusterSums.from_posts([3, 0], [4, 0], correlation=0)
    independent = clopper_pearson(3, 4)
    for interval in (korn_graubard(sums), linearised(sums)):
        assert interval.is_independence_assumed
        assert (interval.low, interval.high) == (independent.low, independent.high)
    assert strict(sums).n_effective == 1
    assert share_interval(sums).method == "strict"


def test_equal_shares_in_every_post_are_no_variance_at_all():
    """1/3 is no binary fraction: a sum in floating point would leave a spread of rounding errors."""
    interval = korn_graubard(ClusterSums.from_posts([1, 2, 100_000], [3, 6, 300_000], correlation=0))
    assert interval.is_independence_assumed
    assert interval.n_effective == 300_009


def test_no_case_has_no_bounds():
    sums = ClusterSums.from_posts([0, 0], [0, 0])
    for mode in ("auto", "korn_graubard", "strict", "clopper_pearson"):
        interval = share_interval(sums, mode=mode)
        assert np.isnan([interval.low, interval.high, interval.n_effective]).all(), mode
        assert not interval.is_independence_assumed
    assert np.isnan([linearised(sums).low, linearised(sums).high, linearised(sums).n_effective]).all()
    assert not linearised(sums).is_independence_assumed  # of no rows nothing is assumed


def test_strict_is_the_default_above_two_cases_a_post_seen_from_the_average_case():
    pairs = ClusterSums.from_posts([2] * 30, [2] * 30)
    triples = ClusterSums.from_posts([3] * 20, [3] * 20)
    assert not pairs.is_heavily_clustered
    assert triples.is_heavily_clustered
    assert share_interval(pairs).method == "korn_graubard"
    interval = share_interval(triples, sides=1)
    assert interval.low == pytest.approx(0.05 ** (1 / 20))
    assert ci_method(interval, sides=1) == "strict(n_eff=20.0;sides=1)"


def test_many_shares_at_once_equal_one_at_a_time():
    x = np.array([[1, 1, 1, 0], [3, 3, 2, 0], [0, 0, 0, 0], [3, 0, 0, 0]])
    m = np.array([[1, 1, 1, 1], [3, 3, 3, 3], [0, 0, 0, 0], [4, 0, 0, 0]])
    for function in (share_interval, korn_graubard, strict, linearised):
        together = function(ClusterSums.from_posts(x, m), sides=1)
        alone = [function(ClusterSums.from_posts(*pair), sides=1) for pair in zip(x, m, strict=True)]
        for name in ("low", "high", "n_effective", "is_independence_assumed", "is_strict"):
            np.testing.assert_array_equal(getattr(together, name), [getattr(one, name) for one in alone])
    assert share_interval(ClusterSums.from_posts(x, m)).method == "mixed"


def test_sums_from_rows_count_only_cases():
    sums = ClusterSums.from_rows(
        np.array([True, True, False, True]), np.array([True, True, True, False]), np.array([0, 0, 2, 2]), 3
    )
    by_post = ClusterSums.from_posts([2, 0, 0], [2, 0, 1])
    assert vars(sums) == vars(by_post)
    assert (sums.successes, sums.n, sums.n_posts, sums.sum_mm) == (2, 3, 2, 5)


def test_confidence_of_one_half_is_the_limit_of_those_beside_it():
    sums = ClusterSums.from_posts([2] * 9 + [0], [2] * 10)
    at, beside = (korn_graubard(sums, confidence=c, sides=1).n_effective for c in (0.5, 0.5001))
    assert at == pytest.approx(beside, rel=1e-6)


@given(posts, st.sampled_from([0.8, 0.95]), st.sampled_from([1, 2]))
def test_bounds_contain_the_estimate_and_are_never_narrower_than_independent_cases(
    by_post, confidence, sides
):
    sums = sums_of(by_post)
    if sums.n == 0:
        return
    independent = clopper_pearson(sums.successes, sums.n, confidence=confidence, sides=sides)
    for function in (korn_graubard, strict):
        interval = function(sums, confidence=confidence, sides=sides)
        assert 0 < interval.n_effective <= sums.n
        assert interval.low <= sums.share + 1e-12
        assert interval.high >= sums.share - 1e-12
        assert interval.low <= independent.low + 1e-12
        assert interval.high >= independent.high - 1e-12


@given(posts)
def test_failures_mirror_successes(by_post):
    mirrored = [(m - x, m) for x, m in by_post]
    for function in (korn_graubard, strict, linearised):
        interval, other = function(sums_of(by_post)), function(sums_of(mirrored))
        np.testing.assert_allclose(interval.low, 1 - other.high, atol=1e-9)


@given(posts, st.randoms(use_true_random=False))
def test_order_of_posts_does_not_matter(by_post, random):
    shuffled = list(by_post)
    random.shuffle(shuffled)
    interval, other = share_interval(sums_of(by_post)), share_interval(sums_of(shuffled))
    for name in ("low", "high", "n_effective"):
        np.testing.assert_array_equal(getattr(interval, name), getattr(other, name))


@given(st.lists(st.booleans(), min_size=2, max_size=40))
def test_one_case_a_post_is_clopper_pearson(kept):
    """Posts are independent, and so are their only cases: nothing is lost and nothing assumed."""
    sums = ClusterSums.from_posts(np.array(kept, int), np.ones(len(kept), int))
    interval = korn_graubard(sums)
    assert interval.n_effective == len(kept)
    assert not interval.is_independence_assumed


def test_sums_of_a_million_rows_do_not_overflow_into_bounds():
    """n²·Σx² passes 2⁶⁴ here; the same shares in a hundredth of the posts have the same variance a post."""
    x, m = np.tile([40, 39, 40, 20], 6250), np.full(25_000, 40)
    many, few = korn_graubard(ClusterSums.from_posts(x, m)), linearised(ClusterSums.from_posts(x, m))
    expected = 139 / 160 * (21 / 160) / np.var([1, 39 / 40, 1, 1 / 2]) * 24_999
    assert few.n_effective == pytest.approx(expected, rel=1e-9)
    assert many.n_effective == pytest.approx(expected, rel=1e-3)


# --- the sums themselves ---


def test_sums_of_many_shares_are_broadcast_and_count_posts_with_cases_only():
    sums = ClusterSums.from_posts([[2, 0, 1, 0], [3, 1, 0, 0]], [3, 1, 1, 0])
    assert sums.successes.tolist() == [3, 4]
    assert sums.n.tolist() == [5, 5]
    assert sums.n_posts.tolist() == [3, 3]
    assert sums.sum_xx.tolist() == [5, 10]
    assert sums.sum_xm.tolist() == [7, 10]
    assert sums.sum_mm.tolist() == [11, 11]
    assert sums.n_telling.tolist() == [2, 1]  # failures in two and in one post, successes in two of each
    assert sums.n_mixed.tolist() == [1, 0]
    assert sums.correlation.tolist() == [1, 1]  # nothing is known of it


def test_a_correlation_of_each_share_is_kept_when_shares_are_put_together_and_picked():
    parts = [ClusterSums.from_posts([2, 1], [2, 2], correlation=rho) for rho in (0.25, 0.5, 1.0)]
    together = ClusterSums.together(parts)
    assert together.correlation.tolist() == [0.25, 0.5, 1.0]
    assert together.n.dtype == np.int64
    assert together.n.tolist() == [4, 4, 4]
    assert together.where(np.array([True, False, True])).correlation.tolist() == [0.25, 1.0]


@pytest.mark.parametrize(
    ("n_alike", "n_mixed", "assumed"),
    [
        (0, 0, 1.0),
        (1, 0, 0.9),
        (9, 0, 0.1),
        (10, 0, 0.0),
        (12, 0, 0.0),
        (0, 1, 0.5),
        (0, 3, 0.25),
        (4, 2, 1 / 3),
    ],
)
def test_the_correlation_is_assumed_less_with_every_post_that_tells(n_alike, n_mixed, assumed):
    """Of 40 posts of two some fail as one and some in one case; 1/4 is the most that it can be."""
    x = [*[0] * n_alike, *[1] * n_mixed, *[2] * (40 - n_alike - n_mixed)]
    sums = ClusterSums.from_posts(x, [2] * 40, correlation=0.25)
    assert sums.n_telling == n_alike + n_mixed
    assert sums.assumed_correlation == pytest.approx(0.25 * assumed)
    assert sums.n_at_most == pytest.approx(80 / (1 + 0.25 * assumed))
    assert sums.n_if_unseen == pytest.approx(80 / 1.25)


def test_effective_numbers_of_uneven_posts_by_hand():
    """Posts of 1, 2 and 3: Σm²/n = 14/6; as alike as half, 6/(1 + 1/2·8/6) = 18/5."""
    sums = ClusterSums.from_posts([1, 2, 3], [1, 2, 3], correlation=0.5)
    assert sums.n_at_most == pytest.approx(18 / 5)
    assert sums.n_kish == pytest.approx(36 / 14)
    assert sums.is_heavily_clustered  # 14/6 > 2
    assert not ClusterSums.from_posts([3, 0, 1, 0], [3, 1, 1, 1]).is_heavily_clustered  # 12/6 = 2


@pytest.mark.parametrize(
    ("x", "m", "variance"),
    [
        ([1, 1], [2, 1], 4 / 81),  # 2/1·(1/9 + 1/9)/9
        ([50, 51], [101, 103], 4 / 204**4),  # shares that differ by as little as can be
        ([2**19, 0], [2**19, 2**19], 1 / 4),  # what is told from 0 modulo 2⁶⁴ is 2⁷⁷
        ([3, 3, 0], [4, 4, 0], 0.0),
        ([3, 0], [4, 0], np.nan),
        ([551_329_706], [865_561_803], np.nan),  # what floats leave is 64
        ([0, 0], [0, 0], np.nan),
    ],
)
def test_variance_between_posts_by_hand(x, m, variance):
    assert ClusterSums.from_posts(x, m).variance == pytest.approx(variance, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize(
    ("x", "m"), [([1, 2, 3], [5, 10, 15]), ([1, 1], [10, 10]), ([3, 5, 8, 1], [15, 25, 40, 5])]
)
def test_posts_that_share_one_rate_have_no_variance_where_a_sum_of_floats_leaves_some(x, m):
    sums = ClusterSums.from_posts(x, m)
    assert sums.sum_xx - 2 * sums.share * sums.sum_xm + sums.share**2 * sums.sum_mm > 0
    assert sums.variance == 0
