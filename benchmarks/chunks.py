"""Candidates in Parquet files, a chunk at a time, beside DuckDB and Polars by hand: processor and memory.

Every way runs in a process of its own and reads the same files: ranking metrics over the queries with gold.
Ours computes all that `evaluate` does, and once what the others compute alone.
``python -m benchmarks.chunks ROWS… [--folder DIR]``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PER_QUERY = 20
PER_POST = 10
ROWS_A_FILE = 1_000_000
KS = (1, 5, 10)


def made(folder: Path, n_rows: int) -> Path:
    """A folder of files with so many candidates, 20 a query; the same bytes for the same number."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = folder / f"candidates-{n_rows}"
    out.mkdir(parents=True, exist_ok=True)
    for at, first in enumerate(range(0, n_rows, ROWS_A_FILE)):
        path = out / f"part-{at:04}.parquet"
        if path.exists():
            continue
        n = min(ROWS_A_FILE, n_rows - first) // PER_QUERY
        rng = np.random.default_rng(at)
        query = np.repeat(np.arange(n), PER_QUERY)
        post = (first // PER_QUERY + query) // PER_POST
        score = np.round(rng.beta(2, 5, n * PER_QUERY), 6)
        is_gold = (rng.random(n * PER_QUERY) < score * 0.12).astype(np.int8)
        table = {
            "post_id": pa.array(np.char.add("s_", post.astype(str))),
            "criterion_id": pa.array(np.char.add("A.", (query % PER_POST).astype(str))),
            "sent_uid": pa.array(np.char.add("c", np.tile(np.arange(PER_QUERY), n).astype(str))),
            "is_gold": is_gold,
            "score": score,
        }
        written = path.with_suffix(".part")
        pq.write_table(pa.table(table), written, row_group_size=200_000)
        written.rename(path)
    return out


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


WAYS: dict[str, Callable[[Path], dict[str, float]]] = {
    "evaluate_files": ours,
    "evaluate_files, these metrics alone": lambda folder: ours(folder, metrics=OF_ALL_WAYS),
    "evaluate_files, 2 workers": lambda folder: ours(folder, workers=2),
    "DuckDB by hand": duckdb,
    "Polars by hand": polars,
}


def _run(way: str, folder: Path) -> None:
    started = time.perf_counter()
    found = WAYS[way](folder)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps(
            {
                "result": found,
                "seconds": time.perf_counter() - started,
                "cpu": sum(one.ru_utime + one.ru_stime for one in (own, children)),
                "peak": own.ru_maxrss / 1024,
                "worker": children.ru_maxrss / 1024,
            }
        )
    )


def main() -> int:
    """Print one table for each number of rows; 1 where two ways reach other values."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunks", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="+", type=int)
    parser.add_argument("--folder", type=Path, help="where the files are kept (a temporary folder)")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), help=", ".join(WAYS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for n_rows in arguments.rows:
            folder = made(arguments.folder or Path(temporary), n_rows)
            print(f"\n## {n_rows:,} candidates\n\n| way | seconds | processor s | MiB at peak | a worker's |")
            print("|---|---|---|---|---|")
            first: dict[str, float] | None = None
            for way in arguments.ways:
                command = [
                    sys.executable,
                    "-W",
                    "ignore",
                    "-m",
                    "benchmarks.chunks",
                    "--run",
                    way,
                    str(folder),
                ]
                done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
                if done.returncode:
                    print(f"| {way} | {done.stderr.strip().splitlines()[-1]} | | | |")
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                first = first or found["result"]
                figures = [f"{found[name]:.1f}" for name in ("seconds", "cpu")]
                figures += [f"{found[name]:.0f}" for name in ("peak", "worker")]
                print(f"| {way} | {' | '.join(figures)} |", flush=True)
                far = {name for name, one in found["result"].items() if abs(one - first[name]) > 1e-9}
                if far:
                    print(f"{way}: other values for {', '.join(sorted(far))}", file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _run(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main())
