"""Calibration over replicates from sums: as the declared metric has it on explicitly reweighted rows."""

import numpy as np
import pytest

from evalcore.catalog import METRICS
from evalcore.drawn.post_values import totals_together
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.rows import ReplicatedRows, sums_together
from evalcore.drawn.weights import hashes
from evalcore.tallies.scores import ScoredRows, ScoreTable

B = 60
BY_SUMS = {
    key: metric.drawn.function
    for key, metric in METRICS.items()
    if metric.drawn and metric.drawn.by == "sums"
}
CELLS = [(key, variant) for key in BY_SUMS for variant in METRICS[key].variants or ("default",)]


def sample(seed: int, n: int, n_posts: int, *, decimals: int = 3, share: float = 0.2) -> ScoredRows:
    """Rows of posts, some probabilities 0 and 1, ties."""
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n) < share
    score = np.round(np.clip(rng.beta(1, 4, n) + 0.3 * is_positive, 0, 1), decimals)
    return ScoredRows(score, is_positive, rng.integers(0, n_posts, n), n_posts)


def replicated(rows: ScoredRows, ids: list[str] | None = None, n: int = B) -> ReplicatedRows:
    ids = ids or [f"s_{code}" for code in range(rows.n_posts)]
    drawn = Resampling.of(hashes(ids), n, 3)
    return ReplicatedRows(rows, drawn)


def values(of: ReplicatedRows, key: str, variant: str) -> np.ndarray:
    return together(of, [(key, variant)])[0]


def together(of: ReplicatedRows, cells: list[tuple[str, str]]) -> list[np.ndarray]:
    works = [BY_SUMS[key](of, **given(key, variant)) for key, variant in cells]
    return totals_together([sums_together(of.rows, works)], of.resampling.weights())[0]


def given(key: str, variant: str) -> dict[str, str]:
    return {"variant": variant} if METRICS[key].variants else {}


def reweighted(rows: ScoredRows, drawn: np.ndarray) -> ScoreTable:
    weight = drawn[rows.post].astype(np.int64)
    return ScoreTable.from_rows(rows.where(weight > 0), weight[weight > 0])


SAMPLES = {
    "many scores": sample(1, 900, 90, decimals=9),
    "ties": sample(2, 300, 40, decimals=2),
    "few rows": sample(3, 30, 12),
    "few positives": sample(4, 60, 20, share=0.05),
    "one class": sample(5, 20, 9, share=0.0),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("key", "variant"), CELLS)
def test_each_replicate_is_the_declared_metric_on_the_reweighted_rows(name, key, variant):
    rows = SAMPLES[name]
    of = replicated(rows)
    found = values(of, key, variant)
    for value, drawn in zip(found, of.resampling.weights(), strict=True):
        table = reweighted(rows, drawn)
        expected = float(METRICS[key](table, **given(key, variant))) if table.total else np.nan
        # The fits of the reference themselves stop where a step no longer matters, at some 1e-11.
        near = 1e-9 if "calibration_s" in key or "calibration_i" in key else 1e-12
        assert value == pytest.approx(expected, rel=near, abs=near, nan_ok=True)


@pytest.mark.parametrize(("key", "variant"), CELLS)
def test_order_of_rows_and_posts_changes_no_bit(key, variant):
    rows = SAMPLES["many scores"]
    once = values(replicated(rows), key, variant)
    order = np.random.default_rng(0).permutation(len(rows))
    renamed = np.random.default_rng(1).permutation(rows.n_posts)
    ids = np.empty(rows.n_posts, object)
    ids[renamed] = [f"s_{code}" for code in range(rows.n_posts)]
    moved = ScoredRows(rows.score[order], rows.is_positive[order], renamed[rows.post[order]], rows.n_posts)
    again = values(replicated(moved, list(ids)), key, variant)
    assert np.array_equal(once, again, equal_nan=True)
    first = values(replicated(rows, n=20), key, variant)
    assert np.array_equal(once[:20], first, equal_nan=True)


def test_metrics_that_share_a_product_are_what_each_is_alone():
    of = replicated(SAMPLES["many scores"])
    for found, (key, variant) in zip(together(of, CELLS), CELLS, strict=True):
        assert np.array_equal(found, values(of, key, variant), equal_nan=True)
