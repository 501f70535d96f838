"""The rows behind the numbers, on tables small enough to check by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.data import Data
from evalcore.failures import (
    Filter,
    candidates_of,
    deep_gold,
    false_alerts,
    flips,
    group_rows,
    missed_evidence,
    score_bins,
    states_of,
)
from evalcore.files import table_csv
from evalcore.problems import InputError
from evalcore.tallies.decisions import states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.made.evidence import make_data, make_queries, make_rankings

LABELS = [1, 1, 1, 0, 0, 0, 1, 0]
SCORES = [0.05, 0.01, 0.1, 0.9, 0.95, 0.02, 0.9, 0.5]
TAUS = (0.1, 0.9)


@pytest.fixture
def data() -> Data:
    """Eight checks of one model and one check of another, which no answer may contain."""
    return make_data(
        make_queries(
            [*LABELS, 1],
            [*SCORES, 0.0],
            posts=[*"abcdefgh", "z"],
            criteria=["A.1", "A.9"] * 4 + ["A.9"],
            models=["gate"] * 8 + ["other"],
            slices={"fold": list("010101010"), "split": ["tune"] * 6 + ["test"] * 3},
        )
    )


@pytest.fixture
def ranked() -> Data:
    """Three queries: gold at ranks 1 and 3, gold in no list, and no gold."""
    rankings = make_rankings(
        [["g1", "g2"], ["g3"], []],
        [[("g1", 3.0), ("x", 2.0), ("g2", 1.0)], [("x", 1.0), ("w", 1.0)], [("x", 0.5)]],
        criteria=["A.1", "A.9", "A.1"],
    )
    queries = make_queries(
        [1, 1, 0], [0.2, 0.01, 0.5], posts=["p0", "p1", "p2"], criteria=["A.1", "A.9", "A.1"]
    )
    return make_data(queries, rankings)


def posts(failures: object) -> list[str]:
    """The posts of the rows, in their order."""
    return failures.as_table()["post"].tolist()


def test_missed_evidence_is_positive_below_tau_neg_lowest_first(data: Data) -> None:
    missed = missed_evidence(data, "gate", TAUS)
    assert posts(missed) == ["b", "a"]  # c stands at the threshold and is kept
    assert missed.total == 2
    assert missed.as_table()["state"].tolist() == ["NEG", "NEG"]


def test_false_alerts_are_negative_from_tau_pos_on_highest_first(data: Data) -> None:
    assert posts(false_alerts(data, "gate", TAUS)) == ["e", "d"]  # d stands at the threshold and alerts


def test_empty_zones_hold_no_failures(data: Data) -> None:
    assert missed_evidence(data, "gate", (None, 0.9)).total == 0
    assert false_alerts(data, "gate", (0.1, None)).total == 0


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (Filter(criterion="A.9"), ["b"]),
        (Filter(fold="0"), ["a"]),
        (Filter(split="tune"), ["b", "a"]),
        (Filter(split="test"), []),
        (Filter(state="POS"), []),
        (Filter(score_bin=0), ["b", "a"]),
        (Filter(score_bin=1), []),
        (Filter(criterion="no such criterion"), []),
    ],
)
def test_filters_keep_what_they_name(data: Data, only: Filter, expected: list[str]) -> None:
    assert posts(missed_evidence(data, "gate", TAUS, only)) == expected


def test_limit_cuts_the_rows_and_not_the_total(data: Data) -> None:
    missed = missed_evidence(data, "gate", TAUS, limit=1)
    assert (posts(missed), missed.total) == (["b"], 2)


def test_flips_name_both_states_with_evidence_first(data: Data) -> None:
    found = flips(data, "gate", TAUS, (0.02, 0.5))
    table = found.as_table()
    assert table["post"].tolist() == ["a", "f", "h"]
    assert table["state_before"].tolist() == ["NEG", "NEG", "UNCERTAIN"]
    assert table["state_after"].tolist() == ["UNCERTAIN", "UNCERTAIN", "POS"]
    assert found.counts[0, 1].tolist() == [1, 1]
    assert found.counts[1, 2].tolist() == [1, 0]
    assert found.counts.sum() == found.total == 3


def test_flips_between_a_point_and_itself_are_none(data: Data) -> None:
    assert flips(data, "gate", TAUS, TAUS).total == 0


@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=1, max_size=30),
    cuts=st.tuples(st.integers(0, 10), st.integers(0, 10)).map(sorted),
)
def test_failures_count_what_the_gate_counts(rows: list[tuple[bool, int]], cuts: list[int]) -> None:
    queries = make_queries([label for label, _ in rows], [tenths / 10 for _, tenths in rows])
    low, high = (tenths / 10 for tenths in cuts)
    states = states_at(ScoreTable.from_rows(ScoredRows.from_queries(queries)), low, high)
    assert missed_evidence(make_data(queries), "model", (low, high)).total == states.neg_pos
    assert false_alerts(make_data(queries), "model", (low, high)).total == states.pos_neg
    state = states_of(queries.score, (low, high))
    assert np.bincount(state, minlength=3).tolist() == [states.n_neg, states.n_uncertain, states.n_pos]


def test_score_bins_are_closed_below_and_the_last_one_above() -> None:
    scores = np.array([0.0, 0.1, 0.29999999999999998, 0.3, 0.99, 1.0, -0.1, 1.1])
    assert score_bins(scores).tolist() == [0, 1, 3, 3, 9, 9, -1, -1]


def test_deep_gold_shows_the_missing_first_then_the_deepest(ranked: Data) -> None:
    table = deep_gold(ranked, "reranked", 1).as_table()
    assert table["gold"].tolist() == ["g3", "g2"]
    assert table["rank"].isna().tolist() == [True, False]
    assert table["rank"][1] == 3
    assert table["list_length"].tolist() == [2, 3]
    assert deep_gold(ranked, "reranked", 3).as_table()["gold"].tolist() == ["g3"]


def test_deep_gold_can_be_limited_to_what_the_gate_skips(ranked: Data) -> None:
    skipped = Filter(state="NEG")
    found = deep_gold(ranked, "reranked", 1, skipped, model="model", taus=TAUS)
    assert found.as_table()["gold"].tolist() == ["g3"]
    assert deep_gold(ranked, "reranked", 1, Filter(criterion="A.1")).total == 1
    assert deep_gold(ranked, "reranked", 1, Filter(score_bin=2), model="model").total == 1


def test_candidates_stand_in_rank_order_with_gold_marked(ranked: Data) -> None:
    found = candidates_of(ranked.rankings, "reranked", "p0", "A.1")
    assert found.item.tolist() == ["g1", "x", "g2"]
    assert found.is_gold.tolist() == [True, False, True]
    assert found.score.tolist() == [3.0, 2.0, 1.0]
    assert found.missing == ()
    assert found.n_gold == 2


def test_tied_candidates_stand_as_the_ranks_count_them_and_missing_gold_is_named(ranked: Data) -> None:
    found = candidates_of(ranked.rankings, "reranked", "p1", "A.9")
    assert found.item.tolist() == ["x", "w"]  # equal scores: by id, descending
    assert found.missing == ("g3",)
    assert found.n_gold == 1


def test_candidates_of_an_unknown_check_are_none(ranked: Data) -> None:
    assert candidates_of(ranked.rankings, "reranked", "p1", "A.1") is None
    assert candidates_of(ranked.rankings, "reranked", "nobody", "A.1") is None


def test_csv_escapes_formulas_and_reads_back_as_the_same_numbers() -> None:
    evil = make_data(make_queries([1], [0.1 + 0.2], posts=["=HYPERLINK(1)"], criteria=["@SUM(1)"]))
    lines = table_csv(missed_evidence(evil, "model", (0.5, 0.9)).as_table()).splitlines()
    assert lines == [
        "post,criterion,has_evidence,score,state,row",
        "'=HYPERLINK(1),'@SUM(1),True,0.30000000000000004,NEG,1",
    ]


def test_csv_leaves_a_missing_rank_empty(ranked: Data) -> None:
    assert table_csv(deep_gold(ranked, "reranked", 1).as_table()).splitlines()[1:] == [
        "p1,A.9,g3,,2",
        "p0,A.1,g2,3,3",
    ]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda data: missed_evidence(data, "gate", (0.9, 0.1)), "τ_neg = 0.9 above τ_pos = 0.1"),
        (lambda data: missed_evidence(data, "nobody", TAUS), "model = nobody, expected gate, other"),
        (
            lambda data: false_alerts(data, "gate", TAUS, Filter(state="MAYBE")),
            "state = MAYBE, expected NEG, UNCERTAIN, POS",
        ),
        (lambda data: deep_gold(data, "nobody", 3), "list = nobody, expected ranked lists in the data"),
        (lambda _: missed_evidence(make_data(), "gate", TAUS), "found data without labels and scores"),
    ],
)
def test_what_does_not_exist_is_named(data: Data, ask: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(data)


def test_lists_without_scores_show_none(ranked: Data) -> None:
    rows = ranked.rankings.lists["reranked"]
    object.__setattr__(rows, "has_scores", False)
    found = candidates_of(ranked.rankings, "reranked", "p0", "A.1")
    assert found.item.tolist() == ["g1", "x", "g2"]
    assert all(math.isnan(score) for score in found.score)


def test_rows_of_a_group_are_all_of_them_with_what_happens_to_each() -> None:
    wards = ["north", "south", "", "south", "north", "south", "north", "north", "north"]
    queries = make_queries(
        [*LABELS, 1], [*SCORES, 0.0], models=["gate"] * 8 + ["other"], slices={"ward": wards}
    )
    found = group_rows(make_data(queries), "gate", TAUS, Filter(group=("ward", "south")))
    table = found.as_table()
    assert table["score"].tolist() == [0.01, 0.02, 0.9]
    assert table["state"].tolist() == ["NEG", "NEG", "POS"]
    only = Filter(group=("ward", "south"))
    assert missed_evidence(make_data(queries), "gate", TAUS, only).as_table()["score"].tolist() == [0.01]
    assert len(group_rows(make_data(queries), "gate", TAUS, Filter(group=("ward", "nobody")))) == 0


def test_a_criterion_is_a_group_too(data: Data) -> None:
    by_group = group_rows(data, "gate", TAUS, Filter(group=("criterion", "A.9")))
    assert by_group.at.tolist() == group_rows(data, "gate", TAUS, Filter(criterion="A.9")).at.tolist()
