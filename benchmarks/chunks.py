"""Candidates in Parquet files, a chunk at a time, beside DuckDB and Polars by hand: processor and memory.

Every way runs in a process of its own and reads the same files: ranking metrics over the queries with gold.
Ours computes all that `evaluate` does, and once what the others compute alone.
``python -m benchmarks.chunks ROWS… [--folder DIR]``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.beside_files import Way, main, named, written

PER_QUERY = 20
PER_POST = 10
KS = (1, 5, 10)


def made(folder: Path, n_rows: int) -> Path:
    """A folder of files with so many candidates, 20 a query."""
    return written(folder / f"candidates-{n_rows}", n_rows, _columns)


def _columns(rng: np.random.Generator, first: int, n_rows: int) -> dict[str, Any]:
    n = n_rows // PER_QUERY
    query = np.repeat(np.arange(n), PER_QUERY)
    score = np.round(rng.beta(2, 5, n * PER_QUERY), 6)
    return {
        "post_id": named("s_", (first // PER_QUERY + query) // PER_POST),
        "criterion_id": named("A.", query % PER_POST),
        "sent_uid": named("c", np.tile(np.arange(PER_QUERY), n)),
        "is_gold": (rng.random(n * PER_QUERY) < score * 0.12).astype(np.int8),
        "score": score,
    }


def ours(
    folder: Path, workers: int = 1, bootstrap: int = 0, metrics: tuple[str, ...] = ()
) -> dict[str, float]:
    """Everything that `evaluate` computes of candidates, or these metrics alone."""
    import evalcore

    report = evalcore.evaluate_files(folder, workers=workers, bootstrap=bootstrap, ks=KS, metrics=metrics)
    named = {f"{name}@{k}": report.value(f"ranking.{name}", params=f"k={k}") for name in NAMES for k in KS}
    return {**named, "mrr": report.value("ranking.mrr", params="k=10")}


NAMES = ("hit_rate", "recall", "precision")
OF_ALL_WAYS = tuple(f"ranking.{name}" for name in (*NAMES, "mrr"))


def duckdb(folder: Path) -> dict[str, float]:
    """Ranks of golds by a window in SQL."""
    import duckdb as engine

    per_k = ", ".join(f"avg((best <= {k})::int), avg(n{k} / n_gold), avg(n{k} / {k})" for k in KS)
    counts = ", ".join(f"sum((rank <= {k} and is_gold > 0)::int) as n{k}" for k in KS)
    row = engine.sql(
        f"""
        with ranked as (
            select post_id, criterion_id, is_gold,
                row_number() over (
                    partition by post_id, criterion_id order by score desc, sent_uid desc
                ) as rank
            from read_parquet('{folder}/*.parquet')
        ), queries as (
            select min(case when is_gold > 0 then rank end) as best, sum(is_gold)::double as n_gold, {counts}
            from ranked group by post_id, criterion_id having sum(is_gold) > 0
        )
        select {per_k}, avg(case when best <= 10 then 1 / best else 0 end) from queries
        """
    ).fetchall()[0]
    return _named(row)


def polars(folder: Path) -> dict[str, float]:
    """Ranks of golds by a sort within queries."""
    import polars as pl

    rows = pl.scan_parquet(f"{folder}/*.parquet").sort(
        ["post_id", "criterion_id", "score", "sent_uid"], descending=[False, False, True, True]
    )
    rank = pl.int_range(1, pl.len() + 1).over("post_id", "criterion_id")
    gold = rows.with_columns(rank.alias("rank")).filter(pl.col("is_gold") > 0)
    counts = [(pl.col("rank") <= k).sum().alias(f"n{k}") for k in KS]
    queries = gold.group_by("post_id", "criterion_id").agg(
        pl.col("rank").min().alias("best"), pl.len().alias("n_gold"), *counts
    )
    per_k = [
        one
        for k in KS
        for one in (
            (pl.col("best") <= k).mean().alias(f"h{k}"),
            (pl.col(f"n{k}") / pl.col("n_gold")).mean().alias(f"r{k}"),
            (pl.col(f"n{k}") / k).mean().alias(f"p{k}"),
        )
    ]
    reciprocal = pl.when(pl.col("best") <= 10).then(1 / pl.col("best")).otherwise(0.0).mean().alias("mrr")
    return _named(queries.select(*per_k, reciprocal).collect().row(0))


def _named(row: tuple[float, ...]) -> dict[str, float]:
    names = [f"{name}@{k}" for k in KS for name in NAMES]
    return dict(zip([*names, "mrr"], map(float, row), strict=True))


WAYS: dict[str, Way] = {
    "evaluate_files": ours,
    "evaluate_files, these metrics alone": lambda folder: ours(folder, metrics=OF_ALL_WAYS),
    "evaluate_files, 2 workers": lambda folder: ours(folder, workers=2),
    "DuckDB by hand": duckdb,
    "Polars by hand": polars,
}

if __name__ == "__main__":
    sys.exit(main("candidates", made, WAYS))
