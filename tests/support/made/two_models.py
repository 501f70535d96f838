"""Two models on the same rows, for tests that compare them."""

from dataclasses import replace
from itertools import product

import numpy as np

from tests.support.made.scored_data import data_of

FAST = {"bootstrap": 100, "permutations": 99}


def two_models(n_posts=30, n_criteria=3, seed=0, better=0.5):
    """Rows of models a and b, b the better one."""
    rng = np.random.default_rng(seed)
    rows = []
    for post, criterion in product(range(n_posts), range(1, n_criteria + 1)):
        label = int(rng.random() < 0.4)
        for model, shift in (("a", 0.2), ("b", 0.2 + better)):
            score = round(float(np.clip(rng.normal(0.4 + shift * (label - 0.5), 0.25), 0, 1)), 2)
            rows.append((f"s{post}", f"A.{criterion}", score, label, "", model))
    return data_of(rows)


def only(data, model):
    """The rows of one model as a data set of its own."""
    queries = data.queries
    code = queries.models.index(model)
    part = queries.where(queries.model == code)
    return data.with_tables(queries=replace(part, model=np.zeros(len(part), np.intp), models=(model,)))


def row_of(result, metric, group=""):
    rows = result.table[(result.table["metric"] == metric) & (result.table["group"] == group)]
    return rows.iloc[0]
