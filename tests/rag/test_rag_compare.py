"""Two systems by the annotations of the same queries."""

import math

import numpy as np
import pytest

import evalcore
from evalcore import evaluate
from evalcore.compare.options import CompareOptions
from evalcore.compare.rag.annotations import compare_annotations
from evalcore.compare.rag.systems import by_system, n_without_system, shared_keys
from evalcore.compare.wording import answer_of_rows, favours, fell_out
from evalcore.evaluation import group_columns
from evalcore.problems import InputError
from evalcore.readers import Upload
from tests.support.made.annotations import rag_data, responses_of

FEW = CompareOptions(bootstrap=500, permutations=999)


def answers(system, helpful, first=0):
    return [
        {"record": f"{system}-{at}", "query_id": f"q{first + at}", "system": system, "helpful": said}
        for at, said in enumerate(helpful)
    ]


def row(table, metric="helpfulness_rate"):
    return table[table.metric == metric].iloc[0]


def test_difference_is_over_the_queries_that_both_have():
    data = rag_data(responses_of("generation", [*answers("A", [1, 0, 1]), *answers("B", [1, 1, 0], first=1)]))
    sides = by_system(data)
    assert list(sides) == ["A", "B"]
    found = row(compare_annotations(sides["A"], sides["B"], key="query_id", how=FEW))
    assert (found["first"], found["second"], found.difference) == (0.5, 1, 0.5)
    assert (found.n, found.n_only_first, found.n_only_second, found.n_without_value) == (2, 1, 1, 0)


def test_query_without_a_value_on_one_side_leaves_both():
    data = rag_data(responses_of("generation", [*answers("A", [1, 1]), *answers("B", [0, None])]))
    sides = by_system(data)
    found = row(compare_annotations(sides["A"], sides["B"], key="query_id", how=FEW))
    assert (found.difference, found.n, found.n_without_value) == (-1, 1, 1)


def test_nothing_in_common_has_no_difference():
    data = rag_data(responses_of("generation", [*answers("A", [1]), *answers("B", [1])]))
    sides = by_system(data)
    found = row(compare_annotations(sides["A"], sides["B"], how=FEW))
    assert math.isnan(found.difference)
    assert (found.n, found.n_only_first, found.n_only_second) == (0, 1, 1)
    assert math.isnan(found.p)


def test_interval_and_test_agree_with_plain_resampling():
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 2, 80), (rng.random(80) < 0.7).astype(int)
    data = rag_data(
        responses_of("generation", [*answers("A", first.tolist()), *answers("B", second.tolist())])
    )
    sides = by_system(data)
    how = CompareOptions(bootstrap=4000, permutations=4999)
    found = row(compare_annotations(sides["A"], sides["B"], key="query_id", how=how))
    gaps = (second - first).astype(float)
    assert found.difference == pytest.approx(gaps.mean())
    draws = [rng.choice(gaps, 80).mean() for _ in range(4000)]
    assert [found.ci_low, found.ci_high] == pytest.approx(
        np.quantile(draws, [0.025, 0.975]).tolist(), abs=0.02
    )
    swapped = [(rng.choice([-1, 1], 80) * gaps).mean() for _ in range(5000)]
    assert found.p == pytest.approx(np.mean(np.abs(swapped) >= abs(gaps.mean()) - 1e-12), abs=0.02)
    assert found.p_holm >= found.p


def test_sides_exchanged_change_the_sign_only():
    rng = np.random.default_rng(4)
    told = [answers(system, rng.integers(0, 2, 30).tolist()) for system in "AB"]
    sides = by_system(rag_data(responses_of("generation", [*told[0], *told[1]])))
    forth = row(compare_annotations(sides["A"], sides["B"], key="query_id", how=FEW))
    back = row(compare_annotations(sides["B"], sides["A"], key="query_id", how=FEW))
    assert back.difference == -forth.difference
    assert back.p == forth.p


def test_lists_are_compared_at_k():
    rows = [
        {"record": f"{system}{q}", "query_id": f"q{q}", "system": system, "chunk": f"c{rank}", "rank": rank}
        | {"n_retrieved": 2, "topically_relevant": int(rank == first)}
        for system, first in (("A", 2), ("B", 1))
        for q in range(3)
        for rank in (1, 2)
    ]
    sides = by_system(rag_data(responses_of("retrieval", rows)))
    table = compare_annotations(sides["A"], sides["B"], key="query_id", k=2, how=FEW)
    found = row(table, "mean_reciprocal_rank_at_k")
    assert (found.params, found["first"], found["second"], found.n) == ("k=2", 0.5, 1, 3)
    assert found.ci_method == "not_estimable(alike_in_replicates;queries=3;B=500;undefined=27;seed=0)"


def test_an_unknown_key_is_named_and_an_unknown_column_holds_no_system():
    data = rag_data(responses_of("generation", answers("A", [1])))
    with pytest.raises(InputError, match="found key = topic, expected one of record, query_id, system"):
        compare_annotations(data, data, key="topic")
    assert by_system(data, "engine") == {}


def test_keys_that_both_share_stand_first_and_a_column_that_varies_within_a_record_is_none():
    rows = [
        {"record": f"{system}{q}", "annotator": who, "system": system, "query_id": f"q{q}", "shift": who}
        | {"language": "en", "helpful": 1}
        for system in "AB"
        for q in range(3 if system == "A" else 2)
        for who in ("early", "late")
    ]
    sides = by_system(rag_data(responses_of("generation", rows)))
    assert shared_keys(sides["A"], sides["B"]) == {"query_id": 2, "language": 1, "record": 0}


def test_records_without_a_key_or_a_system_are_counted():
    rows = [*answers("A", [1, 0]), *answers("B", [1, 0])]
    rows += [{"record": f"{system}-2", "system": system, "helpful": 1} for system in "AB"]
    rows.append({"record": "nobody", "query_id": "q0", "helpful": 1})
    data = rag_data(responses_of("generation", rows))
    assert n_without_system(data) == 1
    sides = by_system(data)
    found = row(compare_annotations(sides["A"], sides["B"], key="query_id", how=FEW))
    assert (found.n, found.n_without_key) == (2, 2)


def test_words_say_which_system_is_better_and_what_fell_out():
    low, high = [0] * 25, [1] * 20 + [0] * 5
    data = rag_data(responses_of("generation", [*answers("A", low), *answers("B", high, first=1)]))
    sides = by_system(data)
    table = compare_annotations(sides["A"], sides["B"], key="query_id", how=FEW)
    rows = table.to_dict("records")
    helpful = next(one for one in rows if one["metric"] == "helpfulness_rate")
    assert favours(helpful) == "second"
    assert favours(helpful | {"metric": "unsafe_content_rate"}) == "first"
    assert favours(helpful | {"n": 19}) == "few"
    assert favours(helpful | {"n": 19, "ci_low": -0.1, "ci_high": 0.2}) == "few"
    assert favours(helpful | {"p_holm": 0.06}) == "undecided"
    assert favours(helpful | {"ci_low": -0.1, "ci_high": 0.2}) == "open"
    assert answer_of_rows(rows, "A", "B").startswith("B is better: Helpfulness rate +83.3 points [+")
    assert fell_out(rows, "A", "B") == [
        "generation: 24 queries compared; 1 only in A, 1 only in B fell out.",
    ]


def read(text):
    return evalcore.load([Upload("generation.csv", text.encode())])


def test_answers_of_two_systems_to_one_record_id_are_the_same_query():
    rows = [f"q{q},{system},a,{int(system == 'B')}\n" for q in range(5) for system in "AB"]
    sides = by_system(read("record_uuid,system,annotator_id,helpful\n" + "".join(rows)))
    assert shared_keys(sides["A"], sides["B"]) == {"record": 5}
    found = row(compare_annotations(sides["A"], sides["B"], how=FEW))
    assert (found.difference, found.n, found.n_only_first) == (1, 5, 0)


@pytest.mark.parametrize("key", ["question_id", "query_id", "topic_number"])
@pytest.mark.parametrize("name", ["{:d}", "q{:d}"])
def test_a_column_that_names_thousands_of_queries_is_a_key_and_no_breakdown(key, name):
    rows = [
        f"{system}-{q},{name.format(q)},{system},a,{int(system == 'B')}\n"
        for system in "AB"
        for q in range(1500)
    ]
    data = read(f"record_uuid,{key},system,annotator_id,helpful\n" + "".join(rows))
    assert key not in group_columns(data)
    sides = by_system(data)
    assert shared_keys(sides["A"], sides["B"]) == {key: 1500, "record": 0}
    found = row(compare_annotations(sides["A"], sides["B"], key=key, how=FEW))
    assert (found.difference, found.n) == (1, 1500)
    table = evaluate(data, bootstrap=100, cluster=key).table
    (method,) = table.loc[(table.metric == "helpfulness_rate") & (table.params == ""), "ci_method"]
    assert method.startswith(("korn_graubard", "strict"))


def test_free_text_of_many_values_is_kept_nowhere():
    rows = [f"r{q},words of person {q},A,a,1\n" for q in range(1500)]
    data = read("record_uuid,remark,system,annotator_id,helpful\n" + "".join(rows))
    assert "remark" not in data.annotations.responses["generation"].slices
