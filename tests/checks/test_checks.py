"""Warnings about the data: what contradicts itself, what is missing, what only some models have."""

import pytest

from evalcore import load
from evalcore.checks import problems_in
from evalcore.tasks import performed
from tests.support.reading import read, upload, warned

GATE = "post_id,criterion_id,has_evidence,p,state,tau_neg,tau_pos\n"
NUMBERS = "The numbers come from the thresholds, not from the state column. [QRY-011]"


def state_warning(row: int, found: str, p: str, expected: str) -> str:
    return (
        f"predictions.csv, row {row}, column state: found a state {found} that its own thresholds (τ_neg "
        "0.2, τ_pos "
        f"0.8) and p = {p} contradict: they say {expected}. {NUMBERS}"
    )


def counted(n: int, n_rows: int) -> str:
    return (
        f"predictions.csv, column state: found {n} of {n_rows} states that their own thresholds "
        "contradict. The rows "
        "follow, at most 20 of them; the numbers come from the thresholds. [QRY-023]"
    )


def test_clean_data_have_no_warnings():
    data = read("post_id,criterion_id,label,p\nx,A,1,0.5\nx,B,0,0.25\ny,A,0,0.5\ny,B,0,0.25\n")
    assert problems_in(performed(data)) == ()


def test_states_are_checked_against_the_thresholds_of_their_row():
    rows = [
        "x,A,1,0.1,POS,0.2,0.8",
        "x,B,0,0.5,uncertain,0.2,0.8",
        "y,A,0,0.9,Alert,0.2,0.8",
        "y,B,0,0.5,NEG,0.2,0.8",
    ]
    assert warned(read(GATE + "\n".join(rows))) == [
        counted(2, 4),
        state_warning(1, "POS", "0.1", "NEG"),
        state_warning(4, "NEG", "0.5", "UNCERTAIN"),
    ]


def test_a_state_at_the_edge_is_told_apart_from_a_contradiction():
    rows = [
        "x,A,1,0.2,NEG,0.2,0.8",
        "x,B,0,0.8,UNCERTAIN,0.2,0.8",
        "y,A,0,0.8,POS,0.2,0.8",
        "y,B,0,0.2,POS,0.2,0.8",
    ]
    assert warned(read(GATE + "\n".join(rows))) == [
        counted(1, 4),
        state_warning(4, "POS", "0.2", "UNCERTAIN"),
        "predictions.csv, column state: found 2 states of checks whose p equals a threshold, on its "
        "other side. They "
        "were written by another rule; here p < τ_neg is skipped and p ≥ τ_pos is an alert. [QRY-024]",
    ]


def test_at_most_twenty_rows_are_named_and_all_are_counted():
    rows = "\n".join(f"p{i},A,{i % 2},{0.1 + i / 1000},POS,0.2,0.8" for i in range(30))
    lines = warned(read(GATE + rows))
    assert lines[0] == counted(30, 30)
    assert len(lines) == 21


def test_rows_without_thresholds_or_with_another_word_are_not_judged():
    rows = ["x,A,1,0.1,POS,,", "x,B,0,0.1,none,0.2,0.8", "y,A,0,0.1,,0.2,0.8", "y,B,1,0.1,NEG,0.2,0.8"]
    assert warned(read(GATE + "\n".join(rows))) == []


def test_thresholds_that_differ_between_rows_are_told():
    text = "post_id,label,p,tau_neg,tau_pos\nx,1,0.5,0.1,0.9\ny,0,0.5,0.2,0.9\nz,0,0.5,,0.9\n"
    assert warned(read(text)) == [
        "predictions.csv, column tau_neg: found an own τ_neg for the gate in 2 rows, not one for all. "
        "Each row is "
        "judged by its own thresholds; give --tau-neg and --tau-pos to use one pair. [QRY-019]"
    ]


def test_predicted_labels_that_disagree_with_the_probability_are_flagged():
    text = "y_true,y_prob,predicted\n0,0.2,0\n0,0.55,0\n1,0.7,1\n1,0.9,1\n"
    assert warned(read(text))[1:] == [
        "predictions.csv, column predicted_label: found 1 of 4 predicted labels that disagree with p at "
        "p ≥ 0.5. The "
        "rows follow, at most 20 of them; the counts come from the probability and the threshold. [QRY-026]",
        "predictions.csv, row 2, column predicted_label: found the predicted label 0, but p = 0.55 at p "
        "≥ 0.5 says 1. "
        "The counts come from the probability and the threshold. [QRY-013]",
    ]
    assert len(warned(read(text, score_kind="score"))) == 1


def test_predicted_labels_may_have_the_names_of_the_labels():
    text = "post_id,label,p,pred\nx,yes,0.9,yes\ny,no,0.1,no\nz,no,0.6,no\n"
    assert [problem.row for problem in problems_in(performed(read(text, positive="yes")))] == [None, 3]


@pytest.mark.parametrize(("label", "words"), [("1", "every row has evidence"), ("0", "no row has evidence")])
def test_one_class_is_told(label, words):
    assert warned(read(f"post_id,label,p\nx,{label},0.5\ny,{label},0.5\n")) == [
        f"predictions.csv: found one class only ({words}). Whatever compares the classes is not defined. "
        "[QRY-016]"
    ]


def test_rows_without_a_criterion_count_among_the_rows_present():
    rows = ["x,1,1,0.5", "x,2,0,0.5", "y,1,0,0.5", "y,,0,0.5"]
    text = "post_id,criterion_id,label,p\n" + "\n".join(rows)
    missing = [line for line in warned(read(text)) if "[QRY-015]" in line]
    assert len(missing) == 1
    assert "1 of 4 (post, criterion) cells missing" in missing[0]
    assert "over the 4 rows present" in missing[0]


def test_missing_cells_of_the_grid_are_counted_for_each_model():
    rows = ["A,x,1,1,0.5", "A,x,2,0,0.5", "A,y,1,0,0.5", "B,x,1,1,0.5", "B,y,1,0,0.5"]
    text = "model,post_id,criterion_id,label,p\n" + "\n".join(rows)
    assert warned(read(text)) == [
        "predictions.csv: found 1 of 4 (post, criterion) cells missing for model A. Nothing is filled "
        "in; every rate "
        "is over the 3 rows present. [QRY-015]",
        "predictions.csv: found queries that every model has: 2; that only some have: 1. Models are "
        "compared on the "
        "shared queries only. [QRY-025]",
    ]


def test_rows_of_their_own_posts_have_no_grid():
    assert [problem.code for problem in problems_in(performed(read("y_true,y_prob\n1,0.5\n0,0.5\n")))] == []


def test_gold_queries_without_a_list_are_counted_for_each_model():
    text = "post_id,gold_ids,retriever_topk,reranked_topk\nx,a,a,\ny,a,b,\nz,,b,\n"
    assert [str(problem) for problem in problems_in(performed(read(text)))] == [
        "column reranked_topk: found 2 of 2 queries with gold and no list. They count as 0 in every mean."
    ]


def test_a_warning_names_its_file_where_there_is_one():
    two = [upload("post_id,label,p\nx,1,0.5\n", "one.csv"), upload("post_id,label,p\ny,1,0.5\n", "two.csv")]
    assert warned(load(two)) == [
        "found one class only (every row has evidence). Whatever compares the classes is not defined. "
        "[QRY-016]"
    ]
