"""What two models or lists are compared on: shared queries, files, splits, gold, and names that fit."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from evalcore.compare import Shared, as_csv, compare, dropped_in_words
from evalcore.problems import InputError
from tests.support.made.evidence import make_data
from tests.support.made.rankings import lists, rankings_of
from tests.support.made.scored_data import data_of
from tests.support.made.two_models import FAST, only, row_of, two_models


def test_what_is_not_shared_falls_out_and_is_counted():
    first = data_of(
        [("s1", "A.1", 0.2, 0), ("s2", "A.1", 0.6, 1), ("s3", "A.1", 0.7, 1), ("s5", "A.1", 0.1, 0)]
    )
    second = data_of(
        [("s3", "A.1", 0.9, 0), ("s4", "A.1", 0.1, 1), ("s2", "A.1", 0.8, 1), ("s1", "A.1", 0.1, 0)]
    )
    result = compare(first, other=second, **FAST)
    assert result.shared == (Shared("checks", 2, 1, 1, 1),)
    assert row_of(result, "calibration.brier")["n"] == 2
    # (.2² + .4²) / 2 and (.1² + .2²) / 2: s1 and s2 alone.
    assert row_of(result, "calibration.brier")["first"] == pytest.approx(0.1)
    assert row_of(result, "calibration.brier")["second"] == pytest.approx(0.025)
    assert dropped_in_words(result.shared[0], "a", "b") == (
        "2 checks compared; 3 fell out: 1 only in a, 1 only in b, 1 with another label."
    )


def test_two_files_give_what_one_file_gives_in_any_order_of_rows():
    data = two_models()
    whole = compare(data, "a", "b", by="criterion", **FAST)
    a, b = only(data, "a"), only(data, "b")
    order = np.random.default_rng(1).permutation(len(b.queries))
    mixed = b.queries.where(order)
    apart = compare(a, other=b.with_tables(queries=mixed), by="criterion", **FAST)
    assert as_csv(whole) == as_csv(apart)
    assert as_csv(whole) != as_csv(compare(data, "a", "b", by="criterion", **FAST, seed=1))


def test_a_split_is_compared_as_its_rows_alone():
    data = two_models(n_posts=40)
    queries = data.queries
    of_test = (queries.post % 3 == 0).astype(np.intp)
    split = data.with_tables(queries=replace(queries, slices={"split": (of_test, ("tune", "test"))}))
    alone = data.with_tables(queries=queries.where(of_test == 1))
    options = {"bootstrap": 100, "permutations": 99, "tau_neg": 0.3, "tau_pos": 0.6}
    on_test = compare(split, "a", "b", split="test", **options)
    assert as_csv(on_test) == as_csv(compare(alone, "a", "b", **options))
    assert on_test.shared[0].n == 14 * 3
    assert on_test.shared[0].n_dropped == 0
    with pytest.raises(InputError, match="validation"):
        compare(split, "a", "b", split="validation", **options)


def test_lists_of_a_split_are_those_of_its_queries():
    rankings = rankings_of(GOLD, BEFORE, after=lists(q1="ab", q2="bac", q3="ba"))
    of_test = np.array([0, 1, 0, 1], np.intp)
    data = make_data(rankings=replace(rankings, slices={"split": (of_test, ("tune", "test"))}))
    result = compare(data, "model", "after", split="test", **FAST)
    assert result.shared == (Shared("queries with gold", 2, 0, 0, 0, n_second_missing=1),)
    assert row_of(result, "ranking.mrr")["n"] == 2


GOLD = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {}, "q4": {"a": 1}}
BEFORE = lists(q1="ba", q2="cba", q3="ab", q4="ab")


def test_lists_are_compared_over_shared_queries_with_gold_where_that_is_asked():
    data = make_data(rankings=rankings_of(GOLD, BEFORE, after=lists(q1="ab", q2="bac", q3="ba")))
    result = compare(data, "model", "after", shared_only=True, **FAST)
    assert result.shared == (Shared("queries with gold", 2, 1, 0, 0),)
    row = row_of(result, "ranking.mrr")
    # q1: 1/2 → 1; q2: 1/3 → 1/2; q3 has no gold; q4 is in the first list only.
    assert row["first"] == pytest.approx(float(Fraction(5, 12)))
    assert row["second"] == pytest.approx(float(Fraction(3, 4)))
    assert (row["n"], row["population"], row["params"]) == (2, "positives_only", "")
    assert row_of(result, "ranking.ndcg")["params"] == "k=10"


def test_lists_of_two_files_with_other_gold_fall_out():
    first = make_data(rankings=rankings_of(GOLD, BEFORE))
    other_gold = {**GOLD, "q1": {"b": 1}}
    second = make_data(rankings=rankings_of(dict(reversed(other_gold.items())), BEFORE))
    result = compare(first, other=second, **FAST)
    assert result.shared == (Shared("queries with gold", 2, 0, 0, 1),)
    assert row_of(result, "ranking.map")["difference"] == 0


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        (("a", "c"), {}, "found no model and no list 'c', expected one of a, b. Check --models. [OPT-008]"),
        (("a", "a"), {}, "found 'a' twice, expected two models. Name two different ones. [OPT-008]"),
        (
            ("a", None),
            {},
            "found a, b, expected the two to compare. Say --models A,B, or give two inputs. [OPT-008]",
        ),
        (
            ("a", "b"),
            {"bootstrap": 5},
            "found bootstrap = 5, expected 0, or a whole number from 100 on. Check the option. [OPT-003]",
        ),
        (
            ("a", "b"),
            {"tau_neg": 0.3},
            "found only one of τ_neg and τ_pos, expected both thresholds or none. "
            "Give the other one too. [OPT-005]",
        ),
        (
            ("a", "b"),
            {"tau_neg": 0.3, "tau_pos": 0.5, "screening_sensitivity": 0.9},
            "found thresholds and a target, screening sensitivity, expected one of the two. Compare either "
            "at one pair of thresholds or at the same targets. [OPT-008]",
        ),
        (
            ("a", "b"),
            {"seed": -1},
            "found seed = -1, expected a whole number from 0 to 2^64 − 1. Check the option. [OPT-003]",
        ),
    ],
)
def test_wrong_names_and_options_are_named(names, options, text):
    with pytest.raises(InputError) as error:
        compare(two_models(n_posts=3), *names, **options)
    assert str(error.value) == text


def test_several_models_in_one_of_two_files_must_be_named():
    data = two_models(n_posts=3)
    with pytest.raises(InputError, match="expected one model or list an input"):
        compare(data, other=only(data, "a"), **FAST)
    assert compare(data, "b", other=only(data, "a"), **FAST).first == "b"
