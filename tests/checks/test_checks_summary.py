"""Summaries of metrics from elsewhere: those that contradict themselves are caught by name and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore.checks import check_summary, is_summary
from evalcore.problems import InputError

REAL = ("baseline_default_val.json", "final_eval_v2__summary.json", "final_eval_retriever_only__summary.json")
COUNTS = {"tp": 1376, "fn": 3, "fp": 10923, "tn": 2468, "n": 14770, "n_pos": 1379, "n_neg": 13391}
REMEDY = "These values cannot all be of one evaluation: recompute them from the rows."


def broken(summary: object) -> list[str]:
    """What is wrong with a summary, without the remedy."""
    return [
        str(problem).removesuffix(f". {REMEDY}") for one in check_summary(summary) for problem in one.problems
    ]


def test_published_summaries_hold(shared):
    for name in REAL:
        path = shared / "data" / "evidence" / name
        assert is_summary(path)
        results = check_summary(path)
        assert {"Ranges", "First rank", "Rising in K", "Counts"} <= {one.name for one in results}
        assert broken(path) == []
    results = check_summary(shared / "data" / "evidence" / "expected_ranking_values.json")
    assert {one.name: one.n_rows_checked for one in results if one.passed} == {
        "Ranges": 360,
        "First rank": 36,
        "Rising in K": 144,
        "At most the hit rate": 264,
        "Counts": 6,
    }


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mrr@1", 0.46, "ndcg@1 = 0.45 in retriever.positives_only, expected 0.46, as mrr@1"),
        (
            "recall@10",
            0.83,
            "recall@10 = 0.83 in retriever.positives_only, expected at least 0.84, as recall",
        ),
        ("mrr@10", 0.5, "mrr@10 = 0.5 in retriever.positives_only, expected at least 0.61, as mrr@5"),
        ("ndcg@5", 65.69, "ndcg@5 = 65.69 in retriever.positives_only, expected a value from 0 to 1"),
        (
            "queries_evaluated",
            1500,
            "queries_evaluated = 1500 in retriever.positives_only, expected 150, the",
        ),
    ],
)
def test_a_summary_of_a_pipeline_that_is_broken_is_caught(key, value, message):
    of_positives = {
        **{"recall@1": 0.42, "recall@5": 0.84, "recall@10": 0.91},
        **{"mrr@1": 0.45, "mrr@5": 0.61, "mrr@10": 0.62},
        **{"ndcg@1": 0.45, "ndcg@5": 0.65, "ndcg@10": 0.68},
        **{"queries_total": 1500, "queries_with_positives": 150, "queries_evaluated": 150},
        "skip_no_positives": True,
    }
    assert broken({"retriever": {"positives_only": of_positives}}) == []
    lines = broken({"retriever": {"positives_only": {**of_positives, key: value}}})
    assert any(message in line for line in lines), lines


def test_first_rank_is_one_number():
    assert broken({"precision@1": 0.5, "hit@1": 0.5, "mrr@1": 0.5, "ndcg@1": 0.52}) == [
        "found ndcg@1 = 0.52 in the summary, expected 0.5, as precision@1"
    ]
    assert broken({"p_at_1": 0.5, "Hit_Rate@1": 0.5, "MRR@1": 0.5, "nDCG@1": 0.5}) == []


def test_recall_and_hit_rate_rise_with_k_and_ndcg_does_not_have_to():
    assert broken({"a": {"recall@5": 0.84, "recall@10": 0.83, "ndcg@5": 0.6704, "ndcg@10": 0.6701}}) == [
        "found recall@10 = 0.83 in a, expected at least 0.84, as recall@5"
    ]
    assert broken({"hit": {"1": 0.5, "3": 0.4}}) == [
        "found hit_rate@3 = 0.4 in the summary, expected at least 0.5, as hit_rate@1"
    ]


def test_ndcg_is_at_most_the_hit_rate():
    assert broken({"10": {"ndcg": 0.9, "hit": 0.85, "recall": 0.85}}) == [
        "found ndcg@10 = 0.9 in the summary, expected at most 0.85, as hit_rate@10"
    ]


def test_summary_of_more_bytes_than_one_has_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "summary.json"
    path.write_text('{"recall@10": 0.5}')
    assert is_summary(path)
    monkeypatch.setattr("evalcore.checks.summary.LARGEST", 17)
    assert not is_summary(path)
    with pytest.raises(InputError) as caught:
        check_summary(path)
    assert str(caught.value) == (
        "summary.json: found 18 bytes, more than a summary has, expected at most 17 bytes. "
        "Give a file with the metrics alone. [SUM-010]"
    )


def test_counts_that_add_up_and_rates_that_follow_hold():
    rates = {"sensitivity": 0.9978, "specificity": 2468 / 13391, "precision": 0.1119, "f1": 2752 / 13678}
    assert broken({**COUNTS, **rates, "npv": 0.9988, "fpr": 10923 / 13391}) == []


def test_counts_that_do_not_add_up_are_caught():
    assert broken({"gate": {**COUNTS, "tn": 2467}}) == [
        "found n = 14770 in gate, expected 14769 = TP + TN + FP + FN",
        "found n_neg = 13391 in gate, expected 13390 = TN + FP",
    ]
    assert broken({**COUNTS, "n_pos": 1376})[0] == (
        "found n_pos = 1376 in the summary, expected 1379 = TP + FN"
    )
    assert broken({"tp": -1, "fp": 2.5}) == [
        "found tp = -1 in the summary, expected a whole number from 0 on",
        "found fp = 2.5 in the summary, expected a whole number from 0 on",
    ]


def test_rates_that_their_counts_contradict_are_caught():
    assert broken({**COUNTS, "sensitivity": 0.9968, "specificity": 0.1843}) == [
        "found sensitivity = 0.9968 in the summary, expected 0.9978245105148659 = TP / (TP + FN)"
    ]
    assert broken({"tp": 0, "fp": 0, "fn": 3, "tn": 5, "precision": 0.0, "sensitivity": 0.0}) == [
        "found precision = 0.0 in the summary, expected no value, since TP / (TP + FP) is 0 / 0"
    ]


def test_means_with_their_spread_are_read_as_the_value():
    assert broken({"auroc": {"mean": 1.2, "std": 3.0}, "auprc": {"mean": 0.5, "std": 0.1}}) == [
        "found auroc = 1.2 in the summary, expected a value from 0 to 1"
    ]


def test_values_over_all_queries_follow_from_those_over_positives():
    counts = {"queries_total": 1000, "queries_with_positives": 100}
    parts = {
        "positives_only": {"recall@5": 0.8, **counts},
        "all_queries": {"recall@5": 0.08, **counts},
    }
    assert broken({"retriever": parts}) == []
    parts["all_queries"]["recall@5"] = 0.09
    assert broken({"retriever": parts})[0].startswith(
        "found recall@5 = 0.09 in retriever.all_queries, expected 0.08"
    )


def test_what_is_no_metric_and_what_is_undefined_is_left_alone():
    odd = {"note": "x", "k": [1, 2], "runtime": -3, "recall@5": None, "mrr@5": float("nan"), "ok": True}
    assert check_summary({**odd, "queries": 10**400}) == ()


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "[" * 100_000, '"x"'])
def test_a_file_that_is_no_summary_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "summary.json"
    path.write_text(text)
    assert not is_summary(path)
    with pytest.raises(InputError, match="no JSON object"):
        check_summary(path)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        check_summary(tmp_path / "none.json")
    assert [problem.code for problem in caught.value.problems] == ["FILE-001"]


def test_tables_in_json_are_no_summaries(tmp_path: Path):
    for name, text in {
        "rows.json": '{"post_id": "p1", "label": 1, "p": 0.5}',
        "lines.json": '{"post_id": "p1", "recall@5": 1}\n{"post_id": "p2", "recall@5": 1}\n',
        "table.csv": "recall@5\n1\n",
    }.items():
        (tmp_path / name).write_text(text)
        assert not is_summary(tmp_path / name)
