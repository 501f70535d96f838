"""How often each post is drawn: Poisson(1), from the seed, the replicate and the post's id alone."""

import hashlib
from fractions import Fraction
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalcore.drawn.weights import _STEPS, hashes, poisson_weights, weights_of

WORD = 2**64
ids = st.lists(st.text(max_size=6), max_size=12, unique=True)
seeds = st.integers(0, 2**64 - 1)


def splitmix64(word):
    """One output of the published generator from this state, in whole numbers of any size."""
    word = (word + 0x9E3779B97F4A7C15) % WORD
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def weight_by_definition(post_id, seed, replicate):
    """The smallest k with u < P(weight ≤ k), u being the hash mixed with seed and replicate, over 2^64."""
    hashed = int.from_bytes(hashlib.blake2b(post_id.encode(), digest_size=8).digest(), "little")
    of_replicate = splitmix64(splitmix64((seed + 0x9E3779B97F4A7C15) % WORD) ^ replicate)
    uniform = splitmix64(splitmix64(hashed) ^ of_replicate)
    return int(stats.poisson.ppf((uniform + 0.5) / WORD, 1))


def test_splitmix64_gives_its_published_first_outputs():
    """From state 1234567, as in the generator's reference test."""
    states = [(1234567 + step * 0x9E3779B97F4A7C15) % WORD for step in range(3)]
    assert [splitmix64(state) for state in states] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(post_ids=ids, seed=seeds, start=st.integers(0, 5000))
def test_each_weight_follows_from_seed_replicate_and_id(post_ids, seed, start):
    expected = [[weight_by_definition(one, seed, start + at) for one in post_ids] for at in range(3)]
    found = poisson_weights(post_ids, seed=seed, start=start, stop=start + 3)
    assert found.tolist() == expected


def test_weights_stay_what_they_are():
    """Intervals of an earlier report can be had again: these values never change."""
    post_ids = ["s_1", "s_2", "s_3", "naïve", "帖子", ""]
    found = poisson_weights(post_ids, seed=7, start=1998, stop=2002)
    assert found.tolist() == [
        [0, 1, 1, 3, 1, 1],
        [2, 0, 1, 0, 4, 2],
        [1, 0, 1, 0, 1, 3],
        [1, 0, 1, 0, 0, 1],
    ]
    assert found.dtype == np.uint8


@given(post_ids=ids, seed=seeds, cut=st.integers(0, 10), data=st.data())
def test_order_subset_and_blocks_change_no_weight(post_ids, seed, cut, data):
    whole = poisson_weights(post_ids, seed=seed, start=0, stop=10)
    some = data.draw(st.permutations(range(len(post_ids))))[: len(post_ids) // 2 + 1]
    assert np.array_equal(
        poisson_weights([post_ids[at] for at in some], seed=seed, start=0, stop=10), whole[:, some]
    )
    blocks = [
        poisson_weights(post_ids, seed=seed, start=start, stop=stop) for start, stop in ((0, cut), (cut, 10))
    ]
    assert np.array_equal(np.concatenate(blocks), whole)
    assert np.array_equal(weights_of(hashes(post_ids), seed=seed, start=cut, stop=10), whole[cut:])


def test_no_post_has_no_weight():
    assert poisson_weights([], seed=0, start=0, stop=3).shape == (3, 0)
    assert poisson_weights(["a"], seed=0, start=3, stop=3).shape == (0, 1)


def test_steps_are_the_distribution_function_of_poisson_1():
    """Σ_{j ≤ k} e⁻¹/j! · 2⁶⁴, to the last whole number that a double can check."""
    assert len(_STEPS) == 20
    at_most = np.cumsum([exp(-1) / factorial(k) for k in range(20)])
    shares = _STEPS / WORD
    assert shares == pytest.approx(at_most, rel=1e-15)
    assert int(_STEPS[0]) == int(Fraction(WORD) / Fraction("2.718281828459045235360287471352662497757"))


@pytest.fixture(scope="module")
def many():
    """2,000 replicates of 1,000 posts whose ids differ in few bits."""
    return poisson_weights([f"s_{code}" for code in range(1000)], seed=0, start=0, stop=2000)


def test_weights_are_spread_as_poisson_1(many):
    observed = np.bincount(many.ravel(), minlength=7)
    observed = np.append(observed[:7], observed[7:].sum())
    shares = stats.poisson.pmf(np.arange(7), 1)
    expected = many.size * np.append(shares, 1 - shares.sum())
    assert stats.chisquare(observed, expected).pvalue > 0.001


def test_mean_and_variance_are_one_in_every_post_and_every_replicate(many):
    """Standard errors 1/√n of a mean, √3/√n of a variance; the largest of 2,000 stays below 4.5 of them."""
    for axis, n in ((0, 2000), (1, 1000)):
        assert np.abs(many.mean(axis=axis) - 1).max() < 4.5 * (1 / n) ** 0.5
        assert np.abs(many.var(axis=axis) - 1).max() < 7 * (3 / n) ** 0.5


@pytest.mark.parametrize("axis", [0, 1])
def test_weights_of_two_posts_and_of_two_replicates_are_uncorrelated(many, axis):
    """r·√n of every pair is near a standard normal: mean 0, variance 1, none far out."""
    part = (many if axis == 0 else many.T)[:, :300].astype(float)
    r = np.corrcoef(part, rowvar=False)[np.triu_indices(300, 1)] * len(part) ** 0.5
    assert abs(r.mean()) < 0.03
    assert r.var() == pytest.approx(1, abs=0.03)
    assert np.abs(r).max() < 6


def test_neighbouring_seeds_draw_apart(many):
    ids_of = [f"s_{code}" for code in range(1000)]
    other = poisson_weights(ids_of, seed=1, start=0, stop=2000).astype(float)
    for shift in range(3):
        first, second = many[shift:].ravel().astype(float), other[: 2000 - shift].ravel()
        assert abs(np.corrcoef(first, second)[0, 1]) * len(first) ** 0.5 < 4


def test_ids_are_told_apart_by_their_bytes():
    composed, decomposed = poisson_weights(["é", "e\u0301"], seed=0, start=0, stop=100).T
    assert not np.array_equal(composed, decomposed)
