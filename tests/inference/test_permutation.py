"""Whole-post swaps, exact totals of posts, and Holm's adjustment."""

from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from statsmodels.stats.multitest import multipletests

from evalcore.compare import compare
from evalcore.drawn.post_values import PostValues
from evalcore.drawn.swaps import Swaps, times
from evalcore.drawn.weights import hashes
from evalcore.inference.holm import holm
from evalcore.inference.permutation import n_at_least, swaps_of
from tests.support.made.scored_data import data_of
from tests.support.made.two_models import FAST, row_of

BRIER = {"metrics": ("calibration.brier",), "bootstrap": 0}


def scored(first, second, labels):
    """Two models with one row a post."""
    rows = zip(first, second, labels, strict=True)
    return data_of(
        [
            (f"s{at}", "A.1", score, label, "", model)
            for at, (one, other, label) in enumerate(rows)
            for model, score in (("a", one), ("b", other))
        ]
    )


def exact_p(first, second, labels):
    """The p-value of a difference in Brier scores over every one of the 2^P swaps, by plain loops."""
    losses = [[(Fraction(p) - y) ** 2 for p, y in zip(side, labels, strict=True)] for side in (first, second)]
    gaps = [b - a for a, b in zip(*losses, strict=True)]
    swapped = [
        sum(s * gap for s, gap in zip(signs, gaps, strict=True))
        for signs in product((-1, 1), repeat=len(gaps))
    ]
    return Fraction(sum(abs(one) >= abs(sum(gaps)) for one in swapped), len(swapped))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([0.25, 0.5, 0.75, 0.5, 1.0], [0.0, 0.75, 0.5, 0.25, 0.5]),
        ([0.5, 0.5, 0.25, 0.0], [0.75, 0.25, 0.5, 0.5]),
    ],
)
def test_p_is_near_that_of_every_possible_swap(first, second):
    labels = [0, 1, 1, 0, 1][: len(first)]
    expected = float(exact_p(first, second, labels))
    found = row_of(compare(scored(first, second, labels), "a", "b", **BRIER), "calibration.brier")["p"]
    assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / 9999) + 1 / 10_000


def test_p_counts_the_observed_arrangement_itself():
    data = scored([0.0] * 30, [1.0] * 30, [1] * 30)
    assert row_of(compare(data, "a", "b", permutations=999, **BRIER), "calibration.brier")["p"] == 1 / 1000


def test_swap_without_a_value_counts_against_the_difference():
    assert n_at_least(np.array([np.nan, 0.1, -0.3, 0.2]), 0.2) == 3
    # Whoever gets both of the second's calls has none at all: half of the swaps have no precision.
    data = scored([0.9, 0.1], [0.1, 0.9], [1, 0])
    row = row_of(
        compare(data, "a", "b", metrics=("classification.precision",), **FAST), "classification.precision"
    )
    n_undefined = int(row["p_method"].split("undefined=")[1].split(";")[0])
    assert 30 < n_undefined < 70
    assert row["p"] == 1


@pytest.mark.long
def test_under_no_difference_p_is_uniform():
    rng = np.random.default_rng(0)
    found = []
    for trial in range(100):
        first, second = rng.random((2, 40))
        data = scored(first, second, [1] * 40)
        result = compare(data, "a", "b", permutations=199, seed=trial, **BRIER)
        found.append(row_of(result, "calibration.brier")["p"])
    share = np.mean(np.array(found) <= 0.1)
    assert 0.02 < share < 0.2


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_swapped_totals_are_those_of_the_drawn_units(monkeypatch, made):
    rng = np.random.default_rng(1)
    swaps = Swaps(rng.integers(0, 2, (7, 50)).astype(np.uint8))
    matrix = rng.integers(0, 9, (5, 14)) * 1.0
    expected = matrix @ swaps.drawn.T.astype(float)
    assert (swaps.drawn[::2] + swaps.drawn[1::2] == 1).all()
    monkeypatch.setattr("evalcore.drawn.swaps.BLOCK_BYTES", 8 * 7 * 3)
    assert times(made(matrix), swaps).tolist() == expected.tolist()
    parts = [times(made(matrix), block) for block in swaps.blocks(1)]
    assert len(parts) > 1
    assert np.concatenate(parts, axis=1).tolist() == expected.tolist()


@given(
    st.lists(st.text(max_size=4), unique=True, min_size=1, max_size=6), st.integers(0, 2**64 - 1), st.data()
)
def test_coin_depends_on_seed_swap_and_post_alone(posts, seed, data):
    whole = swaps_of(hashes(posts), seed=seed, start=0, stop=150)
    start = data.draw(st.integers(0, 150))
    stop = data.draw(st.integers(start, 150))
    order = data.draw(st.permutations(range(len(posts))))
    part = swaps_of(hashes([posts[at] for at in order]), seed=seed, start=start, stop=stop)
    assert (part == whole[start:stop, order]).all()


def test_coins_are_fair_and_independent():
    coins = swaps_of(hashes([f"p{at}" for at in range(300)]), seed=3, start=0, stop=4000) * 2.0 - 1
    assert abs(coins.mean()) < 4 / np.sqrt(coins.size)
    between = np.corrcoef(coins.T) - np.eye(300)
    assert np.abs(between).max() < 6 / np.sqrt(4000)
    along = (coins[1:] * coins[:-1]).mean()
    assert abs(along) < 4 / np.sqrt(coins.size)


def test_coins_keep_their_values_from_version_to_version():
    coins = swaps_of(hashes(["a", "b", "ä"]), seed=0, start=0, stop=8).astype(int)
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
    units = np.arange(len(values))
    found = PostValues.from_rows(column, units, len(units)).totals(np.array(weights))
    mixed = PostValues.from_rows(column[order], units, len(units)).totals(np.array(weights)[:, order])
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
        with mock.patch("gc.collect"):  # which it calls every time
            expected = multipletests(np.array(p)[is_defined], method="holm")[1]
        assert found[is_defined] == pytest.approx(expected, abs=1e-12)


def test_no_total_of_a_part_is_rounded_even_at_the_greatest_weights():
    rng = np.random.default_rng(0)
    of_posts = PostValues.from_rows(rng.uniform(0.97, 1, (63, 1)), np.arange(63), 63)
    weights = np.vstack([np.full(63, -63), rng.integers(60, 64, (20, 63))])
    for part in of_posts.parts:
        exact = [sum(int(w) * Fraction(v) for w, v in zip(row, part[0], strict=True)) for row in weights]
        assert [Fraction(total) for total in PostValues((part,)).totals(weights)[:, 0]] == exact
