"""The exported threshold has the fewest digits that change no decision, and is the largest of those."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.operating_point.thresholds import shortest_threshold, shortest_thresholds, threshold_text

TIES = [0.0, 0.2, 0.3, 0.30000000000000004, 0.8, 1.0]
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)


def n_digits(value: float) -> int:
    """Significant digits of the shortest text of a float64."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


@pytest.mark.parametrize(
    ("previous", "score", "expected"),
    [
        (0.00848, 0.008531, 0.0085),
        (0.77, 0.7812, 0.78),
        (0.2, 0.8, 0.8),
        (0.8, 1.0, 1.0),
        (0.0949, 0.1049, 0.1),
        (0.3, 0.30000000000000004, 0.30000000000000004),
        (0.2, 0.30000000000000004, 0.3),
        (-math.inf, 0.0, 0.0),
        (-math.inf, 0.0034, 0.003),
        (-7.4, -7.3, -7.3),
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
    assert threshold.tolist() == [0.0, 0.2, 0.3, 0.30000000000000004, 0.8, 1.0]


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
        previous, score = np.sort((rng.uniform(-1, 1, 2) ** 3).round(6)).tolist()
        for digits in decimals.values():
            inside = digits[(previous < digits) & (digits <= score)]
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
    assert n_digits(found) <= n_digits(score)
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
