"""Ranking from a data frame: six metrics at 10, mean over all queries, by us and by others.

A way begins with two pandas frames (run: query, item, score; gold: query, item) and ends with the means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

K = 10


@dataclass(frozen=True)
class Frames:
    """A run and its gold; a tenth of the queries has one gold candidate each, some two."""

    run: pd.DataFrame
    gold: pd.DataFrame


def title(n_queries: int, n_candidates: int) -> str:
    """What is measured, in one line."""
    return f"Ranking from a data frame: six metrics at {K}, {n_queries:,} queries × {n_candidates} candidates"


def data(n_queries: int, n_candidates: int) -> Frames:
    """Queries with unsorted candidates and scores without ties; ids are text."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(n_queries), n_candidates)
    item = np.tile(np.arange(n_candidates), n_queries)
    query_ids = np.array([f"s_{code}::A.{code % 10 + 1}" for code in range(n_queries)], object)
    item_ids = np.array([f"sentence_{code}" for code in range(n_candidates)], object)
    run = pd.DataFrame(
        {
            "query": pd.array(query_ids[query], "str"),
            "item": pd.array(item_ids[item], "str"),
            "score": rng.permutation(len(query)) / len(query),
        }
    )
    with_gold = np.flatnonzero(np.arange(n_queries) % 10 == 0)
    golds = np.concatenate([with_gold, with_gold[::3]])
    gold_item = rng.integers(0, n_candidates, len(golds))
    gold = pd.DataFrame(
        {"query": pd.array(query_ids[golds], "str"), "item": pd.array(item_ids[gold_item], "str")}
    ).drop_duplicates()
    return Frames(run, gold.reset_index(drop=True))


def evalcore(frames: Frames, *, check_repeats: bool = False) -> dict[str, float]:
    """Ours: the ranks of the gold, every metric from them."""
    from evalcore.metrics import ranking
    from evalcore.readers.evidence.frames import ranked_queries

    queries = ranked_queries(frames.run, frames.gold, check_repeats=check_repeats)
    with_gold = queries.n_gold > 0
    found = {
        "recall": ranking.recall(queries, k=K),
        "precision": ranking.precision(queries, k=K),
        "hit_rate": ranking.hit_rate(queries, k=K),
        "mrr": ranking.mrr(queries, k=None),
        "map": ranking.average_precision(queries, k=K, variant="gold"),
        "ndcg": ranking.ndcg(queries, k=K),
    }
    return {name: per_query.over(with_gold)[0] for name, per_query in found.items()}


def evalcore_with_check(frames: Frames) -> dict[str, float]:
    """Ours, with the check that no candidate stands twice in a list."""
    return evalcore(frames, check_repeats=True)


def pytrec_eval(frames: Frames) -> dict[str, float]:
    """pytrec_eval: dictionaries of dictionaries, then its C code."""
    import pytrec_eval as peer

    qrels: dict[str, dict[str, int]] = {}
    for query, item in zip(frames.gold["query"], frames.gold["item"], strict=True):
        qrels.setdefault(query, {})[item] = 1
    run: dict[str, dict[str, float]] = {}
    columns = (frames.run[name].tolist() for name in ("query", "item", "score"))
    for query, item, score in zip(*columns, strict=True):
        run.setdefault(query, {})[item] = score
    measures = {f"recall.{K}", f"P.{K}", f"success.{K}", "recip_rank", f"map_cut.{K}", f"ndcg_cut.{K}"}
    by_query = peer.RelevanceEvaluator(qrels, measures).evaluate(run)
    names = {
        "recall": f"recall_{K}",
        "precision": f"P_{K}",
        "hit_rate": f"success_{K}",
        "mrr": "recip_rank",
        "map": f"map_cut_{K}",
        "ndcg": f"ndcg_cut_{K}",
    }
    return {
        ours: float(np.mean([values[theirs] for values in by_query.values()]))
        for ours, theirs in names.items()
    }


def ranx(frames: Frames) -> dict[str, float]:
    """ranx: its own frames reader, sorting and compiled loops."""
    import ranx as peer

    qrels = peer.Qrels.from_df(
        frames.gold.astype(object).assign(grade=1), q_id_col="query", doc_id_col="item", score_col="grade"
    )
    run = frames.run.astype({"query": object, "item": object})
    ranked = peer.Run.from_df(run, "query", "item", "score")
    found = peer.evaluate(
        qrels,
        ranked,
        [f"recall@{K}", f"precision@{K}", f"hit_rate@{K}", "mrr", f"map@{K}", f"ndcg@{K}"],
        make_comparable=True,
    )
    return dict(
        zip(
            ["recall", "precision", "hit_rate", "mrr", "map", "ndcg"], map(float, found.values()), strict=True
        )
    )


def duckdb(frames: Frames) -> dict[str, float]:
    """DuckDB: the rank of each gold in SQL, and the metrics from the ranks."""
    import duckdb as peer

    connection = peer.connect()
    connection.execute("SET threads = 2")
    connection.register("run", frames.run)
    connection.register("gold", frames.gold)
    row = connection.execute(
        f"""
        WITH found AS (
            SELECT g.query, g.item, r.score FROM gold g LEFT JOIN run r USING (query, item)
        ), ranks AS (
            SELECT f.query, f.item, CASE WHEN f.score IS NULL THEN NULL ELSE
                   1 + count(r.item) FILTER (WHERE r.score > f.score) END AS rank
            FROM found f LEFT JOIN run r ON r.query = f.query
            GROUP BY f.query, f.item, f.score
        ), numbered AS (
            SELECT *, row_number() OVER (PARTITION BY query ORDER BY rank) AS nth,
                   count(*) OVER (PARTITION BY query) AS n_gold FROM ranks
        ), per_query AS (
            SELECT query, max(n_gold) AS n_gold,
                   count(*) FILTER (WHERE rank <= {K}) AS hits,
                   coalesce(max(1.0 / rank), 0) AS rr,
                   coalesce(sum(nth::DOUBLE / rank) FILTER (WHERE rank <= {K}), 0) AS ap,
                   coalesce(sum(1 / log2(rank + 1)) FILTER (WHERE rank <= {K}), 0) AS dcg
            FROM numbered GROUP BY query
        )
        SELECT avg(hits / n_gold), avg(hits / {K}.0), avg((hits > 0)::INT), avg(rr), avg(ap / n_gold),
               avg(dcg / list_sum([1 / log2(i + 1) FOR i IN range(1, least(n_gold, {K}) + 1)]))
        FROM per_query
        """
    ).fetchone()
    connection.close()
    return dict(zip(["recall", "precision", "hit_rate", "mrr", "map", "ndcg"], map(float, row), strict=True))


WAYS = {
    "evalcore": evalcore,
    "evalcore, duplicates checked": evalcore_with_check,
    "DuckDB": duckdb,
    "pytrec_eval": pytrec_eval,
    "ranx": ranx,
}
