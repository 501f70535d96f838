"""What every attainable threshold costs and misses: counts, bounds and verdicts, computed once and looked up.

A threshold is named by its index i: it lies in (score[i−1], score[i]], so that the rows with
``p < threshold`` are those below score[i]. Index 0 has nothing below it, index S everything.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import Interval, Sides, clopper_pearson
from evalcore.inference.verdicts import VERDICTS, verdict_codes
from evalcore.operating_point.thresholds import shortest_thresholds
from evalcore.tallies.scores import ScoredRows, ScoreTable

Axis = Literal["logit", "linear", "rank"]

MAX_SCORES = 50_000
"""Up to so many distinct scores every one is a point; beyond, a grid of the data's own scores."""

GRID_POINTS = 10_001
"""Quantiles of all rows, and as many of the positives, that make up the grid."""

INTERVAL_LEVEL = 0.95
"""Level of the two-sided intervals."""

BOUND_METHOD = "clopper_pearson"

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
        Missed checks with evidence per 1,000 checks that are tolerated. Another target than sensitivity,
        never shown as met through it.
    """

    sensitivity: float = 0.995
    precision: float = 0.9
    sensitivity_confidence: float = 0.95
    precision_confidence: float = 0.95
    missed_per_1000: float = 5.0


@dataclass(frozen=True)
class CriterionTradeoff:
    """Missed positives of one criterion as τ_neg rises, in steps.

    Parameters
    ----------
    n_rows, n_pos
        Rows and positives of the criterion.
    step
        int32, shape (T,), ascending from 0: the threshold indices from which on ``n_missed`` holds.
    n_missed
        int32, shape (T,): positives below the threshold.
    sensitivity
        Two-sided interval of the share of positives kept, shape (T,); NaN without positives.
    """

    n_rows: int
    n_pos: int
    step: NDArray[np.int32]
    n_missed: NDArray[np.int32]
    sensitivity: Interval


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """Counts, bounds and verdicts at every attainable threshold; shape (S + 1,) where not stated otherwise.

    Parameters
    ----------
    score
        float64, shape (S,), ascending: distinct scores of the data; with ``is_grid`` a selection of them.
    previous
        float64, shape (S,): the next smaller score of the data, kept or not; −inf for the smallest. Every
        threshold in (previous[i], score[i]] decides alike.
    threshold
        float64, shape (S,): of these the one with the fewest digits.
    is_grid
        Whether scores of the data were left out. Counts at the kept ones are exact all the same.
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
    missed_interval
        Two-sided interval of missed positives as a share of all rows.
    workload_interval
        Two-sided interval of the share of rows not skipped.
    precision_low, precision_interval
        One-sided lower bound, and interval, of the share of alerts that are right; NaN without alerts.
    sensitivity_verdict, precision_verdict
        int8 positions in ``VERDICTS``.
    criteria
        In the order of the criterion codes.
    targets
        What the verdicts speak of.
    bound_method
        How bounds and intervals were computed.
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
    missed_interval: Interval
    workload_interval: Interval
    precision_low: NDArray[np.float64]
    precision_interval: Interval
    sensitivity_verdict: NDArray[np.int8]
    precision_verdict: NDArray[np.int8]
    criteria: tuple[CriterionTradeoff, ...]
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
    criterion: NDArray[np.intp] | None = None,
    n_criteria: int = 0,
    targets: Targets | None = None,
    is_chosen_here: bool = True,
    also: tuple[float, ...] = (),
) -> Tradeoff:
    """Everything the threshold explorer shows, at every attainable threshold.

    Parameters
    ----------
    rows
        Scored rows.
    criterion
        int, shape (N,), codes 0 … n_criteria − 1; None leaves the criteria out.
    n_criteria
        Number of criteria.
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
    ([0, 0, 1, 2], [0, 1, 2, 2], [0.1, 0.4, 0.9])
    """
    targets = targets or Targets()
    score, at = np.unique(rows.score + 0.0, return_inverse=True)  # + 0.0 makes −0 and 0 one score
    table = _score_table(score, at, rows.is_positive)
    kept = _kept_scores(table, also)
    index = np.append(kept, len(score))
    pos_below, neg_below = table.pos_below[index], table.neg_below[index]
    n_rows, n_pos = len(rows), int(table.total_pos)
    n_alerts, n_right = n_rows - pos_below - neg_below, n_pos - pos_below
    sensitivity_low = _bounds(n_right, n_pos, targets.sensitivity_confidence, sides=1).low
    precision_low = _bounds(n_right, n_alerts, targets.precision_confidence, sides=1).low
    posts = _count_posts(rows, at, len(score))
    tradeoff = Tradeoff(
        score=score[kept],
        previous=np.append(-np.inf, score)[kept],
        threshold=shortest_thresholds(score[kept], np.append(-np.inf, score)[kept]),
        is_grid=len(kept) < len(score),
        n_rows=n_rows,
        n_pos=n_pos,
        n_posts=posts.n,
        n_posts_pos=posts.n_pos,
        has_posts=posts.n < n_rows,
        pos_below=pos_below,
        neg_below=neg_below,
        posts_missed=posts.missed[index],
        posts_unopened=posts.unopened[index],
        sensitivity_low=sensitivity_low,
        sensitivity_interval=_bounds(n_right, n_pos),
        missed_interval=_bounds(pos_below, n_rows),
        workload_interval=_bounds(n_alerts, n_rows),
        precision_low=precision_low,
        precision_interval=_bounds(n_right, n_alerts),
        sensitivity_verdict=_sensitivity_verdict(n_right, n_pos, neg_below, sensitivity_low, targets),
        precision_verdict=_precision_verdict(n_right, n_alerts, precision_low, targets, is_chosen_here),
        criteria=_criteria(rows, criterion, n_criteria, np.searchsorted(kept, at, side="right")),
        targets=targets,
        bound_method=BOUND_METHOD,
        data_id=_data_id(table, posts),
    )
    _freeze(tradeoff)
    return tradeoff


def _bounds(
    successes: NDArray[np.int64],
    n: int | NDArray[np.int64],
    confidence: float = INTERVAL_LEVEL,
    sides: Sides = 2,
) -> Interval:
    """The one place where counts become bounds; neighbours with equal counts share a computation."""
    x, n_cases = np.broadcast_arrays(successes, np.asarray(n, np.int64))
    is_new = np.append(True, (np.diff(x) != 0) | (np.diff(n_cases) != 0))
    run = np.cumsum(is_new) - 1
    bounds = clopper_pearson(x[is_new], n_cases[is_new], confidence=confidence, sides=sides)
    return Interval(bounds.low[run], bounds.high[run])


def _sensitivity_verdict(
    n_kept: NDArray[np.int64],
    n_pos: int,
    neg_below: NDArray[np.int64],
    low: NDArray[np.float64],
    targets: Targets,
) -> NDArray[np.int8]:
    """The verdict at every τ_neg; where nothing is skipped there is no claim to judge."""
    best_low = clopper_pearson(n_pos, n_pos, confidence=targets.sensitivity_confidence, sides=1).low
    codes = verdict_codes(n_kept, n_pos, target=targets.sensitivity, low=low, best_low=best_low)
    is_nothing_skipped = (n_kept == n_pos) & (neg_below == 0)
    return np.where(is_nothing_skipped, VERDICTS.index("not_assessed"), codes).astype(np.int8)


def _precision_verdict(
    n_right: NDArray[np.int64],
    n_alerts: NDArray[np.int64],
    low: NDArray[np.float64],
    targets: Targets,
    is_chosen_here: bool,
) -> NDArray[np.int8]:
    """The verdict at every τ_pos; on the rows it is chosen on, a bound cannot confirm a precision."""
    best_low = _bounds(n_alerts, n_alerts, targets.precision_confidence, sides=1).low
    codes = verdict_codes(
        n_right, n_alerts, target=targets.precision, low=low, best_low=best_low, none_is_not_met=True
    )
    if is_chosen_here:
        codes[codes == VERDICTS.index("met_with_confidence")] = VERDICTS.index("met_point_only")
    return codes


def _score_table(
    score: NDArray[np.float64], at: NDArray[np.intp], is_positive: NDArray[np.bool_]
) -> ScoreTable:
    return ScoreTable(
        score,
        np.bincount(at[is_positive], minlength=len(score)),
        np.bincount(at[~is_positive], minlength=len(score)),
    )


def _kept_scores(table: ScoreTable, also: tuple[float, ...]) -> NDArray[np.intp]:
    """Positions of the scores that become points: all, or quantiles of the rows and of the positives."""
    n_scores = len(table.score)
    if n_scores <= MAX_SCORES:
        return np.arange(n_scores)
    asked = np.searchsorted(table.score, np.asarray(also, np.float64), side="left")
    ends = np.array([0, n_scores - 1])
    kept = np.concatenate(
        [ends, _quantiles(table.pos_below), _quantiles(table.pos_below + table.neg_below), asked]
    )
    return np.unique(kept[kept < n_scores])


def _quantiles(n_below: NDArray[np.int64]) -> NDArray[np.intp]:
    """Positions of the scores at evenly spaced ranks of the counted rows."""
    n_counted = int(n_below[-1])
    if n_counted == 0:
        return np.empty(0, np.intp)
    rank = np.arange(GRID_POINTS) * (n_counted - 1) // (GRID_POINTS - 1)
    return np.searchsorted(n_below, rank, side="right") - 1


@dataclass(frozen=True)
class _PostCounts:
    """Posts by threshold over all distinct scores, shape (S + 1,)."""

    n: int
    n_pos: int
    missed: NDArray[np.int64]
    unopened: NDArray[np.int64]


def _count_posts(rows: ScoredRows, at: NDArray[np.intp], n_scores: int) -> _PostCounts:
    lowest_positive = np.full(rows.n_posts, n_scores)
    np.minimum.at(lowest_positive, rows.post[rows.is_positive], at[rows.is_positive])
    highest = np.full(rows.n_posts, -1)
    np.maximum.at(highest, rows.post, at)
    lowest_positive, highest = lowest_positive[lowest_positive < n_scores], highest[highest >= 0]
    return _PostCounts(
        n=len(highest),
        n_pos=len(lowest_positive),
        missed=_n_below(lowest_positive, n_scores),
        unopened=_n_below(highest, n_scores),
    )


def _n_below(position: NDArray[np.intp], n_scores: int) -> NDArray[np.int64]:
    """How many positions lie below each threshold index 0 … S."""
    return np.append(0, np.cumsum(np.bincount(position, minlength=n_scores)))


def _data_id(table: ScoreTable, posts: _PostCounts) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in (table.score, table.n_pos, table.n_neg, posts.missed, posts.unopened):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _criteria(
    rows: ScoredRows, criterion: NDArray[np.intp] | None, n_criteria: int, first_missed: NDArray[np.intp]
) -> tuple[CriterionTradeoff, ...]:
    """Steps of each criterion; ``first_missed`` is the threshold index from which on a row lies below."""
    if criterion is None:
        return ()
    found = []
    for code in range(n_criteria):
        is_row = criterion == code
        step, n_new = np.unique(first_missed[is_row & rows.is_positive], return_counts=True)
        n_pos = int(n_new.sum())
        n_missed = np.append(0, np.cumsum(n_new))
        found.append(
            CriterionTradeoff(
                n_rows=int(np.count_nonzero(is_row)),
                n_pos=n_pos,
                step=np.append(0, step).astype(np.int32),
                n_missed=n_missed.astype(np.int32),
                sensitivity=_bounds(n_pos - n_missed, n_pos),
            )
        )
    return tuple(found)


def _freeze(part: Tradeoff | CriterionTradeoff | Interval) -> None:
    """Make every array read-only: a cached trade-off is shared between runs."""
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        elif isinstance(value, Interval):
            _freeze(value)
    if isinstance(part, Tradeoff):
        for one in part.criteria:
            _freeze(one)
