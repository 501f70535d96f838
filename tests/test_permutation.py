"""Whole-post swaps, exact totals of posts, and Holm's adjustment."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evalcore.drawn.post_values import PairedPostValues, PostValues
from evalcore.inference.holm import holm
from evalcore.inference.permutation import n_at_least, post_swap_test, post_swaps

POSTS = [f"post {at}" for at in range(40)]


def paired(first, second):
    return PairedPostValues(PostValues.from_array(first), PostValues.from_array(second))


def mean(totals):
    return totals[:, 0] / totals[:, 1]


def exact_p(first, second, value):
    """The p-value over every one of the 2^P swaps, by plain loops."""
    observed = value(second) - value(first)
    n_large = 0
    for swaps in product((False, True), repeat=len(first)):
        one = [b if swap else a for a, b, swap in zip(first, second, swaps, strict=True)]
        two = [a if swap else b for a, b, swap in zip(first, second, swaps, strict=True)]
        n_large += abs(value(two) - value(one)) >= abs(observed)
    return Fraction(n_large, 2 ** len(first))


def ratio_of_sums(rows):
    return Fraction(sum(row[0] for row in rows), sum(row[1] for row in rows))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([[0, 1], [1, 2], [0, 1], [2, 3], [1, 1]], [[1, 1], [2, 2], [0, 1], [3, 3], [1, 1]]),
        ([[1, 2], [0, 3], [2, 2], [1, 4]], [[2, 3], [1, 1], [0, 2], [2, 4]]),
    ],
)
def test_p_is_near_that_of_every_possible_swap(first, second):
    expected = float(exact_p(first, second, ratio_of_sums))
    result = post_swap_test(paired(first, second), mean, POSTS[: len(first)], permutations=9999)
    assert result.difference == pytest.approx(float(ratio_of_sums(second) - ratio_of_sums(first)))
    assert abs(result.p_value - expected) < 4 * np.sqrt(expected * (1 - expected) / 9999) + 1 / 10_000


def test_p_counts_the_observed_arrangement_itself():
    first, second = [[0, 1]] * 30, [[1, 1]] * 30
    assert post_swap_test(paired(first, second), mean, POSTS[:30], permutations=999).p_value == 1 / 1000


def test_equal_models_have_p_one():
    values = [[at % 3, 3] for at in range(20)]
    result = post_swap_test(paired(values, values), mean, POSTS[:20], permutations=99)
    assert (result.difference, result.p_value) == (0, 1)


def test_swap_without_a_value_counts_against_the_difference():
    assert n_at_least(np.array([np.nan, 0.1, -0.3, 0.2]), 0.2) == 3
    first, second = [[0, 1], [0, 1]], [[1, 1], [1, 1]]

    def defined_as_observed_only(totals):
        return np.where(totals[:, 0] == 1, np.nan, totals[:, 0])

    found = post_swap_test(paired(first, second), defined_as_observed_only, POSTS[:2], permutations=99)
    assert found.n_undefined > 0
    assert found.p_value == 1


def test_undefined_difference_has_no_p():
    values = paired([[0, 1]], [[1, 1]])
    found = post_swap_test(values, lambda t: np.full(len(t), np.nan), POSTS[:1], permutations=99)
    assert np.isnan([found.difference, found.p_value]).all()


def test_under_no_difference_p_is_uniform():
    rng = np.random.default_rng(0)
    found = []
    for trial in range(200):
        first, second = rng.normal(size=(2, 40, 1))
        values = paired(first, second)
        found.append(post_swap_test(values, lambda t: t[:, 0], POSTS, permutations=199, seed=trial).p_value)
    share = np.mean(np.array(found) <= 0.1)
    assert 0.04 < share < 0.17


@given(
    st.lists(st.text(max_size=4), unique=True, min_size=1, max_size=6), st.integers(0, 2**64 - 1), st.data()
)
def test_coin_depends_on_seed_swap_and_post_alone(posts, seed, data):
    whole = post_swaps(posts, seed=seed, start=0, stop=150)
    start = data.draw(st.integers(0, 150))
    stop = data.draw(st.integers(start, 150))
    order = data.draw(st.permutations(range(len(posts))))
    part = post_swaps([posts[at] for at in order], seed=seed, start=start, stop=stop)
    assert (part == whole[start:stop, order]).all()


def test_coins_are_fair_and_independent():
    coins = post_swaps([f"p{at}" for at in range(300)], seed=3, start=0, stop=4000) * 2.0 - 1
    assert abs(coins.mean()) < 4 / np.sqrt(coins.size)
    between = np.corrcoef(coins.T) - np.eye(300)
    assert np.abs(between).max() < 6 / np.sqrt(4000)
    along = (coins[1:] * coins[:-1]).mean()
    assert abs(along) < 4 / np.sqrt(coins.size)


def test_coins_keep_their_values_from_version_to_version():
    coins = post_swaps(["a", "b", "ä"], seed=0, start=0, stop=8).astype(int)
    expected = [[0, 0, 1], [1, 0, 1], [0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0], [1, 0, 0]]
    assert coins.tolist() == expected


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_totals_do_not_depend_on_the_order_of_posts(values, random):
    weights = [[random.randint(0, 20) for _ in values] for _ in range(3)]
    order = random.sample(range(len(values)), len(values))
    column = np.array(values)[:, None]
    found = PostValues.from_array(column).totals(np.array(weights))
    mixed = PostValues.from_array(column[order]).totals(np.array(weights)[:, order])
    assert found.tolist() == mixed.tolist()
    for row, total in zip(weights, found[:, 0], strict=True):
        exact = sum(
            (Fraction(value) * weight for value, weight in zip(values, row, strict=True)), Fraction(0)
        )
        scale = sum(abs(value) for value in values) + 1
        assert abs(Fraction(total) - exact) <= Fraction(scale) * Fraction(1, 10**13)


@settings(max_examples=25)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels_and_leaves_undefined_tests_out(p):
    found = holm(p)
    is_defined = ~np.isnan(p)
    assert np.isnan(found[~is_defined]).all()
    if is_defined.any():
        expected = multipletests(np.array(p)[is_defined], method="holm")[1]
        assert found[is_defined] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("made", ["of posts", "of rows"])
def test_no_total_of_a_part_is_rounded_even_at_the_greatest_weights(made):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.97, 1, (63, 1))
    of_posts = (
        PostValues.from_array(values)
        if made == "of posts"
        else PostValues.from_rows(values, np.arange(63), 63)
    )
    weights = np.vstack([np.full(63, -63), rng.integers(60, 64, (20, 63))])
    for part in of_posts.parts:
        dense = part.toarray() if hasattr(part, "toarray") else part
        exact = [sum(int(w) * Fraction(v) for w, v in zip(row, dense[0], strict=True)) for row in weights]
        assert [Fraction(total) for total in PostValues((part,)).totals(weights)[:, 0]] == exact
