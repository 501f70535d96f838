"""What carries the fits of all replicates at once: the series of the logistic function, and few points."""

from itertools import product

import numpy as np
import pytest
from scipy import special

from evalcore.drawn.fits import _series, _series_at
from evalcore.drawn.points import ACCURACY, REACH
from evalcore.drawn.points import points_of as points_of_rows
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.rows import ReplicatedRows
from evalcore.drawn.weights import hashes
from evalcore.kernels.logistic import CLIP, intercept_of, line_of
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.but_long import but_long


def test_the_series_is_the_logistic_function_and_its_derivative():
    centre = np.array([-9.0, -2.5, 0.0, 0.3, 4.0])
    series = _series(centre).T
    for t in (-1.0, -0.37, 0.0, 0.5, 1.0):
        value, slope = _series_at(series, np.full(len(centre), t))
        rate = special.expit(centre + REACH * t)
        assert value == pytest.approx(rate, abs=2e-14)
        assert slope == pytest.approx(REACH * rate * (1 - rate), abs=1e-11)


def points_of(x, is_positive):
    """The points of rows with these log odds."""
    rows = ScoredRows(special.expit(x), is_positive, np.arange(len(x)), len(x))
    drawn = Resampling.of(hashes(map(str, range(len(x)))), 2, 0)
    return points_of_rows(ReplicatedRows(rows, drawn), CLIP)


@pytest.mark.parametrize("n", [1, 2, 3, 20])
def test_few_values_stand_for_themselves(n):
    x = np.linspace(-2, 3, n)
    points = points_of(x, np.arange(n) % 2 == 1)
    assert points.x == pytest.approx(x, abs=1e-12)
    assert points.basis.tolist() == np.eye(n).tolist()
    assert points.carry(np.array([0.0, 9.0]), np.array([1.0, 50.0])).all()


@pytest.mark.parametrize(
    ("offset", "steep"),
    but_long([(0.0, 1.0), (-4.0, 0.3), (2.0, 0.05), (1.0, -0.7), (0.5, 6.0), (-9.0, 3.0)], 2),
)
def test_few_points_carry_the_rates_of_lines_near_that_of_all_rows(offset, steep):
    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(0, 1.5, 2000))
    is_positive = rng.random(len(x)) < special.expit(offset + steep * x)
    points = points_of(x, is_positive)
    table = ScoreTable.from_rows(ScoredRows(special.expit(x), is_positive, np.arange(len(x)), len(x)))
    line, centre = line_of(table, CLIP), intercept_of(table, CLIP)
    assert len(points.x) < len(x) / 6
    assert points.basis.sum(axis=1) == pytest.approx(np.ones(len(x)), abs=1e-12)
    n_carried = 0
    for times, shift in product(
        (0.2, 0.7, 1.0, 1.3, 1.5, 3.0), (-20.0, -3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0)
    ):
        slope = times * float(line.slope)
        intercept = times * (float(line.intercept) + shift)
        is_carried = bool(points.carry(np.array(intercept), np.array(slope)))
        assert is_carried or not (times <= 1.5 and abs(shift) <= 1), (times, shift)
        if is_carried:
            n_carried += 1
            rate = special.expit(intercept + slope * x)
            of_points = points.basis @ special.expit(intercept + slope * points.x)
            assert of_points == pytest.approx(rate, abs=40 * ACCURACY), (times, shift)
    assert n_carried < 48 or abs(steep) < 1  # a line far from that of all rows is left to its own fit
    for t in (-REACH, 0.0, REACH):
        rate = special.expit(centre + t + x)
        assert points.basis @ special.expit(centre + t + points.x) == pytest.approx(rate, abs=40 * ACCURACY)


@pytest.mark.parametrize(("offset", "steep"), [(0.0, 1.0), (-4.0, 0.3), (2.0, 0.05), (0.5, 6.0)])
def test_poles_may_lie_as_near_as_the_nearest_of_all_that_is_looked_for(offset, steep):
    """Lines as steep as the steepest, moved by up to 1.5 logits, and slopes of 1 about the intercept."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(0, 1.5, 2000))
    is_positive = rng.random(len(x)) < special.expit(offset + steep * x)
    points = points_of(x, is_positive)
    table = ScoreTable.from_rows(ScoredRows(special.expit(x), is_positive, np.arange(len(x)), len(x)))
    line, centre = line_of(table, CLIP), intercept_of(table, CLIP)
    assert points.steepest == pytest.approx(1.5 * abs(line.slope) + 0.2)
    shift = np.linspace(-1.5, 1.5, 321)
    lines = points.scale.distance(
        (line.intercept + shift) * points.steepest / line.slope, np.full(321, points.steepest)
    )
    offsets = points.scale.distance(centre + np.linspace(-1, 1, 321), np.ones(321))
    assert points.scale.least == pytest.approx(min(lines.min(), offsets.min()), rel=1e-3)
    assert (offsets.min() < lines.min()) == (steep < 1)
