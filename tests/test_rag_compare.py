"""Two systems by the annotations of the same queries."""

import math

import numpy as np
import pytest

from evalcore.compare.annotations import Resamples, by_system, compare_annotations
from evalcore.problems import InputError
from tests.annotations import rag_data, responses_of

FEW = Resamples(bootstrap=500, permutations=999)


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
    how = Resamples(bootstrap=4000, permutations=4999)
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
    assert found.ci_method == "not estimable: every value is the same"


def test_unknown_key_and_column_are_named():
    data = rag_data(responses_of("generation", answers("A", [1])))
    with pytest.raises(InputError, match="found key = topic, expected one of record, query_id, system"):
        compare_annotations(data, data, key="topic")
    with pytest.raises(InputError, match="OPT-006"):
        by_system(data, "engine")
