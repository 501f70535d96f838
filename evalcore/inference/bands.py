"""Limits around curves: vertical, and pointwise, so that each point alone is within them at the level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.replicates import Resampling, ranked_only, score_table
from evalcore.inference.clustered import ClusterSums, ShareInterval, share_interval
from evalcore.inference.percentile import percentile_interval
from evalcore.kernels.bins import bins_of
from evalcore.tallies.scores import ScoredRows, ScoreTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

STEPS = 100
TABLES = 6
"""Arrays of the size of a table of replicates that stand in memory together."""


@dataclass(frozen=True, eq=False)
class CurveBand:
    """Pointwise limits of a curve over a grid.

    Parameters
    ----------
    grid : float64 in [0, 1], shape (G,), ascending.
    low, high : float64, shape (G,); NaN where fewer than two replicates have a value.
    n_undefined : int64, shape (G,), replicates without a value, left out.
    """

    grid: Floats
    low: Floats
    high: Floats
    n_undefined: Counts


def roc_band(
    rows: ScoredRows, resampling: Resampling, *, steps: int = STEPS, confidence: float = 0.95
) -> CurveBand:
    """Percentiles of the true positive rate at each false positive rate j / steps.

    Between two thresholds the curve is a straight line, as it is drawn; of an upright piece the top counts.

    Parameters
    ----------
    rows : scored rows; ``post`` holds codes of the units that are drawn.
    resampling : how often each unit is drawn.
    steps : G − 1.
    confidence : in (0, 1), of each point by itself.

    Returns
    -------
    CurveBand over [0, 1]; a replicate without one of the classes has no curve.

    Source
    ------
    Fawcett 2006, Pattern Recognition Letters 27:861, vertical averaging; statistics.md, Intervals.
    """
    grid = np.arange(steps + 1)
    return _band(rows, resampling, _tpr_at_fprs, grid, steps, confidence)


def pr_band(
    rows: ScoredRows, resampling: Resampling, *, steps: int = STEPS, confidence: float = 0.95
) -> CurveBand:
    """Percentiles of the precision at each recall j / steps from the first step on.

    The precision at a recall is that of the highest threshold which reaches it, as the steps are drawn; none
    is made up at recall 0.

    Parameters
    ----------
    rows : scored rows; ``post`` holds codes of the units that are drawn.
    resampling : how often each unit is drawn.
    steps : G.
    confidence : in (0, 1), of each point by itself.

    Returns
    -------
    CurveBand over (0, 1]; a replicate without one of the classes has no curve.
    """
    grid = np.arange(1, steps + 1)
    return _band(rows, resampling, _precision_at_recalls, grid, steps, confidence)


def reliability_limits(
    rows: ScoredRows, *, n_bins: int = 10, variant: str = "default", confidence: float = 0.95
) -> ShareInterval:
    """Limits of the observed rate of evidence in each bin of a reliability diagram.

    In the lowest and the highest bins the rate is a share near 0 or 1, where percentiles of a bootstrap are
    too narrow: every bin has the bounds of `share_interval`.

    Parameters
    ----------
    rows : scored rows, scores in [0, 1]; rows of one post are not independent.
    n_bins : M.
    variant : as in `evalcore.curves.reliability`.
    confidence : in (0, 1), of each bin by itself.

    Returns
    -------
    ShareInterval of shape (M,), NaN in an empty bin; without the empty bins for ``equal_mass``.

    Examples
    --------
    >>> rows = ScoredRows(np.full(20, 0.05), np.arange(20) < 2, np.arange(20), 20)
    >>> limits = reliability_limits(rows, n_bins=2)
    >>> limits.low.round(4).tolist(), limits.high.round(4).tolist()
    ([0.0123, nan], [0.317, nan])
    """
    table = ScoreTable.from_rows(rows)
    bins = bins_of(table, n_bins, variant)
    bin_of = np.searchsorted(bins.start, np.searchsorted(table.score, rows.score), side="right") - 1
    shown = np.flatnonzero(bins.n > 0) if variant == "equal_mass" else np.arange(n_bins)
    parts = [ClusterSums.from_rows(rows.is_positive, bin_of == at, rows.post, rows.n_posts) for at in shown]
    return share_interval(ClusterSums.together(parts), confidence=confidence)


Heights = Callable[[Counts, Counts, Counts, int], Floats]


def _band(
    rows: ScoredRows, resampling: Resampling, heights: Heights, grid: Counts, steps: int, confidence: float
) -> CurveBand:
    """The band of a curve whose height over a grid follows from the counts above every threshold."""
    ordered = ranked_only(rows)
    found = []
    for weights in resampling.blocks(TABLES * len(np.unique(ordered.score))):
        table = score_table(ordered, weights)
        true_pos = table.total_pos[:, None] - table.pos_below[:, ::-1]
        false_pos = table.total_neg[:, None] - table.neg_below[:, ::-1]
        block = np.full((len(weights), len(grid)), np.nan)
        for at in np.flatnonzero((table.total_pos > 0) & (table.total_neg > 0)):
            block[at] = heights(true_pos[at], false_pos[at], grid, steps)
        found.append(block)
    interval = percentile_interval(np.concatenate(found), confidence=confidence)
    return CurveBand(grid / steps, interval.low, interval.high, interval.n_undefined)


def _tpr_at_fprs(true_pos: Counts, false_pos: Counts, grid: Counts, steps: int) -> Floats:
    # In whole numbers: a rate that rounds to just below a threshold's would lose its upright piece.
    reached, wanted = false_pos * steps, grid * false_pos[-1]
    at = np.searchsorted(reached, wanted, side="right") - 1
    after = np.minimum(at + 1, len(reached) - 1)
    run = np.maximum(reached[after] - reached[at], 1)
    rise = (true_pos[after] - true_pos[at]) * ((wanted - reached[at]) / run)
    return np.asarray((true_pos[at] + rise) / true_pos[-1])


def _precision_at_recalls(true_pos: Counts, false_pos: Counts, grid: Counts, steps: int) -> Floats:
    at = np.searchsorted(true_pos * steps, grid * true_pos[-1], side="left")
    return np.asarray(true_pos[at] / (true_pos[at] + false_pos[at]))
