"""Files of other tools: each loads under the tool's own names, or is refused with what is missing."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

import evalcore
from evalcore.annotations import LABELS
from evalcore.problems import Findings, InputError
from evalcore.readers import Upload
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.passages import n_passages
from evalcore.readers.rag.tools import TOOLS, tool_of
from tests.support.inputs import CASES, OTHER_TOOLS

NAN = "none"
SCORES = {
    "ares_labeled.tsv": {
        "Context_Relevance_Label": [1, 0],
        "Answer_Relevance_Label": [1, 0],
        "Answer_Faithfulness_Label": [1, 1],
    },
    "ares_predictions.tsv": {"ARES_Context_Relevance_Prediction": [1]},
    "deepeval_test_run.json": {"Faithfulness": [1]},
    "nuggetizer_assignments.jsonl": {
        "strict_vital_score": [1 / 2],
        "strict_all_score": [1 / 3],
        "vital_score": [1 / 2],
        "all_score": [1 / 2],
    },
    "nuggetizer_metrics.jsonl": {
        "strict_vital_score": [1 / 2],
        "strict_all_score": [1 / 3],
        "vital_score": [1 / 2],
        "all_score": [1 / 2],
    },
    "open_rag_eval_results.csv": {
        "retrieval_score_mean_umbrela_score": [2],
        "generation_score_vital_nuggetizer_score": [1 / 2],
        "generation_score_hallucination_score": [0.9],
        "generation_score_citation_f1_score": [1],
        "generation_score_no_answer_score": [1],
    },
    "phoenix_document_annotations.csv": {"relevance": [1, 0]},
    "phoenix_retrieved_documents.csv": {"document_score": [0.9, 0.5]},
    "ragas_legacy_v01.csv": {"faithfulness": [0.8], "answer_relevancy": [0.9]},
    "ragas_result.csv": {
        "faithfulness": [1, NAN],
        "context_recall": [0.5, 0],
        "llm_context_precision_with_reference": [0.9999999999, 0],
    },
    "ragchecker_outputs.json": {"precision": [0.5], "faithfulness": [0.5]},
    "trulens_records.csv": {
        "Context Relevance": [0.8, 0.4],
        "Groundedness": [1, NAN],
        "Answer Relevance": [0.9, 0.7],
    },
}
REFUSED = {
    "deepeval_cases.csv": (
        "RAG-016",
        "at least one score of DeepEval, such as faithfulness, answer_relevancy, contextual_precision",
    ),
    "evidently_ranking.csv": ("RAG-016", "gold and a rank or a score under their own names"),
    "open_rag_eval_input.csv": (
        "RAG-016",
        "the scores of its results, such as run_1_generation_score_hallucination_score",
    ),
    "pragmata_import_pairs.csv": (
        "RAG-016",
        "at least one of the labels " + ", ".join(label for labels in LABELS.values() for label in labels),
    ),
    "trec_qrels.txt": ("RNK-009", "qrels and run together"),
    "trec_run.txt": ("RNK-009", "qrels and run together"),
}


def read(text, name="scores.csv", **options):
    return evalcore.load(Upload(name, text.encode()), **options)


def values(data):
    """Score → its values in the order of the records, the word none where the tool gave none."""
    return {
        score.name: [NAN if math.isnan(value) else value for value in score.value.tolist()]
        for score in data.annotations.scores
    }


def refusal(text, name="scores.csv", **options):
    with pytest.raises(InputError) as caught:
        read(text, name, **options)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("name", SCORES)
def test_a_tools_scores_keep_their_names_and_values(name):
    data = evalcore.load(OTHER_TOOLS / name)
    assert data.task == "rag"
    assert not data.annotations.responses
    assert values(data) == {label: pytest.approx(found) for label, found in SCORES[name].items()}
    for source in data.sources:
        assert source.n_rows == source.n_used + sum(source.excluded.values())


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_without_what_is_needed_is_refused_with_what_is_missing(name):
    with pytest.raises(InputError) as caught:
        evalcore.load(OTHER_TOOLS / name)
    (found,) = caught.value.problems
    assert (found.code, found.expected) == REFUSED[name]
    assert found.remedy


def test_every_file_of_other_tools_is_tested_here():
    assert {path.name for path in OTHER_TOOLS.iterdir()} == {*SCORES, *REFUSED, "argilla_hub_export.csv"}


@pytest.mark.parametrize("name", [name for name in SCORES if name.endswith(("csv", "tsv"))])
def test_the_order_of_the_rows_changes_nothing(name):
    head, *rows = (OTHER_TOOLS / name).read_text().strip("\n").split("\n")
    turned = read("\n".join([head, *reversed(rows)]), name)
    as_given = evalcore.load(OTHER_TOOLS / name)
    assert values(turned) == values(as_given)
    assert turned.annotations.record_ids.tolist() == as_given.annotations.record_ids.tolist()


def test_no_tool_score_is_one_of_our_labels():
    ours = {label for labels in LABELS.values() for label in labels}
    for tool in TOOLS:
        module = __import__(tool.read.__module__, fromlist=["MEASURES"])
        assert ours.isdisjoint(getattr(module, "MEASURES", {}))


def test_trec_files_together_are_a_ranking():
    data = evalcore.load([OTHER_TOOLS / "trec_qrels.txt", OTHER_TOOLS / "trec_run.txt"])
    assert data.task == "evidence"
    assert data.rankings.n_queries == 1
    with pytest.raises(InputError, match="found a TREC run, expected annotations or scores of answers"):
        evalcore.load(OTHER_TOOLS / "trec_run.txt", task="rag")


@pytest.mark.parametrize("role", ["rank", "score"])
def test_the_advice_for_evidently_works(role):
    columns = {"query_id": "user_id", "sent_uid": "item_id", "is_gold": "target", role: "prediction"}
    data = evalcore.load(OTHER_TOOLS / "evidently_ranking.csv", task="evidence", columns=columns)
    assert data.rankings.n_queries == 1


def test_c01_a_missing_score_stays_missing_and_systems_share_their_queries():
    data = evalcore.load(CASES / "rag" / "c01_nan_denominator.csv")
    (score,) = data.annotations.scores
    codes, systems = score.slices["system"]
    found = {
        (data.annotations.record_ids[r], systems[s]): NAN if math.isnan(v) else v
        for r, s, v in zip(score.record, codes, score.value, strict=True)
    }
    assert found == {("q1", "A"): 1, ("q2", "A"): 0, ("q1", "B"): 1, ("q2", "B"): NAN}
    assert score.bounds == (0, 1)


def test_c03_a_version_that_is_partly_scored_keeps_all_its_records():
    data = evalcore.load(CASES / "rag" / "c03_leaderboard_coverage.csv")
    (score,) = data.annotations.scores
    codes, systems = score.slices["system"]
    flaky = score.value[codes == systems.index("flaky")]
    assert len(flaky) == 5
    assert sorted(flaky[~_isnan(flaky)]) == [0.8, 0.9]


def _isnan(array):
    return array != array


def test_c08_a_score_of_a_blank_context_is_taken_out_and_named():
    data = evalcore.load(CASES / "rag" / "c08_empty_context.json")
    (score,) = data.annotations.scores
    assert values(data) == {"faithfulness": [NAN, 1, NAN]}
    assert score.suspicious == (
        "q1: a blank context with faithfulness = 1 (c08_empty_context.json, row 1)",
        "q3: a blank context, and no faithfulness (c08_empty_context.json, row 3)",
    )
    assert [str(w) for w in data.warnings] == [
        "c08_empty_context.json, row 1, column faithfulness: found a blank context with faithfulness = 1. "
        "It was left out of the mean: it says nothing of the answer."
    ]


def test_c10_contexts_as_text():
    path = CASES / "rag" / "c10_contexts_as_text.csv"
    with pytest.raises(InputError) as caught:
        evalcore.load(path)
    assert str(caught.value.problems[0]) == (
        "c10_contexts_as_text.csv, row 6, column contexts: found a list that is cut off: ['cut off pass, "
        "expected passages: a JSON array, a Python list, or one passage as plain text. Correct the cell; "
        "a list that was cut off cannot be counted."
    )
    cells = [
        '["Passage one, with a comma.", "Passage two"]',
        "['Passage three', \"It's four\"]",
        "Plain single passage [see note]",
        "[]",
        "",
        "['cut off pass",
    ]
    assert all(
        f"{cell}," in path.read_text().replace('""', '"').replace('"[', "[").replace(']"', "]")
        for cell in cells
    )
    findings = Findings()
    records = Records("c10", ("contexts",), tuple({"contexts": cell} for cell in cells), tuple(range(1, 7)))
    counts = n_passages(records, "contexts", findings)
    assert counts[:5].tolist() == [2, 2, 1, 0, 0]
    assert math.isnan(counts[5])
    assert [(p.code, p.row) for p in findings.problems] == [("RAG-017", 6), ("RAG-018", None)]


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_ragas_results_with_real_lists(form, tmp_path):
    frame = pd.DataFrame(
        {
            "user_input": ["q1", "q2"],
            "retrieved_contexts": [["p1", "p2"], []],
            "response": ["An answer.", "Another one."],
            "faithfulness": [0.5, 1.0],
        }
    )
    path = tmp_path / f"result.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    data = evalcore.load(path)
    assert values(data) == {"faithfulness": [0.5, NAN]}
    assert data.annotations.scores[0].suspicious == (
        f"q2: a blank context with faithfulness = 1 (result.{form}, row 2)",
    )


def test_a_text_is_never_kept_even_where_it_names_the_record():
    data = read("user_input,response,faithfulness\nWhat is my secret?,An answer.,1\nq2,An answer.,0.5\n")
    ids = data.annotations.record_ids.tolist()
    assert ids[0] == "q2"
    assert ids[1].startswith("text ")
    assert "secret" not in str(data)


def test_a_score_that_is_no_number_is_named():
    assert refusal("user_input,faithfulness,context_recall\nq1,high,1\n") == [
        "scores.csv, row 1, column faithfulness: found high, expected a number, or an empty cell where "
        "the tool gave none. Correct the cell."
    ]


def test_a_score_outside_its_range_loses_its_bounds():
    data = read("user_input,faithfulness\nq1,80\nq2,\n")
    (score,) = data.annotations.scores
    assert score.bounds is None
    assert [str(w) for w in data.warnings] == [
        "scores.csv, column faithfulness: found 1 values outside [0, 1]. The values are kept as they are; no "
        "bounds are given for what is missing."
    ]


def test_apps_of_trulens_are_systems_of_their_own_though_each_has_the_version_base():
    data = read(
        "record_id,app_name,app_version,Groundedness\nr1,bot,base,1\nr2,search,base,0\nr3,search,v2,1\n"
    )
    codes, levels = data.annotations.scores[0].slices["system"]
    assert [levels[code] for code in codes] == ["bot base", "search base", "search v2"]


def test_grades_by_a_rubric_are_scores_of_ragas_without_a_range():
    for name in ("domain_specific_rubrics", "instance_rubrics", "rubrics_score"):
        data = read(f"user_input,response,{name}\nq1,a,4\nq2,b,2\n")
        assert values(data) == {name: [4, 2]}
        assert data.annotations.scores[0].bounds is None


def test_a_deepeval_metric_that_failed_has_no_score():
    case = {
        "input": "q1",
        "actualOutput": "a",
        "metricsData": [{"name": "Bias", "score": 0.4, "error": "timeout"}],
    }
    data = read(json.dumps({"testCases": [case]}), "run.json")
    assert values(data) == {"Bias": [NAN]}


def test_deepeval_metrics_of_one_name_in_a_test_case_are_two_scores():
    metrics = [
        {"name": "Bias", "score": 0.4},
        {"name": "Bias", "score": 0.9},
        {"name": "Tone [GEval]", "score": 1},
    ]
    cases = [
        {"input": q, "actualOutput": "a", "metricsData": metrics[i:]} for i, q in enumerate(["q1", "q2"])
    ]
    data = read(json.dumps({"testCases": cases}), "run.json")
    assert values(data) == {"Bias": [0.4, 0.9], "Bias (2)": [0.9, NAN], "Tone [GEval]": [1, 1]}
    assert (
        "run.json: metrics of one name in one test case are told apart by their order: Bias (2)."
        in data.notes
    )


def test_a_deepeval_metric_with_a_number_in_its_name_is_no_second_one():
    case = {"input": "q1", "actualOutput": "a", "metricsData": [{"name": "Tone (2)", "score": 1}]}
    data = read(json.dumps({"testCases": [case]}), "run.json")
    assert values(data) == {"Tone (2)": [1]}
    assert "told apart" not in " ".join(data.notes)


def test_a_nuggetizer_answer_without_vital_nuggets_has_no_vital_score():
    nuggets = [{"importance": "okay", "assignment": "support"}]
    data = read(json.dumps({"qid": "q1", "query": "x", "nuggets": nuggets}) + "\n", "assignments.jsonl")
    assert values(data)["vital_score"] == [NAN]
    assert values(data)["all_score"] == [1]


def test_the_mean_row_of_nuggetizer_is_left_out_and_counted():
    (source,) = evalcore.load(OTHER_TOOLS / "nuggetizer_metrics.jsonl").sources
    assert (source.n_rows, source.n_used) == (2, 1)
    assert sum(source.excluded.values()) == 1


def test_phoenix_positions_count_from_zero():
    (score,) = evalcore.load(OTHER_TOOLS / "phoenix_document_annotations.csv").annotations.scores
    codes, levels = score.slices["chunk_rank"]
    found = {levels[c]: v for c, v in zip(codes, score.value, strict=True)}
    assert found == {"1": 1, "2": 0}


def test_ragcheckers_per_cent_are_not_read():
    data = evalcore.load(OTHER_TOOLS / "ragchecker_outputs.json")
    assert max(value for score in data.annotations.scores for value in score.value) == 0.5


def test_runs_of_open_rag_eval_are_systems():
    head = (
        "query_id,query,run_1_generation_score_citation_f1_score,run_2_generation_score_citation_f1_score\n"
    )
    (score,) = read(head + "q1,x,1,0.5\nq2,x,0,\n").annotations.scores
    codes, systems = score.slices["system"]
    assert systems == ("run_1", "run_2")
    assert [[v for v in score.value[codes == s].tolist() if v == v] for s in (0, 1)] == [[1, 0], [0.5]]


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        (["post_id", "criterion_id", "has_evidence", "probability"], None),
        (["record_uuid", "chunk_id", "topically_relevant"], None),
        (["user_input", "faithfulness"], "RAGAS"),
        (["input", "actual_output"], "DeepEval"),
        (["qid", "vital_score"], "nuggetizer"),
    ],
)
def test_a_tool_is_recognised_by_its_columns(names, tool):
    found = tool_of(names)
    assert (found.name if found is not None else None) == tool


def test_several_files_of_one_tool_are_one_score():
    files = [
        Upload("a.csv", b"user_input,system,faithfulness\nq1,A,1\nq2,A,0\n"),
        Upload("b.csv", b"user_input,system,faithfulness\nq1,B,1\nq2,B,1\n"),
    ]
    data = evalcore.load(files)
    (score,) = data.annotations.scores
    assert len(score.value) == 4
    assert score.slices["system"][1] == ("A", "B")
