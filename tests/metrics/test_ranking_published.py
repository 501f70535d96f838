"""Ranking values of the published evidence pipeline: both stages, both populations, every K and variant."""

import json
from pathlib import Path

import pytest

import evalcore
from evalcore.metrics.ranking import average_precision, hit_rate, mrr, ndcg, recall
from evalcore.tallies.ranked import RankedQueries
from tests.support.inputs import CASES

FILES = (
    "final_eval_v2__per_query.csv",
    "final_eval_retriever_only__per_query.csv",
    "baseline_default_val.queries.csv",
)
# Name in the published file → metric, variant, and whether it is cut at K.
NAMES = {
    "recall": ("recall", "default", True),
    "mrr": ("mrr", "default", True),
    "mrr_full": ("mrr", "default", False),
    "map_minGK": ("map", "min_gold_k", True),
    "map_G_trec": ("map", "gold", True),
    "ndcg": ("ndcg", "default", True),
    "ndcg_keff": ("ndcg", "k_eff", True),
    "precision_K": ("precision", "k", True),
    "precision_Keff": ("precision", "returned", True),
    "hit": ("hit_rate", "default", True),
}
NOBODYS_DEFINITION = {"map_hits"}


def test_published_values(shared: Path) -> None:
    folder = shared / "data" / "evidence"
    published = json.loads((folder / "expected_ranking_values.json").read_text())
    for file in FILES:
        assert n_equal(folder / file, published[file]) == 2 * 2 * 5 * len(NAMES)


def n_equal(path: Path, published: dict) -> int:
    """How many values of a file were compared; all equal the published ones."""
    table = evalcore.evaluate(evalcore.load(path), ks=(1, 3, 5, 10, 20)).table
    table = table[(table.family == "ranking") & (table.group_by == "")]
    computed = table.set_index(["model", "population", "metric", "variant", "params"])
    n_compared = 0
    for stage in ("retriever", "reranked"):
        (model,) = (name for name in table.model.unique() if stage in name)
        for population, n in (("positives_only", published["n_pos"]), ("all_queries", published["n"])):
            for k, expected in published[f"{stage}.{population}"].items():
                assert set(expected) == set(NAMES) | NOBODYS_DEFINITION
                for name, (metric, variant, has_k) in NAMES.items():
                    row = computed.loc[(model, population, metric, variant, f"k={k}" if has_k else "")]
                    assert row.value == pytest.approx(expected[name], abs=1e-9), (stage, population, k, name)
                    assert row.n == n
                    n_compared += 1
    return n_compared


@pytest.mark.parametrize("name", ["c1_constant_scorer", "c3_empty_gold_in_the_middle", "c5_query_not_in_run"])
def test_every_metric_of_a_case_uses_one_ranking(name: str) -> None:
    case = json.loads((CASES / "ranking" / "expected.json").read_text())[name]
    rankings = evalcore.load(CASES / "ranking" / f"{name}.csv").rankings
    (model,) = rankings.lists
    queries = RankedQueries.from_rankings(rankings, model)
    by_query = case["tie"].get("docid_desc") or case["tie"]["any"]
    metrics = {"recall": recall, "hit": hit_rate, "mrr": mrr, "map": average_precision, "ndcg": ndcg}
    for at, (query, wanted) in enumerate(by_query.items()):
        for metric, value in wanted.items():
            found = metrics[metric](queries, k=case["K"]).values[at]
            assert found == pytest.approx(value, abs=1e-12), (query, metric)
