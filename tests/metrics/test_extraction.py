"""Evidence extraction: worked cases, the gate, a file's own selections, the printed formulas as oracles."""

import math
from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.metrics import extraction as e
from evalcore.problems import InputError
from evalcore.spec import METRICS
from evalcore.tallies.selections import Selections
from tests.support.made.extracted import (
    EVIDENCE,
    value,
)

EXTRACTION = [metric for metric in METRICS.values() if metric.family == "extraction"]


COUNTS = (e.mean_selected_k, e.median_selected_k, e.p90_selected_k)


def selections(*rows, passed=None, known=True):
    """Selections of rows (n_selected, n_hits, n_gold), all from lists of nine."""
    n_selected, n_hits, n_gold = np.array(rows, np.int64).reshape(-1, 3).T
    let_through = np.ones(len(rows), bool) if passed is None else np.array(passed, bool)
    n_candidates = np.full(len(rows), 9)
    return Selections(n_selected, n_hits if known else None, n_gold, n_candidates, let_through)


def close(number):
    return pytest.approx(float(number), abs=1e-15)


ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.booleans()), max_size=8
).map(lambda rows: [(k, min(hits, k, gold), gold, passed) for k, hits, gold, passed in rows])


def from_rows(rows):
    """Selections of rows (n_selected, n_hits, n_gold, passed)."""
    return selections(*(row[:3] for row in rows), passed=[row[3] for row in rows])


# Gold found in part; gold and nothing selected; no gold and something selected; no gold and nothing selected.
WORKED = selections((4, 1, 2), (0, 0, 1), (3, 0, 0), (0, 0, 0))


@pytest.mark.parametrize(
    ("metric", "population", "variant", "expected"),
    [
        (e.evidence_recall, "positives_only", "default", Fraction(1, 2) / 2),
        (e.evidence_recall, "all_queries", "default", (Fraction(1, 2) + 0 + 0 + 1) / 4),
        (e.evidence_recall, "positives_only", "defined_only", Fraction(1, 2)),
        (e.evidence_recall, "all_queries", "defined_only", Fraction(1, 2)),
        (e.evidence_precision, "positives_only", "default", Fraction(1, 4) / 2),
        (e.evidence_precision, "all_queries", "default", (Fraction(1, 4) + 0 + 0 + 1) / 4),
        (e.evidence_precision, "positives_only", "defined_only", Fraction(1, 4)),
        (e.evidence_precision, "all_queries", "defined_only", Fraction(1, 4) / 2),
        (e.evidence_f1, "positives_only", "default", Fraction(2 * 1, 4 + 2) / 2),
        (e.evidence_f1, "all_queries", "default", (Fraction(1, 3) + 0 + 0 + 1) / 4),
        (e.evidence_f1, "positives_only", "defined_only", Fraction(1, 3)),
        (e.evidence_f1, "positives_only", "harmonic_mean_of_means", Fraction(2) / (4 + 8)),
        (e.evidence_f1, "all_queries", "harmonic_mean_of_means", 2 / (Fraction(16, 5) + Fraction(8, 3))),
    ],
)
def test_worked_example(metric, population, variant, expected):
    assert value(metric, WORKED, population, variant=variant) == close(expected)


@pytest.mark.parametrize(
    ("metric", "population", "expected"),
    [
        (e.mean_selected_k, "all_queries", Fraction(4 + 0 + 3 + 0, 4)),
        (e.mean_selected_k, "positives_only", 2),
        (e.mean_selected_k, "negatives_only", Fraction(3, 2)),
        (e.median_selected_k, "all_queries", Fraction(3, 2)),
        (e.p90_selected_k, "all_queries", 3 + Fraction(7, 10)),
        (e.p90_selected_k, "negatives_only", Fraction(27, 10)),
    ],
)
def test_selected_k_worked_example(metric, population, expected):
    assert value(metric, WORKED, population) == pytest.approx(float(expected), abs=1e-12)


def test_f1_of_means_is_not_the_mean_f1():
    chosen = selections((2, 1, 1), (1, 1, 2))  # precision 1/2 and 1, recall 1 and 1/2
    assert value(e.evidence_f1, chosen) == close(Fraction(2, 3))
    assert value(e.evidence_f1, chosen, variant="harmonic_mean_of_means") == close(Fraction(3, 4))
    nothing_found = selections((2, 0, 1))
    assert value(e.evidence_f1, nothing_found, variant="harmonic_mean_of_means") == 0


def test_nothing_selected_counts_0_beside_gold_and_its_note_counts_it_where_left_out():
    chosen = selections((0, 0, 1), (2, 1, 1), (0, 0, 0))
    for metric in EVIDENCE:
        assert metric(chosen).values.tolist()[0] == 0
    note = METRICS["extraction.evidence_precision"].remark
    assert note(chosen) == ""
    assert (
        note(chosen, variant="defined_only")
        == "left out: 2 of 3 queries, with nothing selected (1 with gold)"
    )
    note = METRICS["extraction.evidence_recall"].remark
    assert note(chosen, variant="defined_only") == (
        "left out: 2 of 3 queries, with nothing selected or without gold (1 with gold)"
    )


def test_a_gate_miss_counts_0_and_is_left_out_under_conditional():
    chosen = selections((2, 1, 1), (2, 1, 1), (2, 0, 0), passed=[True, False, False])
    for metric in EVIDENCE:
        assert value(metric, chosen) == value(metric, chosen.where(np.array([True, False, False]))) / 2
        assert value(metric, chosen, variant="conditional") == metric(chosen).values[0]
    assert value(e.evidence_recall, chosen, "all_queries") == close(Fraction(1 + 0 + 1, 3))
    assert value(e.evidence_recall, chosen, "all_queries", variant="conditional") == 1
    note = METRICS["extraction.evidence_recall"].remark
    assert (
        note(chosen, variant="conditional") == "left out: 2 of 3 queries, stopped by the gate (1 with gold)"
    )


def test_counts_of_selected_are_as_selected_whatever_the_gate_says():
    chosen = selections((4, 1, 1), (2, 1, 1), passed=[True, False])
    assert value(e.mean_selected_k, chosen, "all_queries") == 3
    assert [value(metric, chosen, "all_queries", variant="conditional") for metric in COUNTS] == [4, 4, 4]


def test_without_gold_positives_only_is_undefined_with_its_reason():
    chosen = selections((2, 0, 0))
    for metric in EVIDENCE:
        assert METRICS[f"extraction.{metric.__name__}"].reason(chosen) == "no query with gold"
        assert math.isnan(value(metric, chosen))
        assert value(metric, chosen, "all_queries") == 0


def test_without_queries_every_metric_is_undefined():
    for declared in EXTRACTION:
        assert declared.reason(selections()) in ("no queries", "no query with gold")
        for variant in declared.variants:
            assert math.isnan(value(declared, selections(), "all_queries", variant=variant))


def test_where_only_the_number_is_known_the_counts_have_a_value_and_the_evidence_metrics_a_reason():
    chosen = selections((4, 0, 1), (2, 0, 0), known=False)
    assert [value(metric, chosen, "all_queries") for metric in COUNTS] == pytest.approx([3, 3, 3.8])
    for metric in EVIDENCE:
        declared = METRICS[f"extraction.{metric.__name__}"]
        assert declared.reason(chosen) == "no ranked lists: which candidates were selected is not known"
        for variant, population in [(v, p) for v in declared.variants for p in declared.population]:
            assert math.isnan(value(metric, chosen, population, variant=variant))


def test_variants_that_leave_everything_out_say_why():
    stopped = selections((2, 1, 1), passed=[False])
    empty = selections((0, 0, 1))
    for metric in EVIDENCE:
        declared = METRICS[f"extraction.{metric.__name__}"]
        assert declared.reason(stopped) is None
        assert declared.reason(stopped, "conditional") == "no query passes the gate"
        assert declared.reason(empty, "defined_only") == "nothing selected for any query with gold"
        assert math.isnan(value(metric, stopped, variant="conditional"))
        assert math.isnan(value(metric, empty, variant="defined_only"))
    assert METRICS["extraction.p90_selected_k"].reason(stopped, "conditional") == "no query passes the gate"


@pytest.mark.parametrize("declared", EXTRACTION, ids=lambda declared: declared.name)
def test_an_unknown_variant_is_refused(declared):
    with pytest.raises(InputError, match=r"found variant = 'best', expected one of default.*OPT-003"):
        declared(WORKED, variant="best")


@given(ROWS)
def test_values_lie_within_their_bounds_or_are_undefined(rows):
    chosen = from_rows(rows)
    for declared in EXTRACTION:
        low, high = declared.bounds
        for variant, population in [(v, p) for v in declared.variants for p in declared.population]:
            number = value(declared, chosen, population, variant=variant)
            assert math.isnan(number) or low <= number <= high


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_queries_changes_nothing(rows, random):
    one, other = from_rows(rows), from_rows(random.sample(rows, len(rows)))
    for declared in EXTRACTION:
        for variant, population in [(v, p) for v in declared.variants for p in declared.population]:
            numbers = [value(declared, chosen, population, variant=variant) for chosen in (one, other)]
            assert repr(numbers[0]) == repr(numbers[1])


@given(ROWS, st.integers(0, 8))
def test_merged_parts_are_the_whole(rows, cut):
    whole, merged = from_rows(rows), from_rows(rows[:cut]).merge(from_rows(rows[cut:]))
    for name in ("n_selected", "n_hits", "n_gold", "n_candidates", "passed"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


@given(ROWS, st.integers(0, 255))
def test_a_group_is_the_masked_queries(rows, bits):
    mask = [bool(bits >> at & 1) for at in range(len(rows))]
    kept = from_rows(rows).where(np.array(mask, bool))
    alone = from_rows([row for row, keep in zip(rows, mask, strict=True) if keep])
    for name in ("n_selected", "n_hits", "n_gold", "n_candidates", "passed"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(alone, name))


def test_what_one_part_does_not_know_the_whole_does_not_know():
    merged = selections((1, 1, 1), known=False).merge(selections((1, 1, 1)))
    assert merged.n_hits is None
    assert merged.n_candidates.tolist() == [9, 9]


@given(ROWS)
def test_the_middle_is_the_median_and_f1_lies_between_precision_and_recall(rows):
    chosen = from_rows([(*row[:3], True) for row in rows])
    if rows:
        assert value(e.median_selected_k, chosen, "all_queries") == median(row[0] for row in rows)
    precision, recall, f1 = (
        metric(chosen).values for metric in (e.evidence_precision, e.evidence_recall, e.evidence_f1)
    )
    assert (np.minimum(precision, recall) - 1e-15 <= f1).all()
    assert (f1 <= np.maximum(precision, recall) + 1e-15).all()
