"""Classification: worked cases, undefined cases, and scikit-learn as the independent oracle."""

import csv
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as sk

from evalcore.metrics import classification as c
from evalcore.spec import METRICS
from evalcore.tallies.decisions import confusion_at
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.inputs import GOLDEN


def table_of(p, y):
    p, y = np.asarray(p, float), np.asarray(y, bool)
    return ScoreTable.from_rows(ScoredRows(p, y, np.arange(len(p)), len(p)))


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@st.composite
def scored_labels(draw, both_classes=True):
    """Scores with ties and plateaus at 0 and 1, and labels."""
    n = draw(st.integers(2, 60))
    grid = draw(st.sampled_from([2, 5, 1000]))
    p = draw(hnp.arrays(np.int64, n, elements=st.integers(0, grid))) / grid
    y = draw(hnp.arrays(np.bool_, n))
    if both_classes:
        y[0], y[1] = True, False
    return p, y


@given(
    st.lists(st.tuples(st.sampled_from([-2.5, -0.0, 0.0, 5e-324, 0.3, 1.0, 1e308, np.inf]), st.booleans())),
    st.booleans(),
)
def test_rows_are_counted_at_each_distinct_score_of_any_sign(rows, may_be_negative):
    rows = [(score, label) for score, label in rows if may_be_negative or score >= 0]
    table = table_of(*zip(*rows, strict=True)) if rows else table_of([], [])
    distinct = sorted({score for score, _ in rows})
    assert table.score.tolist() == distinct
    assert not np.signbit(table.score[table.score == 0]).any()
    for counts, label in ((table.n_pos, True), (table.n_neg, False)):
        assert counts.dtype == np.int64
        assert counts.tolist() == [rows.count((score, label)) for score in distinct]


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64])
def test_scores_of_other_kinds_are_counted_as_numbers_of_eight_bytes(kind):
    score, label = np.array([1, 0.25, 0.25, 0]).astype(kind), np.array([True, False, True, False])
    found = ScoreTable.from_rows(ScoredRows(score, label, np.arange(4), 4))
    expected = table_of(score, label)
    for name in ("score", "n_pos", "n_neg"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@given(scored_labels())
def test_auroc_and_auprc_equal_scikit_learn(rows):
    p, y = rows
    table = table_of(p, y)
    assert c.auroc(table) == pytest.approx(sk.roc_auc_score(y, p), abs=1e-12)
    assert c.auprc(table) == pytest.approx(sk.average_precision_score(y, p), abs=1e-12)


@given(scored_labels(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_metrics_at_a_threshold_equal_scikit_learn(rows, threshold):
    p, y = rows
    counts, called = confusion_at(table_of(p, y), threshold), p >= threshold
    tn, fp, fn, tp = sk.confusion_matrix(y, called, labels=[False, True]).ravel()
    assert (counts.true_neg, counts.false_pos, counts.false_neg, counts.true_pos) == (tn, fp, fn, tp)
    assert c.sensitivity(counts).value == pytest.approx(sk.recall_score(y, called), abs=1e-12)
    assert c.balanced_accuracy(counts) == pytest.approx(sk.balanced_accuracy_score(y, called), abs=1e-12)
    if called.any():
        assert c.precision(counts).value == pytest.approx(sk.precision_score(y, called), abs=1e-12)
        assert c.f1(counts) == pytest.approx(sk.f1_score(y, called), abs=1e-12)
    if called.any() and not called.all():
        assert c.mcc(counts) == pytest.approx(sk.matthews_corrcoef(y, called), abs=1e-12)


@given(scored_labels(), st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.3, 1.0]))
def test_tpr_at_fpr_is_the_best_over_all_thresholds(rows, alpha):
    p, y = rows
    fpr, tpr, _ = sk.roc_curve(y, p, drop_intermediate=False)
    n_neg = int((~y).sum())
    within = [Fraction(round(x * n_neg), n_neg) <= Fraction(str(alpha)) for x in fpr]
    assert c.tpr_at_fpr(table_of(p, y), fpr=alpha).value == pytest.approx(tpr[within].max(), abs=1e-12)


def test_tpr_at_fpr_compares_counts_not_rounded_rates():
    # 3 of 100 negatives lie above 0.5: FPR is 0.03 exactly, which 3 / 100 <= 0.03 would also find in floats;
    # 7 of 100 against a budget of 0.07 is the case in which 0.07 * 100 > 7 in floats.
    p = [0.9] * 7 + [0.1] * 93 + [0.8] * 5
    y = [0] * 100 + [1] * 5
    assert c.tpr_at_fpr(table_of(p, y), fpr=0.07).value == 1.0
    assert c.tpr_at_fpr(table_of(p, y), fpr=0.06).value == 0.0


@pytest.mark.parametrize("variant", ["default", "first_at_or_above"])
def test_tpr_at_fpr_without_negatives_is_none_of_none(variant):
    ratio = c.tpr_at_fpr(table_of([0.2, 0.9], [1, 1]), fpr=0.05, variant=variant)
    assert (ratio.numerator, ratio.denominator) == (0, 0)


def test_no_threshold_within_the_budget_gives_zero_and_says_so():
    table = table_of([0.2, 0.9, 0.9, 0.1], [1, 0, 0, 1])
    remark = METRICS["classification.tpr_at_fpr"].remark
    assert c.tpr_at_fpr(table, fpr=0.05).value == 0.0
    assert (
        remark(table, fpr=0.05, variant="default")
        == "no positive call possible within the budget; threshold null"
    )


def test_first_at_or_above_exceeds_its_budget_and_says_so():
    table = table_of([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 0])
    remark = METRICS["classification.tpr_at_fpr"].remark
    assert c.tpr_at_fpr(table, fpr=0.1, variant="first_at_or_above").value == 0.0
    assert c.tpr_at_fpr(table, fpr=0.5, variant="first_at_or_above").value == 1.0
    assert remark(table, fpr=0.5, variant="first_at_or_above") == (
        "exceeds its budget: achieved FPR 2/3 = 0.666667 at score >= 0.7"
    )


def test_perfect_and_reversed_scores():
    assert c.auroc(table_of([0.05, 0.2, 0.3, 0.6, 0.9], [0, 0, 0, 1, 1])) == 1.0
    assert c.auroc(table_of([0.9, 0.7, 0.4, 0.2, 0.8], [1, 1, 0, 0, 1])) == 1.0  # 001 section 8
    assert c.auroc(table_of([0.9, 0.1], [0, 1])) == 0.0


def test_area_under_the_curve_with_scores_at_one():
    assert c.auroc(table_of([0.2, 0.6, 1.0, 1.0, 0.4], [0, 1, 1, 0, 0])) == 0.75


def test_auroc_of_150_000_rows_has_no_overflow():
    i = np.arange(150_000, dtype=np.uint64)
    u = ((i * np.uint64(2654435761) + np.uint64(12345)) % np.uint64(2**32)).astype(float) / 2**32
    v = ((i * np.uint64(2246822519) + np.uint64(97)) % np.uint64(2**32)).astype(float) / 2**32
    p = np.round(u, 3)
    y = v < 0.05 + 0.9 * p
    assert int(y.sum()) == 74_997
    assert c.auroc(table_of(p, y)) == pytest.approx(0.8001912313247505, abs=1e-9)


def test_documented_examples():
    assert c.auprc(table_of([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])) == pytest.approx(0.83, abs=0.005)
    assert c.auroc(table_of([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])) == 0.75


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_is_undefined_with_its_reason(label):
    table = table_of([0.9, 0.8], [label, label])
    for name in ("auroc", "auprc", "tpr_at_fpr"):
        metric = METRICS[f"classification.{name}"]
        value = metric(table, **({"fpr": 0.1} if name == "tpr_at_fpr" else {}))
        assert np.isnan(getattr(value, "value", value))
        assert metric.reason(table) == ("no row with evidence" if label == 0 else "no row without evidence")


def test_f1_is_zero_when_nothing_is_found_and_undefined_when_there_is_nothing():
    assert c.f1(confusion_at(table_of([0.1, 0.2], [1, 0]), 0.5)) == 0.0
    assert np.isnan(c.f1(confusion_at(table_of([0.1, 0.2], [0, 0]), 0.5)))


def test_mcc_worked_example():
    y, called = [1, 1, 1, 0], [1, 0, 1, 1]
    assert c.mcc(confusion_at(table_of(called, y), 1)) == pytest.approx(-1 / 3)
    assert np.isnan(c.mcc(confusion_at(table_of([0.1, 0.2], [1, 0]), 0.5)))


def test_net_benefit_worked_example():
    # 2 true and 1 false positive of 5 at t = 0.25: 2/5 − 1/5 · 1/3
    counts = confusion_at(table_of([0.9, 0.3, 0.25, 0.1, 0.0], [1, 1, 0, 0, 1]), 0.25)
    assert c.net_benefit(counts) == pytest.approx(2 / 5 - 1 / 15)
    at_one = confusion_at(table_of([1.0], [1]), 1.0)
    assert np.isnan(c.net_benefit(at_one))
    assert METRICS["classification.net_benefit"].reason(at_one) == "the weight t/(1−t) is infinite at t = 1"


def test_net_benefit_equals_the_published_curve():
    rows = pd.read_csv(GOLDEN / "dcurves" / "df_binary.csv")
    expected = pd.read_csv(GOLDEN / "dcurves" / "net_benefit.csv")
    table = table_of(rows.cancerpredmarker, rows.cancer)
    found = [c.net_benefit(confusion_at(table, t)) for t in expected.threshold]
    np.testing.assert_allclose(found, expected.net_benefit_cancerpredmarker, atol=1e-12)
    family = confusion_at(table_of(rows.famhistory, rows.cancer), 0.0)
    assert c.net_benefit(family) == pytest.approx(0.14), "the literal rule p >= t"


def test_net_benefit_equals_the_published_table():
    rows = rows_of(GOLDEN / "dcurves" / "df_binary.csv")
    y = np.array([row["cancer"] in ("1", "TRUE", "True") for row in rows])
    p = np.array([float(row["cancerpredmarker"]) for row in rows])
    assert c.net_benefit(confusion_at(table_of(p, y), 0.25)) == pytest.approx(0.064, abs=1e-9)
    everything = confusion_at(table_of(np.ones(len(y)), y), 0.25)
    assert c.net_benefit(everything) == pytest.approx(-0.1466667, abs=1e-6)


@given(scored_labels(both_classes=False), st.integers(0, 3))
def test_replicates_on_a_leading_axis_equal_one_at_a_time(rows, seed):
    p, y = rows
    weights = np.random.default_rng(seed).poisson(1, (4, len(p)))
    single = [ScoreTable.from_rows(ScoredRows(p, y, np.arange(len(p)), len(p)), w) for w in weights]
    stacked = ScoreTable(
        single[0].score, np.stack([t.n_pos for t in single]), np.stack([t.n_neg for t in single])
    )
    for name in ("auroc", "auprc"):
        function = getattr(c, name)
        np.testing.assert_array_equal(function(stacked), [function(t) for t in single])
    at_five = c.tpr_at_fpr(stacked, fpr=0.05).value
    np.testing.assert_array_equal(at_five, [c.tpr_at_fpr(t, fpr=0.05).value for t in single])
    np.testing.assert_array_equal(
        c.mcc(confusion_at(stacked, 0.5)), [c.mcc(confusion_at(t, 0.5)) for t in single]
    )
