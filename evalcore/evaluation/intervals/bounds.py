"""The interval of each value: bounds of shares, and percentiles over bootstrap replicates for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.replicates import Resampling
from evalcore.evaluation.intervals.defined_values import Asked, Replicates, entering
from evalcore.evaluation.intervals.jackknife import (
    figures_without_each,
    half_width,
    spread_half_width,
    without_each,
)
from evalcore.evaluation.intervals.replicates import GroupReplicates, decided_rows
from evalcore.evaluation.populations import value_over
from evalcore.inference.binomial import wilson
from evalcore.inference.clustered import ClusterSums, ci_method, share_interval
from evalcore.inference.correlation import UNKNOWN, ScoreCorrelation
from evalcore.inference.delong import delong_of_counts
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval
from evalcore.metrics.classification import auroc
from evalcore.spec import Metric, declared
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.units import Units

Mask = NDArray[np.bool_]
LEVEL = 0.95


class Bounds(NamedTuple):
    """An interval as a line of ``metrics.csv`` states it; NaN and empty where there is none."""

    low: float = np.nan
    high: float = np.nan
    level: float = np.nan
    method: str = ""


NONE = Bounds()
NO_SPREAD = 1e-12
"""Bounds nearer to each other than this share of their size differ by rounding alone."""

BY_DELONG = declared(auroc)
"""The metric with DeLong's interval, which takes rows as independent: its only one without a bootstrap."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of one group with what they are drawn with.

    Parameters
    ----------
    units : of the rows or queries of the group, shape (N,).
    rows : their scores and labels, where the tallies are of scored rows, or of scored pairs.
    resampling : how often each unit is drawn; None without a bootstrap.
    own_thresholds : each row's τ_neg and τ_pos where there is no pair for all, shape (2, N).
    posts : the unit of each post that has a row of a `LabelMatrix`; None where posts lie in several units.
    are_apart : whether every query or answer is a unit by itself, whatever the data.
    """

    units: Units
    rows: ScoredRows | None
    resampling: Resampling | None
    own_thresholds: NDArray[np.float64] | None = None
    posts: NDArray[np.intp] | None = None
    are_apart: bool = False
    _of_label: dict[bool, ScoreCorrelation] = field(default_factory=dict, init=False, repr=False)

    def bounds(self, asked: Sequence[Asked]) -> list[Bounds]:
        """The interval of each value; none for what has no replicates."""
        return self.intervals(asked)[0]

    def intervals(
        self, asked: Sequence[Asked], *, with_replicates: bool = False
    ) -> tuple[list[Bounds], list[Replicates | None]]:
        """The interval of each value, and its replicates where it has them, of shares on request only."""
        found = [NONE] * len(asked)
        of_rows = [one.metric.cases is not None and self.rows is not None for one in asked]
        is_share = [holds or one.metric.is_share for holds, one in zip(of_rows, asked, strict=True)]
        shares = [at for at, holds in enumerate(of_rows) if holds]
        for at, bounds in zip(shares, self._shares([asked[at] for at in shares]), strict=True):
            found[at] = bounds
        for at, one in enumerate(asked):
            if one.metric.is_share:
                found[at] = self._share_of_units(one)
        if self.resampling is None:
            for at, one in enumerate(asked):
                found[at] = found[at] if is_share[at] else self.by_delong(one.metric, one.tally)
            return found, [None] * len(asked)
        drawn = GroupReplicates(self.units, self.rows, self.resampling, self.own_thresholds, self.posts).of(
            {
                at: one
                for at, one in enumerate(asked)
                if not (one.no_interval or one.spread)
                and (with_replicates or not (is_share[at] or one.lies_beside))
            }
        )
        whose = f"{self.units.word}={len(self.units)}"
        around = [at for at in drawn if not is_share[at] and not asked[at].lies_beside]
        of_them = percentile_bounds([drawn[at] for at in around], whose, self.resampling.seed)
        for at, bounds in zip(around, of_them, strict=True):
            found[at] = bounds
        for at, one in enumerate(asked):
            if one.no_interval or one.spread or one.lies_beside:
                found[at] = self._left_out(one, self.resampling.n_replicates, whose)
            if one.lies_beside and at in drawn:
                drawn[at] = centred(one, drawn[at])
        return found, [drawn.get(at) for at in range(len(asked))]

    def _left_out(self, asked: Asked, most: int, whose: str) -> Bounds:
        """The interval of a value around which replicates do not lie, from at most so many parts, if any."""
        if asked.no_interval:
            return no_interval(asked.no_interval)
        if asked.spread is None:
            without = without_each(asked, self.units, most)
            return jackknife_bounds(_value(asked), without, whose, within=asked.bounds)
        figures = figures_without_each(asked.result, asked.spread, self.units, most)
        return spread_bounds(_value(asked), [figures], [asked.spread.size], whose, within=asked.bounds)

    def by_delong(self, metric: Metric, tally: Any) -> Bounds:
        """DeLong's interval of an AUROC over rows; none for other metrics and where its variance is 0."""
        if metric.key != BY_DELONG.key:
            return NONE
        areas = delong_of_counts(tally.n_pos, tally.n_neg)
        if not areas.variance[0] > 0:
            return NONE
        interval = areas.interval(confidence=LEVEL)
        method = f"delong(rows={int(tally.total)};sides=2;independence_assumed)"
        return Bounds(float(interval.low[0]), float(interval.high[0]), LEVEL, method)

    def _shares(self, asked: Sequence[Asked]) -> list[Bounds]:
        """Bounds of shares near 0 or 1, where percentiles of a bootstrap are wrong."""
        cases, scales, correlations = [], [], []
        for one in asked:
            assert one.metric.cases is not None
            assert self.rows is not None
            decided = decided_rows(self.rows, one.made_with, self.own_thresholds)
            cases.append(one.metric.cases(decided, one.given.get("variant", one.metric.default_variant)))
            is_case, succeeds = cases[-1]
            # A rate over more rows than its cases has their bounds at the share of them that these rows have.
            n_cases = int(np.count_nonzero(is_case))
            scales.append(one.result.scale * n_cases / (int(one.result.denominator) or 1))
            correlations.append(self.correlation(one.metric, is_case, succeeds))
        return self.share_bounds(cases, scales, correlations)

    def _share_of_units(self, asked: Asked) -> Bounds:
        """Bounds of a share of queries or answers: Wilson's, or one over clusters where these are drawn."""
        values = entering(asked)
        is_case, succeeds = ~np.isnan(values), values == 1
        if not self.are_apart:
            return self.share_bounds([(is_case, succeeds)], [1.0])[0]
        n = int(np.count_nonzero(is_case))
        found = wilson(int(np.count_nonzero(succeeds)), n, confidence=LEVEL)
        return Bounds(float(found.low), float(found.high), LEVEL, f"wilson(n={n};sides=2)")

    def correlation(self, metric: Metric, is_case: Mask, succeeds: Mask) -> float:
        """Of a share's outcome within units at most: that of the scores, where one threshold decides it."""
        rows = self.rows
        if metric.succeed is None or rows is None or self.own_thresholds is not None or not is_case.any():
            return UNKNOWN
        label = bool(rows.is_positive[is_case][0])  # the same for all cases
        if label not in self._of_label:
            self._of_label[label] = ScoreCorrelation.of(rows.score[is_case], self.units.code[is_case])
        n, n_good = np.count_nonzero(is_case), np.count_nonzero(is_case & succeeds)
        return float(self._of_label[label].of_share(n_good, n, metric.succeed))

    def share_bounds(
        self,
        cases: Sequence[tuple[Mask, Mask]],
        scales: Sequence[float],
        correlations: Sequence[float] | float = UNKNOWN,
    ) -> list[Bounds]:
        """Bounds over units of shares, each given by its cases, those that succeed, and its scale.

        Parameters
        ----------
        cases : of each share, masks of its cases and of what succeeds.
        scales : what each is multiplied by.
        correlations : of each share's outcome within units at most, in [0, 1].
        """
        if not cases:
            return []
        each = np.broadcast_to(correlations, len(cases))
        sums = ClusterSums.together(
            [
                ClusterSums.from_rows(
                    succeeds, is_case, self.units.code, len(self.units), correlation=correlation
                )
                for (is_case, succeeds), correlation in zip(cases, each, strict=True)
            ]
        )
        interval = share_interval(sums, confidence=LEVEL, sides=2)
        found = []
        for at, scale in enumerate(scales):
            low, high = scale * float(interval.low[at]), scale * float(interval.high[at])
            method = ci_method(interval.one(at), sides=2)
            found.append(Bounds(low, high, LEVEL, method) if sums.n[at] else NONE)
        return found


def no_interval(reason: str) -> Bounds:
    """The reason in place of an interval."""
    return Bounds(method=f"not_estimable({reason})")


def centred(asked: Asked, replicates: Replicates) -> Replicates:
    """The replicates moved so that their mean is the value, within the metric's bounds.

    For means of values beside which their replicates lie: users drawn with repetition recommend fewer
    distinct items than as many other users would.
    """
    if np.isnan(replicates).all():
        return replicates
    moved = replicates + (_value(asked) - np.nanmean(replicates))
    return np.asarray(np.clip(moved, *asked.bounds))


def _value(asked: Asked) -> float:
    return value_over(asked.metric, asked.tally, asked.given, asked.result, asked.population)[0]


def jackknife_bounds(
    value: float,
    without: Replicates,
    whose: str,
    *,
    level: float = LEVEL,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Bounds:
    """A value with its standard error from parts left out in turn; none where these change nothing.

    Parameters
    ----------
    value : or difference of values.
    without : it without each part, shape (G,), from `without_each`.
    whose : as of `percentile_bounds`.
    level : of the interval, in (0, 1).
    within : the range of the value.
    """
    made = f"{whose};parts={len(without)};undefined={np.count_nonzero(np.isnan(without))}"
    half = half_width(without, level)
    if np.isnan(half):
        return NONE
    if half <= NO_SPREAD * max(abs(value), 1.0):
        return Bounds(method=f"not_estimable(alike_in_replicates;{made})")
    low, high = np.clip([value - half, value + half], *within).tolist()
    return Bounds(low, high, level, f"jackknife({made};sides=2)")


def spread_bounds(
    value: float,
    without: Sequence[Replicates],
    sizes: Sequence[Callable[[Replicates], Replicates]],
    whose: str,
    *,
    level: float = LEVEL,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Bounds:
    """How unlike figures are, or a difference of two such values, give or take the size of what chance adds.

    None where a figure rests on one part alone, without which there is none.

    Parameters
    ----------
    value, level, within : as of `jackknife_bounds`.
    without, sizes : as of `spread_half_width`.
    whose : as of `percentile_bounds`.
    """
    made = f"{whose};parts={len(without[0])}"
    if any(np.isnan(one).any() for one in without):
        return Bounds(method=f"not_estimable(a_group_of_one_part;{made})")
    half = spread_half_width(without, sizes, level)
    if np.isnan(half):
        return NONE
    if half <= NO_SPREAD * max(abs(value), 1.0):
        return Bounds(method=f"not_estimable(alike_in_replicates;{made})")
    low, high = np.clip([value - half, value + half], *within).tolist()
    return Bounds(low, high, level, f"spread({made};sides=2)")


def percentile_bounds(
    replicates: Sequence[Replicates],
    whose: str,
    seed: int,
    *,
    level: float = LEVEL,
    size: float = 0.0,
) -> list[Bounds]:
    """Percentiles over replicates; none where these do not vary, for then they say nothing of chance.

    Parameters
    ----------
    replicates : of each value, shape (B,).
    whose : what is drawn and how many there are, such as ``posts=1477``.
    seed : of the replicates.
    level : of the intervals, in (0, 1).
    size : of what the values are differences of, whose rounding they hold; 0 where they are none.
    """
    if not replicates:
        return []
    interval = percentile_interval(np.stack(replicates).T, confidence=level)
    n_replicates, found = len(replicates[0]), []
    for low, high, n_undefined in zip(
        interval.low.tolist(), interval.high.tolist(), interval.n_undefined.tolist(), strict=True
    ):
        made = f"{whose};B={n_replicates};undefined={n_undefined};seed={seed}"
        if n_replicates - n_undefined < MIN_DEFINED:
            found.append(NONE)
        elif high - low <= NO_SPREAD * max(abs(low), abs(high), size):
            found.append(Bounds(method=f"not_estimable(alike_in_replicates;{made})"))
        else:
            found.append(Bounds(low, high, level, f"cluster_bootstrap({made};sides=2)"))
    return found
