"""The metrics on annotations: consolidation, panels, and what is undefined."""

import math

import pytest

from evalcore.catalog import METRICS
from evalcore.crosscheck import rag as second
from evalcore.problems import InputError
from evalcore.tallies.judgements import (
    TREATMENTS,
    Panels,
    judged_chunks,
    panels_at,
)
from tests.support.made.annotations import chunk, on_answers, on_lists, responses_of, value

RAG = {key: declared for key, declared in METRICS.items() if declared.family == "rag"}
ON_LISTS = [key for key, declared in RAG.items() if declared.tally == "Panels"]


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
    named = " and ".join(declared.labels)
    states = {label: [[-1, -1]] for label in declared.labels}
    assert declared.reason(on_lists([]), declared.default_variant) == "no query with annotated chunks"
    lacking = Panels.from_lists(5, other=[[1]])
    assert (
        declared.reason(lacking, declared.default_variant) == f"the data have no label {declared.labels[0]}"
    )
    unsettled = Panels.from_lists(5, **states)
    assert declared.reason(unsettled, declared.default_variant) == f"no settled {named} in these lists"
    incomplete = on_lists([chunk("q1", 1, 1, n=2)])
    assert declared.reason(incomplete) == "no query whose first K chunks are all annotated"
    for tally in (on_lists([]), lacking, unsettled, incomplete):
        assert math.isnan(value(declared.name, tally)[0])


def test_every_metric_says_what_it_is_computed_from():
    assert len(RAG) == 16
    assert all(declared.labels for declared in RAG.values())
    not_bounded = {key for key, declared in RAG.items() if declared.monotone_in != declared.labels}
    assert not_bounded == {"rag.ndcg_at_k", "rag.conditional_fabrication_rate"}
    assert set(TREATMENTS) == {"default", *second.TREATMENTS}
