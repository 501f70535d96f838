"""Rows that repeat others are told from rows that are alike by chance."""

import numpy as np
import pytest

from evalcore.operating_point.test_rows.overlap import n_overlapping_posts
from evalcore.operating_point.test_rows.repetition import repetition
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.made.scored_data import data_of


def honest(rng, n_posts, per_post, *, name, digits=2, values=None, effect=1.0, narrow=1.0, prevalence=-2.3):
    """Rows of posts that differ, their scores rounded."""
    rows = []
    for post in range(n_posts):
        level = rng.normal(0, effect) + prevalence
        for at in range(per_post):
            label = rng.random() < 1 / (1 + np.exp(-level))
            score = 1 / (1 + np.exp(-(narrow * (level + rng.normal()) + 2 * label - 0.5)))
            score = round(score * values) / values if values else round(score, digits)
            rows.append((f"{name}{post}", f"A.{at}", score, int(label)))
    return row_set(data_of(rows), "all", split=None, model=None)


CASES = {
    "two digits": ({"n_posts": 120, "per_post": 5}, {}),
    "three digits, few posts": ({"n_posts": 40, "per_post": 4, "digits": 3}, {}),
    "eleven values": ({"n_posts": 100, "per_post": 5, "values": 10}, {}),
    "51 values": ({"n_posts": 100, "per_post": 5, "values": 50}, {}),
    "one row a post": ({"n_posts": 400, "per_post": 1, "digits": 3}, {}),
    "posts that differ much": ({"n_posts": 100, "per_post": 5, "effect": 4.0}, {}),
    "a small test": ({"n_posts": 200, "per_post": 4, "digits": 3}, {"n_posts": 30}),
    "an enriched test": ({"n_posts": 200, "per_post": 4, "digits": 3}, {"prevalence": 0.0, "n_posts": 60}),
    "a test closer together": ({"n_posts": 150, "per_post": 4, "digits": 3}, {"narrow": 0.6}),
    "a test of coarser scores": ({"n_posts": 100, "per_post": 5, "digits": 6}, {"digits": 2}),
    "a long enriched test of one digit": (
        {"n_posts": 60, "per_post": 20, "digits": 1},
        {"prevalence": 0.0},
    ),
    "saturated scores": ({"n_posts": 80, "per_post": 9, "digits": 1, "effect": 4.0}, {}),
    "posts of other sizes": ({"n_posts": 400, "per_post": 1, "digits": 3}, {"n_posts": 40, "per_post": 10}),
}


@pytest.mark.parametrize("name", CASES)
def test_honest_rows_that_coincide_are_not_accused(name):
    tune, change = CASES[name]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        found = repetition(honest(rng, **tune, name="s"), honest(rng, **tune | change, name="t"))
        assert (found.across, found.within) == (None, None)


def posts(scores, name):
    """A row set of posts with these scores, all negative, one criterion a score."""
    rows = [
        (f"{name}{at}", f"A.{k}", score, 0) for at, post in enumerate(scores) for k, score in enumerate(post)
    ]
    return row_set(data_of(rows), "all", split=None, model=None)


def overlap(n_tune, n_test, n_copied):
    """Posts said to overlap when the first so many posts of test are those of tune under other ids."""
    scores = np.random.default_rng(0).random((n_tune + n_test, 2))
    copied = [*scores[:n_copied], *scores[n_tune : n_tune + n_test - n_copied]]
    return n_overlapping_posts(posts(scores[:n_tune], "s"), posts(copied, "t"))


def test_half_of_the_posts_of_one_side_are_copies_however_few():
    # Three pairs alone could be an accident (1 in 8): that they are half of one side decides.
    assert overlap(20, 6, 3) == 3
    assert overlap(6, 20, 3) == 3
    assert overlap(20, 7, 3) == 0
    assert overlap(7, 20, 3) == 0
    assert overlap(20, 8, 4) == 4
    assert overlap(20, 9, 4) == 0
    assert overlap(20, 4, 2) == 0  # fewer than three
    assert overlap(40, 40, 14) == 14  # few of both, yet no accident
