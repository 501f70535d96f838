"""Recalibration fitted on some rows and shown on others."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss as sklearn_log_loss
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from evalcore.curves.recalibration import METHODS, isotonic, platt, temperature
from evalcore.kernels.logistic import logit
from evalcore.metrics.calibration import calibration_intercept, calibration_slope, ece
from evalcore.tallies.scores import ScoredRows, ScoreTable


def sample(seed, n=2000):
    """Probabilities twice too extreme on the logit scale."""
    rng = np.random.default_rng(seed)
    true = rng.beta(0.6, 2, n)
    p = np.round(expit(2 * logit(true) + 0.3), 3)
    return p, rng.random(n) < true


def table_of(p, y):
    score, label = np.asarray(p, float), np.asarray(y, bool)
    return ScoreTable.from_rows(ScoredRows(score, label, np.arange(len(score)), len(score)))


def test_isotonic_equals_scikit_learn():
    p, y = sample(0)
    other = np.linspace(0, 1, 101)
    model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, y)
    np.testing.assert_allclose(isotonic(table_of(p, y)).of(other), model.predict(other), atol=1e-12)


def test_isotonic_pools_what_falls():
    fit = isotonic(table_of([0.1, 0.2, 0.3, 0.3], [0, 1, 0, 0]))
    assert fit.of(np.array([0.0, 0.1, 0.15, 0.2, 0.3, 1.0])) == pytest.approx(
        [0, 0, 1 / 6, 1 / 3, 1 / 3, 1 / 3]
    )
    assert fit.parameters == {"n_levels": 2}


def test_platt_equals_a_generalised_linear_model():
    p, y = sample(1)
    fit = platt(table_of(p, y))
    design = np.column_stack([np.ones(len(p)), logit(p)])
    expected = GLM(y.astype(float), design, family=Binomial()).fit(tol=1e-12).params
    assert list(fit.parameters.values()) == pytest.approx(list(expected), abs=1e-8)


def test_platt_on_its_own_rows_has_intercept_0_and_slope_1():
    table = table_of(*sample(2))
    shown = platt(table).table(table)
    assert calibration_intercept(shown) == pytest.approx(0, abs=1e-6)
    assert calibration_slope(shown) == pytest.approx(1, abs=1e-6)


def test_temperature_has_the_least_log_loss():
    p, y = sample(3)
    fit = temperature(table_of(p, y))
    best = minimize_scalar(
        lambda t: sklearn_log_loss(y, expit(logit(p) / t)), bounds=(0.5, 10), options={"xatol": 1e-9}
    )
    assert fit.parameters["temperature"] == pytest.approx(best.x, abs=1e-5)
    assert fit.of(np.array([0.5])) == 0.5


@pytest.mark.parametrize("method", METHODS)
def test_what_was_fitted_on_tune_helps_on_test(method):
    tune, test = table_of(*sample(4)), table_of(*sample(5))
    shown = METHODS[method](tune).table(test)
    assert ece(shown) < ece(test)
    assert (shown.total_pos, shown.total_neg) == (test.total_pos, test.total_neg)
    assert (np.diff(METHODS[method](tune).of(test.score)) >= 0).all()


def test_replicates_of_a_table_are_recalibrated_alike():
    table = table_of(*sample(6, 200))
    many = ScoreTable(table.score, np.stack([table.n_pos, 2 * table.n_pos]), np.stack([table.n_neg] * 2))
    fit = isotonic(table)
    np.testing.assert_array_equal(fit.table(many).n_pos[0], fit.table(table).n_pos)
    np.testing.assert_array_equal(fit.table(many).n_pos[1], 2 * fit.table(table).n_pos)


@pytest.mark.parametrize(
    ("method", "p", "y", "reason"),
    [
        ("isotonic", [], [], "no rows"),
        ("platt", [0.2, 0.8], [0, 1], "one class, or a threshold separates the classes"),
        ("platt", [0.2, 0.8], [1, 1], "one class, or a threshold separates the classes"),
        (
            "temperature",
            [0.2, 0.8],
            [1, 0],
            "no temperature helps: probabilities do not rise with the labels",
        ),
        ("temperature", [0.2, 0.8], [0, 1], "every label lies on its side of p = 0.5"),
    ],
)
def test_without_a_fit_there_is_a_reason(method, p, y, reason):
    fit = METHODS[method](table_of(p, y))
    assert fit.reason == reason
    assert np.isnan(list(fit.parameters.values())).all()
    assert np.isnan(fit.of(np.array([0.3]))).all()
    with pytest.raises(ValueError, match=f"no {method} recalibration: {reason[:10]}"):
        fit.table(table_of(p, y))


def test_no_rows_stay_no_rows():
    assert len(isotonic(table_of([0.2], [1])).table(table_of([], [])).score) == 0
