"""What holds for every declared metric, driven by the declarations: a new metric needs no line here.

Within its bounds or NaN with a declared reason; NaN in every declared case; blind to the order of rows; equal
for a group and for the group's rows alone; equal for data merged from parts; over replicates as one by one.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.evaluation import Options
from evalcore.evaluation.values import grid, measure
from evalcore.spec import Metric, Ratio, Undefined
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoreTable
from tests.support.made.evidence import make_data, make_queries, make_rankings
from tests.support.made.tallies import (
    ANSWERS,
    EDGES,
    JUDGED,
    MERGE,
    POSTS,
    RANKED,
    RECOMMENDED,
    SCORED,
    SELECTED,
    TALLY,
    Rows,
)

OPTIONS = Options(ks=(1, 3), fprs=(0.0, 0.05, 1.0))
UNTRIED = {"the fit does not converge"}  # no small table is known that overlaps and does not converge


Values = dict[str, tuple[float, int, str]]


def settings_of(declared: Metric) -> list[dict[str, Any]]:
    """Every variant with every combination of parameters."""
    variants = [{"variant": variant} for variant in declared.variants] or [{}]
    return [{**variant, **params} for variant in variants for params in grid(declared, OPTIONS)]


def every_value(declared: Metric, tally: Any) -> list[Values]:
    """What the metric says in each of its settings."""
    return [by_population(declared, tally, params) for params in settings_of(declared)]


def by_population(declared: Metric, tally: Any, given: Mapping[str, Any]) -> Values:
    """What the metric says in one setting: population → (value, n, note)."""
    measured = measure(declared, tally, given)
    return {population: (value, n, note) for population, _, value, n, note in measured}


def populations_of(declared: Metric, tally: Any, params: Mapping[str, Any]) -> list[str]:
    """What its values are over: what is declared, or what a variant says of itself."""
    own = getattr(declared(tally, **params), "population", "")
    assert own in declared.variants.get(params.get("variant", ""), ""), "the variant's words name it"
    return [own] if own else list(declared.population)


def assert_in_bounds_or_reasoned(declared: Metric, tally: Any) -> None:
    """A value lies within its bounds, or it is NaN for a declared reason."""
    reasons = {case.reason for case in declared.undefined} | {
        "no query with gold",
        "no query without gold",
        "no queries",
        "no query with annotated chunks",
        "no annotated answer",
        "no user with a relevant item",
        "no user with a list",
        "no user with a list or a test row",
    }
    reasons |= {*declared.otherwise}
    low, high = declared.bounds
    for params in settings_of(declared):
        values = by_population(declared, tally, params)
        assert list(values) == populations_of(declared, tally, params)
        for value, n, note in values.values():
            assert n >= 0
            if math.isnan(value):
                assert note in reasons, f"{declared.key} is NaN: {note!r}"
            else:
                assert math.isfinite(value)
                assert low <= value <= high, f"{declared.key} = {value}"


def assert_undefined_where_declared(declared: Metric, tally: Any) -> None:
    """Where a declared case holds there is no value, and the first case that holds is the reason."""
    for params in settings_of(declared):
        reason = declared.reason(tally, params.get("variant"))
        first = populations_of(declared, tally, params)[0]
        value, _, note = by_population(declared, tally, params)[first]
        if reason is not None:
            assert math.isnan(value), f"{declared.key} = {value} though {reason}"
            assert note == reason


def assert_blind_to_order(declared: Metric, rows: Rows, shuffled: Rows) -> None:
    """The same rows in another order give the same values, to the last bit."""
    make = TALLY[declared.tally]
    assert repr(every_value(declared, make(shuffled))) == repr(every_value(declared, make(rows)))


def rows_for(declared: Metric) -> st.SearchStrategy[Rows]:
    """Generated rows of the kind that the metric is about."""
    kinds = {"RankedQueries": RANKED, "Selections": SELECTED, "LabelMatrix": POSTS}
    kinds |= {"Panels": JUDGED, "JudgedAnswers": ANSWERS}
    kinds |= dict.fromkeys(("RecommendationLists", "ItemGroups"), RECOMMENDED)
    return kinds.get(declared.tally, SCORED)


def takes_replicates(declared: Metric) -> bool:
    """Whether the metric takes a table with a leading replicate axis; those that do not say so."""
    return declared.tally == "ScoreTable" and "no replicate axis" not in (declared.function.__doc__ or "")


every_metric = pytest.mark.parametrize("key", METRICS)


few_examples = settings(max_examples=20, deadline=None)


def test_every_kind_of_tally_is_tried() -> None:
    assert {declared.tally for declared in METRICS.values()} <= set(TALLY)


@every_metric
@few_examples
@given(data=st.data())
def test_value_is_within_bounds_or_undefined_with_reason(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    tally = TALLY[declared.tally](data.draw(rows_for(declared)))
    assert_in_bounds_or_reasoned(declared, tally)
    assert_undefined_where_declared(declared, tally)


@every_metric
def test_value_is_undefined_in_every_declared_case(key: str) -> None:
    declared = METRICS[key]
    for tally in EDGES[declared.tally]:
        assert_in_bounds_or_reasoned(declared, tally)
        assert_undefined_where_declared(declared, tally)
    given_reasons = {
        declared.reason(tally, params.get("variant"))
        for tally in EDGES[declared.tally]
        for params in settings_of(declared)
    }
    assert {case.reason for case in declared.undefined} - given_reasons <= UNTRIED


@every_metric
def test_a_finite_upper_bound_is_reached(key: str) -> None:
    """No range is wider than the metric: it is that of axes, of what is refused, and of intervals."""
    declared, upper = METRICS[key], METRICS[key].bounds[1]
    if math.isinf(upper):
        return
    said = [each for tally in EDGES[declared.tally] for each in every_value(declared, tally)]
    assert upper in {value for each in said for value, _, _ in each.values()}


@every_metric
@few_examples
@given(data=st.data())
def test_value_is_blind_to_the_order_of_rows(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    rows = data.draw(rows_for(declared))
    shuffled = data.draw(st.permutations(rows))
    assert_blind_to_order(declared, rows, shuffled)


@every_metric
@few_examples
@given(data=st.data())
def test_value_of_merged_parts_is_that_of_the_whole(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    rows = data.draw(rows_for(declared))
    cut = data.draw(st.integers(0, len(rows)))
    make = TALLY[declared.tally]
    first, second = make(rows[:cut]), make(rows[cut:])
    merged = MERGE[type(first)](first, second)
    assert repr(every_value(declared, merged)) == repr(every_value(declared, make(rows)))


@pytest.mark.parametrize("key", [key for key, declared in METRICS.items() if takes_replicates(declared)])
def test_value_over_replicates_is_that_of_each_alone(key: str) -> None:
    declared = METRICS[key]
    rng = np.random.default_rng(5)
    score = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.8, 1.0])
    n_pos, n_neg = rng.integers(1, 5, (2, 3, len(score)))
    for given_params in settings_of(declared):
        alone = [declared(ScoreTable(score, p, n), **given_params) for p, n in zip(n_pos, n_neg, strict=True)]
        together = declared(ScoreTable(score, n_pos, n_neg), **given_params)
        np.testing.assert_allclose(number_of(together), [number_of(value) for value in alone], rtol=1e-12)


def number_of(result: Any) -> Any:
    """The value of a result, counts or not."""
    return result.value if isinstance(result, Ratio) else result


def test_value_of_a_group_is_that_of_its_rows_alone() -> None:
    rng = np.random.default_rng(11)
    n = 60
    criteria = [f"A.{at}" for at in rng.integers(1, 4, n)]
    labels, scores = rng.random(n) < 0.4, rng.integers(0, 11, n) / 10
    folds = [str(at) for at in rng.integers(0, 2, n)]
    gates = {"tau_neg": [0.2] * n, "tau_pos": [0.8] * n}
    queries = make_queries(labels, scores, criteria=criteria, slices={"fold": folds}, numbers=gates)
    gold = [[item for item in "abc" if rng.random() < 0.3] for _ in range(n)]
    lists = [[(item, float(rng.integers(0, 3))) for item in "abcde" if rng.random() < 0.7] for _ in range(n)]
    by_group = evaluate(
        make_data(queries, make_rankings(gold, lists, criteria=criteria)), by=("criterion",)
    ).table
    for group in sorted(set(criteria)):
        kept = [row for row in range(n) if criteria[row] == group]
        alone = evaluate(
            make_data(
                queries.where(np.array(criteria) == group),
                make_rankings([gold[row] for row in kept], [lists[row] for row in kept]),
            )
        ).table
        alone = alone[~alone.params.str.contains("over=folds")]
        shown = by_group[by_group.group == group]
        assert len(shown) == len(alone) > len(METRICS)
        columns = ["family", "metric", "params", "variant", "population", "model", "value", "n", "note"]
        assert repr(shown[columns].values.tolist()) == repr(alone[columns].values.tolist())


WITH_SKIPPED = TALLY["StateCounts"]([(0.05, False), (0.05, True), (0.9, True)])


def test_broken_bound_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_rate"], bounds=(0.0, 0.5))
    with pytest.raises(AssertionError, match=r"gate\.neg_rate = 0\.66"):
        assert_in_bounds_or_reasoned(planted, WITH_SKIPPED)


def test_nan_without_a_declared_reason_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_npv"], undefined=())
    with pytest.raises(AssertionError, match=r"gate\.neg_npv is NaN"):
        assert_in_bounds_or_reasoned(planted, TALLY["StateCounts"]([(0.9, True)]))


def test_value_in_a_declared_case_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_rate"], undefined=(Undefined(lambda _: True, "never measured"),))
    with pytest.raises(AssertionError, match="though never measured"):
        assert_undefined_where_declared(planted, WITH_SKIPPED)


def test_metric_that_minds_the_order_of_rows_is_noticed() -> None:
    def first_query(queries: RankedQueries) -> Ratio:
        return Ratio(queries.n_gold[0], 1)

    planted = replace(METRICS["ranking.recall"], function=first_query, params=(), remark=None, undefined=())
    rows = [({"a": 1}, {"a": 0.5}), ({}, {"a": 0.5})]
    with pytest.raises(AssertionError):
        assert_blind_to_order(planted, rows, rows[::-1])


def test_counts_of_things_are_shown_as_whole_numbers():
    """A formula that is a number of things, and no quotient, says so: it is written without a dot."""
    of_things = {
        key for key, one in METRICS.items() if one.formula[:1] in ("#", "|") and " / " not in one.formula
    }
    assert of_things == {key for key, one in METRICS.items() if one.counts}
    assert "classification.false_negatives" in of_things
