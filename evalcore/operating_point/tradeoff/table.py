"""What every attainable threshold costs and misses: counts, bounds and verdicts, computed once and looked up.

A threshold is named by its index i: it lies in (score[i−1], score[i]], so that the rows with
``p < threshold`` are those below score[i]. Index 0 has nothing below it, index S everything.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import Interval
from evalcore.inference.clustered import linearised, share_interval
from evalcore.operating_point.tradeoff.points import Points, points_of
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.operating_point.tradeoff.share_bounds import ShareBounds, share_bounds
from evalcore.operating_point.tradeoff.thresholds import shortest_thresholds
from evalcore.operating_point.tradeoff.verdicts import (
    missed_share,
    missed_verdict,
    precision_verdict,
    sensitivity_verdict,
)
from evalcore.tallies.scores import ScoredRows

Axis = Literal["logit", "linear", "rank"]

INTERVAL_LEVEL = 0.95
"""Level of the two-sided intervals."""

OVER_POSTS = (
    "Bounds and intervals: Korn–Graubard, checks of one post taken as related (strict where few posts hold "
    "most cases; as alike as their scores where few posts hold a miss, and as one where few hold a wrong "
    "alert). Missed: from screening sensitivity. Workload: from how much posts differ (linearised)."
)
OVER_ROWS = (
    "Bounds and intervals: Clopper–Pearson, every check taken as independent: posts are not known, or hold "
    "one check each. Workload: from how much checks differ (linearised)."
)

_PILE_EDGE = 0.02
_PILE_SHARE = 0.1


@dataclass(frozen=True)
class Targets:
    """What the two thresholds are meant to reach.

    Parameters
    ----------
    sensitivity, precision
        Screening sensitivity and alert precision wanted, in (0, 1).
    sensitivity_confidence, precision_confidence
        Of the one-sided bound that should reach them, in (0, 1).
    missed_per_1000
        Missed checks with evidence per 1,000 checks that are tolerated; None where that is no target. Another
        target than sensitivity, never shown as met through it.
    """

    sensitivity: float = 0.995
    precision: float = 0.9
    sensitivity_confidence: float = 0.95
    precision_confidence: float = 0.95
    missed_per_1000: float | None = None


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """Counts, bounds and verdicts at every attainable threshold; shape (S + 1,) where not stated otherwise.

    Parameters
    ----------
    score
        float64, shape (S,), ascending: distinct scores of the data; with ``is_grid`` a selection of them.
    previous
        float64, shape (S,): the highest smaller score that the data can have, kept or not; −inf for the
        smallest. Every threshold in (previous[i], score[i]] decides alike.
    threshold
        float64, shape (S,): of these the one with the fewest digits.
    is_grid
        Whether scores of the data were left out, or are known by the points of a grid alone: then thresholds
        at or below `previous` are not counted. Counts at the kept scores are exact all the same.
    n_rows, n_pos, n_posts, n_posts_pos
        Rows, positives, posts, and posts with a positive.
    has_posts
        False when every row is its own post.
    pos_below, neg_below
        Positives and negatives strictly below the threshold.
    posts_missed
        Posts with a positive below the threshold.
    posts_unopened
        Posts with every row below the threshold: nobody opens them.
    sensitivity_low, sensitivity_interval
        One-sided lower bound at the target's confidence, and interval, of the share of positives kept.
    sensitivity_low_if_independent
        The exact lower bound, which holds if all rows are independent: by it τ_neg is chosen.
    sensitivity_assumed, precision_assumed
        bool: where the bound takes rows as independent, which it does where posts are not known.
    missed_interval
        Two-sided interval of missed positives as a share of all rows, implied by that of the share kept.
    missed_high
        One-sided upper bound of the same, at the confidence of the sensitivity's target.
    workload_interval
        Two-sided interval of the share of rows not skipped.
    precision_low, precision_interval
        One-sided lower bound, and interval, of the share of alerts that are right; NaN without alerts.
    sensitivity_verdict, precision_verdict, missed_verdict
        int8 positions in ``VERDICTS``.
    targets
        What the verdicts speak of.
    bound_method
        How bounds and intervals were computed, as a sentence.
    data_id
        Names the scores and labels; the same whatever the targets and however the grid was drawn.
    """

    score: NDArray[np.float64]
    previous: NDArray[np.float64]
    threshold: NDArray[np.float64]
    is_grid: bool
    n_rows: int
    n_pos: int
    n_posts: int
    n_posts_pos: int
    has_posts: bool
    pos_below: NDArray[np.int64]
    neg_below: NDArray[np.int64]
    posts_missed: NDArray[np.int64]
    posts_unopened: NDArray[np.int64]
    sensitivity_low: NDArray[np.float64]
    sensitivity_interval: Interval
    sensitivity_low_if_independent: NDArray[np.float64]
    sensitivity_assumed: NDArray[np.bool_]
    missed_interval: Interval
    missed_high: NDArray[np.float64]
    workload_interval: Interval
    precision_low: NDArray[np.float64]
    precision_interval: Interval
    precision_assumed: NDArray[np.bool_]
    sensitivity_verdict: NDArray[np.int8]
    precision_verdict: NDArray[np.int8]
    missed_verdict: NDArray[np.int8]
    targets: Targets
    bound_method: str
    data_id: str

    def index(self, threshold: float) -> int:
        """Index of a threshold, 0 … S, by the one rule: rows with ``p < threshold`` lie below it."""
        return int(np.searchsorted(self.score, threshold, side="left"))

    @property
    def axis(self) -> Axis:
        """The scale on which the scores are seen best."""
        if len(self.score) == 0 or self.score[0] < 0 or self.score[-1] > 1:
            return "linear"
        n_below = self.pos_below + self.neg_below
        n_low = n_below[np.searchsorted(self.score, _PILE_EDGE)]
        n_high = self.n_rows - n_below[np.searchsorted(self.score, 1 - _PILE_EDGE)]
        return "logit" if n_low + n_high >= _PILE_SHARE * self.n_rows else "linear"


def compute_tradeoff(
    rows: ScoredRows,
    *,
    targets: Targets | None = None,
    is_chosen_here: bool = True,
    also: tuple[float, ...] = (),
) -> Tradeoff:
    """Everything the threshold explorer shows, at every attainable threshold.

    Parameters
    ----------
    rows
        Scored rows.
    targets
        Defaults to ``Targets()``.
    is_chosen_here
        Whether τ_pos is being chosen on these rows: then a precision is never ``met_with_confidence``.
    also
        Thresholds that must be countable exactly even on a grid, such as typed ones.

    Returns
    -------
    Tradeoff

    Source
    ------
    Document 002, 5.1 (states) and 5.3 (gate metrics).

    Examples
    --------
    >>> is_positive = np.array([False, True, False, True])
    >>> rows = ScoredRows(np.array([0.1, 0.4, 0.4, 0.9]), is_positive, np.arange(4), 4)
    >>> tradeoff = compute_tradeoff(rows)
    >>> tradeoff.pos_below.tolist(), tradeoff.neg_below.tolist(), tradeoff.threshold.tolist()
    ([0, 0, 1, 2], [0, 1, 2, 2], [0.09, 0.3, 0.8])
    """
    return tradeoff_at(points_of(rows, also), targets=targets, is_chosen_here=is_chosen_here)


def tradeoff_at(points: Points, *, targets: Targets | None = None, is_chosen_here: bool = True) -> Tradeoff:
    """As `compute_tradeoff`, of what was counted at some points.

    Parameters
    ----------
    points : of rows, or of tallies on a grid.
    targets, is_chosen_here : as there.
    """
    targets = targets or Targets()
    table, counts = points.table, points.counts
    index = np.append(points.kept, len(table.score))
    has_posts = counts.n < points.n_rows
    shares = _shares(points.sums, targets, has_posts=has_posts)
    tradeoff = Tradeoff(
        score=points.score,
        previous=points.previous,
        threshold=shortest_thresholds(points.score, points.previous),
        is_grid=points.is_grid,
        n_rows=points.n_rows,
        n_pos=int(table.total_pos),
        n_posts=counts.n,
        n_posts_pos=counts.n_pos,
        has_posts=has_posts,
        pos_below=table.pos_below[index],
        neg_below=table.neg_below[index],
        posts_missed=counts.missed,
        posts_unopened=counts.unopened,
        sensitivity_low=shares.kept.low,
        sensitivity_interval=shares.kept.interval,
        sensitivity_low_if_independent=shares.kept_if_independent,
        sensitivity_assumed=shares.kept.is_independence_assumed,
        missed_interval=missed_share(table, shares.kept.interval.low, shares.kept.interval.high),
        missed_high=missed_share(table, shares.kept.low, shares.kept.low).high,
        workload_interval=shares.opened,
        precision_low=shares.right.low,
        precision_interval=shares.right.interval,
        precision_assumed=shares.right.is_independence_assumed,
        sensitivity_verdict=sensitivity_verdict(table, index, shares.kept, targets.sensitivity),
        precision_verdict=precision_verdict(table, index, shares.right, targets.precision, is_chosen_here),
        missed_verdict=missed_verdict(table, index, shares.kept, targets.missed_per_1000),
        targets=targets,
        bound_method=OVER_POSTS if has_posts else OVER_ROWS,
        data_id=points.data_id,
    )
    _freeze(tradeoff)
    return tradeoff


@dataclass(frozen=True)
class _Shares:
    """Bounds of every share at the thresholds that are points."""

    kept: ShareBounds
    kept_if_independent: NDArray[np.float64]
    opened: Interval
    right: ShareBounds


def _shares(sums: PostSums, targets: Targets, *, has_posts: bool) -> _Shares:
    """Bounds at every point; what changes only where a positive is passed is computed once a positive."""
    is_step = np.diff(sums.pos, prepend=-1) != 0
    step, run = np.flatnonzero(is_step), np.cumsum(is_step) - 1
    level, confidence = INTERVAL_LEVEL, targets.sensitivity_confidence
    bounds = partial(share_bounds, interval_level=level, has_posts=has_posts)
    exact_bounds = partial(share_interval, sides=1, mode="clopper_pearson", end="low")
    with ThreadPoolExecutor() as threads:  # beside each other: inverses of the beta distribution are slow
        kept = threads.submit(bounds, sums.kept(step), confidence=confidence)
        exact = threads.submit(exact_bounds, sums.kept(step), confidence=confidence)
        opened = threads.submit(linearised, sums.opened(), confidence=level)
        right = threads.submit(bounds, sums.right(), confidence=targets.precision_confidence)
    workload = opened.result()
    return _Shares(
        kept=kept.result().at(run),
        kept_if_independent=exact.result().low[run],
        opened=Interval(workload.low, workload.high),
        right=right.result(),
    )


def _freeze(part: Tradeoff | Interval) -> None:
    """Make every array read-only: a cached trade-off is shared between runs."""
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        elif isinstance(value, Interval):
            _freeze(value)
