"""Scored rows in Parquet files, by group, beside DuckDB and Polars by hand and grouped metrics in Polars.

AUROC and precision at 0.5 of every criterion. Each way runs in a process of its own and reads the same files.
``python -m benchmarks.groups ROWS… [--folder DIR]``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.beside_files import Way, main, named, written

GROUPS = 10
THRESHOLD = 0.5


def made(folder: Path, n_rows: int) -> Path:
    """A folder of files with so many scored rows, ten a post."""
    return written(folder / f"scored-{n_rows}", n_rows, _columns)


def _columns(rng: np.random.Generator, first: int, n: int) -> dict[str, Any]:
    row = np.arange(first, first + n)
    score = np.round(rng.beta(2, 5, n), 6)
    return {
        "post_id": named("s_", row // GROUPS),
        "criterion_id": named("A.", row % GROUPS),
        "has_evidence": (rng.random(n) < score).astype(np.int8),
        "probability": score,
    }


def ours(folder: Path, metrics: tuple[str, ...] = (), workers: int = 1) -> dict[str, float]:
    """Everything that `evaluate` computes of scored rows, or these metrics alone."""
    import evalcore

    report = evalcore.evaluate_files(folder, by=("criterion",), metrics=metrics, workers=workers)
    groups = dict.fromkeys(report.table[report.table.group_by == "criterion"].group)
    at = f"threshold={THRESHOLD};rule=decision"
    return {
        f"{key.split('.')[1]} {group}": report.value(key, group=group, **where)
        for group in groups
        for key, where in (("classification.auroc", {}), ("classification.precision", {"params": at}))
    }


def polarbearings(folder: Path) -> dict[str, float]:
    """Expressions of a library of metrics within a ``group_by``."""
    import polarbearings as metrics
    import polars as pl

    return _of_frame(
        pl.scan_parquet(f"{folder}/*.parquet")
        .group_by("criterion_id")
        .agg(
            auroc=metrics.roc_auc("has_evidence", "probability"),
            precision=metrics.precision("has_evidence", "probability", threshold=THRESHOLD),
        )
        .collect()
    )


def polars(folder: Path) -> dict[str, float]:
    """Mean ranks of positives within groups, by hand."""
    import polars as pl

    label, score = pl.col("has_evidence") > 0, pl.col("probability")
    n_pos, n = label.sum().cast(pl.Float64), pl.len().cast(pl.Float64)
    ranks = score.rank("average").filter(label).sum()
    return _of_frame(
        pl.scan_parquet(f"{folder}/*.parquet")
        .group_by("criterion_id")
        .agg(
            auroc=(ranks - n_pos * (n_pos + 1) / 2) / (n_pos * (n - n_pos)),
            precision=label.filter(score >= THRESHOLD).mean(),
        )
        .collect()
    )


def duckdb(folder: Path) -> dict[str, float]:
    """Counts at each distinct score, then pairs by a window, in SQL."""
    import duckdb as engine

    rows = engine.sql(
        f"""
        with counts as (
            select criterion_id, probability, sum(has_evidence)::double as pos,
                count(*)::double - sum(has_evidence) as neg
            from read_parquet('{folder}/*.parquet') group by all
        ), below as (
            select *, sum(neg) over (partition by criterion_id order by probability) - neg as n_below
            from counts
        )
        select criterion_id, sum(pos * (n_below + neg / 2)) / (sum(pos) * sum(neg)),
            sum(pos) filter (probability >= {THRESHOLD}) / sum(pos + neg) filter (probability >= {THRESHOLD})
        from below group by criterion_id
        """
    ).fetchall()
    return _named(rows)


def _of_frame(frame: object) -> dict[str, float]:
    return _named(frame.select("criterion_id", "auroc", "precision").rows())  # type: ignore[attr-defined]


def _named(rows: list[tuple[str, float, float]]) -> dict[str, float]:
    return {
        f"{name} {group}": value
        for group, auroc, precision in rows
        for name, value in (("auroc", auroc), ("precision", precision))
    }


WAYS: dict[str, Way] = {
    "evaluate_files": ours,
    "evaluate_files, these metrics alone": lambda folder: ours(folder, OF_ALL_WAYS),
    "evaluate_files, 2 workers": lambda folder: ours(folder, workers=2),
    "polarbearings": polarbearings,
    "DuckDB by hand": duckdb,
    "Polars by hand": polars,
}
OF_ALL_WAYS = ("classification.auroc", "classification.precision")

if __name__ == "__main__":
    sys.exit(main("scored rows", made, WAYS))
