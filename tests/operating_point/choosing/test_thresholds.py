"""The exported threshold has the fewest digits that change no decision, and is the largest of those."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, find_thresholds
from evalcore.operating_point.tradeoff.thresholds import (
    as_float32,
    float32_changes,
    shortest_threshold,
    shortest_thresholds,
    threshold_text,
    threshold_up_to,
)
from tests.support.made.choices import table_of

TIES = [0.0, 0.2, 0.3, 0.30000000000000004, 0.8, 1.0]
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)


@pytest.mark.parametrize(
    ("previous", "score", "expected"),
    [
        (0.00848, 0.008531, 0.0085),
        (0.77, 0.7812, 0.78),
        (0.2, 0.8, 0.7),
        (0.8, 1.0, 0.9),
        (0.97, 1.0, 0.99),
        (0.0949, 0.1049, 0.1),
        (0.3, 0.30000000000000004, 0.30000000000000004),
        (0.2, 0.30000000000000004, 0.3),
        (-math.inf, 0.0, 0.0),
        (-math.inf, 0.0034, 0.003),
        (-7.4, -7.3, -7.31),
        (-2.0, -1.0, -1.1),
        (-9.9, -7.3, -8.0),
        (-0.4, 0.0, 0.0),
        (9.99, 12.3, 10.0),
    ],
)
def test_shortest_threshold(previous: float, score: float, expected: float) -> None:
    assert shortest_threshold(previous, score) == expected


def test_thresholds_of_tied_scores_separate_neighbouring_floats() -> None:
    score = np.array(TIES)
    threshold = shortest_thresholds(score, np.append(-np.inf, score[:-1]))
    assert threshold.tolist() == [0.0, 0.1, 0.29, 0.30000000000000004, 0.7, 0.9]


def test_shortest_threshold_is_the_largest_of_all_decimals_with_fewest_digits() -> None:
    rng = np.random.default_rng(0)
    decimals = {
        n: np.array(
            [0.0, *(float(f"{m}e-{place}") for place in range(8) for m in range(-(10**n), 10**n + 1))]
        )
        for n in (1, 2, 3)
    }
    n_compared = 0
    for _ in range(500):
        previous, score = np.sort((rng.uniform(-1, 1, 2) ** 3).round(3)).tolist()
        if previous == score or score == 0:
            continue
        for digits in decimals.values():
            inside = digits[(previous < digits) & (digits < score)]
            if len(inside):
                assert shortest_threshold(previous, score) == inside.max()
                n_compared += 1
                break
    assert n_compared > 400


@given(finite, finite)
@example(0.1, math.nextafter(0.1, 1))
@example(0.0, 5e-324)
@example(-5e-324, 0.0)
def test_shortest_threshold_decides_like_the_score(one: float, other: float) -> None:
    previous, score = min(one, other), max(one, other)
    if previous == score:
        return
    found = shortest_threshold(previous, score)
    assert previous < found <= score
    assert found < score or score == 0 or math.nextafter(previous, math.inf) >= score
    stored = [float(as_float32(np.array(one))) for one in (previous, score)]
    if stored[0] < stored[1]:
        assert stored[0] < found <= stored[1]
    assert float(threshold_text(found)) == found


@given(st.lists(finite, min_size=1, max_size=40, unique=True))
@example([1e-300, 2e-300])
@example([-1e30, 1e30])
@example([0.1, math.nextafter(0.1, 1), math.nextafter(0.1, 0)])
def test_many_thresholds_at_once_equal_single_ones(scores: list[float]) -> None:
    score = np.unique(np.array(scores) + 0.0)
    previous = np.append(-np.inf, score[:-1])
    expected = [shortest_threshold(low, high) for low, high in zip(previous, score, strict=True)]
    assert shortest_thresholds(score, previous).tolist() == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0085, "0.0085"),
        (-0.0, "0"),
        (1.0, "1"),
        (-12.5, "-12.5"),
        (0.000001, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (1e21, "1e+21"),
        (123456789.0, "123456789"),
        (0.30000000000000004, "0.30000000000000004"),
    ],
)
def test_threshold_text_is_what_a_browser_writes(value: float, text: str) -> None:
    assert threshold_text(value) == text
    assert float(text) == value


@pytest.mark.parametrize("digits", [2, 4, 17])
def test_scores_stored_as_float32_get_the_same_state(digits: int) -> None:
    rng = np.random.default_rng(digits)
    label = rng.random(600) < 0.3
    score = np.round(np.where(label, rng.beta(3, 2, 600), rng.beta(1, 5, 600)), digits)
    table = table_of(score[label], score[~label])
    found = find_thresholds(table, Constraint(SENSITIVITY, 0.9, None), Constraint(PRECISION, 0.7, None))
    assert found.tau_neg is not None
    assert found.tau_pos is not None
    stored = as_float32(score)
    for tau in (found.tau_neg, found.tau_pos):
        assert np.array_equal(score < tau, stored < tau)
        assert not (score == tau).any()


def test_a_threshold_that_equals_a_score_changes_sides_as_float32() -> None:
    assert threshold_up_to(0.2, 0.7) == 0.7
    assert float32_changes(np.array([0.5, 0.7, 0.9]), 0.7).tolist() == [False, True, False]
    assert not float32_changes(np.array([0.2, 0.7, 0.9]), shortest_threshold(0.2, 0.7)).any()


def test_scores_that_float32_cannot_tell_apart_are_told() -> None:
    low, high = 0.123456789, 0.1234567891
    found = shortest_threshold(low, high)
    assert low < found < high
    assert float32_changes(np.array([low, high]), found, None).sum() == 1


@pytest.mark.parametrize("score", [0.0, 1e-50, 5e-324])
def test_a_lowest_score_that_float32_stores_as_0_is_kept_by_the_threshold_0(score: float) -> None:
    assert shortest_threshold(-math.inf, score) == 0.0
    assert shortest_threshold(-0.5, score) == 0.0
