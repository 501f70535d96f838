"""Calibration by bins and by losses."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from evalcore.kernels.bins import bins_of
from evalcore.metrics.calibration import brier, brier_skill, ece, log_loss, mce
from evalcore.spec import METRICS
from evalcore.tallies.scores import ScoredRows, ScoreTable

BINNED = [(ece, "default"), (ece, "spec_001"), (ece, "equal_mass"), (mce, "default"), (mce, "equal_mass")]
LOSSES = [brier, brier_skill, log_loss]
probability = st.one_of(
    st.integers(0, 10).map(lambda tenths: tenths / 10), st.floats(0, 1, allow_subnormal=False)
)
labelled = st.lists(st.tuples(probability, st.booleans()), min_size=1, max_size=40)


def rows_of(p, y):
    score, label = np.asarray(p, float), np.asarray(y, bool)
    return ScoredRows(score, label, np.arange(len(score)), len(score))


def table_of(p, y):
    return ScoreTable.from_rows(rows_of(p, y))


def table_of_pairs(pairs):
    return table_of(*zip(*pairs, strict=True))


def replicated(table, n, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.poisson(1, (n, len(table.score)))
    weights[0] = 0  # a replicate without rows
    return ScoreTable(table.score, table.n_pos * weights, table.n_neg * weights)


def one_by_one(table):
    return [
        ScoreTable(table.score, n_pos, n_neg) for n_pos, n_neg in zip(table.n_pos, table.n_neg, strict=True)
    ]


def ece_as_document_001_prints_it(probs, labels, n_bins=10):
    bin_edges = np.linspace(0, 1, n_bins + 1)
    total = 0.0
    for i in range(n_bins):
        mask = (probs >= bin_edges[i]) & (probs < bin_edges[i + 1])
        if mask.sum() == 0:
            continue
        total += mask.sum() / len(probs) * abs(labels[mask].mean() - probs[mask].mean())
    return float(total)


def gaps_by_loop(pairs, n_bins):
    """(n, |rate − mean p|) of each bin with rows, edges as fractions."""
    gaps = []
    for m in range(n_bins):
        last = m == n_bins - 1
        held = [(p, y) for p, y in pairs if m / n_bins <= p and (p < (m + 1) / n_bins or (last and p <= 1))]
        if held:
            gaps.append((len(held), abs(sum(y for _, y in held) - sum(p for p, _ in held)) / len(held)))
    return gaps


def test_ece_weighs_each_bins_gap_by_its_rows():
    table = table_of([0.25, 0.25, 0.75, 0.75, 0.75, 0.75], [1, 0, 1, 1, 1, 0])
    assert ece(table) == pytest.approx(
        float(Fraction(2, 6) * abs(Fraction(1, 2) - Fraction(1, 4))), abs=1e-15
    )


def test_mce_is_the_largest_gap_and_its_note_says_where():
    table = table_of([0.25, 0.25, 0.75, 0.75, 0.75, 0.75], [1, 0, 1, 1, 1, 0])
    assert mce(table) == 0.25
    remark = METRICS["calibration.mce"].remark
    assert remark(table, n_bins=10, variant="default") == "in the bin with p from 0.25 to 0.25 (n = 2)"


def test_a_probability_of_one_belongs_to_the_last_bin():
    table = table_of([0.91, 0.97, 1.0, 1.0], [1, 1, 0, 1])
    assert ece(table) == pytest.approx(0.22, abs=1e-9)


def test_spec_001_drops_a_probability_of_one_and_says_so():
    table = table_of([0.91, 0.97, 1.0, 1.0], [1, 1, 0, 1])
    assert ece(table, variant="spec_001") == pytest.approx(0.03, abs=1e-12)
    remark = METRICS["calibration.ece"].remark
    assert remark(table, n_bins=10, variant="spec_001") == "2 of 4 rows with p = 1 are in no bin"
    assert remark(table, n_bins=10, variant="default") == ""


def test_ece_is_of_the_positive_class_not_of_the_likelier_one():
    table = table_of([0.3] * 4 + [0.7] * 4, [1, 1, 1, 0, 1, 1, 1, 1])
    assert ece(table) == pytest.approx(0.375, abs=1e-12)


def test_equal_mass_keeps_tied_rows_in_one_bin():
    table = table_of([0.5] * 8, [1, 1, 1, 1, 1, 1, 0, 1])
    assert ece(table, variant="equal_mass") == 0.375
    assert bins_of(table, 10, "equal_mass").n.tolist() == [8] + [0] * 9


def test_equal_mass_deals_distinct_rows_out_evenly():
    table = table_of(np.arange(20) / 20, np.zeros(20))
    assert bins_of(table, 10, "equal_mass").n.tolist() == [2] * 10


def test_an_edge_belongs_to_the_bin_above_it():
    table = table_of(np.arange(11) / 10, np.zeros(11))
    assert bins_of(table, 10).n.tolist() == [1] * 9 + [2]
    assert bins_of(table, 10, "spec_001").n.tolist() == [1, 1, 2, 0, 1, 2, 1, 0, 1, 1]


def test_torchmetrics_documentation_example():
    table = table_of([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1])
    assert ece(table, n_bins=2) == pytest.approx(0.29, abs=1e-12)
    assert mce(table, n_bins=2) == pytest.approx(0.95 / 3, abs=1e-12)


@given(labelled)
def test_ece_and_mce_equal_a_loop_over_rows(pairs):
    gaps = gaps_by_loop(pairs, 10)
    assert ece(table_of_pairs(pairs)) == pytest.approx(
        sum(n * gap for n, gap in gaps) / len(pairs), abs=1e-12
    )
    assert mce(table_of_pairs(pairs)) == pytest.approx(max(gap for _, gap in gaps), abs=1e-12)


@settings(max_examples=40)
@given(labelled)
def test_spec_001_equals_the_code_of_document_001(pairs):
    p, y = (np.array(column, float) for column in zip(*pairs, strict=True))
    expected = ece_as_document_001_prints_it(p, y)
    assert ece(table_of(p, y), variant="spec_001") == pytest.approx(expected, abs=1e-12)


@given(labelled, st.sampled_from(["default", "equal_mass"]), st.integers(1, 15))
def test_every_row_is_in_one_bin(pairs, variant, n_bins):
    bins = bins_of(table_of_pairs(pairs), n_bins, variant)
    assert bins.n.sum() == len(pairs)
    assert bins.n_pos.sum() == sum(y for _, y in pairs)
    assert bins.sum_score.sum() == pytest.approx(sum(p for p, _ in pairs), abs=1e-12)


def test_brier_is_the_mean_squared_distance():
    table = table_of([0.0, 0.5, 0.5, 1.0], [0, 1, 0, 0])
    assert brier(table) == float(Fraction(1, 4) * (0 + Fraction(1, 4) + Fraction(1, 4) + 1))


def test_brier_skill_compares_with_the_prevalence():
    assert brier_skill(table_of([0.25] * 4, [1, 0, 0, 0])) == 0
    assert brier_skill(table_of([1.0, 0.0], [1, 0])) == 1
    assert brier_skill(table_of([0.0, 1.0], [1, 0])) == -3


def test_log_loss_clips_and_counts_what_it_clipped():
    table = table_of([0.0, 0.0, 0.5, 1.0], [1, 0, 1, 1])
    expected = -(np.log(1e-6) + 2 * np.log1p(-1e-6) + np.log(0.5)) / 4
    assert log_loss(table) == pytest.approx(expected, rel=1e-12)
    remark = METRICS["calibration.log_loss"].remark
    note = "3 of 4 probabilities clipped at 1e-06; 1 contradicted (p = 0 with evidence or p = 1 without)"
    assert remark(table, clip=1e-6) == note
    assert remark(table_of([0.5], [1]), clip=1e-6) == ""


@settings(max_examples=40)
@given(labelled)
def test_brier_and_log_loss_equal_scikit_learn(pairs):
    p, y = (np.array(column, float) for column in zip(*pairs, strict=True))
    table = table_of(p, y)
    clipped = np.clip(p, 1e-6, 1 - 1e-6)
    assert brier(table) == pytest.approx(brier_score_loss(y, p), abs=1e-12)
    assert log_loss(table) == pytest.approx(sklearn_log_loss(y, clipped, labels=[0, 1]), rel=1e-12)


@given(labelled)
def test_brier_is_reliability_minus_resolution_plus_uncertainty(pairs):
    table = table_of_pairs(pairs)
    n = table.n_pos + table.n_neg
    rate, prevalence = table.n_pos / n, table.total_pos / table.total
    parts = (n * (table.score - rate) ** 2 - n * (rate - prevalence) ** 2).sum() / n.sum()
    assert brier(table) == pytest.approx(parts + prevalence * (1 - prevalence), abs=1e-12)


def test_values_of_the_published_reliability_example(shared):
    rows = pd.read_csv(shared / "golden" / "classification" / "cc_test_y_p.csv")
    table = table_of(rows.p, rows.y == 1)
    assert brier(table) == pytest.approx(0.17703339, abs=1e-8)
    assert brier_skill(table) == pytest.approx(0.28730517, abs=1e-8)


@pytest.mark.parametrize(("metric", "variant"), BINNED)
def test_binned_metrics_have_no_value_without_rows(metric, variant):
    nothing = table_of([], [])
    assert np.isnan(metric(nothing, variant=variant))
    assert METRICS[f"calibration.{metric.__name__}"].reason(nothing) == "no rows"


@pytest.mark.parametrize("metric", LOSSES)
def test_losses_have_no_value_without_rows(metric):
    nothing = table_of([], [])
    assert np.isnan(metric(nothing))
    assert METRICS[f"calibration.{metric.__name__}"].reason(nothing) == "no rows"


@pytest.mark.parametrize(("label", "reason"), [(0, "no row with evidence"), (1, "no row without evidence")])
def test_brier_skill_has_no_value_with_one_class(label, reason):
    table = table_of([0.2, 0.4], [label, label])
    assert np.isnan(brier_skill(table))
    assert METRICS["calibration.brier_skill"].reason(table) == reason
    assert brier(table) > 0


@settings(max_examples=40)
@given(labelled, st.randoms(use_true_random=False))
def test_row_order_changes_no_bit(pairs, random):
    table = table_of_pairs(pairs)
    shuffled = random.sample(pairs, len(pairs))
    same = table_of_pairs(shuffled)
    for metric, variant in BINNED:
        assert metric(same, variant=variant) == metric(table, variant=variant)
    for loss in LOSSES:
        np.testing.assert_array_equal(loss(same), loss(table))


@settings(max_examples=40)
@given(labelled)
def test_values_stay_within_their_bounds(pairs):
    table = table_of_pairs(pairs)
    values = [(metric.__name__, metric(table, variant=variant)) for metric, variant in BINNED]
    for name, value in values + [(loss.__name__, loss(table)) for loss in LOSSES]:
        low, high = METRICS[f"calibration.{name}"].bounds
        assert np.isnan(value) or low <= value <= high


@settings(max_examples=40)
@given(labelled, st.integers(0, 1000))
def test_replicates_equal_a_loop_over_them(pairs, seed):
    many = replicated(table_of_pairs(pairs), 5, seed)
    for metric, variant in BINNED:
        loop = [metric(one, variant=variant) for one in one_by_one(many)]
        np.testing.assert_array_equal(metric(many, variant=variant), loop)
    for loss in LOSSES:
        np.testing.assert_allclose(loss(many), [loss(one) for one in one_by_one(many)], rtol=1e-13)


def test_all_need_probabilities():
    names = ("ece", "mce", "brier", "brier_skill", "log_loss")
    assert all(METRICS[f"calibration.{name}"].needs_probability for name in names)
