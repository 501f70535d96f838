"""How alike scores of a post are at most: what is known of it, and what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalcore.inference.correlation import ScoreCorrelation

PAIRS = np.repeat(np.arange(600), 2)


def test_correlation_of_pairs_is_the_plain_one_with_its_error_on_top():
    """Ranks of 1,200 scores as −log of the share below: the mean product of pairs over the variance."""
    rng = np.random.default_rng(3)
    common = rng.standard_normal(600)
    score = 0.8 * common[PAIRS] + 0.6 * rng.standard_normal(1200)
    place = (np.argsort(np.argsort(score)) + 0.5) / 1200
    for share, found in ((place, "low"), (1 - place, "high")):
        value = -np.log(share)
        value -= value.mean()
        plain = (value[::2] * value[1::2]).mean() / (value**2).mean()
        bound = getattr(ScoreCorrelation.of(score, PAIRS), found)
        assert plain < bound < plain + 0.12


def plain_correlation(value, post, weights):
    """Over pairs of cases of one post, each post so many times, of centred values."""
    total, squares = (np.bincount(post, weights=one) for one in (value, value * value))
    size = np.bincount(post)
    covariance = (weights * (total**2 - squares)).sum() / (weights * size * (size - 1)).sum()
    return covariance / ((weights * squares).sum() / (weights * size).sum())


def test_the_error_is_the_spread_of_what_each_post_adds():
    """By the numerical derivative of the correlation in how many times each post counts."""
    rng = np.random.default_rng(8)
    size = rng.integers(1, 8, 200)
    post = np.repeat(np.arange(200), size)
    common = rng.standard_normal(200) * np.where(rng.random(200) < 0.5, 0.1, 2.0)
    score = common[post] + rng.standard_normal(len(post))
    value = -np.log((stats.rankdata(score) - 0.5) / len(score))
    value -= value.mean()
    influence = np.empty(200)
    for at in range(200):
        step = np.where(np.arange(200) == at, 1e-6, 0.0)
        up, down = (plain_correlation(value, post, 1 + sign * step) for sign in (1, -1))
        influence[at] = (up - down) / 2e-6
    error = np.sqrt((influence**2).sum() * 200 / 199)
    plain = plain_correlation(value, post, np.ones(200))
    assert error > (1 - plain**2) / np.sqrt((size * (size - 1)).sum() / 2)
    bound = plain + stats.t.ppf(0.95, np.count_nonzero(size > 1) - 1) * error
    assert bound < 1
    assert ScoreCorrelation.of(score, post).low == pytest.approx(bound, abs=1e-6)


def test_pairs_alike_at_one_end_only_are_told_there():
    rng = np.random.default_rng(4)
    score = rng.random(1200)
    is_lowest = rng.random(600) < 0.05
    score[np.repeat(is_lowest, 2)] = np.repeat(-rng.random(is_lowest.sum()), 2)
    found = ScoreCorrelation.of(score, PAIRS)
    assert found.low > 0.4
    assert found.high < 0.2
    mirrored = ScoreCorrelation.of(-score, PAIRS)
    assert (mirrored.low, mirrored.high) == pytest.approx((found.high, found.low))


@pytest.mark.parametrize(
    ("score", "post"),
    [
        ([0.1, 0.2, 0.3], [0, 1, 2]),
        ([0.5] * 6, [0, 0, 1, 1, 2, 2]),
        ([0.1, 0.9], [0, 0]),
        ([], []),
    ],
    ids=["no post of two", "one score", "one post", "no case"],
)
def test_what_nothing_tells_may_be_one_and_the_same(score, post):
    found = ScoreCorrelation.of(np.array(score, float), np.array(post, int))
    assert (found.low, found.high) == (1, 1)


def test_cases_of_one_score_a_post_count_as_exactly_one():
    """Sums of posts of several sizes round: 1.0000000000000007 is 1."""
    found = set()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 40))
        post = np.repeat(np.arange(n), rng.integers(1, 6, n))
        bound = ScoreCorrelation.of(rng.standard_normal(n)[post], post)
        found |= {bound.low, bound.high}
    assert max(found) == 1.0


def test_few_pairs_say_little():
    rng = np.random.default_rng(5)
    bounds = [ScoreCorrelation.of(rng.random(20), np.repeat(np.arange(10), 2)).low for _ in range(200)]
    assert np.mean(np.array(bounds) < 0.2) < 0.2


def test_the_bound_is_that_of_the_end_where_the_rarer_outcome_lies():
    found = ScoreCorrelation(0.2, 0.7)
    # With as many failures as successes they count as the rarer.
    assert found.of_share([9, 5, 4, 1], 10, "above").tolist() == [0.2, 0.2, 0.7, 0.7]
    assert found.of_share([9, 5, 4, 1], 10, "below").tolist() == [0.7, 0.7, 0.2, 0.2]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=2, max_size=30), st.randoms())
def test_order_of_cases_and_numbers_of_posts_do_not_matter(cases, random):
    score, post = (np.array(column) for column in zip(*cases, strict=True))
    order = list(range(len(cases)))
    random.shuffle(order)
    found = ScoreCorrelation.of(score.astype(float), post)
    other = ScoreCorrelation.of(3.0 * score[order] - 7, 2 * post[order] + 5)
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=1e-9)
    assert 0 <= found.low <= 1
    assert 0 <= found.high <= 1
