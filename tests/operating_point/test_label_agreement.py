"""Copies that lie on either side like any two rows are told by their labels; rows alike by chance are not."""

import numpy as np
import pytest

from evalcore.operating_point import choose_operating_point
from evalcore.operating_point.test_rows.label_agreement import (
    _rates_near,
    one_label_across,
    one_label_within,
)
from evalcore.operating_point.test_rows.repetition import repetition
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.but_long import but_long
from tests.support.made import scored_data

SIDES = ("tune", "test")
TARGET = {"screening_sensitivity": 0.95, "alert_precision": None, "tune": "tune", "test": "test"}


def data_of(rows):
    """Data of rows, whatever their numbers are."""
    return scored_data.data_of([(post, name, float(p), int(y), side) for post, name, p, y, side in rows])


def drawn(rng, n, *, prevalence=0.15, separation=2.4):
    """Labels and continuous scores of independent posts."""
    label = (rng.random(n) < prevalence).astype(int)
    score = 1 / (1 + np.exp(-(1.6 * (rng.normal(size=n) + separation * label) - 3.4)))
    return label, score


def divided(rng, label, score):
    """Posts under new ids, one row each, half of them tune, at random."""
    side = np.where(rng.permutation(len(label)) < len(label) // 2, "tune", "test")
    name = rng.permutation(len(label))
    return data_of([(f"p{name[at]}", "A.1", score[at], label[at], side[at]) for at in range(len(label))])


def sides(data):
    return [row_set(data, role, split=role, model=None) for role in ("tune", "test")]


COPIES = {
    "every post five times": lambda label: np.full(len(label), 5),
    "posts with evidence ten times": lambda label: np.where(label == 1, 10, 1),
    "a fifth of the posts three times": lambda label: np.where(np.arange(len(label)) % 5 == 0, 3, 1),
}


@pytest.mark.parametrize("copies", COPIES)
@pytest.mark.parametrize("seed", but_long(range(3), 3))
def test_copies_made_before_the_split_are_told_and_certify_nothing(copies, seed):
    rng = np.random.default_rng(seed)
    label, score = drawn(rng, 2000)
    times = COPIES[copies](label)
    data = divided(rng, np.repeat(label, times), np.repeat(score, times))
    assert repetition(*sides(data)).across is not None
    point = choose_operating_point(data, **TARGET)
    assert point.document["status"] == "exploratory"
    assert point.verify(data).holds


def test_copies_of_tune_are_told_where_tune_repeats_itself_too():
    rng = np.random.default_rng(4)
    label, score = drawn(rng, 1500)
    fresh_label, fresh_score = drawn(rng, 200)
    tune = [("tune", label[at], score[at]) for at in range(1500) for _ in range(3 if at < 750 else 1)]
    test = [("test", label[at], score[at]) for at in range(750, 1500)]
    test += [("test", *pair) for pair in zip(fresh_label, fresh_score, strict=True)]
    rows = [(f"p{at}", "A.1", p, y, side) for at, (side, y, p) in enumerate([*tune, *test])]
    assert repetition(*sides(data_of(rows))).across is not None


def leaves(rng, score):
    edges = np.sort(rng.choice(score, 200, replace=False))
    return np.sort(rng.random(201))[np.searchsorted(edges, score)]


HONEST = {
    "continuous": lambda _, score: score,
    "four digits": lambda _, score: np.round(score, 4),
    "three digits": lambda _, score: np.round(score, 3),
    "two digits": lambda _, score: np.round(score, 2),
    "values of 201 leaves": leaves,
}


@pytest.mark.parametrize("kind", HONEST)
@pytest.mark.parametrize("seed", range(4))
def test_posts_that_share_a_score_by_chance_are_not_copies(kind, seed):
    rng = np.random.default_rng(100 + seed)
    label, score = drawn(rng, 2000)
    score = HONEST[kind](rng, score)
    side = np.repeat(["tune", "test"], 1000)
    data = data_of([(f"p{at}", "A.1", score[at], label[at], side[at]) for at in range(2000)])
    found = repetition(*sides(data))
    assert (found.across, found.within) == (None, None)


def test_tune_that_was_enlarged_alone_is_no_copy():
    rng = np.random.default_rng(7)
    label, score = drawn(rng, 2000)
    score = np.round(score, 3)
    rows = [("tune", at) for at in range(1000) for _ in range(1 + 3 * label[at])]
    rows += [("test", at) for at in range(1000, 2000)]
    data = data_of([(f"p{n}", "A.1", score[at], label[at], side) for n, (side, at) in enumerate(rows)])
    assert one_label_across(*sides(data)) is None
    assert one_label_within(*sides(data)) is None


def test_a_post_whose_rows_share_one_score_speaks_once():
    rng = np.random.default_rng(8)
    score = np.round(rng.random(300), 4)
    rows = [
        (
            f"p{post}",
            f"A.{at}",
            score[post],
            int(rng.random() < score[post]),
            "tune" if post < 150 else "test",
        )
        for post in range(300)
        for at in range(10)
    ]
    assert one_label_within(*sides(data_of(rows))) is None


def test_a_test_that_repeats_itself_alone_is_told_by_its_labels():
    rng = np.random.default_rng(9)
    (of_tune, tune), (of_test, test) = drawn(rng, 600), drawn(rng, 600)
    rows = [("tune", at, of_tune[at], tune[at]) for at in range(600)]
    rows += [("test", at, of_test[at], test[at]) for at in range(600) for _ in range(2 if at < 400 else 1)]
    data = data_of([(f"p{n}", "A.1", p, y, side) for n, (side, _, y, p) in enumerate(rows)])
    found = one_label_within(*sides(data))
    assert 380 < found.n <= 400  # a few lie at the ends, where no rate is known
    assert found.n - 40 < found.expected < found.n - 10  # most lie where nearly all rows have one label
    assert one_label_across(*sides(data)) is None


def test_ten_rows_on_a_side_say_a_rate_and_nine_do_not():
    score = np.arange(12)
    below, above = _rates_near(np.zeros(12, np.int64), score, score % 2, score, 12)
    assert below == pytest.approx([*[np.nan] * 10, 5 / 10, 5 / 11], nan_ok=True)
    assert above == pytest.approx([6 / 11, 5 / 10, *[np.nan] * 10], nan_ok=True)
