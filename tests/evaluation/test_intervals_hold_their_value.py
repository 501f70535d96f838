"""On random data no interval of any metric misses its own value or leaves the range of its metric."""

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from tests.support.reading import load, upload

B = 120
SLACK = 1e-12
SETTINGS = [(0, 12, 0.5), (1, 40, 0.2), (2, 40, 0.95), (3, 90, 0.05)]
"""Seed, number of posts, share of positives."""


def scored(rng, n_posts, share):
    """Rows of posts that are alike, with a fold, a state's thresholds, candidates and a selected number."""
    lines = ["post_id,criterion_id,fold,label,p,n_candidates,selected_k"]
    for post in range(n_posts):
        level = rng.normal()
        for criterion in range(rng.integers(1, 4)):
            label = int(rng.random() < share)
            p = 1 / (1 + np.exp(-(level + 2 * label - 1 + rng.normal())))
            n = int(rng.integers(1, 8))
            k = int(rng.integers(0, n + 1))
            lines.append(f"p{post},A.{criterion},{post % 3},{label},{p:.2f},{n},{k}")
    return "\n".join(lines)


def ranked(rng, n_posts):
    """Lists of candidates with scores, a part of them gold."""
    lines = ["post_id,criterion_id,fold,gold_ids,mine_topk"]
    for post in range(n_posts):
        for criterion in range(rng.integers(1, 3)):
            ids = [f"p{post}_{at}" for at in rng.permutation(rng.integers(2, 12))]
            gold = [one for one in ids if rng.random() < 0.2]
            lines.append(f"p{post},A.{criterion},{post % 3},{'|'.join(gold)},{'|'.join(ids)}")
    return "\n".join(lines)


def tables():
    for seed, n_posts, share in SETTINGS:
        rng = np.random.default_rng(seed)
        how = {"bootstrap": B, "by": ("criterion", "fold"), "seed": seed}
        yield evaluate(load([upload(scored(rng, n_posts, share))]), tau_neg=0.3, tau_pos=0.8, **how).table
        yield evaluate(load([upload(ranked(rng, n_posts), "ranked_lists.csv")]), **how).table


@pytest.fixture(scope="module")
def rows():
    found = []
    for table in tables():
        found += list(table[table.ci_low.notna()].itertuples())
    return found


def test_every_value_lies_within_its_interval(rows):
    outside = [
        (row.family, row.metric, row.params, row.variant, row.group, row.value, row.ci_low, row.ci_high)
        for row in rows
        if not row.ci_low - SLACK <= row.value <= row.ci_high + SLACK
    ]
    assert outside == []
    assert len({(row.family, row.metric) for row in rows}) > 40


def test_every_interval_lies_within_the_range_of_its_metric(rows):
    for row in rows:
        low, high = METRICS[f"{row.family}.{row.metric}"].bounds
        assert low - SLACK <= row.ci_low <= row.ci_high <= high + SLACK, row
    assert any(row.ci_method.endswith(";cut)") and "cut to the range" in row.note for row in rows)
