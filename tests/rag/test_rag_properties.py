"""The metrics on annotations against plain loops, on any rows: order, bounds, ideals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.annotations import LABELS
from evalcore.catalog import METRICS
from evalcore.crosscheck import rag as second
from evalcore.problems import InputError
from evalcore.tallies.judgements import (
    TREATMENTS,
    JudgedAnswers,
    Panels,
)
from tests.support.made.annotations import chunk, on_answers, on_lists, responses_of, value

RAG = {key: declared for key, declared in METRICS.items() if declared.family == "rag"}
ON_LISTS = [key for key, declared in RAG.items() if declared.tally == "Panels"]
FEW = settings(max_examples=60, deadline=None)


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
    for key in (key for key in ON_LISTS if RAG[key].monotone_in == RAG[key].labels):
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
