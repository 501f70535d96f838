"""Ranked lists: queries with gold and no list."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalcore.checks.results import CheckResult, result
from evalcore.data import Data, Rankings
from evalcore.problems import Problem, problem


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of ranked lists, where there are any with gold."""
    rankings = data.rankings
    if rankings is None or not len(rankings.gold_query):
        return
    n_queries = len(np.unique(rankings.gold_query))
    what = "Every query with gold has a list, for every model."
    yield result("Lists of queries with gold", what, n_queries, _without_list(rankings))


def _without_list(rankings: Rankings) -> Iterator[Problem]:
    """Queries with gold for which a model has no list."""
    has_gold = np.bincount(rankings.gold_query, minlength=rankings.n_queries) > 0
    for model, rows in rankings.lists.items():
        has_list = np.bincount(rows.query, minlength=rankings.n_queries) > 0
        n = int(np.count_nonzero(has_gold & ~has_list))
        if n:
            yield problem("RNK-006", column=model, n=n, n_queries=int(np.count_nonzero(has_gold)))
