"""Extraction of the selections that a file states, or that its lists give."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.metrics import extraction as e
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import Selections, places_of, states_selection
from tests.support.made.evidence import make_queries, make_rankings
from tests.support.made.extracted import (
    OF_SETS,
    value,
)
from tests.support.made.rankings import rankings_of

ITEMS = "abcdef"


@given(
    st.lists(
        st.tuples(
            st.sets(st.sampled_from(ITEMS), max_size=3),
            st.lists(st.sampled_from(ITEMS), unique=True, max_size=5),
            st.integers(0, 7),
        ),
        max_size=5,
    )
)
def test_the_first_k_of_each_list_equal_the_printed_formulas(queries):
    lists = RankedQueries.from_lists(
        [dict.fromkeys(gold, 1) for gold, _, _ in queries], [row for _, row, _ in queries]
    )
    chosen = Selections.of_first(lists, np.array([k for *_, k in queries], np.int64))
    for metric, by_loop in OF_SETS.items():
        values = metric(chosen).values
        for at, (gold, ranked, k) in enumerate(queries):
            extracted = set(ranked[:k])
            expected = by_loop(gold, extracted) if gold else float(not extracted)
            assert values[at] == pytest.approx(expected, abs=1e-15)


def test_a_file_states_how_many_of_its_list_were_selected():
    rankings = make_rankings(
        [["a"], ["b"], [], ["a"]],
        [[(item, -float(place)) for place, item in enumerate("abc")]] * 4,
        criteria=["A.1", "A.1", "A.2", "A.9"],
    )
    # The rows come in another order than the lists; p9 has no list, and p3 states no K.
    queries = make_queries(
        [0, 1, 1, 1, 1],
        [0.1, 0.9, 0.8, 0.7, 0.9],
        posts=["p2", "p1", "p9", "p0", "p3"],
        criteria=["A.2", "A.1", "A.1", "A.1", "A.9"],
        numbers={"selected_k": [5, 1, 2, 2, math.nan]},
    )
    lists = RankedQueries.from_rankings(rankings, "reranked")
    assert places_of(queries, rankings).tolist() == [2, 1, -1, 0, 3]
    assert states_selection(queries, rankings).tolist() == [True, True, False, True, False]
    chosen = Selections.from_queries(queries, rankings, lists)
    assert chosen.n_selected.tolist() == [3, 1, 2]  # the list of p2 has three candidates, not five
    assert chosen.n_hits.tolist() == [0, 0, 1]
    assert chosen.n_gold.tolist() == [0, 1, 1]


def test_nothing_is_selected_from_lists_that_leave_ties_open():
    rankings = make_rankings([["a"]], [[("a", 1.0), ("b", 1.0)]])
    lists = RankedQueries.from_rankings(rankings, "reranked", ties="expected")
    with pytest.raises(ValueError, match="depends on the order of equal scores"):
        Selections.of_first(lists, np.array([1]))


def test_a_part_of_the_queries_is_selected_as_in_the_whole():
    rankings = make_rankings([["a"], ["b"]], [[("a", 2.0), ("b", 1.0)]] * 2)
    queries = make_queries([1, 1], [0.5, 0.5], posts=["p1", "p0"], numbers={"selected_k": [1, 1]})
    lists = RankedQueries.from_rankings(rankings, "reranked")
    whole = Selections.from_queries(queries, rankings, lists)
    part = Selections.from_queries(queries.where(np.array([False, True])), rankings, lists)
    assert whole.n_hits.tolist() == [0, 1]
    assert part.n_hits.tolist() == [1]


def test_without_lists_the_label_says_who_has_gold():
    numbers = {"selected_k": [10, 5], "n_candidates": [20, 20]}
    chosen = Selections.from_queries(make_queries([1, 0], [0.8, 0.2], numbers=numbers))
    assert chosen.n_hits is None
    assert chosen.n_candidates.tolist() == [20, 20]
    assert value(e.mean_selected_k, chosen, "positives_only") == 10
    assert value(e.mean_selected_k, chosen, "negatives_only") == 5
    alone = Selections.from_queries(make_queries([1], [0.8], numbers={"selected_k": [3]}))
    assert alone.n_candidates is None
    assert alone.merge(alone).n_candidates is None
    assert alone.where(np.array([True])).n_selected.tolist() == [3]


def test_queries_without_a_criterion_are_found_by_their_post():
    rankings = rankings_of({"q1": {"a": 1}, "q2": {}}, [("q2", "a", 1.0), ("q1", "a", 1.0)])
    queries = make_queries([1, 0], [0.5, 0.5], posts=["q2", "q1"], numbers={"selected_k": [1, 1]})
    assert places_of(queries, rankings).tolist() == [-1, -1]  # there the queries have a criterion
    assert places_of(rankings, rankings).tolist() == [0, 1]
    assert places_of(rankings, queries.where(np.array([False, False]))).tolist() == [-1, -1]
