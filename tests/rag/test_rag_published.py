"""The sixteen metrics of document 003: published values, and the cases of the annotation project."""

import json
import math

import pytest

from evalcore.catalog import METRICS
from evalcore.tallies.judgements import (
    judged_chunks,
    panels_at,
    queries_with,
)
from tests.support.inputs import ANNOTATION_EXPORT, CASES
from tests.support.made.annotations import chunk, on_answers, on_lists, responses_of, rows_of, value

SECTIONS = {
    1: [
        "Topical Precision@K",
        "Sufficiency Hit@K",
        "Sufficiency Rate@K",
        "Misleading Context Rate@K",
        "Mean Reciprocal Rank@K",
        "Normalized Discounted Cumulative Gain@K",
    ],
    2: [
        "Grounding Presence Rate",
        "Unsupported Claim Rate",
        "Contradiction Rate",
        "Citation Presence Rate",
        "Conditional Fabrication Rate",
    ],
    3: [
        "Proper Action Rate",
        "On-Topic Rate",
        "Helpfulness Rate",
        "Incompleteness Rate",
        "Unsafe Content Rate",
    ],
}
RAG = {key: declared for key, declared in METRICS.items() if declared.family == "rag"}


@pytest.fixture
def golden():
    return json.loads((ANNOTATION_EXPORT / "expected.json").read_text())


@pytest.fixture
def expected():
    return json.loads((CASES / "rag" / "expected.json").read_text())


# --- published values ---

NAMES = {
    "topical_precision_n": ("topical_precision_at_k", {}),
    "topical_precision_K5": ("topical_precision_at_k", {"variant": "k"}),
    "sufficiency_hit": ("sufficiency_hit_at_k", {}),
    "sufficiency_rate_n": ("sufficiency_rate_at_k", {}),
    "misleading_n": ("misleading_context_rate_at_k", {}),
    "rr": ("mean_reciprocal_rank_at_k", {}),
    "ndcg": ("ndcg_at_k", {"variant": "defined_only"}),
}


@pytest.mark.parametrize(
    ("part", "treatment"), [("excluded", "default"), ("zero", "ties_0"), ("one", "ties_1")]
)
def test_retrieval_of_the_export_is_that_of_the_annotation_project(golden, part, treatment):
    rows = rows_of(ANNOTATION_EXPORT / "retrieval.csv", "retrieval")
    panels = on_lists(rows, treatment=treatment)
    assert panels.is_incomplete.tolist() == [False, False, True, False]
    published = golden["retrieval"][part]
    for column, (name, how) in NAMES.items():
        values = METRICS[f"rag.{name}"](panels, **how).values
        wanted = [published["per_query"].get(f"uuid-q{q}", {}).get(column) for q in (1, 2, 3, 4)]
        assert values == pytest.approx([math.nan if one is None else one for one in wanted], nan_ok=True), (
            column
        )
    means = published["mean_over_3_complete_panels"]
    for column, wanted in means.items():
        name, how = NAMES.get(column, NAMES["ndcg"]) if column != "ndcg" else ("ndcg_at_k", {})
        assert value(name, panels, **how)[0] == pytest.approx(wanted, abs=1e-12), column


def test_answers_of_the_export_are_those_of_the_annotation_project(golden):
    answers = on_answers(rows_of(ANNOTATION_EXPORT / "grounding.csv", "grounding"))
    for name, wanted in golden["grounding"].items():
        if isinstance(wanted, dict) and "point" in wanted:
            assert value(name, answers) == (pytest.approx(wanted["point"], abs=1e-6), wanted["n"])
    answers = on_answers(rows_of(ANNOTATION_EXPORT / "generation.csv", "generation"), "generation")
    for name, wanted in golden["generation"].items():
        assert value(name, answers) == (pytest.approx(wanted["point"], abs=1e-12), wanted["n"])
    low, high = (value("helpfulness_rate", answers.treated(ties))[0] for ties in ("ties_0", "ties_1"))
    assert [low, high] == golden["generation"]["helpfulness_rate"]["bounds"]


def test_every_metric_of_document_003_has_a_key():
    printed = [f"003 §{section} {name}" for section, names in SECTIONS.items() for name in names]
    assert len(printed) == 16
    assert sorted(printed) == sorted(m.source for m in RAG.values())


# --- cases ---


def test_c05_a_duplicate_kept_first_is_one_chunk(expected):
    wanted = expected["c05"]["keep_first"]
    panels = on_lists([chunk("q1", 1, 1, chunk="A"), chunk("q1", 2, 0, chunk="X")], k=3)
    assert value("topical_precision_at_k", panels)[0] == wanted["precision_present (default)"]
    assert value("topical_precision_at_k", panels, variant="k")[0] == wanted["precision_k (variant, K=3)"]
    assert value("mean_reciprocal_rank_at_k", panels)[0] == wanted["rr"]
    assert value("ndcg_at_k", panels)[0] == wanted["ndcg"]


def test_c06_short_lists_divide_by_what_is_there_and_are_counted(expected):
    panels = on_lists(rows_of(CASES / "rag" / "c06_short_list.csv", "retrieval"))
    wanted = expected["c06"]
    precision = METRICS["rag.topical_precision_at_k"]
    assert precision(panels).values.tolist() == [wanted["by_n"]["q1"], wanted["by_n"]["q2"]]
    assert value("topical_precision_at_k", panels)[0] == pytest.approx(wanted["by_n"]["mean"])
    assert value("topical_precision_at_k", panels, variant="k")[0] == pytest.approx(wanted["fixed_K"]["mean"])
    misleading = wanted["misleading"]
    assert value("misleading_context_rate_at_k", panels)[0] == misleading["by_n"]
    assert value("misleading_context_rate_at_k", panels, variant="k")[0] == misleading["fixed_K"]
    assert precision.remark is not None
    assert precision.remark(panels) == "1 of 2 queries shorter than K = 5"


def test_p1_a_tie_is_undecided_whatever_the_order_of_rows(expected):
    rows = rows_of(CASES / "rag" / "p1_tie_order.csv", "grounding")
    wanted = expected["p1"]
    for given_rows in (rows, rows[::-1]):
        answers = on_answers(given_rows)
        assert sorted(name for name, state in answers.state.items() if state[0] == -2) == sorted(
            wanted["ties"]
        )
        assert {name: int(answers.state[name][0]) for name in wanted["agreed"]} == wanted["agreed"]
        fabricated = METRICS["rag.conditional_fabrication_rate"]
        assert math.isnan(value("conditional_fabrication_rate", answers)[0])
        assert fabricated.reason(answers) == "no settled fabricated_source where a source is cited"


def test_p3_a_missing_label_leaves_that_label_only(expected):
    rows = rows_of(CASES / "rag" / "p3_discarded_rows.csv", "generation")
    answers = on_answers(rows, "generation")
    assert len(answers) == 4
    names = {one.labels[0]: one.name for one in METRICS.values() if one.labels}
    for label, (wanted, n) in expected["p3"]["exclude_per_label"].items():
        assert value(names[label], answers) == (pytest.approx(wanted), n)


def test_p5_a_filter_on_a_column_keeps_the_whole_panel(expected):
    responses = responses_of(
        "retrieval", rows_of(CASES / "rag" / "p5_calibration_row_filter.csv", "retrieval")
    )
    codes, levels = responses.slices["calibration"]
    kept = responses.where(queries_with(responses, codes == levels.index("true")))
    panels = panels_at(judged_chunks(kept), 5)
    wanted = expected["p5"]["keep_panel"]
    assert value("topical_precision_at_k", panels)[0] == wanted["precision"]
    assert value("mean_reciprocal_rank_at_k", panels)[0] == wanted["rr"]
