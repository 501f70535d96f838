"""Small evidence data for tests, without a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.data import Data, Queries, RankedRows, Rankings, Source, present


def coded(values: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Integer codes and the ids in the order of first appearance."""
    at = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([at[value] for value in values], np.intp), np.array(list(at), object)


def make_queries(
    labels: Sequence[int],
    scores: Sequence[float],
    *,
    posts: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    numbers: Mapping[str, Sequence[float]] | None = None,
) -> Queries:
    """Queries of plain lists; every row its own post where none is given."""
    n = len(labels)
    post, post_ids = coded(posts if posts is not None else [f"p{row}" for row in range(n)])
    criterion, criterion_ids = coded(criteria if criteria is not None else ["A.1"] * n)
    model, model_names = coded(models if models is not None else ["model"] * n)
    coded_slices = {name: coded(values) for name, values in (slices or {}).items()}
    return Queries(
        post=post,
        post_ids=post_ids,
        criterion=criterion,
        criterion_ids=criterion_ids,
        has_evidence=np.array(labels, bool),
        score=np.array(scores, float),
        model=model,
        models=tuple(model_names),
        slices={name: (codes, tuple(levels)) for name, (codes, levels) in coded_slices.items()},
        numbers={name: np.array(values, float) for name, values in (numbers or {}).items()},
        row=np.arange(1, n + 1),
    )


def make_rankings(
    gold: Sequence[Sequence[str]],
    lists: Sequence[Sequence[tuple[str, float]]],
    *,
    criteria: Sequence[str] | None = None,
    model: str = "reranked",
) -> Rankings:
    """Gold ids and scored candidates of each query, one post a query."""
    n = len(gold)
    criterion, criterion_ids = coded(criteria if criteria is not None else ["A.1"] * n)
    items = list(
        dict.fromkeys([item for ids in gold for item in ids] + [item for row in lists for item, _ in row])
    )
    code = {item: at for at, item in enumerate(items)}
    gold_pairs = [(query, code[item]) for query, ids in enumerate(gold) for item in ids]
    rows = [(query, code[item], score) for query, row in enumerate(lists) for item, score in row]
    gold_query, gold_item = np.array(gold_pairs, np.intp).reshape(-1, 2).T
    return Rankings(
        post=np.arange(n),
        post_ids=np.array([f"p{query}" for query in range(n)], object),
        criterion=criterion,
        criterion_ids=criterion_ids,
        slices={},
        item_ids=np.array(items, object),
        gold_query=gold_query,
        gold_item=gold_item,
        gold_grade=np.ones(len(gold_query), np.int64),
        lists={
            model: RankedRows(
                query=np.array([query for query, _, _ in rows], np.intp),
                item=np.array([item for _, item, _ in rows], np.intp),
                score=np.array([score for _, _, score in rows], float),
                has_scores=True,
                n_candidates=np.array([len(row) for row in lists], np.int64),
            )
        },
    )


def make_data(queries: Queries | None = None, rankings: Rankings | None = None, **facts: Any) -> Data:
    """Data of one source with an invented digest."""
    n = len(queries) if queries is not None else 0
    source = Source(
        name="queries.csv",
        role="queries",
        sha256="5" * 64,
        n_bytes=100,
        n_rows=n,
        n_used=n,
        excluded={},
        columns={"post_id": "post_id", "probability": "p4_prob"},
        format="CSV, comma, UTF-8",
    )
    return Data(
        "evidence", facts.pop("sources", (source,)), present(queries=queries, rankings=rankings), **facts
    )


def with_hospitals(n_marked: int = 6) -> tuple[Data, tuple[tuple[str, str], ...]]:
    """Tune and test rows of a large hospital where no evidence lies low, and of small ones where half does.

    Returns
    -------
    The data, and the small hospitals as groups that may be marked.
    """
    names = [
        f"House of the Holy Spirit at the river, ward {at} of internal medicine" for at in range(n_marked)
    ]
    rows = [
        (label, score, hospital, split)
        for split in ("tune", "test")
        for label, score, hospital, n in (
            *((1, 0.95, "the large one", 800), (0, 0.2, "the large one", 900)),
            *((1, score, name, n) for name in names for score, n in ((0.9, 12), (0.3, 13))),
        )
        for _ in range(n)
    ]
    labels, scores, hospitals, splits = zip(*rows, strict=True)
    queries = make_queries(labels, scores, slices={"hospital": hospitals, "split": splits})
    return make_data(queries), tuple(("hospital", name) for name in names)
