"""Percentiles of bootstrap replicates, and pointwise limits around curves."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from evalcore.curves import reliability
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.weights import hashes
from evalcore.inference.bands import curve_bands, reliability_limits
from evalcore.inference.clustered import ClusterSums, share_interval
from evalcore.inference.percentile import percentile_interval
from evalcore.metrics.classification import tpr_at_fpr
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.but_long import but_long

P = 30
DRAWN = Resampling.of(hashes(f"s_{code}" for code in range(P)), 40, 2)


@pytest.fixture(scope="module")
def rows():
    """300 rows of 30 posts, scores with ties, a third positive, the lowest and the highest among them."""
    rng = np.random.default_rng(8)
    is_positive = rng.random(300) < 1 / 3
    score = np.round(np.clip(rng.beta(2, 4, 300) + 0.25 * is_positive, 0, 1), 2)
    is_positive[[score.argmin(), score.argmax()]] = True
    return ScoredRows(score, is_positive, rng.integers(0, P, 300), P)


def test_percentiles_lie_linear_between_replicates():
    """Five replicates, 80 %: places 4/10 and 36/10 of 0 … 4."""
    interval = percentile_interval([[4.0], [0.0], [1.0], [3.0], [2.0]], confidence=0.8)
    assert interval.low == pytest.approx([4 / 10])
    assert interval.high == pytest.approx([36 / 10])


def test_undefined_replicates_are_left_out_and_counted():
    nan = np.nan
    interval = percentile_interval([[nan, 1.0, 0.5], [nan, nan, nan], [nan, nan, 1.5]], confidence=0.5)
    assert interval.n_undefined.tolist() == [3, 2, 1]
    assert np.isnan(interval.low).tolist() == [True, True, False]
    assert (interval.low[2], interval.high[2]) == (3 / 4, 5 / 4)


@given(values=st.lists(st.floats(-10, 10), min_size=2, max_size=30), level=st.floats(0.01, 0.99))
def test_an_interval_lies_within_the_replicates_and_grows_with_the_level(values, level):
    inner, outer = (percentile_interval(values, confidence=one) for one in (level, (1 + level) / 2))
    assert min(values) <= outer.low <= inner.low + 1e-12
    assert inner.high - 1e-12 <= outer.high <= max(values)
    constant = percentile_interval([values[0]] * 5)
    assert constant.low == constant.high == values[0]


def test_no_order_of_replicates_changes_an_interval():
    values = np.random.default_rng(0).random((101, 3))
    before, after = percentile_interval(values), percentile_interval(values[::-1])
    assert np.array_equal(before.low, after.low)
    assert np.array_equal(before.high, after.high)


def roc_height(label, score, weight, fpr):
    """The top of scikit-learn's curve at a false positive rate, straight between its points."""
    x, y, _ = sk.roc_curve(label, score, sample_weight=weight, drop_intermediate=False)
    x, y = (
        [Fraction(round(share * total), total) for share in axis]
        for axis, total in ((x, int(weight[~label].sum())), (y, int(weight[label].sum())))
    )
    at = max(place for place, share in enumerate(x) if share <= fpr)
    if at == len(x) - 1:
        return float(y[at])
    return float(y[at] + (y[at + 1] - y[at]) * (fpr - x[at]) / (x[at + 1] - x[at]))


def pr_height(label, score, weight, recall):
    """scikit-learn's precision at the highest threshold that reaches a recall."""
    precision, reached, _ = sk.precision_recall_curve(label, score, sample_weight=weight)
    total = int(weight[label].sum())
    return precision[max(at for at, share in enumerate(reached) if round(share * total) >= recall * total)]


@pytest.mark.parametrize(
    ("name", "height", "first"), but_long([("roc", roc_height, 0), ("pr", pr_height, 1)], 1)
)
def test_a_band_is_the_percentiles_of_the_replicates_curves(rows, name, height, first):
    band = getattr(curve_bands(rows, DRAWN, steps=20, confidence=0.8), name)
    grid = [Fraction(at, 20) for at in range(first, 21)]
    assert band.grid.tolist() == [float(at) for at in grid]
    curves = [
        [height(rows.is_positive, rows.score, drawn[rows.post], at) for at in grid]
        for drawn in DRAWN.weights()
    ]
    low, high = np.quantile(curves, [0.1, 0.9], axis=0)
    assert band.low == pytest.approx(low, abs=1e-12)
    assert band.high == pytest.approx(high, abs=1e-12)
    assert not band.n_undefined.any()


def test_the_band_holds_the_curve_itself(rows):
    band = curve_bands(rows, Resampling.of(hashes(f"s_{code}" for code in range(P)), 400, 0)).roc
    table = ScoreTable.from_rows(rows)
    # The greatest TPR within a budget is a point of the curve at or left of it, so it is no higher.
    reached = [tpr_at_fpr(table, fpr=at).value for at in band.grid.tolist()]
    assert np.all(reached <= band.high)
    weight = np.ones(len(rows), int)
    curve = [roc_height(rows.is_positive, rows.score, weight, Fraction(at, 100)) for at in range(101)]
    assert np.all(band.low <= curve)
    assert np.all(curve <= band.high)


def test_a_rate_that_is_no_binary_fraction_keeps_its_upright_piece():
    """29 of 100 negatives above the positives: at 0.29, which times 100 rounds below 29, the rate is 1."""
    score = np.concatenate([np.full(29, 3.0), np.full(50, 2.0), np.full(71, 1.0)])
    is_positive = score == 2
    rows = ScoredRows(score, is_positive, np.zeros(150, np.intp), 1)
    band = curve_bands(rows, Resampling.of(hashes(["s"]), 30, 0)).roc
    assert (band.low[28], band.low[29], band.high[29]) == (0, 1, 1)


def test_replicates_without_a_class_have_no_curve():
    """One positive in one of two posts: where that is not drawn there is no curve."""
    rows = ScoredRows(np.array([0.1, 0.2, 0.3]), np.array([False, True, False]), np.array([0, 1, 0]), 2)
    drawn = Resampling.of(hashes(["a", "b"]), 50, 0)
    n_without = int((drawn.weights() == 0).any(axis=1).sum())
    assert 0 < n_without < 50
    for band in curve_bands(rows, drawn, steps=4):
        assert set(band.n_undefined.tolist()) == {n_without}
    for of_one_class in (rows.where(rows.is_positive), rows.where(~rows.is_positive)):
        for band in curve_bands(of_one_class, drawn, steps=4):
            assert np.isnan(band.low).all()


def test_order_of_rows_changes_no_bit_of_a_band(rows):
    order = np.random.default_rng(0).permutation(len(rows))
    moved = ScoredRows(rows.score[order], rows.is_positive[order], rows.post[order], P)
    for before, after in zip(curve_bands(rows, DRAWN), curve_bands(moved, DRAWN), strict=True):
        assert np.array_equal(before.low, after.low)
        assert np.array_equal(before.high, after.high)


@pytest.mark.parametrize("variant", ["default", "spec_001", "equal_mass"])
def test_limits_of_a_bin_are_those_of_its_share(rows, variant):
    """Bin by bin from the rows that the diagram counts in it."""
    rows = ScoredRows(np.append(rows.score, [1.0, 0.3]), np.append(rows.is_positive, [True, False]),
                      np.append(rows.post, [0, 1]), P)  # fmt: skip
    bins = reliability(ScoreTable.from_rows(rows), variant=variant)
    limits = reliability_limits(rows, variant=variant)
    assert limits.low.shape == bins.n.shape
    for at, (low, high) in enumerate(zip(bins.low, bins.high, strict=True)):
        is_last = variant == "default" and at == 9
        below = rows.score <= high if variant == "equal_mass" or is_last else rows.score < high
        within = (rows.score >= low) & below
        assert within.sum() == bins.n[at]
        sums = ClusterSums.from_rows(rows.is_positive, within, rows.post, P)
        expected = share_interval(sums)
        assert limits.low[at] == pytest.approx(float(expected.low), abs=1e-12, nan_ok=True)
        assert limits.high[at] == pytest.approx(float(expected.high), abs=1e-12, nan_ok=True)


def test_a_bin_without_evidence_has_limits_above_zero():
    """0 of 50 independent rows: from 0 to 1 − (1/40)^(1/50), where a bootstrap says [0, 0]."""
    rows = ScoredRows(np.full(50, 0.05), np.zeros(50, bool), np.arange(50), 50)
    limits = reliability_limits(rows)
    assert limits.low[0] == 0
    assert limits.high[0] == pytest.approx(1 - (1 / 40) ** (1 / 50))
    assert np.isnan(limits.low[1:]).all()
