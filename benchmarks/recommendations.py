"""Recall at 50 from recommendation lists in a frame: by us, and by hand in pandas and Polars.

A way begins with two pandas frames (lists: user, item, score; test: user, item) and ends with the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

K, LENGTH, N_ITEMS = 50, 50, 27_000


@dataclass(frozen=True)
class Frames:
    """Lists in shuffled rows, and test pairs, each once; ids are numbers."""

    lists: pd.DataFrame
    test: pd.DataFrame


def title(n_users: int) -> str:
    """What is measured, in one line."""
    return f"Recall at {K} from lists of {LENGTH} in a data frame, {n_users:,} users"


def data(n_users: int) -> Frames:
    """Users with lists of 50 of 27,000 items, and about ten test items each."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(n_users), LENGTH)
    first = rng.integers(0, N_ITEMS, n_users)
    item = (np.repeat(first, LENGTH) + np.tile(np.arange(LENGTH) * 7, n_users)) % N_ITEMS
    order = rng.permutation(len(user))
    lists = pd.DataFrame(
        {"user": user[order], "item": item[order], "score": rng.permutation(len(user)) * 1.0}
    )
    near = (np.repeat(first, 10) + rng.integers(0, 700, 10 * n_users)) % N_ITEMS
    test = pd.DataFrame({"user": np.repeat(np.arange(n_users), 10), "item": near}).drop_duplicates()
    return Frames(lists, test.reset_index(drop=True))


def evalcore(frames: Frames) -> dict[str, float]:
    """Ours: from the columns of the frames."""
    from evalcore import evaluate
    from evalcore.data import Data
    from evalcore.recommendations import Interactions, ItemLists, Recommendations

    lists, test = frames.lists, frames.test
    (users, (of_list, of_test)), (items, (in_list, in_test)) = (
        _codes(lists[name].to_numpy(), test[name].to_numpy()) for name in ("user", "item")
    )
    table = Recommendations(
        users.astype(str).astype(object),
        items.astype(str).astype(object),
        {"m": ItemLists(of_list, in_list, lists["score"].to_numpy(), has_scores=True)},
        test=Interactions(of_test, in_test, np.ones(len(test))),
    )
    how: dict[str, Any] = {"ks": (K,), "metrics": ("recommender.recall",)}
    report = evaluate(Data("recommender", (), {"recommendations": table}), **how)
    return {"recall": report.value("recommender.recall", params=f"k={K}")}


def _codes(*columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """The ids of columns, numbers from 0 on, and each column as places among them."""
    is_there = np.zeros(1 + max(column.max() for column in columns), bool)
    for column in columns:
        is_there[column] = True
    code = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(is_there), [code[column] for column in columns]


def pandas_by_hand(frames: Frames) -> dict[str, float]:
    """Sort, take the first 50 of each user, join, count."""
    best = frames.lists.sort_values(["user", "score"], ascending=[True, False]).groupby("user").head(K)
    hits = best.merge(frames.test, on=["user", "item"]).groupby("user").size()
    relevant = frames.test.groupby("user").size()
    return {"recall": float((hits.reindex(relevant.index).fillna(0) / relevant).mean())}


def polars_by_hand(frames: Frames) -> dict[str, float]:
    """The same in Polars."""
    import polars as pl

    lists, test = pl.from_pandas(frames.lists).lazy(), pl.from_pandas(frames.test).lazy()
    best = lists.sort("score", descending=True).group_by("user").head(K)
    hits = best.join(test, on=["user", "item"]).group_by("user").agg(hits=pl.len())
    relevant = test.group_by("user").agg(relevant=pl.len())
    found = relevant.join(hits, on="user", how="left").select(
        (pl.col("hits").fill_null(0) / pl.col("relevant")).mean()
    )
    return {"recall": float(found.collect().item())}


WAYS = {"evalcore": evalcore, "pandas, by hand": pandas_by_hand, "Polars, by hand": polars_by_hand}
