"""The Pareto front of systems, which no other one beats in two metrics at once; the best by one metric."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

from evalcore.catalog import METRICS
from evalcore.evaluation.recommender.best import best_at, place_of
from evalcore.evaluation.recommender.tradeoff import front_of

NAN = float("nan")
HIGHER = METRICS["recommender.recall"]
LOWER, NEITHER = replace(HIGHER, better="lower"), replace(HIGHER, better="neither")
POINTS = of_numpy.arrays(
    float, st.tuples(st.integers(1, 8), st.just(2)), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])
)


def names_of(n: int) -> list[str]:
    return [f"m{at}" for at in range(n)]


def test_a_system_that_another_one_beats_in_both_is_named_with_it():
    front = front_of(["a", "b", "c"], ([0.5, 0.4, 0.3], [0.2, 0.6, 0.5]), ("higher", "higher"))
    assert front.is_on_front.tolist() == [True, True, False]
    assert front.beaten_by == ((), (), ("b",))


def test_the_direction_of_each_metric_is_the_declared_one():
    values = ([0.5, 0.4], [0.9, 0.1])  # the first is more accurate, the second less concentrated
    assert front_of(["a", "b"], values, ("higher", "lower")).is_on_front.tolist() == [True, True]
    assert front_of(["a", "b"], values, ("higher", "higher")).is_on_front.tolist() == [True, False]
    assert front_of(["a", "b"], values, ("lower", "lower")).is_on_front.tolist() == [False, True]


def test_where_neither_direction_is_better_there_is_no_front():
    assert front_of(["a", "b"], ([0.5, 0.4], [0.9, 0.1]), ("higher", "neither")) is None


def test_equal_systems_do_not_beat_each_other_and_one_that_is_equal_in_one_metric_can_be_beaten():
    front = front_of(["a", "b", "c"], ([0.5, 0.5, 0.5], [0.2, 0.2, 0.1]), ("higher", "higher"))
    assert front.is_on_front.tolist() == [True, True, False]
    assert front.beaten_by[2] == ("a", "b")


def test_a_system_without_a_value_is_neither_on_the_front_nor_beaten():
    front = front_of(["a", "b"], ([0.5, NAN], [0.2, 0.9]), ("higher", "higher"))
    assert front.is_on_front.tolist() == [True, False]
    assert front.beaten_by == ((), ())


@given(POINTS, st.sampled_from(["higher", "lower"]), st.sampled_from(["higher", "lower"]))
def test_who_is_off_the_front_is_beaten_by_one_on_it(points, across, up):
    names = names_of(len(points))
    front = front_of(names, (points[:, 0], points[:, 1]), (across, up))
    signs = np.array([1 if one == "higher" else -1 for one in (across, up)])
    for at, name in enumerate(names):
        beats = [
            other
            for other in range(len(names))
            if all(points[other] * signs >= points[at] * signs) and any(points[other] != points[at])
        ]
        is_known = not np.isnan(points[at]).any()
        assert front.is_on_front[at] == (is_known and not beats)
        assert set(front.beaten_by[at]) == {names[one] for one in beats if front.is_on_front[one]}
        assert not beats or front.beaten_by[at], name


@given(POINTS, st.randoms(use_true_random=False))
def test_the_order_of_systems_plays_no_part(points, random):
    names = names_of(len(points))
    order = list(range(len(points)))
    random.shuffle(order)
    plain = front_of(names, (points[:, 0], points[:, 1]), ("higher", "lower"))
    mixed = front_of([names[at] for at in order], (points[order, 0], points[order, 1]), ("higher", "lower"))
    assert mixed.is_on_front.tolist() == plain.is_on_front[order].tolist()
    assert [set(one) for one in mixed.beaten_by] == [set(plain.beaten_by[at]) for at in order]


@pytest.mark.parametrize(
    ("metric", "values", "at", "place"),
    [
        (HIGHER, [0.5, 0.7, NAN], 0, (2, 2)),
        (HIGHER, [0.5, 0.5, 0.2], 1, (1, 3)),
        (LOWER, [0.5, 0.7, 0.1], 0, (2, 3)),
        (HIGHER, [0.5, NAN], 1, None),
        (NEITHER, [0.5, 0.7], 1, None),
    ],
)
def test_a_place_is_among_the_values_there_are_and_equal_ones_share_it(metric, values, at, place):
    assert place_of(metric, values, at) == place


def test_the_best_at_each_k_is_the_lowest_where_lower_is_better_and_equal_ones_stand_together():
    values = {"a": np.array([0.1, 0.5, NAN]), "b": np.array([0.2, 0.5, 0.9]), "c": np.array([0.3, NAN, NAN])}
    assert best_at(HIGHER, values, (1, 5, 10)) == {("c",): [1], ("a", "b"): [5]}
    assert best_at(NEITHER, values, (1, 5, 10)) == {("c",): [1], ("a", "b"): [5]}
    assert best_at(LOWER, values, (1, 5, 10)) == {("a",): [1], ("a", "b"): [5]}
