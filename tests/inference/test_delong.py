"""DeLong's variances equal the published ones, the definition over pairs, and need no matrix of pairs."""

import csv
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from evalcore.inference.delong import delong, delong_of_counts, paired_test
from evalcore.kernels.midranks import midranks
from evalcore.metrics.classification import auroc
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.inputs import CASES


def published(folder):
    """Scores wfns, s100b, ndka in this order, the label, and who is female."""
    with (folder / "golden" / "classification" / "aSAH.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = np.array([[float(row[name]) for row in rows] for name in ("wfns", "s100b", "ndka")])
    is_poor = np.array([row["outcome"] == "Poor" for row in rows])
    return scores, is_poor, np.array([row["gender"] == "Female" for row in rows])


def test_published_areas_variances_and_covariance(shared):
    scores, is_poor, _ = published(shared)
    areas = delong(scores, is_poor)
    assert areas.auroc == pytest.approx([0.823678861788618, 0.7313686, 0.611957994579946], abs=5e-8)
    assert [
        auroc(ScoreTable.from_rows(ScoredRows(score, is_poor, np.arange(len(score)), len(score))))
        for score in scores
    ] == pytest.approx(areas.auroc, abs=1e-12)
    assert areas.auroc[[0, 2]] == pytest.approx([0.823678861788618, 0.611957994579946], abs=1e-12)
    variances = [0.00146991470882363, 0.00266868245717244, 0.0031908105493913]
    assert areas.variance == pytest.approx(variances, abs=1e-12)
    assert areas.covariance[0, 1] == pytest.approx(0.00119615567376754, abs=1e-12)


def test_published_intervals(shared):
    scores, is_poor, is_female = published(shared)
    interval = delong(scores[2], is_poor).interval()
    bounds = [interval.low.item(), interval.high.item()]
    assert bounds == pytest.approx([0.501244999271703, 0.722670989888189], abs=1e-10)
    female = delong(scores[2, is_female], is_poor[is_female])
    found = [female.interval().low.item(), female.auroc.item(), female.interval().high.item()]
    assert found == pytest.approx([0.5261398281, 0.6671428571, 0.8081458862], abs=1e-9)


def test_published_paired_tests(shared):
    scores, is_poor, _ = published(shared)
    areas = delong(scores, is_poor)
    with_s100b, with_ndka = paired_test(areas, 0, 1), paired_test(areas, 0, 2)
    assert with_s100b.z == pytest.approx(2.20898359144091, abs=1e-9)
    assert with_s100b.p_value == pytest.approx(0.0271757822291882, abs=1e-9)
    assert with_ndka.z == pytest.approx(2.79777591868904, abs=1e-9)
    assert with_ndka.p_value == pytest.approx(0.00514557970691098, abs=1e-9)
    assert paired_test(areas, 2, 1).p_value == pytest.approx(0.164295175223054, abs=1e-9)


def test_150000_rows_where_pairs_overflow_32_bits():
    case = json.loads((CASES / "classification" / "05_delong_large_n.json").read_text())
    expected, i = case["expected"], np.arange(case["input"]["n"], dtype=np.int64)
    u = (i * 2654435761 + 12345) % 2**32 / 2**32
    v = (i * 2246822519 + 97) % 2**32 / 2**32
    p = np.round(u, 3)
    is_positive = v < 0.05 + 0.9 * p
    assert is_positive.sum() == expected["n_pos"]
    areas = delong(p, is_positive)
    interval = areas.interval()
    assert areas.auroc.item() == pytest.approx(expected["auc"], abs=1e-12)
    assert [interval.low.item(), interval.high.item()] == pytest.approx(expected["ci95"], abs=1e-9)


def test_variance_of_four_rows_by_hand():
    """Placements of the positives 1/2 and 1, of the negatives 1 and 1/2: 1/8 over 2 from each class."""
    areas = delong([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    assert areas.auroc.item() == Fraction(3, 4)
    assert areas.variance.item() == Fraction(1, 8) / 2 + Fraction(1, 8) / 2


def by_pairs(scores, is_positive):
    """Areas and covariance by the definition: one kernel value for each pair of a positive and a negative."""
    positive, negative = scores[:, is_positive], scores[:, ~is_positive]
    wins = (positive[:, :, None] > negative[:, None, :]) + 0.5 * (
        positive[:, :, None] == negative[:, None, :]
    )
    covariance = np.cov(wins.mean(axis=2)) / positive.shape[1] + np.cov(wins.mean(axis=1)) / negative.shape[1]
    return wins.mean(axis=(1, 2)), covariance


tables = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=2, max_size=8),
        st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=n, max_size=n),
    )
)


def scores_of(table):
    positive, negative = table
    scores = np.array([*positive, *negative], float).T
    return scores, np.arange(scores.shape[1]) < len(positive)


@given(tables)
def test_midranks_equal_the_definition_over_pairs(table):
    scores, is_positive = scores_of(table)
    areas = delong(scores, is_positive)
    expected, covariance = by_pairs(scores, is_positive)
    np.testing.assert_allclose(areas.auroc, expected, atol=1e-12)
    np.testing.assert_allclose(areas.covariance, covariance, atol=1e-12)


@given(st.lists(st.sampled_from([-0.0, 0.0, 0.1, 0.3, 1e300]), min_size=1, max_size=12))
def test_midranks_are_those_of_scipy_to_the_bit(values):
    row = np.array(values)
    assert midranks(row).tolist() == rankdata(row).tolist()
    assert midranks(np.stack([row, -row])).tolist() == rankdata([row, -row], axis=1).tolist()


@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_and_increasing_changes_of_the_score_do_not_matter(table, random):
    scores, is_positive = scores_of(table)
    order = list(range(len(is_positive)))
    random.shuffle(order)
    areas, other = delong(scores, is_positive), delong(np.exp(scores[:, order]), is_positive[order])
    np.testing.assert_allclose(areas.covariance, other.covariance, atol=1e-14)
    np.testing.assert_allclose(areas.auroc, other.auroc, atol=1e-14)


@given(tables)
def test_a_reversed_score_mirrors_the_area_and_keeps_its_variance(table):
    scores, is_positive = scores_of(table)
    areas, other = delong(scores[0], is_positive), delong(-scores[0], is_positive)
    assert areas.auroc.item() == pytest.approx(1 - other.auroc.item(), abs=1e-12)
    assert areas.variance.item() == pytest.approx(other.variance.item(), abs=1e-12)


def test_one_class_has_neither_area_nor_variance():
    areas = delong([[0.2, 0.3], [0.4, 0.1]], [True, True])
    assert np.isnan(areas.auroc).all()
    assert np.isnan(areas.covariance).all()
    assert np.isnan(areas.interval().low).all()


def test_a_single_row_of_a_class_has_an_area_but_no_variance():
    areas = delong([0.2, 0.3, 0.9], [False, False, True])
    assert areas.auroc.item() == 1
    assert np.isnan(areas.variance).all()


def test_bounds_end_at_1():
    areas = delong([1, 2, 4, 3, 5, 6], [False, False, False, True, True, True])
    assert areas.auroc.item() + 1.96 * np.sqrt(areas.variance.item()) > 1
    assert areas.interval().high.item() == 1


def test_the_error_of_a_difference_is_that_of_the_differences_of_each_row():
    rng = np.random.default_rng(2)
    label = np.arange(40) < 15
    scores = rng.normal(0, 1, (2, 40)).round(1) + label
    above = np.sign(scores[:, label][:, :, None] - scores[:, ~label][:, None, :]) / 2 + 0.5
    apart = above[0] - above[1]  # of each positive and negative
    variance = apart.mean(axis=1).var(ddof=1) / 15 + apart.mean(axis=0).var(ddof=1) / 25
    for first, second, sign in ((0, 1, 1), (1, 0, -1)):
        result = paired_test(delong(scores, label), first, second)
        assert result.difference == pytest.approx(sign * apart.mean(), abs=1e-12)
        assert result.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
        assert result.z == pytest.approx(result.difference / result.standard_error, rel=1e-12)


def test_a_score_does_not_differ_from_itself_and_no_p_value_is_made_up():
    areas = delong([[0.1, 0.4, 0.35, 0.8]] * 2, [False, False, True, True])
    result = paired_test(areas)
    assert (result.difference, result.standard_error) == (0, 0)
    assert np.isnan(result.z)
    assert np.isnan(result.p_value)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40))
def test_counts_at_each_score_give_what_the_rows_give(rows):
    score, label = (np.array(column) for column in zip(*rows, strict=True))
    counts = [np.bincount(score[label == wanted], minlength=7) for wanted in (True, False)]
    of_rows, of_counts = delong(score, label), delong_of_counts(*counts)
    assert of_counts.auroc == pytest.approx(of_rows.auroc, abs=1e-12, nan_ok=True)
    assert of_counts.covariance == pytest.approx(of_rows.covariance, abs=1e-12, nan_ok=True)
