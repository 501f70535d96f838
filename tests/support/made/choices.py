"""Data to choose thresholds on, and what a document says of them, for tests."""

import numpy as np

from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.made.scored_data import data_of, scored


def table_of(positives, negatives):
    p = np.array([*positives, *negatives], float)
    y = np.arange(len(p)) < len(positives)
    return ScoreTable.from_rows(ScoredRows(p, y, np.arange(len(p)), len(p)))


def claims_of(point, role):
    return {c["metric"].split(".")[1]: c for c in point.document["claims"] if c["evaluated_on"] == role}


def estimate_of(point, name, role):
    return next(
        e for e in point.document["estimates"] if e["metric"] == f"gate.{name}" and e["evaluated_on"] == role
    )


def halves(positives=700, misses_on_test=0, *, shared_post=False, right=200, wrong=5):
    """Tune and test with so many positives each; alerts from 0.9 on, skipped below 0.5."""
    tune = scored(
        [*np.full(right, 0.95), *np.full(positives - right, 0.5)],
        [*np.full(wrong, 0.95), *np.full(800, 0.2)],
        split="tune",
    )
    kept = positives - misses_on_test
    test = scored(
        [*np.full(right, 0.95), *np.full(kept - right, 0.5), *np.full(misses_on_test, 0.2)],
        [*np.full(wrong, 0.95), *np.full(800, 0.2)],
        split="test",
        first_post=0 if shared_post else 100_000,
    )
    return data_of([*tune, *test])


def distinct_rows(rename=str, split="", n=300, *, seed=5):
    """Rows of distinct scores that certify: five checks of which two hold evidence in each of n posts."""
    rng = np.random.default_rng(seed)
    positive, negative = rng.uniform(0.6, 1, (n, 2)), rng.uniform(0, 0.4, (n, 3))
    return [
        (rename(f"s{post}"), f"A.{at}", score, int(at < 2), split)
        for post in range(n)
        for at, score in enumerate([*positive[post], *negative[post]])
    ]
