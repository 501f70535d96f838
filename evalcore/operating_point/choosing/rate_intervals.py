"""Intervals of rates that lie well inside their range: the one Poisson bootstrap over posts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes, weights_of
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.spec import Metric
from evalcore.tallies.decisions import StateCounts

REPLICATES = 2000
SEED = 0
METHOD = "cluster_bootstrap"
MOST_UNITS = 10_000
"""Beyond so many posts the draws would take longer than all else, and the bounds of shares hardly differ."""

_BLOCK = 1 << 18


def replicated(rows: RowSet, by_post: StateCounts) -> StateCounts:
    """The rows by state and label in every replicate, shape (B,), exact.

    Each post is drawn Poisson(1) times, a pure function of the seed, the replicate and the post's id: the
    draws of `evalcore.evaluate`. Rows that name no posts are drawn one by one.

    Parameters
    ----------
    rows : the rows.
    by_post : of each post, arrays of shape (P,), in the order of the codes of ``rows.scored``.
    """
    cells = ("neg_pos", "neg_neg", "uncertain_pos", "uncertain_neg", "pos_pos", "pos_neg")
    counts = np.stack([getattr(by_post, cell)[rows.units] for cell in cells], axis=1).astype(np.float64)
    drawn = _weights(hashes(rows.unit_names).tobytes()).astype(np.float64) @ counts
    return StateCounts(*drawn.astype(np.int64).T)


@lru_cache(maxsize=4)
def _weights(hashed: bytes) -> NDArray[np.uint8]:
    """The draws of units, shape (B, P), kept for the next pair of thresholds on the same rows."""
    units = np.frombuffer(hashed, np.uint64)
    size = max(1, _BLOCK // max(len(units), 1))
    starts = range(0, REPLICATES, size)
    blocks = [weights_of(units, seed=SEED, start=at, stop=min(at + size, REPLICATES)) for at in starts]
    return np.concatenate(blocks)


def rate_interval(
    metric: Metric, replicates: StateCounts, rows: RowSet, level: float
) -> dict[str, Any] | None:
    """The percentile interval of a rate as it stands in a document; None with too few defined replicates.

    Parameters
    ----------
    metric : a metric of counts by state.
    replicates : from `replicated`.
    rows : what was drawn.
    level : of the interval, in (0, 1).
    """
    interval = percentile_interval(metric(replicates).value, confidence=level)
    n_undefined = int(interval.n_undefined)
    if REPLICATES - n_undefined < MIN_DEFINED:
        return None
    of_rows = "posts" if rows.queries.has_posts else "rows"
    unit = of_rows if rows.clusters is None else rows.clusters.column
    how = f"{unit}={len(rows.units)};B={REPLICATES};undefined={n_undefined};seed={SEED};sides=2"
    return {
        "level": level,
        "sides": 2,
        "low": float(interval.low),
        "high": float(interval.high),
        "method": f"{METHOD}({how})",
        "n_effective": None,
        "replicates": REPLICATES,
        "replicates_undefined": n_undefined,
        "seed": SEED,
    }
