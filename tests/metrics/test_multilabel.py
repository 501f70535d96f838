"""Per post: worked cases, undefined cases, incomplete posts, scikit-learn and a plain loop as oracles."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from evalcore.metrics import multilabel as m
from evalcore.problems import InputError
from evalcore.spec import METRICS, PerQuery, Ratio
from evalcore.tallies.labels import LabelMatrix
from tests.support.made.evidence import make_queries

MULTILABEL = [metric for metric in METRICS.values() if metric.family == "multilabel"]
CALLS = [(metric, variant) for metric in MULTILABEL for variant in metric.variants or [None]]
CRITERIA = ("A.1", "A.2", "A.3")

CELL = st.sampled_from([None, (0, 0), (0, 1), (1, 0), (1, 1)])  # absent, or (label, call)
POST = st.lists(CELL, min_size=3, max_size=3).filter(any)
POSTS = st.lists(POST, max_size=7)
COMPLETE = st.lists(st.lists(CELL.filter(bool), min_size=3, max_size=3), min_size=1, max_size=7)


def matrix_of(posts):
    """The matrix of posts, each a list of cells: None or (label, call)."""
    cells = np.zeros((3, len(posts), len(CRITERIA)), bool)
    for at, post in enumerate(posts):
        for criterion, cell in enumerate(post):
            if cell is not None:
                cells[:, at, criterion] = (*cell, True)
    return LabelMatrix(*cells, CRITERIA)


def value(metric, matrix, variant=None):
    """The value of a metric over all posts."""
    result = metric(matrix) if variant is None else metric(matrix, variant=variant)
    if isinstance(result, PerQuery):
        return result.over(np.ones(len(matrix), bool))[0]
    return result.value if isinstance(result, Ratio) else result


def close(number):
    return pytest.approx(float(number), abs=1e-15, nan_ok=True)


# --- an independent implementation: document 002 §6, one post at a time ---


def f1_by_loop(cells):
    """F1 of (label, call) cells; NaN when there is no positive and no call."""
    true_pos = sum(label and call for label, call in cells)
    wrong = sum(label != call for label, call in cells)
    return 2 * true_pos / (2 * true_pos + wrong) if true_pos + wrong else math.nan


def mean(values):
    kept = [number for number in values if not math.isnan(number)]
    return math.fsum(kept) / len(kept) if kept else math.nan


def filled(values, fill):
    return [fill if math.isnan(number) else number for number in values]


def by_loops(name, variant, posts):
    present = [[cell for cell in post if cell is not None] for post in posts]
    if name == "exact_match":
        complete = [cells for cells in present if len(cells) == len(CRITERIA)]
        return mean([float(all(label == call for label, call in cells)) for cells in complete])
    if name in ("hamming_score", "hamming_loss"):
        score = mean([sum(label == call for label, call in cells) / len(cells) for cells in present])
        return score if name == "hamming_score" else 1 - score
    columns = [[post[at] for post in posts if post[at] is not None] for at in range(len(CRITERIA))]
    by_post, by_criterion = [f1_by_loop(cells) for cells in present], [f1_by_loop(cells) for cells in columns]
    n_pos = [sum(label for label, _ in cells) for cells in columns]
    if variant == "weighted":
        weighted = [f1 * n for f1, n in zip(by_criterion, n_pos, strict=True) if n]
        return math.fsum(weighted) / sum(n_pos) if sum(n_pos) else math.nan
    return {
        "micro": f1_by_loop([cell for cells in present for cell in cells]),
        "macro": mean(by_criterion),
        "samples": mean(by_post),
        "samples_zero": mean(filled(by_post, 0.0)),
        "samples_one": mean(filled(by_post, 1.0)),
    }[variant]


@given(POSTS)
def test_every_metric_equals_the_plain_loop(posts):
    for metric, variant in CALLS:
        expected = by_loops(metric.name, variant, posts)
        assert value(metric, matrix_of(posts), variant) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(COMPLETE)
def test_complete_posts_equal_scikit_learn(posts):
    matrix = matrix_of(posts)
    pair = matrix.label.astype(int), matrix.called.astype(int)
    expected = {
        ("exact_match", None): sklearn_metrics.accuracy_score(*pair),
        ("hamming_loss", None): sklearn_metrics.hamming_loss(*pair),
        ("hamming_score", None): 1 - sklearn_metrics.hamming_loss(*pair),
    }
    for variant, average, zero_division in (
        ("micro", "micro", math.nan),
        ("macro", "macro", math.nan),
        ("samples", "samples", math.nan),
        ("samples_zero", "samples", 0.0),
        ("samples_one", "samples", 1.0),
    ):
        f1 = sklearn_metrics.f1_score(*pair, average=average, zero_division=zero_division)
        expected["f1", variant] = f1
    if matrix.label.any():  # without a positive scikit-learn weighs all labels alike
        expected["f1", "weighted"] = sklearn_metrics.f1_score(
            *pair, average="weighted", zero_division=math.nan
        )
    for (name, variant), number in expected.items():
        got = value(METRICS[f"multilabel.{name}"], matrix, variant)
        assert got == pytest.approx(number, abs=1e-12, nan_ok=True), (name, variant)


# --- worked cases ---

# All right with a positive; one missed and one false; all right with nothing positive.
WORKED = matrix_of(
    [
        [(1, 1), (0, 0), (1, 1)],
        [(1, 0), (0, 1), (1, 1)],
        [(0, 0), (0, 0), (0, 0)],
    ]
)


@pytest.mark.parametrize(
    ("name", "variant", "expected"),
    [
        ("exact_match", None, Fraction(2, 3)),
        ("hamming_score", None, (1 + Fraction(1, 3) + 1) / 3),
        ("hamming_loss", None, Fraction(2, 3) / 3),
        ("f1", "micro", Fraction(2 * 3, 2 * 3 + 1 + 1)),
        ("f1", "macro", (Fraction(2, 3) + 0 + 1) / 3),
        ("f1", "samples", (1 + Fraction(1, 2)) / 2),
        ("f1", "samples_zero", (1 + Fraction(1, 2) + 0) / 3),
        ("f1", "samples_one", (1 + Fraction(1, 2) + 1) / 3),
        ("f1", "weighted", (2 * Fraction(2, 3) + 0 + 2 * 1) / 4),
    ],
)
def test_worked_example(name, variant, expected):
    assert value(METRICS[f"multilabel.{name}"], WORKED, variant) == close(expected)


def test_calling_nothing_reaches_a_high_hamming_score_and_no_f1():
    matrix = matrix_of([[(1, 0), (0, 0), (0, 0)], [(0, 0), (0, 0), (0, 0)]])
    assert value(m.hamming_score, matrix) == close(Fraction(5, 6))
    assert value(m.f1, matrix, "micro") == 0


def test_exact_match_leaves_out_incomplete_posts_and_counts_them():
    matrix = matrix_of([[(1, 1), (0, 0), None], [(1, 0), (0, 0), (0, 0)]])
    assert m.exact_match(matrix) == Ratio(0, 1)
    note = METRICS["multilabel.exact_match"].remark
    assert note(matrix) == "left out: 1 of 2 posts, which lack a criterion"
    assert note(WORKED) == ""


def test_an_incomplete_post_is_judged_by_the_criteria_it_has():
    matrix = matrix_of([[(1, 1), (0, 1), None], [(1, 1), (0, 0), (0, 0)]])
    assert m.hamming_score(matrix).values.tolist() == [0.5, 1.0]
    assert m.hamming_loss(matrix).values.tolist() == [0.5, 0.0]
    note = METRICS["multilabel.hamming_loss"].remark
    assert note(matrix) == "1 of 2 posts lack a criterion: their share is of the criteria they have"
    assert note(WORKED) == ""


def test_notes_count_what_has_no_f1():
    note = METRICS["multilabel.f1"].remark
    assert note(WORKED, variant="micro") == note(WORKED, variant="macro") == ""
    assert note(WORKED, variant="samples") == "left out: 1 of 3 posts, without positive and call"
    assert note(WORKED, variant="samples_zero") == "counted as 0: 1 of 3 posts, without positive and call"
    assert note(WORKED, variant="samples_one") == "counted as 1: 1 of 3 posts, without positive and call"
    one_criterion = matrix_of([[(1, 1), (0, 0), (0, 0)]])
    assert note(one_criterion, variant="macro") == "left out: 2 of 3 criteria, without positive and call"


# --- undefined ---


def test_nothing_positive_and_nothing_called_has_no_f1():
    matrix, f1 = matrix_of([[(0, 0)] * 3]), METRICS["multilabel.f1"]
    for variant in ("micro", "macro", "samples"):
        assert math.isnan(value(f1, matrix, variant))
        assert f1.reason(matrix, variant) == "no positive and no positive call"
    assert math.isnan(value(f1, matrix, "weighted"))
    assert f1.reason(matrix, "weighted") == "no query with evidence"
    assert [value(f1, matrix, variant) for variant in ("samples_zero", "samples_one")] == [0, 1]
    assert f1.reason(matrix, "samples_zero") is f1.reason(matrix, "samples_one") is None


def test_false_calls_alone_have_no_weighted_f1_and_an_f1_of_0_otherwise():
    matrix = matrix_of([[(0, 1), (0, 0), (0, 0)]])
    assert math.isnan(value(m.f1, matrix, "weighted"))
    assert [value(m.f1, matrix, variant) for variant in ("micro", "macro", "samples")] == [0, 0, 0]


def test_without_posts_every_metric_is_undefined():
    for metric, variant in CALLS:
        assert math.isnan(value(metric, matrix_of([]), variant))
        assert metric.reason(matrix_of([]), variant) == "no posts with criteria"


def test_without_a_complete_post_there_is_no_exact_match():
    matrix = matrix_of([[(1, 1), None, None]])
    assert math.isnan(value(m.exact_match, matrix))
    assert METRICS["multilabel.exact_match"].reason(matrix) == "no post has a row for every criterion"


def test_an_unknown_variant_is_refused():
    with pytest.raises(InputError, match=r"found variant = 'mean', expected one of micro, macro, .*OPT-003"):
        m.f1(WORKED, variant="mean")


# --- what holds for generated posts ---


@given(POSTS)
def test_values_lie_between_0_and_1_or_are_undefined_with_a_reason(posts):
    matrix = matrix_of(posts)
    for metric, variant in CALLS:
        number, reason = value(metric, matrix, variant), metric.reason(matrix, variant)
        assert math.isnan(number) == (reason is not None), (metric.name, variant)
        assert math.isnan(number) or 0 <= number <= 1


@given(POSTS, st.randoms(use_true_random=False))
def test_the_order_of_posts_and_criteria_changes_nothing(posts, random):
    order = random.sample(range(3), 3)
    shuffled = [[post[at] for at in order] for post in random.sample(posts, len(posts))]
    for metric, variant in CALLS:
        one, other = (value(metric, matrix_of(part), variant) for part in (posts, shuffled))
        assert repr(one) == repr(other)


@given(POSTS, st.integers(0, 7))
def test_merged_parts_are_the_whole(posts, cut):
    merged = matrix_of(posts[:cut]).merge(matrix_of(posts[cut:]))
    whole = matrix_of(posts)
    for name in ("label", "called", "present"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


def test_parts_with_other_criteria_merge_by_name():
    first = LabelMatrix.from_queries(
        make_queries([1, 0], [0.9, 0.1], posts=["a", "a"], criteria=["A.1", "A.2"])
    )
    second = LabelMatrix.from_queries(
        make_queries([1, 1], [0.9, 0.1], posts=["b", "b"], criteria=["A.3", "A.2"])
    )
    merged = first.merge(second)
    assert merged.criteria == ("A.1", "A.2", "A.3")
    assert merged.present.tolist() == [[True, True, False], [False, True, True]]
    assert merged.label.tolist() == [[True, False, False], [False, True, True]]
    assert merged.called.tolist() == [[True, False, False], [False, False, True]]


@given(POSTS, st.integers(0, 127))
def test_a_group_is_the_masked_posts(posts, bits):
    mask = [bool(bits >> at & 1) for at in range(len(posts))]
    kept = matrix_of(posts).where(np.array(mask, bool))
    alone = matrix_of([post for post, keep in zip(posts, mask, strict=True) if keep])
    for metric, variant in CALLS:
        assert repr(value(metric, kept, variant)) == repr(value(metric, alone, variant))


@given(POSTS)
def test_hamming_score_and_loss_add_up_and_an_exact_match_is_all_right(posts):
    matrix = matrix_of(posts)
    both = m.hamming_score(matrix).values + m.hamming_loss(matrix).values
    assert both == pytest.approx(np.ones(len(posts)), abs=1e-15)
    complete = matrix.is_complete
    assert m.exact_match(matrix).numerator == (m.hamming_score(matrix).values[complete] == 1).sum()


@given(POSTS)
def test_posts_without_positive_and_call_move_the_mean_between_their_two_fills(posts):
    matrix = matrix_of(posts)
    if posts and not math.isnan(value(m.f1, matrix, "samples")):
        zero, skipped, one = (
            value(m.f1, matrix, name) for name in ("samples_zero", "samples", "samples_one")
        )
        assert zero - 1e-12 <= skipped <= one + 1e-12


# --- from queries ---


def test_a_score_at_the_threshold_is_a_call():
    queries = make_queries([1, 0, 1], [0.5, 0.4, 0.2], posts=["a", "a", "b"], criteria=["A.1", "A.2", "A.1"])
    matrix = LabelMatrix.from_queries(queries)
    assert matrix.criteria == ("A.1", "A.2")
    assert matrix.label.tolist() == [[True, False], [True, False]]
    assert matrix.called.tolist() == [[True, False], [False, False]]
    assert matrix.present.tolist() == [[True, True], [True, False]]
    assert LabelMatrix.from_queries(queries, threshold=0.2).called.tolist() == [[True, True], [True, False]]


def test_posts_and_criteria_of_a_group_only():
    queries = make_queries([1, 0, 1], [0.9, 0.4, 0.2], posts=["a", "a", "b"], criteria=["A.1", "A.2", "A.1"])
    matrix = LabelMatrix.from_queries(queries.where(np.array([False, False, True])))
    assert (len(matrix), matrix.criteria, matrix.is_complete.tolist()) == (1, ("A.1",), [True])


def test_rows_without_post_or_criterion_make_no_matrix():
    queries = make_queries([1, 0], [0.9, 0.4], posts=["a", "b"])
    without_posts = LabelMatrix.from_queries(type(queries)(**{**vars(queries), "has_posts": False}))
    without_criteria = LabelMatrix.from_queries(
        type(queries)(**{**vars(queries), "criterion": np.array([-1, -1])})
    )
    for matrix in (without_posts, without_criteria):
        assert len(matrix) == 0
        assert METRICS["multilabel.hamming_score"].reason(matrix) == "no posts with criteria"
