"""The interval of each value: bounds of shares, and percentiles over bootstrap replicates for the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.evaluation.populations import POPULATIONS
from evalcore.evaluation.units import Units
from evalcore.inference.clustered import ClusterSums, ci_method, share_interval
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval
from evalcore.inference.replicates import (
    Resampling,
    confusion,
    means,
    quantiles,
    ranked_only,
    score_table,
    state_counts,
)
from evalcore.spec import Metric, PerQuery, Ratio
from evalcore.tallies.decisions import StateCounts
from evalcore.tallies.scores import ScoredRows

Mask = NDArray[np.bool_]
Replicates = NDArray[np.float64]
LEVEL = 0.95
BLIND = ("ici", "e50", "e90")
"""Calibration metrics from a smooth curve: a curve for each of thousands of replicates takes too long."""

Params = Mapping[str, Any]
Grid = Callable[[Metric], Iterator[dict[str, Any]]]


class Bounds(NamedTuple):
    """An interval as a line of ``metrics.csv`` states it; NaN and empty where there is none."""

    low: float = np.nan
    high: float = np.nan
    level: float = np.nan
    method: str = ""


NONE = Bounds()


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of one group with what they are drawn with.

    Parameters
    ----------
    units : of the rows or queries of the group, shape (N,).
    rows : their scores and labels, where the tallies are of scored rows, or of scored pairs.
    resampling : how often each unit is drawn; None without a bootstrap.
    grid : the parameters with which a metric is reported.
    own_thresholds : each row's τ_neg and τ_pos where there is no pair for all, shape (2, N).
    posts : codes of the posts that have a row of a `LabelMatrix`, where posts are what is drawn.
    """

    units: Units
    rows: ScoredRows | None
    resampling: Resampling | None
    grid: Grid
    own_thresholds: NDArray[np.float64] | None = None
    posts: NDArray[np.intp] | None = None
    _of_tables: dict[str, dict[Any, Replicates]] = field(default_factory=dict)

    def bounds(
        self,
        metric: Metric,
        made_with: Mapping[str, Any],
        tally: Any,
        given: Mapping[str, Any],
        population: str,
    ) -> Bounds:
        """The interval of one value; none for what has no replicates."""
        if metric.key in SHARES and self.rows is not None:
            return self._share(metric, made_with, given, tally)
        if self.resampling is None:
            return NONE
        found = self._replicates(metric, made_with, tally, given, population)
        if found is None:
            return NONE
        interval = percentile_interval(found, confidence=LEVEL)
        n_undefined = int(interval.n_undefined)
        if len(found) - n_undefined < MIN_DEFINED:
            return NONE
        method = (
            f"cluster_bootstrap({self.units.word}={len(self.units)};B={len(found)};"
            f"undefined={n_undefined};seed={self.resampling.seed};sides=2)"
        )
        return Bounds(float(interval.low), float(interval.high), LEVEL, method)

    def _share(self, metric: Metric, made_with: Params, given: Params, tally: Any) -> Bounds:
        assert self.rows is not None
        ratio = metric(tally, **given)
        if int(ratio.denominator) == 0:
            return NONE
        is_case, is_success = SHARES[metric.key](self._zones(made_with), self.rows.is_positive, given)
        sums = ClusterSums.from_rows(is_success, is_case, self.units.code, len(self.units))
        interval = share_interval(sums, confidence=LEVEL, sides=2)
        low, high = (ratio.scale * float(bound) for bound in (interval.low, interval.high))
        return Bounds(low, high, LEVEL, ci_method(interval, sides=2))

    def _zones(self, made_with: Params) -> tuple[Mask, Mask]:
        """Which rows are skipped or not called, and which raise an alert or are called."""
        assert self.rows is not None
        score = self.rows.score
        if "threshold" in made_with:
            called = score >= made_with["threshold"]
            return ~called, called
        if self.own_thresholds is not None:
            low, high = self.own_thresholds
            skipped = score < low
            return skipped, ~skipped & (score >= high)
        skipped = score < made_with["tau_neg"]
        return skipped, ~skipped & (score >= made_with["tau_pos"])

    def _replicates(
        self,
        metric: Metric,
        made_with: Mapping[str, Any],
        tally: Any,
        given: Mapping[str, Any],
        population: str,
    ) -> Replicates | None:
        assert self.resampling is not None
        if metric.tally in ("ScoreTable", "PairTable"):
            return self._on_tables(metric.tally, metric.family).get(_key(metric, given))
        if self.rows is not None and metric.tally == "Confusion":
            return _values(metric, confusion(self.rows, made_with["threshold"], self.weights), given)
        if self.rows is not None and metric.tally == "StateCounts":
            return _values(metric, self._states(made_with), given)
        result = metric(tally, **given)
        code = self.posts if metric.tally == "LabelMatrix" else self.units.code
        if code is None or not isinstance(result, PerQuery):
            return None
        members = POPULATIONS[population][0](tally)
        values = np.where(members, result.values, np.nan)
        if result.quantile is not None:
            return quantiles(values, code, self.weights, result.quantile)
        return means(values, code, len(self.units), self.weights)

    @cached_property
    def weights(self) -> Replicates:
        """All weights, shape (B, P)."""
        assert self.resampling is not None
        return self.resampling.weights()

    def _states(self, made_with: Params) -> StateCounts:
        assert self.rows is not None
        return state_counts(self.rows, *self._zones(made_with), self.weights)

    def _on_tables(self, tally: str, family: str) -> dict[Any, Replicates]:
        """Every metric of a family on the tables of all replicates, a block of these at a time."""
        assert self.resampling is not None
        name = f"{tally} {family}"
        if name not in self._of_tables and self.rows is not None:
            # What depends on the order only needs far fewer distinct scores.
            rows = self.rows if family == "calibration" else ranked_only(self.rows)
            metrics = [
                m for m in METRICS.values() if m.tally == tally and m.family == family and m.name not in BLIND
            ]
            cells = [
                (m, {**params, **({"variant": variant} if m.variants else {})})
                for m in metrics
                for params in self.grid(m)
                for variant in m.variants or ("default",)
            ]

            def of_block(weights: Replicates) -> list[Replicates]:
                table = score_table(rows, weights)
                return [_values(metric, table, given) for metric, given in cells]

            blocks = self.resampling.blocks(len(np.unique(rows.score)))
            with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:  # numpy works outside Python's lock
                parts = list(zip(*pool.map(of_block, blocks), strict=True))
            keys = [_key(metric, given) for metric, given in cells]
            self._of_tables[name] = {
                key: np.concatenate(of_cell) for key, of_cell in zip(keys, parts, strict=True)
            }
        return self._of_tables.get(name, {})


def _key(metric: Metric, given: Params) -> tuple[Any, ...]:
    return (metric.key, *sorted(given.items()))


def _values(metric: Metric, tally: Any, given: Params) -> Replicates:
    result = metric(tally, **given)
    return np.asarray(result.value if isinstance(result, Ratio) else result, np.float64)


Cases = Callable[[tuple[Mask, Mask], Mask, Params], tuple[Mask, Mask]]

SHARES: Mapping[str, Cases] = {
    "classification.sensitivity": lambda zones, label, _: (label, zones[1]),
    "classification.specificity": lambda zones, label, _: (~label, zones[0]),
    "classification.false_positive_rate": lambda zones, label, _: (~label, zones[1]),
    "classification.precision": lambda zones, label, _: (zones[1], label),
    "classification.npv": lambda zones, label, _: (zones[0], ~label),
    "gate.screening_sensitivity": lambda zones, label, _: (label, ~zones[0]),
    "gate.screening_fn_per_1000": lambda zones, label, given: (
        label if given.get("variant", "default") != "default" else np.ones_like(label),
        zones[0] & label,
    ),
    "gate.alert_precision": lambda zones, label, _: (zones[1], label),
    "gate.alert_recall": lambda zones, label, _: (label, zones[1]),
    "gate.neg_npv": lambda zones, label, _: (zones[0], ~label),
}
"""Shares near 0 or 1, where percentiles of a bootstrap are wrong: their cases, and which of these succeed."""
