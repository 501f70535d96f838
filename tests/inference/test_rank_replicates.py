"""Metrics of the order of scores over replicates: the declared metric on explicitly reweighted rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.catalog import METRICS
from evalcore.drawn.post_values import MOST_DRAWN, totals_together
from evalcore.drawn.ranks import Order, kind_of
from evalcore.drawn.replicates import quantiles, quantiles_work
from evalcore.kernels.cumulative import accumulated, n_under, running
from evalcore.quantiles import quantiles as of_ordered
from evalcore.spec import Ratio
from evalcore.tallies.scores import ScoredRows, ScoreTable

MOST_IN_SINGLE = (1 << 24) // (2 * MOST_DRAWN)
BY_ORDER = {
    key: metric.drawn.function
    for key, metric in METRICS.items()
    if metric.drawn and metric.drawn.by == "order"
}
CELLS = [(key, {}) for key in BY_ORDER if key != "classification.tpr_at_fpr"] + [
    ("classification.tpr_at_fpr", {"fpr": fpr, "variant": variant})
    for fpr in (0.0, 0.05, 0.3, 1.0)
    for variant in ("default", "first_at_or_above")
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("key", "params"), CELLS)
def test_each_replicate_is_the_declared_metric_on_the_reweighted_rows(seed, key, params):
    rng = np.random.default_rng(seed)
    n, n_posts = (120, 30) if seed else (12, 5)
    score = rng.random(n).round(1 if seed < 3 else 6)
    rows = ScoredRows(score, rng.random(n) < 0.3, rng.integers(0, n_posts, n), n_posts)
    weights = rng.poisson(0.8, (60, n_posts)).astype(float)
    found = BY_ORDER[key](Order.of(rows).drawn(weights), **params)
    for value, drawn in zip(found, weights, strict=True):
        weight = drawn[rows.post].astype(np.int64)
        expected = METRICS[key](ScoreTable.from_rows(rows, weight), **params)
        expected = float(expected.value if isinstance(expected, Ratio) else expected)
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_rows_of_one_class_have_no_area_in_any_replicate():
    rows = ScoredRows(np.array([0.1, 0.2]), np.array([False, False]), np.array([0, 1]), 2)
    ranks = Order.of(rows).drawn(np.array([[1.0, 2.0], [0.0, 1.0]]))
    for key, params in CELLS:
        assert np.isnan(BY_ORDER[key](ranks, **params)).all()


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), max_size=9), st.integers(-1, 30))
def test_bisection_counts_what_is_smaller(steps, due):
    below = running(np.array(steps, np.int64).reshape(-1, 2))
    dues = np.array([due, due // 2])
    assert n_under(below, dues).tolist() == (below < dues).sum(axis=0).tolist()
    assert int(n_under(below[:, 0], np.array(due))) == int((below[:, 0] < due).sum())


def test_sums_in_place_are_the_running_ones():
    counts = np.random.default_rng(0).poisson(1, (7, 3))
    assert np.array_equal(accumulated(counts.copy()), running(counts)[1:])


def test_quantiles_of_few_values_are_the_same_from_shared_totals():
    rng = np.random.default_rng(0)
    values = rng.choice([0.0, 0.5, 2.0, np.nan], 50)
    unit, weights = rng.integers(0, 9, 50), rng.poisson(1, (40, 9)).astype(float)
    (shared,) = totals_together([quantiles_work(values, unit, 9, [0.5, 0.9])], weights)
    assert np.array_equal(shared, quantiles(values, unit, weights, [0.5, 0.9]), equal_nan=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.sampled_from([0.25, 0.5, 0.75, 0.9]))
def test_quantile_of_ordered_values_is_numpys_to_the_bit(values, share):
    assert of_ordered(np.sort(values), (share, 0.5)) == np.quantile(values, (share, 0.5)).tolist()


def test_the_counts_that_a_replicate_takes_depend_on_scores_of_positives_not_on_posts():
    score = np.array([0.9, 0.9, 0.4, 0.4, 0.1])
    rows = ScoredRows(score, np.array([True, False, True, False, False]), np.array([0, 1, 2, 3, 4]), 50)
    # Two scores of positives, each counted twice, and five places of negatives.
    assert Order.of(rows).n_counts == 2 * 2 + 6


@pytest.mark.parametrize(("n", "n_replicates"), [(3000, 20), (MOST_IN_SINGLE, 2)])
def test_single_precision_changes_no_bit_up_to_the_most_rows_that_it_holds(n, n_replicates):
    rng = np.random.default_rng(n)
    score, is_positive = rng.random(n).round(4), rng.random(n) < 0.5
    rows = ScoredRows(score, is_positive, np.arange(n), n)
    weights = np.full((n_replicates, n), MOST_DRAWN, np.uint8)
    weights[1:] -= rng.integers(0, 2, (n_replicates - 1, n), np.uint8)
    assert kind_of(n) is np.float32
    single, double = (Order.of(rows, kind).drawn(weights.astype(kind)) for kind in (np.float32, np.float64))
    assert single.neg_below.dtype == np.float32
    for key, params in CELLS:
        one, other = (BY_ORDER[key](ranks, **params) for ranks in (single, double))
        assert np.array_equal(one, other)


def test_more_rows_than_single_precision_holds_are_counted_in_double():
    assert (kind_of(MOST_IN_SINGLE), kind_of(MOST_IN_SINGLE + 1)) == (np.float32, np.float64)
