"""Build `Rankings` and `RankedQueries` from plain rows, for tests."""

from collections.abc import Iterable, Mapping

import numpy as np

from evalcore.data import RankedRows, Rankings
from evalcore.tallies.ranked import RankedQueries

Gold = Mapping[str, Mapping[str, int]]
Rows = Iterable[tuple[str, str, float]]


def rankings_of(gold: Gold, rows: Rows, **more_lists: Rows) -> Rankings:
    """Gold (query → item → grade) and rows (query, item, score) as `Rankings` with the list ``model``."""
    lists = {name: list(part) for name, part in {"model": rows, **more_lists}.items()}
    pairs = [(query, item) for query, graded in gold.items() for item in graded]
    listed = [(query, item) for part in lists.values() for query, item, _ in part]
    queries = {query: at for at, query in enumerate(dict.fromkeys([*gold, *(query for query, _ in listed)]))}
    items = {item: at for at, item in enumerate(dict.fromkeys(item for _, item in [*pairs, *listed]))}
    return Rankings(
        post=np.arange(len(queries)),
        post_ids=np.array(list(queries), object),
        criterion=np.full(len(queries), -1),
        criterion_ids=np.array([], object),
        slices={},
        item_ids=np.array(list(items), object),
        gold_query=np.array([queries[query] for query, _ in pairs], np.intp),
        gold_item=np.array([items[item] for _, item in pairs], np.intp),
        gold_grade=np.array([grade for graded in gold.values() for grade in graded.values()], np.int64),
        lists={
            name: RankedRows(
                query=(codes := np.array([queries[query] for query, _, _ in part], np.intp)),
                item=np.array([items[item] for _, item, _ in part], np.intp),
                score=np.array([score for _, _, score in part], np.float64),
                has_scores=True,
                n_candidates=np.bincount(codes, minlength=len(queries)).astype(np.int64),
            )
            for name, part in lists.items()
        },
    )


def ranked(gold: Gold, rows: Rows, ties: str = "trec") -> RankedQueries:
    """The tally of gold and rows; queries stand in the order of the gold, then of first appearance."""
    return RankedQueries.from_rankings(rankings_of(gold, rows), "model", ties=ties)


def lists(**ranked_items: str) -> list[tuple[str, str, float]]:
    """Rows of lists given best first, one letter an item: ``lists(q1="bac")``."""
    return [
        (query, item, -place) for query, items in ranked_items.items() for place, item in enumerate(items)
    ]
