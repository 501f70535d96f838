"""Broken rules, counts, discards, panels, tendencies and rates by rank, each on the smallest table."""

import numpy as np
import pytest

from evalcore.agreement import (
    PanelCounts,
    counts_by_rule,
    discards,
    label_counts,
    panels,
    rates_by_rank,
    tendencies,
    violations,
)
from evalcore.annotations import YES
from evalcore.tallies.judgements import TIED
from tests.support.made.annotated import Row, responses

RETRIEVAL: list[Row] = [
    ("q1", "c1", "ann_a", {"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 0}),
    ("q1", "c2", "ann_a", {"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 1}),
    ("q3", "c4", "ann_c", {"topically_relevant": 0, "evidence_sufficient": 1, "misleading": 0}),
    ("q3", "c4", "ann_a", {"topically_relevant": 0, "evidence_sufficient": 1, "misleading": 1}),
    ("q3", "c5", "ann_a", {"topically_relevant": -1, "evidence_sufficient": 1, "misleading": -1}),
    ("q3", "c3", "ann_c", None),
]
RELEVANT = "evidence_sufficient implies topically_relevant"
MISLEADING = "evidence_sufficient excludes misleading"


def told(frame) -> list[tuple]:
    return [tuple(row) for row in frame.itertuples(index=False)]


def test_every_response_that_breaks_a_rule_is_named_with_its_row() -> None:
    expected = [
        (RELEVANT, False, "q3", "c4", "ann_a", 4),
        (RELEVANT, False, "q3", "c4", "ann_c", 3),
        (MISLEADING, True, "q1", "c2", "ann_a", 2),
        (MISLEADING, True, "q3", "c4", "ann_a", 4),
    ]
    given, ids = responses(RETRIEVAL, task="retrieval")
    assert told(violations(given, ids)) == expected
    assert counts_by_rule(violations(given, ids)) == [(RELEVANT, False, 2), (MISLEADING, True, 2)]
    backwards = np.arange(len(given))[::-1]
    assert told(violations(given.where(backwards), ids)) == expected


def test_answers_break_the_rules_of_answers_only() -> None:
    rows = [
        ("q5", "", "", {"source_cited": 0, "fabricated_source": 1, "unsupported_claim_present": 1}),
        ("q6", "", "b", {"contradicted_claim_present": 1, "unsupported_claim_present": 0, "source_cited": 0}),
    ]
    given, ids = responses(rows)
    assert told(violations(given, ids)) == [
        ("contradicted_claim_present implies unsupported_claim_present", False, "q6", "", "b", 2),
        ("fabricated_source implies source_cited", False, "q5", "", "", 1),
    ]
    clean, ids = responses([("q1", "", "a", {"helpful": 1})], task="generation")
    assert violations(clean, ids).empty
    assert counts_by_rule(violations(clean, ids)) == []
    assert list(violations(clean, ids)) == ["rule", "is_warning", "record_id", "chunk_id", "annotator", "row"]


def test_the_counts_of_a_label_sum_to_the_responses() -> None:
    counts = label_counts(responses(RETRIEVAL, task="retrieval")[0])
    assert told(counts) == [
        ("retrieval", "topically_relevant", 2, 2, 1, 1),
        ("retrieval", "evidence_sufficient", 5, 0, 0, 1),
        ("retrieval", "misleading", 2, 2, 1, 1),
    ]
    assert (counts.iloc[:, 2:].sum(axis=1) == len(RETRIEVAL)).all()


def test_discards_are_counted_by_reason_the_most_frequent_first() -> None:
    rows: list[Row] = [("q1", "", name, None) for name in "abcd"] + [("q2", "", "a", {"helpful": 1})]
    reasons = ["unclear", "", "outside_reviewer_expertise", "unclear", "never read"]
    given, _ = responses(rows, task="generation", reasons=reasons)
    assert told(discards(given)) == [
        ("generation", "unclear", 2),
        ("generation", "no reason given", 1),
        ("generation", "outside_reviewer_expertise", 1),
    ]
    assert discards(given.where(given.is_submitted)).empty


def test_a_panel_is_complete_when_every_retrieved_chunk_has_a_submitted_response() -> None:
    label = {"misleading": 0}
    rows: list[Row] = [
        ("q3", "q3-1", "a", label),
        ("q3", "q3-1", "b", label),  # the same chunk again judges no other
        ("q3", "q3-2", "a", None),
        ("q3", "q3-9", "a", label),  # judged, but not retrieved
        ("q1", "q1-1", "a", label),
        ("q1", "q1-2", "a", None),
        ("q1", "q1-2", "b", label),
        ("q2", "q2-1", "a", label),
    ]
    given, ids = responses(
        rows, task="retrieval", rank=[1, 1, 2, 0, 1, 2, 2, 1], n_retrieved=[2, 2, 2, 2, 2, 2, 2, -1]
    )
    assert told(panels(given, ids)) == [
        ("q1", 2, 2, 0, "complete"),
        ("q2", -1, 1, 0, "unknown"),
        ("q3", 2, 1, 1, "incomplete"),
    ]
    assert PanelCounts.of(panels(given, ids)) == PanelCounts(n=3, n_complete=1, n_unknown=1)


def test_tendencies_compare_annotators_on_shared_units_only() -> None:
    said = {"1": (1, 0, 0), "2": (1, 1, None), "3": (1, None, None)}
    rows = [
        (item, "", name, {"helpful": code})
        for item, codes in said.items()
        for name, code in zip("abc", codes, strict=True)
        if code is not None
    ]
    given, _ = responses(rows, task="generation")
    found = told(tendencies(given))
    assert [row[2:5] for row in found] == [("a", 3, 2), ("b", 2, 2), ("c", 1, 1)]
    assert [row[5] for row in found] == [1, 0.5, 0]
    assert [row[6] for row in found] == [(0 + 1) / 2, (1 / 2 + 1) / 2, 1 / 2]
    assert [row[7] for row in found] == [0.5, -0.25, -0.5]
    assert told(tendencies(given.where(np.arange(len(given))[::-1]))) == found


def test_an_annotator_without_shared_units_has_no_tendency() -> None:
    given, _ = responses([("1", "", "a", {"helpful": 1}), ("2", "", "b", {"helpful": 0})], task="generation")
    found = tendencies(given)
    assert found["n_shared"].tolist() == [0, 0]
    assert found[["share", "others", "difference"]].isna().all(axis=None)


def test_a_tie_is_not_settled_and_enters_no_rate() -> None:
    table = rates_by_rank(np.array([1, 1]), {"misleading": np.array([TIED, YES], np.int8)})
    assert (table["n"][0], table["share"][0]) == (1, 1)


def test_rates_by_rank_leave_out_what_is_not_settled_or_not_retrieved() -> None:
    rank = np.array([1, 1, 1, 2, 2, 0, 4])
    said = np.array([1, 0, 1, -1, 0, 1, -1], np.int8)
    table = rates_by_rank(rank, {"misleading": said})
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["n"].tolist() == [3, 1, 0, 0]
    assert table["share"].tolist() == pytest.approx([2 / 3, 0, np.nan, np.nan], nan_ok=True)
    assert table["low"].tolist() == pytest.approx([0.20765, 0, np.nan, np.nan], abs=1e-5, nan_ok=True)
    assert rates_by_rank(rank, {"misleading": said}, max_rank=1)["n"].tolist() == [3]
    assert rates_by_rank(rank, {}).empty
