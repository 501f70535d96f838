"""What carries the fits of all replicates at once: the series of the logistic function, and few points."""

import numpy as np
import pytest
from scipy import special

from evalcore.drawn.fits import ACCURACY, REACH, _points, _series, _series_at


def test_the_series_is_the_logistic_function_and_its_derivative():
    centre = np.array([-9.0, -2.5, 0.0, 0.3, 4.0])
    series = _series(centre).T
    for t in (-1.0, -0.37, 0.0, 0.5, 1.0):
        value, slope = _series_at(series, np.full(len(centre), t))
        rate = special.expit(centre + REACH * t)
        assert value == pytest.approx(rate, abs=2e-14)
        assert slope == pytest.approx(REACH * rate * (1 - rate), abs=1e-11)


def test_few_values_stand_for_themselves():
    for n in (1, 2, 3, 20):
        x = np.linspace(-2, 3, n)
        points, basis = _points(x, 1.5)
        assert points.tolist() == x.tolist()
        assert basis.tolist() == np.eye(n).tolist()


@pytest.mark.parametrize("steepest", [0.4, 1.7, 6.0])
def test_few_points_carry_the_logistic_function_of_many_values(steepest):
    x = np.sort(np.random.default_rng(1).normal(0, 1.5, 2000))
    points, basis = _points(x, steepest)
    assert len(points) < len(x) / 4
    assert (points[0], points[-1]) == (x[0], x[-1])
    assert basis.sum(axis=1) == pytest.approx(np.ones(len(x)), abs=1e-12)
    for slope in (-steepest, 0.3 * steepest, steepest):
        for intercept in (-1.0, 0.0, 2.0):
            rate = special.expit(intercept + slope * x)
            assert basis @ special.expit(intercept + slope * points) == pytest.approx(rate, abs=40 * ACCURACY)
