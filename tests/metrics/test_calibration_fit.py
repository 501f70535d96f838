"""Calibration by fitted lines and curves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.nonparametric.smoothers_lowess import lowess

from evalcore.curves import smoothed_reliability
from evalcore.kernels import lowess as smoothing
from evalcore.kernels.logistic import fit_intercept, fit_line, logit
from evalcore.metrics.calibration import calibration_intercept, calibration_slope, e50, e90, ici
from evalcore.spec import METRICS
from evalcore.tallies.scores import ScoredRows, ScoreTable

FITTED = [calibration_intercept, calibration_slope, ici, e50, e90]
labelled = st.lists(
    st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=40
)


def table_of(p, y):
    score, label = np.asarray(p, float), np.asarray(y, bool)
    return ScoreTable.from_rows(ScoredRows(score, label, np.arange(len(score)), len(score)))


def sample(n, seed, decimals=None):
    """Probabilities with plateaus at 0 and 1, too extreme for their labels."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.4, 1.5, n)
    p = np.where(p < 0.01, 0, np.where(p > 0.97, 1, p))
    p = p if decimals is None else np.round(p, decimals)
    return p, rng.random(n) < 0.1 + 0.7 * p


def lowess_on_rows(p, y):
    order = np.argsort(p, kind="stable")
    kwargs = {"frac": 0.75, "it": 0, "delta": 0, "is_sorted": True, "return_sorted": False}
    return p[order], lowess(y[order].astype(float), p[order], **kwargs)


def reason(metric, table):
    return METRICS[f"calibration.{metric.__name__}"].reason(table)


def test_exact_rates_have_intercept_0_and_slope_1():
    table = table_of([0.2] * 5 + [0.8] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    assert calibration_intercept(table) == pytest.approx(0, abs=1e-12)
    assert calibration_slope(table) == pytest.approx(1, abs=1e-12)


def test_doubled_logits_have_half_the_slope():
    low = 1 / 17  # logit is −2 · ln 4, that of 1/5 is −ln 4
    table = table_of([low] * 5 + [1 - low] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    assert calibration_slope(table) == pytest.approx(0.5, abs=1e-12)


def test_the_intercept_of_one_probability_is_the_distance_of_the_logits():
    table = table_of([0.5] * 4, [1, 1, 1, 0])
    assert calibration_intercept(table) == pytest.approx(np.log(3), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_intercept_and_slope_equal_a_generalised_linear_model(seed):
    p, y = sample(400, seed, decimals=3)
    x = logit(p, 1e-6)
    offset_model = GLM(y.astype(float), np.ones((400, 1)), family=Binomial(), offset=x).fit(tol=1e-12)
    line_model = GLM(y.astype(float), np.column_stack([np.ones(400), x]), family=Binomial()).fit(tol=1e-12)
    table = table_of(p, y)
    assert calibration_intercept(table) == pytest.approx(offset_model.params[0], abs=1e-8)
    assert calibration_slope(table) == pytest.approx(line_model.params[1], abs=1e-8)


def test_values_of_the_published_reliability_example(shared):
    rows = pd.read_csv(shared / "golden" / "classification" / "cc_test_y_p.csv")
    table = table_of(rows.p, rows.y == 1)
    assert calibration_intercept(table) == pytest.approx(0.22404680, abs=1e-8)
    assert calibration_slope(table) == pytest.approx(0.82278297, abs=1e-8)
    line = fit_line(logit(table.score), table.n_pos, table.n_neg)
    assert line.intercept == pytest.approx(0.20752, abs=5e-6), "the joint model's intercept is another number"
    assert ici(table) == pytest.approx(0.043, abs=5e-4), "lowess; R's loess gives .047"


def test_the_clip_decides_the_slope_where_many_probabilities_are_0():
    p, y = sample(600, 3)
    p = np.where(np.arange(600) % 6 == 0, 0, p)
    table = table_of(p, y)
    assert calibration_slope(table, clip=1e-2) > 1.3 * calibration_slope(table, clip=1e-6)
    remark = METRICS["calibration.calibration_slope"].remark(table, clip=1e-6)
    n_clipped, n_contradicted = ((p == 0) | (p == 1)).sum(), ((p == 0) & y).sum() + ((p == 1) & ~y).sum()
    assert remark.startswith(
        f"{n_clipped} of 600 probabilities clipped at 1e-06; {n_contradicted} contradicted"
    )


@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1]),
        ([0.1, 0.2, 0.7, 0.8], [1, 1, 0, 0]),
        ([0.1, 0.5, 0.5, 0.8], [0, 0, 1, 1]),
        ([0.3, 0.3, 0.3, 0.3], [0, 1, 0, 1]),
        ([1e-9, 1e-8, 1e-7, 0.0], [0, 1, 0, 1]),
    ],
)
def test_no_slope_where_it_would_be_infinite_or_anything(p, y):
    table = table_of(p, y)
    assert np.isnan(calibration_slope(table))
    expected = "no finite slope: a threshold separates the classes, or all probabilities are alike"
    assert reason(calibration_slope, table) == expected
    assert np.isfinite(calibration_intercept(table))


@pytest.mark.parametrize("metric", [calibration_intercept, calibration_slope])
@pytest.mark.parametrize(
    ("p", "y", "expected"),
    [
        ([], [], "no rows"),
        ([0.2, 0.4], [0, 0], "no row with evidence"),
        ([0.2, 0.4], [1, 1], "no row without evidence"),
    ],
)
def test_no_fit_without_both_classes(metric, p, y, expected):
    assert np.isnan(metric(table_of(p, y)))
    assert reason(metric, table_of(p, y)) == expected


@pytest.mark.parametrize("metric", [ici, e50, e90])
def test_no_smoothed_distance_without_rows(metric):
    assert np.isnan(metric(table_of([], [])))
    assert reason(metric, table_of([], [])) == "no rows"


def test_extreme_and_contradicted_rows_still_converge():
    p = [0.0] * 500 + [1.0] * 500 + [0.5]
    y = [1] + [0] * 499 + [0] + [1] * 499 + [1]
    table = table_of(p, y)
    x = logit(np.asarray(p))
    line_model = GLM(np.asarray(y, float), np.column_stack([np.ones(1001), x]), family=Binomial()).fit(
        tol=1e-12
    )
    assert calibration_slope(table) == pytest.approx(line_model.params[1], abs=1e-8)


@settings(max_examples=50)
@given(labelled)
def test_the_intercept_makes_expected_and_observed_counts_agree(pairs):
    table = table_of(*zip(*pairs, strict=True))
    a = calibration_intercept(table)
    if np.isnan(a):
        assert table.total_pos == 0 or table.total_neg == 0
    else:
        expected = (table.n_pos + table.n_neg) / (1 + np.exp(-(a + logit(table.score))))
        assert expected.sum() == pytest.approx(float(table.total_pos), rel=1e-6)


@settings(max_examples=30)
@given(labelled, st.integers(0, 1000))
def test_intercept_and_slope_of_replicates_equal_a_loop_over_them(pairs, seed):
    table = table_of(*zip(*pairs, strict=True))
    weights = np.random.default_rng(seed).poisson(1, (4, len(table.score)))
    many = ScoreTable(table.score, table.n_pos * weights, table.n_neg * weights)
    singles = [ScoreTable(table.score, *counts) for counts in zip(many.n_pos, many.n_neg, strict=True)]
    for metric in (calibration_intercept, calibration_slope):
        np.testing.assert_allclose(metric(many), [metric(one) for one in singles], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("decimals", [2, 3, None])
@pytest.mark.parametrize("n", [4, 25, 300, 900])
def test_smoothed_distances_equal_statsmodels_on_the_rows(n, decimals):
    p, y = sample(n, n, decimals)
    on_rows, rate = lowess_on_rows(p, y)
    distance = np.abs(on_rows - rate)
    table = table_of(p, y)
    assert ici(table) == pytest.approx(distance.mean(), abs=1e-12)
    assert e50(table) == pytest.approx(np.quantile(distance, 0.5), abs=1e-12)
    assert e90(table) == pytest.approx(np.quantile(distance, 0.9), abs=1e-12)


def test_a_plateau_that_fills_the_neighbourhood_has_its_own_mean_rate():
    p, y = [0.1] * 9 + [0.9], [1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    fit = smoothing.smooth_rate(table_of(p, y))
    assert fit.rate.tolist() == pytest.approx([2 / 9, 1])
    distances = [7 / 90 * 0 + abs(0.1 - 2 / 9)] * 9 + [0.1]
    assert ici(table_of(p, y)) == pytest.approx(np.mean(distances))


def test_one_probability_is_smoothed_to_the_prevalence():
    assert ici(table_of([0.5] * 8, [1] * 7 + [0])) == pytest.approx(0.375)


def test_many_distinct_probabilities_are_smoothed_at_some_of_them(monkeypatch):
    p, y = sample(4000, 5)
    table = table_of(p, y)
    remark = METRICS["calibration.ici"].remark(table, frac=0.75, it=0, delta=0)
    fit = smoothing.smooth_rate(table)
    assert remark.startswith(f"smoothed at {fit.is_point.sum()} of {len(table.score):,} distinct")
    monkeypatch.setattr(smoothing, "EXACT_SCORES", 10_000)
    table = table_of(p, y)
    exact = smoothing.smooth_rate(table)
    assert exact.is_point.all()
    np.testing.assert_allclose(fit.rate, exact.rate, atol=2e-4)
    distance = (exact.n * np.abs(exact.score - exact.rate)).sum() / exact.n.sum()
    assert ici(table) == pytest.approx(distance, abs=1e-6)
    monkeypatch.setattr(smoothing, "MAX_GROUPS", 1_000)
    np.testing.assert_allclose(smoothing.smooth_rate(table_of(p, y)).rate, exact.rate, atol=2e-3)


def test_one_fit_serves_the_curve_and_every_distance_from_it(monkeypatch):
    table, fits = table_of(*sample(50, 7)), []
    fit_of = smoothing._smooth_rate
    monkeypatch.setattr(smoothing, "_smooth_rate", lambda *given: fits.append(given) or fit_of(*given))
    ici(table), e50(table), e90(table), smoothed_reliability(table)
    assert len(fits) == 1
    ici(table, frac=0.5), ici(table_of(*sample(50, 8)))
    assert len(fits) == 3


@settings(max_examples=40)
@given(labelled, st.randoms(use_true_random=False))
def test_row_order_changes_no_bit(pairs, random):
    table = table_of(*zip(*pairs, strict=True))
    shuffled = random.sample(pairs, len(pairs))
    same = table_of(*zip(*shuffled, strict=True))
    for metric in FITTED:
        np.testing.assert_array_equal(metric(same), metric(table))


@settings(max_examples=40)
@given(labelled)
def test_values_stay_within_their_bounds_and_nan_has_a_reason(pairs):
    table = table_of(*zip(*pairs, strict=True))
    for metric in FITTED:
        low, high = METRICS[f"calibration.{metric.__name__}"].bounds
        value = metric(table)
        assert np.isnan(value) == (reason(metric, table) is not None)
        assert np.isnan(value) or low <= value <= high
    assert e50(table) <= e90(table)


def test_other_iterations_or_skips_are_refused():
    with pytest.raises(ValueError, match="it = 3, delta = 0: only it = 0 and delta = 0 are defined"):
        ici(table_of([0.2, 0.4], [0, 1]), it=3)


def test_fit_intercept_survives_a_flat_likelihood():
    offset = np.array([-13.8, 13.8])
    a = fit_intercept(offset, np.array([1, 501]), np.array([500, 0]))
    assert np.isfinite(a)
    expected = 501 / (1 + np.exp(-(a + offset[0]))) + 501 / (1 + np.exp(-(a + offset[1])))
    assert expected == pytest.approx(502, abs=1e-5)
