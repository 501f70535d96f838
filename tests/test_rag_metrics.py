"""The sixteen metrics of document 003: cases, golden values, consolidation, properties, a second way."""

import csv
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.annotations import LABELS
from evalcore.catalog import METRICS
from evalcore.crosscheck import rag as second
from evalcore.metrics.rag import LABELS_OF, MONOTONE, SHARES
from evalcore.problems import InputError
from evalcore.tallies.judgements import (
    TREATMENTS,
    JudgedAnswers,
    Panels,
    judged_answers,
    judged_chunks,
    panels_at,
    queries_with,
)
from tests.annotations import responses_of

RAG = {key: declared for key, declared in METRICS.items() if declared.family == "rag"}
ON_LISTS = [key for key, declared in RAG.items() if declared.tally == "Panels"]
FEW = settings(max_examples=60, deadline=None)
SPELLED = {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0, "": None}


def rows_of(path, task):
    """The rows of an export as `responses_of` takes them."""
    rows = []
    with path.open() as file:
        for line in csv.DictReader(file):
            row = {name: SPELLED[line[name].lower()] for name in LABELS[task] if name in line}
            row |= {
                "record": line["record_uuid"],
                "submitted": line.get("response_status", "submitted") != "discarded",
            }
            row |= {"annotator": line.get("annotator_id")}
            if "chunk_rank" in line:
                row |= {"chunk": line["chunk_id"], "rank": int(line["chunk_rank"])}
                row |= {"n_retrieved": int(line.get("n_retrieved_chunks", -1))}
            if "calibration" in line:
                row["calibration"] = line["calibration"]
            rows.append(row)
    return rows


def value(name, tally, **how):
    """The mean of a metric, and how many queries or answers enter."""
    result = METRICS[f"rag.{name}"](tally, **how)
    return result.over(np.ones(len(tally), bool))


def on_lists(rows, k=5, treatment="default"):
    return panels_at(judged_chunks(responses_of("retrieval", rows)), k, treatment)


def on_answers(rows, task="grounding"):
    return judged_answers(responses_of(task, rows))


def chunk(record, rank, relevant=0, sufficient=0, misleading=0, n=-1, **others):
    return {
        "record": record,
        "chunk": others.pop("chunk", f"c{rank}"),
        "rank": rank,
        "n_retrieved": n,
        "topically_relevant": relevant,
        "evidence_sufficient": sufficient,
        "misleading": misleading,
        **others,
    }


@pytest.fixture
def golden(shared):
    return json.loads((shared / "data/rag/expected.json").read_text())


@pytest.fixture
def expected(shared):
    return json.loads((shared / "cases/rag/expected.json").read_text())


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
def test_retrieval_of_the_export_is_that_of_the_annotation_project(shared, golden, part, treatment):
    rows = rows_of(shared / "data/rag/retrieval.csv", "retrieval")
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


def test_answers_of_the_export_are_those_of_the_annotation_project(shared, golden):
    answers = on_answers(rows_of(shared / "data/rag/grounding.csv", "grounding"))
    for name, wanted in golden["grounding"].items():
        if isinstance(wanted, dict) and "point" in wanted:
            assert value(name, answers) == (pytest.approx(wanted["point"], abs=1e-6), wanted["n"])
    answers = on_answers(rows_of(shared / "data/rag/generation.csv", "generation"), "generation")
    for name, wanted in golden["generation"].items():
        assert value(name, answers) == (pytest.approx(wanted["point"], abs=1e-12), wanted["n"])
    low, high = (value("helpfulness_rate", answers.treated(ties))[0] for ties in ("ties_0", "ties_1"))
    assert [low, high] == golden["generation"]["helpfulness_rate"]["bounds"]


def test_every_metric_of_document_003_has_a_key(shared):
    text = (shared / "seeds/003-rag-metrics-taxonomy.md").read_text()
    section, printed = 0, {}
    for line in text.splitlines():
        section = int(found[1]) if (found := re.match(r"### (\d)\)", line)) else section
        if found := re.match(r"- \*\*(.+):\*\*", line):
            printed[found[1]] = f"003 §{section}"
    assert len(printed) == 16
    assert sorted(f"{where} {name}" for name, where in printed.items()) == sorted(
        m.source for m in RAG.values()
    )


# --- cases ---


def test_c05_a_duplicate_kept_first_is_one_chunk(expected):
    wanted = expected["c05"]["keep_first"]
    panels = on_lists([chunk("q1", 1, 1, chunk="A"), chunk("q1", 2, 0, chunk="X")], k=3)
    assert value("topical_precision_at_k", panels)[0] == wanted["precision_present (default)"]
    assert value("topical_precision_at_k", panels, variant="k")[0] == wanted["precision_k (variant, K=3)"]
    assert value("mean_reciprocal_rank_at_k", panels)[0] == wanted["rr"]
    assert value("ndcg_at_k", panels)[0] == wanted["ndcg"]


def test_c06_short_lists_divide_by_what_is_there_and_are_counted(shared, expected):
    panels = on_lists(rows_of(shared / "cases/rag/c06_short_list.csv", "retrieval"))
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


def test_p1_a_tie_is_undecided_whatever_the_order_of_rows(shared, expected):
    rows = rows_of(shared / "cases/rag/p1_tie_order.csv", "grounding")
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


def test_p3_a_missing_label_leaves_that_label_only(shared, expected):
    rows = rows_of(shared / "cases/rag/p3_discarded_rows.csv", "generation")
    answers = on_answers(rows, "generation")
    assert len(answers) == 4
    names = {declared[0]: key.removeprefix("rag.") for key, declared in LABELS_OF.items()}
    for label, (wanted, n) in expected["p3"]["exclude_per_label"].items():
        assert value(names[label], answers) == (pytest.approx(wanted), n)


def test_p5_a_filter_on_a_column_keeps_the_whole_panel(shared, expected):
    responses = responses_of(
        "retrieval", rows_of(shared / "cases/rag/p5_calibration_row_filter.csv", "retrieval")
    )
    codes, levels = responses.slices["calibration"]
    kept = responses.where(queries_with(responses, codes == levels.index("true")))
    panels = panels_at(judged_chunks(kept), 5)
    wanted = expected["p5"]["keep_panel"]
    assert value("topical_precision_at_k", panels)[0] == wanted["precision"]
    assert value("mean_reciprocal_rank_at_k", panels)[0] == wanted["rr"]


# --- consolidation ---


def test_two_of_three_decide_and_one_of_two_does_not():
    rows = [{"record": "a", "helpful": said} for said in (1, 1, 0)] + [
        {"record": "b", "helpful": s} for s in (1, 0)
    ]
    assert on_answers(rows, "generation").state["helpful"].tolist() == [1, -2]


def test_discarded_responses_say_nothing():
    rows = [{"record": "a", "helpful": 1, "submitted": False}, {"record": "a", "helpful": 0}]
    assert on_answers(rows, "generation").state["helpful"].tolist() == [0]


def test_an_adjudicated_value_comes_first():
    rows = [{"record": "a", "helpful": 1}, {"record": "a", "helpful": 0, "adjudicated": {"helpful": 0}}]
    assert on_answers(rows, "generation").state["helpful"].tolist() == [0]
    assert on_answers([*rows, {"record": "a", "helpful": 1}], "generation").state["helpful"].tolist() == [0]


def test_only_some_annotators_leave_the_panels_of_others_incomplete():
    rows = [chunk("q1", rank, 1, annotator="ann", n=2) for rank in (1, 2)]
    rows += [chunk("q2", 1, 1, annotator="ann", n=2), chunk("q2", 2, 0, annotator="bob", n=2)]
    rows += [chunk("q3", 1, 0, annotator="bob", n=1)]
    judged = judged_chunks(responses_of("retrieval", rows), annotators=["ann"])
    panels = panels_at(judged, 5)
    assert panels.is_used.tolist() == [True, False]
    assert panels.is_incomplete.tolist() == [False, True]
    with pytest.raises(InputError, match=r"found annotators = eve, expected one of ann, bob"):
        judged_chunks(responses_of("retrieval", rows), annotators=["eve"])


# --- panels ---


def test_a_panel_is_complete_up_to_k():
    rows = [chunk("q1", 1, 1, n=3), chunk("q1", 3, 0, n=3)]
    assert on_lists(rows, k=1).is_used.tolist() == [True]
    assert on_lists(rows, k=2).is_used.tolist() == [False]
    assert value("topical_precision_at_k", on_lists(rows, 5, "as_is")) == (0.5, 1)


def test_what_nobody_annotated_is_filled_at_its_own_rank():
    rows = [chunk("q1", 2, 0, n=3), chunk("q1", 3, 1, n=3, submitted=False)]
    first, last = (on_lists(rows, 5, treatment) for treatment in ("fill_0", "fill_1"))
    assert value("topical_precision_at_k", first)[0] == 0
    assert value("topical_precision_at_k", last)[0] == 2 / 3
    assert value("mean_reciprocal_rank_at_k", last)[0] == 1
    ideal = 3 + 3 / math.log2(3)
    assert value("ndcg_at_k", last)[0] == pytest.approx((3 + 3 / math.log2(4)) / ideal)


def test_nothing_retrieved_is_a_miss_and_has_no_rate():
    panels = on_lists([chunk("q1", 1, 1, 1, n=1), {"record": "q2", "n_retrieved": 0, "chunk": None}])
    for name in ("sufficiency_hit_at_k", "mean_reciprocal_rank_at_k", "ndcg_at_k"):
        assert value(name, panels) == (0.5, 2)
        assert value(name, panels, variant="retrieved_only") == (1, 1)
    assert value("topical_precision_at_k", panels) == (1, 1)
    assert value("topical_precision_at_k", panels, variant="k") == (0.1, 2)


def test_a_judged_chunk_that_was_not_retrieved_enters_the_all_judged_ideal_only():
    rows = [chunk("q1", 1, 1, n=1), chunk("q1", 0, 1, 1, n=1, chunk="elsewhere")]
    panels = on_lists(rows)
    assert value("topical_precision_at_k", panels)[0] == 1
    assert value("sufficiency_hit_at_k", panels)[0] == 0
    assert value("ndcg_at_k", panels)[0] == 1
    assert value("ndcg_at_k", panels, variant="all_judged")[0] == pytest.approx(1 / (3 + 1 / math.log2(3)))


def test_a_list_of_unknown_length_is_as_long_as_its_last_rank():
    assert on_lists([chunk("q1", 1), chunk("q1", 3)]).is_used.tolist() == [False]
    assert on_lists([chunk("q1", 0, chunk="x")]).is_used.tolist() == [False]


def test_no_relevant_chunk_counts_0_or_leaves_the_mean():
    panels = on_lists([chunk("q1", 1, 1), chunk("q2", 1, 0)])
    assert value("ndcg_at_k", panels) == (0.5, 2)
    assert value("ndcg_at_k", panels, variant="defined_only") == (1, 1)
    assert METRICS["rag.ndcg_at_k"].remark(panels) == "1 of 2 queries without a relevant chunk, counted 0"


def test_ranks_decide_not_rows():
    rows = [chunk("q1", 3, 1), chunk("q1", 1, 0), chunk("q1", 2, 0)]
    assert value("mean_reciprocal_rank_at_k", on_lists(rows))[0] == 1 / 3


# --- undefined ---


@pytest.mark.parametrize("key", ON_LISTS)
def test_reasons_on_lists(key):
    declared = RAG[key]
    named = " and ".join(LABELS_OF[key])
    states = {label: [[-1, -1]] for label in LABELS_OF[key]}
    assert declared.reason(on_lists([]), declared.default_variant) == "no query with annotated chunks"
    lacking = Panels.from_lists(5, other=[[1]])
    assert declared.reason(lacking, declared.default_variant) == f"the data have no label {LABELS_OF[key][0]}"
    unsettled = Panels.from_lists(5, **states)
    assert declared.reason(unsettled, declared.default_variant) == f"no settled {named} in these lists"
    incomplete = on_lists([chunk("q1", 1, 1, n=2)])
    assert declared.reason(incomplete) == "no query whose first K chunks are all annotated"
    for tally in (on_lists([]), lacking, unsettled, incomplete):
        assert math.isnan(value(declared.name, tally)[0])


def test_every_metric_says_what_it_is_computed_from():
    assert set(LABELS_OF) == set(RAG)
    assert len(RAG) == 16
    assert set(RAG) >= SHARES
    assert set(RAG) - MONOTONE == {"rag.ndcg_at_k", "rag.conditional_fabrication_rate"}
    assert set(TREATMENTS) == {"default", *second.TREATMENTS}


# --- properties ---

STATES = st.sampled_from([1, 0, None])
RESPONSES = st.lists(
    st.tuples(
        st.sampled_from("pqr"),
        st.integers(0, 4),
        st.booleans(),
        STATES,
        STATES,
        STATES,
        st.sampled_from([None, 0, 1]),
    ),
    min_size=1,
    max_size=24,
)
LENGTHS = st.dictionaries(st.sampled_from("pqr"), st.sampled_from([-1, 4, 5]))


def drawn_rows(drawn, lengths):
    """Responses to chunks; chunk c0 was judged and not retrieved, query s retrieved nothing."""
    rows = [
        chunk(record, rank, *labels, n=lengths.get(record, -1), submitted=submitted)
        | ({} if decided is None else {"adjudicated": {"topically_relevant": decided}})
        for record, rank, submitted, *labels, decided in drawn
    ]
    return [*rows, {"record": "s", "n_retrieved": 0, "chunk": None}]


@FEW
@given(RESPONSES, LENGTHS, st.sampled_from([1, 2, 3, 5, None]), st.randoms())
def test_lists_agree_with_plain_loops_and_ignore_the_order_of_rows(drawn, lengths, k, random):
    rows = drawn_rows(drawn, lengths)
    shuffled = random.sample(rows, len(rows))
    responses = responses_of("retrieval", rows)
    plain = second.queries_of(responses)
    for treatment in TREATMENTS:
        panels, others = on_lists(rows, k, treatment), on_lists(shuffled, k, treatment)
        for key in ON_LISTS:
            for variant in RAG[key].variants:
                found, n = value(RAG[key].name, panels, variant=variant)
                again = second.value(RAG[key].name, plain, f"{variant};{treatment}", {"k": k})
                assert found == pytest.approx(again, abs=1e-12, nan_ok=True), (key, variant, treatment)
                assert repr(value(RAG[key].name, others, variant=variant)) == repr((found, n))
                assert math.isnan(found) == (RAG[key].reason(panels, variant) is not None), (key, variant)


@FEW
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans(), *[STATES] * 5), min_size=1, max_size=12))
def test_answers_agree_with_plain_loops(drawn):
    for task in ("grounding", "generation"):
        rows = [
            {"record": record, "submitted": submitted, **dict(zip(LABELS[task], said, strict=True))}
            for record, submitted, *said in drawn
        ]
        responses = responses_of(task, rows)
        plain = second.answers_of(responses)
        for treatment in TREATMENTS:
            answers, others = (
                on_answers(rows, task).treated(treatment),
                on_answers(rows[::-1], task).treated(treatment),
            )
            for name, of in second.TASK_OF.items():
                if of == task:
                    found = value(name, answers)
                    assert found[0] == pytest.approx(
                        second.value(name, plain, treatment, {}), abs=1e-12, nan_ok=True
                    )
                    assert repr(value(name, others)) == repr(found)
                    assert math.isnan(found[0]) == (RAG[f"rag.{name}"].reason(answers) is not None)


@FEW
@given(RESPONSES, LENGTHS, st.data())
def test_fills_bound_what_annotation_could_still_say(drawn, lengths, data):
    rows = drawn_rows(drawn, lengths)
    low, high = (on_lists(rows, 4, treatment) for treatment in ("fill_0", "fill_1"))
    state = {}
    for name in low.state:
        told = [data.draw(st.booleans()) for _ in low.state[name]]
        state[name] = np.where(low.state[name] == high.state[name], low.state[name], told).astype(np.int8)
    truth = replace(low, state=state)
    for key in set(ON_LISTS) & MONOTONE:
        least, found, most = (value(RAG[key].name, panels)[0] for panels in (low, truth, high))
        if not math.isnan(least):
            assert least - 1e-12 <= found <= most + 1e-12


def loop_ndcg(grades, k):
    def dcg(ordered):
        return sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(ordered[:k]))

    ideal = dcg(sorted(grades[:k], reverse=True))
    return dcg(grades) / ideal if ideal else 0.0


@pytest.mark.parametrize("k", [1, 3, 5, None])
def test_ndcg_within_the_list_is_that_of_a_loop(k):
    rng = np.random.default_rng(3)
    lists = [rng.integers(0, 3, rng.integers(1, 12)).tolist() for _ in range(500)]
    relevant = [[int(grade > 0) for grade in grades] for grades in lists]
    sufficient = [[int(grade == 2) for grade in grades] for grades in lists]
    panels = Panels.from_lists(k, topically_relevant=relevant, evidence_sufficient=sufficient)
    wanted = [loop_ndcg(grades, k) for grades in lists]
    np.testing.assert_allclose(METRICS["rag.ndcg_at_k"](panels).values, wanted, rtol=0, atol=1e-12)


def test_a_perfect_order_is_exactly_1():
    lists = [[1] * n + [0] * (9 - n) for n in range(1, 9)]
    panels = Panels.from_lists(None, topically_relevant=lists, evidence_sufficient=[[0] * 9] * 8)
    assert METRICS["rag.ndcg_at_k"](panels).values.tolist() == [1.0] * 8


def test_unknown_variant_is_refused():
    with pytest.raises(InputError, match=r"found variant = 'best', expected one of present, k"):
        METRICS["rag.topical_precision_at_k"](Panels.from_lists(1, topically_relevant=[[1]]), variant="best")


def test_answers_of_two_parts_are_those_of_the_whole():
    first, other = JudgedAnswers.from_labels(helpful=[1, 0]), JudgedAnswers.from_labels(incomplete=[1])
    merged = first.merge(other)
    assert merged.state["helpful"].tolist() == [1, 0, -1]
    assert merged.state["incomplete"].tolist() == [-1, -1, 1]
