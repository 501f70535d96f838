"""Recommendations as files: users in several files, ties, empty lists, users who like nothing."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from evalcore import evaluate, evaluate_files, load

Tables = dict[str, pa.Table]
HOW: dict[str, Any] = {"ks": (2,)}


def made(n_users: int = 30, n_items: int = 25, seed: int = 1) -> Tables:
    """Lists of two models in one file, what they are judged by, and groups; rows in no order of users."""
    rng = np.random.default_rng(seed)
    lists, train, test = [], [], []
    for user in range(n_users):
        order = rng.permutation(n_items)
        train += [(user, item) for item in order[: rng.integers(0, 5)]]
        test += [(user, item, rng.integers(0, 6)) for item in order[5 : 5 + rng.integers(0, 4)]]
        for model in ("b", "a"):
            if rng.random() < 0.9:  # the others have no list
                shown = rng.permutation(n_items - 2)[: rng.integers(1, 7)]
                lists += [(model, user, item, np.round(rng.random(), 1)) for item in shown]
    train += train[:3]
    lists = [lists[i] for i in rng.permutation(len(lists))]
    users = [f"u{user}" for user in [*range(n_users), 900]]
    items = [f"i{item}" for item in range(n_items)]
    return {
        "lists": table(lists, "model", "user_id", "item_id", "score"),
        "train": table([train[i] for i in rng.permutation(len(train))], "user_id", "item_id"),
        "test": table([test[i] for i in rng.permutation(len(test))], "user_id", "item_id", "rating"),
        "user_groups": pa.table(
            {
                "user_id": users,
                "user_group": [("young", "old", "", "0")[i % 4] for i in range(n_users)] + ["of nobody"],
                "site": [("x", "y", "z")[i % 3] for i in range(n_users)] + ["elsewhere"],
            }
        ),
        "item_groups": pa.table({"item_id": items, "item_group": ["long", "short"] * (n_items // 2) + [""]}),
        "item_features": pa.table({"item_id": items, "genres": ["Comedy|Drama", "Drama", ""] * 8 + ["War"]}),
    }


def table(rows: Sequence[tuple[Any, ...]], *names: str) -> pa.Table:
    """Rows as a table, ids of users and items as text."""
    columns: dict[str, list[Any]] = {}
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        mark = {"user_id": "u", "item_id": "i"}.get(name)
        columns[name] = [cell if mark is None else f"{mark}{cell}" for cell in cells]
    return pa.table(columns)


def at(folder: Path, row_group: int | None = None, **tables: pa.Table) -> Path:
    """A folder with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in tables.items():
        pq.write_table(one, folder / f"{name}.parquet", row_group_size=row_group)
    return folder


def cut(folder: Path, n: int, row_group: int | None = None, **tables: pa.Table) -> Path:
    """As `at`, tables of users in ``n`` files each, wherever a user's rows then lie."""
    for name, one in tables.items():
        n_files = 1 if name.startswith("item") else n
        bounds = np.linspace(0, one.num_rows, n_files + 1).astype(int)
        for part, (begin, end) in enumerate(pairwise(bounds.tolist())):
            at(folder, row_group, **{f"{name}-{part}" if n_files > 1 else name: one[begin:end]})
    return folder


def of_whole(inputs: Any, reading: dict[str, Any] | None = None, **how: Any) -> Any:
    return evaluate(load(inputs, **(reading or {})), **{**HOW, **how})


def in_parts(inputs: Any, chunk_rows: int = 60, reading: dict[str, Any] | None = None, **how: Any) -> Any:
    return evaluate_files(inputs, chunk_rows=chunk_rows, reading=reading, **{**HOW, **how})


def facts(report: Any) -> list[tuple[Any, ...]]:
    """What a report says of its files."""
    return [
        (one.name, one.role, one.n_bytes, one.n_rows, one.n_used, one.excluded) for one in report.data.sources
    ]


def codes(error: Any) -> set[str]:
    return {one.code for one in error.value.problems if one.severity != "warning"}
