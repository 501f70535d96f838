"""Rows that repeat others are told from rows that are alike by chance."""

import numpy as np
import pytest

from evalcore.operating_point.test_rows import alike_rows
from evalcore.operating_point.test_rows.alike_rows import Both, alike_pairs, pairs_by_frequency
from evalcore.operating_point.test_rows.overlap import _mixed, n_overlapping_posts
from evalcore.operating_point.test_rows.repetition import repetition
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.but_long import but_long
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


def test_pairs_alike_by_chance_are_pairs_within_criteria_and_labels_times_what_scores_agree():
    """Test holds 4 rows of one criterion and label and 2 of another: 7 pairs, each alike in 14 of 36."""
    tune = [(f"s{at}", "A.1", 0.9, 0) for at in range(5)]
    scores = [0.1, 0.1, 0.1, 0.2, 0.2, 0.3]
    test = [(f"t{at}", "A.1" if at < 4 else "A.2", p, int(at < 4)) for at, p in enumerate(scores)]
    rows = (row_set(data_of(side), "all", split=None, model=None) for side in (tune, test))
    both = Both.every(*rows, digits=None, has_criterion=True)
    assert pairs_by_frequency(both) == pytest.approx(7 * 14 / 36)


@pytest.mark.parametrize(("most", "n_pairs"), [(4, 4), (3, 1)])
def test_rows_alike_in_threes_are_left_out_where_their_pairs_are_too_many(monkeypatch, most, n_pairs):
    """Two rows alike are a pair, three are three more."""
    monkeypatch.setattr(alike_rows, "MOST_PAIRS", most)
    key, nothing = np.array([0, 0, 1, 1, 1]), np.zeros(5, np.int64)
    pairs = alike_pairs(Both(key, nothing, nothing, np.arange(5), nothing.astype(bool)))
    assert len(pairs.first) == n_pairs


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


@pytest.mark.parametrize("name", but_long(CASES, 4))
def test_honest_rows_that_coincide_are_not_accused(name):
    tune, change = CASES[name]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        found = repetition(honest(rng, **tune, name="s"), honest(rng, **tune | change, name="t"))
        assert (found.across, found.within) == (None, None)


def posts(scores, name, *, label=0, criterion="A", turn=False, score_kind="probability"):
    """A row set of posts with these scores, all of one label, one criterion a score."""
    rows = [
        (f"{name}{at}", f"{criterion}.{k}", float(score), label)
        for at, post in enumerate(scores)
        for k, score in enumerate(post)
    ]
    rows = rows[::-1] if turn else rows
    return row_set(data_of(rows, score_kind=score_kind), "all", split=None, model=None)


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
    assert overlap(40, 40, 13) == 0  # as good as 1 in 2¹³: once in ten thousand


@pytest.mark.parametrize(
    ("n_tune", "n_test", "n_found"),
    [(39, 27, 13), (27, 27, 0), (100, 20, 8), (20, 100, 8)],
)
def test_pairs_across_are_an_accident_as_two_posts_fall_on_either_side(n_tune, n_test, n_found):
    """2·39·27/(66·65) to the 13th is 9.6e-5, and 2·27·27/(54·53) to the 13th is 1.6e-4."""
    assert overlap(n_tune, n_test, 8 if 20 in (n_tune, n_test) else 13) == n_found
    if n_found == 8:
        assert overlap(n_tune, n_test, 7) == 0


def test_pairs_within_each_side_make_pairs_across_an_accident():
    scores = np.random.default_rng(1).random((200, 2))
    across, of_tune, of_test = scores[:15], scores[15:30], scores[30:45]

    def found(*, within):
        tune = [*across, *scores[50:90], *of_tune, *(of_tune if within else [])]
        test = [*across, *scores[100:140], *of_test, *(of_test if within else [])]
        return n_overlapping_posts(posts(tune, "s"), posts(test, "t"))

    assert found(within=False) == 15
    assert found(within=True) == 0


def turned(scores, change, **options):
    """Posts said to overlap when 20 of 80 are those of tune, changed; one criterion a score."""
    rng = np.random.default_rng(2)
    others = scores[80:140]
    tune, test = scores[:80], [*(change(rng, post) for post in scores[:20]), *others]
    return n_overlapping_posts(posts(tune, "s", **options), posts(test, "t", **options))


def hair(rng, post):
    """Moved by less than half of a thousandth: 12 in 10,000 of what is tested here."""
    return post * (1 + rng.choice([-3e-4, 3e-4], len(post)))


def test_copies_are_found_though_their_scores_were_moved_by_less_than_a_thousandth():
    rng = np.random.default_rng(3)
    grid = rng.integers(1, 1000, (140, 3)) / 1000
    assert turned(grid, lambda rng, post: np.clip(post + rng.choice([-3e-4, 3e-4], 3), 0, 1)) == 20
    assert turned(grid, lambda _, post: np.clip(post + 7e-4, 0, 1)) == 0
    large = np.ldexp(rng.integers(500, 1000, (140, 3)) / 1000, rng.integers(-30, 30, (140, 3)))
    assert turned(large, hair, score_kind="score") == 20
    assert turned(large, lambda _, post: post * (1 + 3e-3), score_kind="score") == 0


def test_scores_near_and_at_zero_are_told_apart_and_both_signs_of_zero_are_one():
    tiny = np.random.default_rng(4).random((140, 3)) * 1e-20
    assert turned(tiny, lambda _, post: post) == 20
    signed = np.random.default_rng(5).random((140, 3)) * np.array([1, 0, 1])
    assert turned(signed, lambda _, post: np.where(post == 0, -0.0, post)) == 20


def test_what_a_row_says_makes_it_the_same_or_another():
    """Few posts, half of which hold the same rows: found by criterion, score and label."""
    scores = np.random.default_rng(6).random((9, 2))

    def found(**changed):
        return n_overlapping_posts(posts(scores[:6], "s"), posts(scores[3:], "t", **changed))

    assert found() == 3
    assert found(label=1) == 0
    assert found(criterion="B") == 0
    assert found(criterion="A", turn=True) == 3  # the order of a post's rows says nothing


def test_posts_that_look_alike_are_one_where_both_sides_hold_one_of_them():
    def found(tune, test):
        scores = np.random.default_rng(7).random((len(tune) + len(test), 2))
        sides = zip(("tune", "test"), (tune, test), (scores[: len(tune)], scores[len(tune) :]), strict=True)
        return n_overlapping_posts(
            *(
                row_set(
                    data_of(
                        [
                            (name, f"A.{k}", p, 0)
                            for name, post in zip(names, of, strict=True)
                            for k, p in enumerate(post)
                        ],
                        name=f"{side}.csv",
                    ),
                    "all",
                    split=None,
                    model=None,
                )
                for side, names, of in sides
            )
        )

    assert found(["17", "s 2", "x"], ["17.0", "S2", "y"]) == 2
    assert found(["17", "17.00", "x"], ["17.0", "y"]) == 1
    assert found(["17", "17.0"], ["18", "18.0"]) == 0
    assert found(["a", "17", "b"], ["a", "17.0", "c"]) == 2  # one by its id, one by its look
    assert found(["'a'"], ["a\u200b"]) == 1


def test_copies_of_few_score_values_are_found_under_other_criteria():
    """Fifteen values are no ranks: that rows a few places further are alike too says nothing there."""
    scores = np.random.default_rng(8).integers(1, 16, (140, 8)) / 16
    tune, test = scores[:80], [*scores[:20], *scores[80:]]
    assert n_overlapping_posts(posts(tune, "s"), posts(test, "t", criterion="B")) == 20


def ranked_posts(labels, name, criterion="A.1"):
    """Posts of one row each, their scores the places of it among all."""
    rows = [(f"{name}{at}", criterion, (at + 1) / len(labels), int(y)) for at, y in enumerate(labels)]
    return row_set(data_of(rows), "all", split=None, model=None)


@pytest.mark.parametrize("criterion", ["A.1", "B"])
@pytest.mark.parametrize(("n_positive", "n_found"), [(6, 100), (5, 100), (3, 0)])
def test_ranks_that_all_coincide_are_copies_where_labels_a_few_places_further_do_not(
    n_positive, n_found, criterion
):
    """A place further two labels a positive differ: .88 and .9 to the 100th are below 1e-4, .94 is not."""
    of_test = np.isin(np.arange(100), 10 + 14 * np.arange(n_positive))
    of_tune = np.zeros(1000)
    of_tune[9::10] = of_test  # the row of the same rank
    assert n_overlapping_posts(ranked_posts(of_tune, "s"), ranked_posts(of_test, "t", criterion)) == n_found


def test_ranks_of_rows_with_other_prevalences_are_no_copies():
    """95 % of tune and 60 % of test have evidence: 59 % agree by chance, within test 52 %."""
    rng = np.random.default_rng(9)
    tune, test = rng.random(1500) < 0.95, rng.random(1500) < 0.6
    assert n_overlapping_posts(ranked_posts(tune, "s"), ranked_posts(test, "t")) == 0


def test_nobody_can_tell_where_one_side_names_no_posts():
    rows = [(f"s{at}", "A.1", at / 10, 0) for at in range(5)]
    named, unnamed = (
        row_set(data_of(rows, has_posts=has), "all", split=None, model=None) for has in (True, False)
    )
    assert n_overlapping_posts(named, named) == 5
    for pair in ((named, unnamed), (unnamed, named), (unnamed, unnamed)):
        assert n_overlapping_posts(*pair) is None


def test_signatures_are_mixed_by_the_finaliser_of_splitmix64():
    """Its published first outputs from state 1234567."""
    step, state = np.uint64(0x9E3779B97F4A7C15), np.full(3, 1234567, np.uint64)
    found = _mixed(state + step * np.arange(1, 4, dtype=np.uint64))
    assert found.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
