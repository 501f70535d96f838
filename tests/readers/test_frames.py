"""Ranked lists from data frames in memory."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.metrics.ranking import average_precision, ndcg, precision, recall
from evalcore.problems import InputError
from evalcore.readers.evidence.frames import ranked_queries
from evalcore.tallies.ranked import RankedQueries

RUN = pd.DataFrame({"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [0.2, 0.9, 0.5]})
NO_GOLD = pd.DataFrame({"query": pd.Series([], dtype="str"), "item": pd.Series([], dtype="str")})


@st.composite
def lists(draw):
    """Some queries with their lists, best first, and their graded gold, in or outside the list."""
    items = st.lists(st.sampled_from("uvwxyz"), unique=True, min_size=1, max_size=6)
    ranked = draw(st.lists(items, min_size=1, max_size=5))
    graded = st.dictionaries(st.sampled_from("tuvwxyz"), st.integers(1, 3), max_size=4)
    return ranked, [draw(graded) for _ in ranked]


@given(lists(), st.randoms(use_true_random=False), st.booleans())
def test_frames_in_any_order_of_rows_give_what_plain_lists_give(given_lists, random, check_repeats):
    ranked, graded = given_lists
    rows = [(f"q{q}", item, -float(rank)) for q, one in enumerate(ranked) for rank, item in enumerate(one)]
    golds = [(f"q{q}", item, grade) for q, one in enumerate(graded) for item, grade in one.items()]
    random.shuffle(rows)
    random.shuffle(golds)
    run = pd.DataFrame(rows, columns=["query", "item", "score"])
    gold = pd.DataFrame(golds, columns=["query", "item", "grade"]).astype({"grade": "int64"})
    found = ranked_queries(run, gold, grade="grade", check_repeats=check_repeats)
    expected = RankedQueries.from_lists(graded, ranked)
    place = [int(name[1:]) for name in run["query"].unique()]
    for metric in (recall, precision, average_precision, ndcg):
        for k in (1, 3, None):
            np.testing.assert_array_equal(metric(found, k=k).values, metric(expected, k=k).values[place])


def test_query_that_only_the_gold_names_counts_as_a_miss():
    gold = pd.DataFrame({"query": ["a", "c"], "item": ["y", "x"]})
    found = ranked_queries(RUN, gold)
    assert recall(found, k=1).values.tolist() == [1, 0, 0]
    assert found.n_gold.tolist() == [1, 0, 1]
    assert found.n_ranked.tolist() == [2, 1, 0]


def test_grade_zero_is_judged_and_not_gold():
    gold = pd.DataFrame({"query": ["a", "a"], "item": ["x", "y"], "grade": [0, 2]})
    assert ranked_queries(RUN, gold, grade="grade").n_gold.tolist() == [1, 0]


def test_equal_scores_are_ordered_by_id_descending():
    run = pd.DataFrame({"query": ["a", "a"], "item": ["x", "y"], "score": [0.5, 0.5]})
    gold = pd.DataFrame({"query": ["a"], "item": ["x"]})
    for check_repeats in (True, False):
        assert ranked_queries(run, gold, check_repeats=check_repeats).rank.tolist() == [2]


def test_repeated_candidates_and_scores_that_are_no_numbers_are_all_named():
    run = pd.DataFrame(
        {"query": ["a", "b", "a", "a"], "item": ["x", "x", "y", "x"], "score": [0.2, np.nan, 0.5, 0.9]}
    )
    with pytest.raises(InputError) as caught:
        ranked_queries(run, NO_GOLD)
    assert [(found.code, found.row, found.found) for found in caught.value.problems] == [
        ("RNK-002", 2, "the score nan for x of query b"),
        ("RNK-001", 4, "x at ranks 1 and 3 of query a"),
    ]
    with pytest.raises(InputError, match="the score nan for x of query b"):
        ranked_queries(run, NO_GOLD, check_repeats=False)


def test_ids_that_are_numbers_are_text():
    run = RUN.assign(query=[1, 1, 2])
    gold = pd.DataFrame({"query": ["1"], "item": ["x"]})
    assert ranked_queries(run, gold).rank.tolist() == [2]


def test_frames_without_rows_are_no_queries():
    empty = RUN.iloc[:0]
    assert len(ranked_queries(empty, NO_GOLD)) == 0
