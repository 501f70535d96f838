"""Points of curves against scikit-learn, plain counts and published values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from evalcore.curves import (
    pr_points,
    reliability,
    roc_points,
    score_distribution,
    smoothed_reliability,
)
from evalcore.metrics.calibration import ece, ici, mce
from evalcore.tallies.scores import ScoredRows, ScoreTable

tenth = st.integers(0, 10).map(lambda n: n / 10)
labelled = st.lists(st.tuples(tenth, st.booleans()), min_size=1, max_size=40)
both_classes = labelled.map(lambda pairs: [*pairs, (0.3, True), (0.6, False)])


def table_of(p, y):
    score, label = np.asarray(p, float), np.asarray(y, bool)
    return ScoreTable.from_rows(ScoredRows(score, label, np.arange(len(score)), len(score)))


def columns(pairs):
    p, y = zip(*pairs, strict=True)
    return np.array(p, float), np.array(y, int)


def test_the_roc_curve_starts_where_nothing_is_called_positive():
    roc = roc_points(table_of([0.1, 1.0, 1.0, 0.4, 0.6], [0, 0, 1, 1, 1]))
    assert (roc.fpr[0], roc.tpr[0], roc.threshold[0]) == (0, 0, np.inf)
    assert (roc.fpr[1], roc.tpr[1], roc.threshold[1]) == (1 / 2, 1 / 3, 1.0)
    assert (roc.fpr[-1], roc.tpr[-1], roc.threshold[-1]) == (1, 1, 0.1)


def test_a_probability_of_one_does_not_hide_the_origin():
    roc = roc_points(table_of([0.2, 0.6, 1.0, 1.0, 0.4], [0, 1, 1, 0, 0]))
    assert auc(roc.fpr, roc.tpr) == pytest.approx(0.75, abs=1e-12)


@given(both_classes)
def test_roc_points_equal_scikit_learn(pairs):
    p, y = columns(pairs)
    roc = roc_points(table_of(p, y))
    for ours, theirs in zip(
        (roc.fpr, roc.tpr, roc.threshold), roc_curve(y, p, drop_intermediate=False), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@given(both_classes)
def test_pr_points_equal_scikit_learn(pairs):
    p, y = columns(pairs)
    pr = pr_points(table_of(p, y))
    precision, recall, threshold = precision_recall_curve(y, p)
    np.testing.assert_allclose(pr.precision, precision[-2::-1], atol=1e-12)
    np.testing.assert_allclose(pr.recall, recall[-2::-1], atol=1e-12)
    np.testing.assert_array_equal(pr.threshold, threshold[::-1])
    assert pr.prevalence == y.mean()


@given(both_classes)
def test_corners_draw_the_same_line(pairs):
    roc = roc_points(table_of(*columns(pairs)))
    corners = roc.corners()
    assert len(corners.fpr) <= len(roc.fpr)
    assert auc(corners.fpr, corners.tpr) == pytest.approx(auc(roc.fpr, roc.tpr), abs=1e-12)
    drawn = set(zip(roc.fpr, roc.tpr, roc.threshold, strict=True))
    assert set(zip(corners.fpr, corners.tpr, corners.threshold, strict=True)) <= drawn


def test_rates_of_a_missing_class_are_nan():
    roc = roc_points(table_of([0.2, 0.4], [1, 1]))
    assert np.isnan(roc.fpr).all()
    assert roc.tpr.tolist() == [0, 0.5, 1]
    assert len(roc.corners().fpr) <= 3
    assert np.isnan(pr_points(table_of([0.2, 0.4], [0, 0])).recall).all()
    assert np.isnan(pr_points(table_of([], [])).prevalence)


@settings(max_examples=40)
@given(both_classes, st.integers(0, 100))
def test_points_of_replicates_equal_a_loop_over_them(pairs, seed):
    table = table_of(*columns(pairs))
    weights = np.random.default_rng(seed).poisson(1, (3, len(table.score)))
    many = ScoreTable(table.score, table.n_pos * weights, table.n_neg * weights)
    for at in range(3):
        one = ScoreTable(table.score, many.n_pos[at], many.n_neg[at])
        np.testing.assert_array_equal(roc_points(many).tpr[at], roc_points(one).tpr)
        np.testing.assert_array_equal(pr_points(many).precision[at], pr_points(one).precision)
        np.testing.assert_array_equal(pr_points(many).prevalence[at], pr_points(one).prevalence)


def test_reliability_of_the_scikit_learn_documentation():
    p = [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0]
    bins = reliability(table_of(p, [0, 0, 0, 0, 1, 1, 1, 1, 1]), n_bins=3)
    assert bins.observed_rate.tolist() == pytest.approx([0, 1 / 2, 1])
    assert bins.mean_probability.tolist() == pytest.approx([0.2, 0.525, 0.85])
    assert (bins.n.tolist(), bins.n_pos.tolist()) == ([3, 2, 4], [0, 1, 4])


@pytest.mark.parametrize("seed", range(3))
def test_reliability_equals_scikit_learn_off_the_edges(seed):
    rng = np.random.default_rng(seed)
    p = rng.random(200)
    y = rng.random(200) < p**2
    for variant, strategy in (("default", "uniform"), ("equal_mass", "quantile")):
        bins = reliability(table_of(p, y), variant=variant)
        rate, mean = calibration_curve(y, p, n_bins=10, strategy=strategy)
        np.testing.assert_allclose(bins.observed_rate, rate, atol=1e-12)
        np.testing.assert_allclose(bins.mean_probability, mean, atol=1e-12)


@given(labelled, st.sampled_from(["default", "spec_001", "equal_mass"]))
def test_reliability_holds_what_ece_and_mce_say(pairs, variant):
    table = table_of(*columns(pairs))
    bins = reliability(table, variant=variant)
    held = bins.n > 0
    gap = np.abs(bins.mean_probability - bins.observed_rate)[held]
    assert (bins.n[held] * gap).sum() / len(pairs) == pytest.approx(ece(table, variant=variant), abs=1e-12)
    if variant != "spec_001":
        assert gap.max() == pytest.approx(mce(table, variant=variant), abs=1e-12)
    assert np.isnan(bins.observed_rate[~held]).all()
    assert (bins.low[held] - 1e-15 <= bins.mean_probability[held]).all()
    assert (bins.mean_probability[held] <= bins.high[held] + 1e-15).all()


def test_equal_mass_bins_end_at_their_own_probabilities():
    bins = reliability(table_of([0, 0, 0, 0.2, 0.4, 0.9], [0, 0, 0, 1, 0, 1]), n_bins=3, variant="equal_mass")
    assert bins.n.tolist() == [3, 1, 2]
    assert (bins.low.tolist(), bins.high.tolist()) == ([0, 0.2, 0.4], [0, 0.2, 0.9])


def test_all_tied_rows_are_one_bin():
    bins = reliability(table_of([0.5] * 8, [1] * 7 + [0]), variant="equal_mass")
    assert (bins.n.tolist(), bins.observed_rate.tolist()) == ([8], [7 / 8])


def test_the_smoothed_curve_is_the_one_behind_ici():
    rng = np.random.default_rng(0)
    p = rng.random(100)
    table = table_of(p, rng.random(100) < p)
    curve = smoothed_reliability(table)
    assert np.abs(curve.probability - curve.rate).mean() == pytest.approx(ici(table), abs=1e-12)


@given(labelled)
def test_the_distribution_holds_every_row_once(pairs):
    p, y = columns(pairs)
    bars = score_distribution(table_of(p, y), n_bins=10)
    assert (bars.n_pos.sum(), bars.n_neg.sum()) == (y.sum(), (1 - y).sum())
    assert bars.n_pos[-1] == np.sum(y[p >= 0.9])
    assert (bars.low[0], bars.high[-1]) == (0, 1)


@given(both_classes)
def test_corners_of_the_steps_hold_the_same_average_precision(pairs):
    pr = pr_points(table_of(*columns(pairs)))
    corners = pr.corners()
    for curve in (pr, corners):
        assert curve.recall[-1] == 1
    areas = [np.sum(np.diff(curve.recall, prepend=0) * curve.precision) for curve in (pr, corners)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-12)
    assert set(zip(corners.recall, corners.precision, strict=True)) <= set(
        zip(pr.recall, pr.precision, strict=True)
    )
