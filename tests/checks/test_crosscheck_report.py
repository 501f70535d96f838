"""A whole report computed a second time: what agrees, what does not, and what cannot be."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore import evaluate
from evalcore.crosscheck.rows import PlainData
from evalcore.crosscheck.selected import selections
from evalcore.kernels.policy import Policy
from evalcore.kernels.selection import select
from evalcore.spec import METRICS
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists, Selections
from evalcore.tasks import crosschecked
from tests.support.crosschecked import keys, number
from tests.support.made.evidence import make_data, make_queries
from tests.support.made.rankings import rankings_of


def evidence(n=60, seed=7):
    """Queries with their lists, a gate, and a stated K."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    scores = np.clip((labels * 0.3 + rng.random(n) * 0.7).round(2), 0, 1)
    numbers = {"tau_neg": [0.2] * n, "tau_pos": [0.8] * n, "selected_k": rng.integers(0, 4, n)}
    queries = make_queries(
        labels.tolist(),
        scores.tolist(),
        posts=[f"q{at}" for at in range(n)],
        criteria=[""] * n,
        models=["model"] * n,
        numbers=numbers,
    )
    queries = replace(queries, criterion=np.full(n, -1), criterion_ids=np.array([], object))
    gold = {f"q{at}": {"a": 1} if label else {} for at, label in enumerate(labels)}
    rows = [
        (query, item, float(rng.integers(-2, 3))) for query in gold for item in "abcde" if rng.random() < 0.8
    ]
    return make_data(queries, rankings_of(gold, rows))


def extraction_rows(tally, params, model="model"):
    """Rows of a table of results for the metrics of a tally of selections."""
    members = {
        "positives_only": tally.n_gold > 0,
        "negatives_only": tally.n_gold == 0,
        "all_queries": np.ones(len(tally), bool),
    }
    printed = ";".join(f"{name}={value}" for name, value in params.items())
    for key in keys("extraction"):
        for variant in METRICS[key].variants:
            for population in METRICS[key].population:
                part = tally.where(members[population])
                value = number(METRICS[key](part, variant=variant))
                yield (*key.split("."), printed, variant, population, model, "", "", value, "")


COLUMNS = [
    "family",
    "metric",
    "params",
    "variant",
    "population",
    "model",
    "group_by",
    "group",
    "value",
    "note",
]


@pytest.mark.parametrize("ties", ["trec", "stable", "expected"])
def test_every_value_of_a_report_is_computed_again(ties):
    data = evidence()
    table = evaluate(data, ties=ties).table
    checked = crosschecked(table, data, ties=ties)
    assert checked.missing == ()
    assert checked.holds
    compared = {f"{family}.{metric}" for family, metric in zip(table.family, table.metric, strict=True)}
    assert {deviation.key for deviation in checked.deviations} == compared
    assert max(deviation.largest for deviation in checked.deviations) < 1e-6
    is_over_groups = table.params.str.contains("over=") & ~table.params.str.contains("over=queries")
    assert sum(deviation.n_values for deviation in checked.deviations) == (~is_over_groups).sum()


@pytest.mark.parametrize("ties", ["trec", "stable"])
def test_selections_by_a_policy_and_as_stated_are_computed_again(ties):
    data = evidence()
    passed = data.queries.score >= 0.2
    lists = ScoredLists.from_rankings(data.rankings, "model", stable=ties == "stable")
    policy = Policy("mass", gamma=0.7, k_min=1)
    ranked = RankedQueries.from_rankings(data.rankings, "model", ties=ties)
    stated = Selections.from_queries(data.queries, data.rankings, ranked)
    rows = [
        *extraction_rows(select(lists, policy).behind_gate(passed), policy.params(lists.scale)),
        *extraction_rows(stated.behind_gate(passed), {"policy": "selected_k"}),
    ]
    checked = crosschecked(pd.DataFrame(rows, columns=COLUMNS), data, ties=ties)
    assert checked.missing == ()
    assert [deviation.key for deviation in checked.deviations] == keys("extraction")
    assert max(deviation.largest for deviation in checked.deviations) < 1e-12


def test_stated_numbers_without_lists_are_computed_again():
    data = evidence().with_tables(rankings=None)
    stated = Selections.from_queries(data.queries).behind_gate(data.queries.score >= 0.2)
    rows = extraction_rows(stated, {"policy": "selected_k"})
    checked = crosschecked(pd.DataFrame(rows, columns=COLUMNS), data)
    assert checked.holds
    assert [deviation.largest for deviation in checked.deviations] == [0] * 6


def test_posts_are_computed_again():
    queries = make_queries(
        [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.8], posts=["p", "p", "q", "r"], criteria=["A.1", "A.2", "A.1", "A.2"]
    )
    matrix = LabelMatrix.from_queries(queries, 0.4)
    rows = [
        (*key.split("."), "threshold=0.4", name, METRICS[key].population[0], "model", "", "", value, "")
        for key in keys("multilabel")
        for name in METRICS[key].variants or ["default"]
        for value in [number(METRICS[key](matrix, **({} if name == "default" else {"variant": name})))]
    ]
    checked = crosschecked(pd.DataFrame(rows, columns=COLUMNS), make_data(queries))
    assert [deviation.key for deviation in checked.deviations] == keys("multilabel")
    assert sum(deviation.n_values for deviation in checked.deviations) == 9
    assert max(deviation.largest for deviation in checked.deviations) < 1e-12


def test_a_wrong_value_is_found_and_named():
    data = evidence()
    table = evaluate(data).table
    at = table.index[(table.metric == "auroc")][0]
    right = float(table.loc[at, "value"])
    table.loc[at, "value"] = right * 1.02
    checked = crosschecked(table, data)
    assert not checked.holds
    (wrong,) = [deviation for deviation in checked.deviations if deviation.largest > 1e-6]
    assert (wrong.key, wrong.place) == ("classification.auroc", "default; all_queries; model")
    assert wrong.largest == pytest.approx(0.02 / 1.02)
    assert wrong.second == pytest.approx(right)


def test_an_undefined_value_beside_a_defined_one_does_not_hold():
    data = evidence()
    table = evaluate(data).table
    table.loc[table.metric == "f1", "value"] = math.nan
    checked = crosschecked(table, data)
    assert not checked.holds
    assert [d.key for d in checked.deviations if math.isinf(d.largest)] == ["classification.f1"]


def test_what_cannot_be_computed_again_is_named():
    data = evidence()
    table = evaluate(data).table.head(1)
    unknown = crosschecked(table.assign(metric="planted"), data)
    assert unknown.missing == ("classification.planted",)
    elsewhere = crosschecked(table.assign(model="other"), data)
    assert elsewhere.missing == ("classification.auroc (default; all_queries; other)",)
    assert not unknown.holds
    assert not elsewhere.holds


def test_selections_of_data_without_lists_or_stated_numbers():
    data = evidence()
    without_lists = PlainData(data.with_tables(rankings=None))
    assert selections(without_lists, {"policy": "fixed"}, "model") is None
    silent = data.with_tables(queries=replace(data.queries, numbers={}))
    assert selections(PlainData(silent), {"policy": "selected_k"}, "model") is None
