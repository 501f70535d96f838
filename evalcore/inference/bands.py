"""Limits around curves: vertical, and pointwise, so that each point alone is within them at the level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.ranks import Order, ReplicatedRanks, kind_of
from evalcore.drawn.replicates import Resampling
from evalcore.inference.clustered import ClusterSums, ShareInterval, share_interval
from evalcore.inference.percentile import percentile_interval
from evalcore.kernels.bins import bins_of
from evalcore.kernels.cumulative import n_under
from evalcore.tallies.scores import ScoredRows, ScoreTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

STEPS = 100
HEIGHTS = 8
"""Arrays over the grid that stand in memory together."""


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


class CurveBands(NamedTuple):
    """The bands of both curves of a model."""

    roc: CurveBand
    pr: CurveBand


def curve_bands(
    rows: ScoredRows, resampling: Resampling, *, steps: int = STEPS, confidence: float = 0.95
) -> CurveBands:
    """Percentiles of the true positive rate at each false positive rate, and of the precision at each recall.

    Between two thresholds the ROC curve is a straight line, as it is drawn; of an upright piece the top
    counts. The precision at a recall is that of the highest threshold which reaches it, as the steps are
    drawn; none is made up at recall 0.

    Parameters
    ----------
    rows : scored rows; ``post`` holds codes of the units that are drawn.
    resampling : how often each unit is drawn.
    steps : the grid is j / steps, from 0 on for false positive rates and from 1 on for recalls.
    confidence : in (0, 1), of each point by itself.

    Returns
    -------
    CurveBands; a replicate without one of the classes has no curve.

    Source
    ------
    Fawcett 2006, Pattern Recognition Letters 27:861, vertical averaging; statistics.md, Intervals.
    """
    kind = kind_of(len(rows))
    order, found = Order.of(rows, kind), []
    for weights in resampling.blocks(order.n_counts + HEIGHTS * steps, kind):
        ranks = order.drawn(weights)
        found.append((_true_positive_rates(ranks, steps), _precisions(ranks, steps)))
    bands = []
    for heights in zip(*found, strict=True):
        interval = percentile_interval(np.concatenate(heights, axis=1).T, confidence=confidence)
        grid = np.arange(steps + 1 - len(interval.low), steps + 1) / steps
        bands.append(CurveBand(grid, interval.low, interval.high, interval.n_undefined))
    return CurveBands(*bands)


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


def _true_positive_rates(ranks: ReplicatedRanks, steps: int) -> Floats:
    """The height of each replicate's ROC curve over the grid, shape (G, b)."""
    n_neg, grid = ranks.total_neg.astype(np.int64), np.arange(steps + 1)[:, None]
    # In whole numbers: a rate that rounds to just below a threshold's would lose its upright piece.
    at = n_under(ranks.neg_below, -((grid - steps) * n_neg // steps))
    beyond = np.maximum(at - 1, 0)
    replicate = np.arange(len(n_neg))
    reached, next_reached = (steps * (n_neg - ranks.neg_below[place, replicate]) for place in (at, beyond))
    height, next_height = (ranks.found[place // 2, replicate] for place in (at, beyond))
    share = (grid * n_neg - reached) / np.maximum(next_reached - reached, 1)
    return _where_both(ranks, height + (next_height - height) * share, ranks.total_pos)


def _precisions(ranks: ReplicatedRanks, steps: int) -> Floats:
    """The precision of each replicate over the grid of recalls, shape (G, b)."""
    n_pos, grid = ranks.total_pos.astype(np.int64), np.arange(1, steps + 1)[:, None]
    at = len(ranks.n_pos) - n_under(ranks.found[::-1], -(-grid * n_pos // steps))
    replicate = np.arange(len(n_pos))
    true_pos = ranks.found[at, replicate]
    false_pos = ranks.total_neg - ranks.neg_below[2 * at + 1, replicate]
    return _where_both(ranks, true_pos, true_pos + false_pos)


def _where_both(ranks: ReplicatedRanks, numerator: Floats, denominator: Floats) -> Floats:
    """The quotient in replicates with both classes, NaN in the others."""
    has_both = (ranks.total_pos > 0) & (ranks.total_neg > 0)
    found = np.full(numerator.shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=found, where=has_both))
