"""Metrics, notebooks and answers of servers are named for what they are, and no column is offered in vain."""

from __future__ import annotations

import json

import pytest

from tests.support.reading import read, refused, upload

REPORT = {"precision": 0.8, "recall": 0.7, "f1-score": 0.75, "support": 20}
FOREIGN = {
    "a classification report of scikit-learn": json.dumps(
        {"0": REPORT, "1": REPORT, "accuracy": 0.75, "macro avg": REPORT, "weighted avg": REPORT}
    ),
    "a comparison of ranx": json.dumps(
        {"metrics": ["ndcg@10"], "model_names": ["a"], "a": {"scores": {"ndcg@10": 0.4}, "comparisons": {}}}
    ),
    "a Jupyter notebook": json.dumps({"cells": [{"source": []}], "metadata": {}, "nbformat": 4}),
    "a result of MTEB": json.dumps(
        {"task_name": "SciFact", "mteb_version": "1.12", "scores": {"test": [{"ndcg_at_10": 0.6}]}}
    ),
    "passages retrieved for questions, as DPR writes them": json.dumps(
        [{"question": "q", "answers": ["x"], "ctxs": [{"id": "d1", "score": "0.5", "has_answer": True}]}]
    ),
    "the answer of a served model, predictions without their rows": json.dumps({"predictions": [0.3, 0.4]}),
    "the output of trec_eval": "runid \tall\tbm25\nmap  \tall\t0.5\nP_5  \tq1\t0.2\nndcg_cut_10\tq1\t0.3\n",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_holds_no_rows_is_named(kind):
    (told,) = refused(upload(FOREIGN[kind], "given.txt"))
    assert told.startswith(f"given.txt: found {kind}, expected CSV,")
    assert told.endswith("[FILE-003]")


def test_lists_of_scores_are_no_rankings():
    judged = upload(json.dumps({"q1": {"a": 1}, "q2": {"b": 1}}), "qrels.json")
    told = refused(upload(json.dumps({"q1": [0.5, 0.25], "q2": [0.75]}), "run.json"), judged)
    assert not any("RNK-006" in line for line in told)
    assert any(line.startswith("run.json: ") for line in told)


RESAMPLES = "pred,obs,yes,no\nyes,yes,0.9,0.1\nno,no,0.2,0.8\nyes,no,0.625,0.375\nno,yes,0.4,0.6\n"


def test_the_truth_and_no_prediction_is_offered_as_the_label():
    (told,) = refused(RESAMPLES)
    assert (
        "such as --column has_evidence=obs with --column probability=yes or --column probability=no (the one "
        "of the positive class, as they add up to 1)"
    ) in told
    (told,) = refused(RESAMPLES.replace("pred,obs", "pred,predicted"))
    assert "such as --column has_evidence=NAME with" in told


def test_two_scores_that_add_up_to_1_are_no_two_models():
    text = "label,proba_0,proba_1\n" + "".join(f"{i % 2},{i / 8:.2f},{1 - i / 8:.2f}\n" for i in range(1, 8))
    told = refused(text)[0]
    assert (
        "--column probability=proba_1, the one of the positive class, as they add up to 1, or choose" in told
    )
    assert "both for two models" in refused(text.replace("0.12,0.88", "0.12,0.7"))[0]


def test_results_that_deepeval_returns_are_read():
    case = {"success": True, "input": "a", "actual_output": "b", "retrieval_context": ["c"]}
    cases = [
        {**case, "name": f"t{i}", "metrics_data": [{"name": "Faithfulness", "score": 0.75, "error": failed}]}
        for i, failed in enumerate((None, "timed out"))
    ]
    (score,) = read(json.dumps({"test_results": cases, "confident_link": None})).annotations.scores
    assert score.name == "Faithfulness"
    assert score.value.tolist()[0] == 0.75
    assert score.value.tolist()[1] != score.value.tolist()[1]
