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
from evalcore.evaluation.calibration_replicates import REPLICATES as CALIBRATION
from evalcore.evaluation.label_replicates import label_replicates
from evalcore.evaluation.parameters import parameters
from evalcore.evaluation.populations import POPULATIONS
from evalcore.evaluation.units import Units
from evalcore.inference.clustered import ClusterSums, ci_method, share_interval
from evalcore.inference.delong import delong_of_counts
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval
from evalcore.inference.replicated_rows import ReplicatedRows
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
from evalcore.tallies.decisions import Confusion, StateCounts
from evalcore.tallies.scores import ScoredRows

Mask = NDArray[np.bool_]
Replicates = NDArray[np.float64]
LEVEL = 0.95
Params = Mapping[str, Any]
Grid = Callable[[Metric], Iterator[dict[str, Any]]]


class Bounds(NamedTuple):
    """An interval as a line of ``metrics.csv`` states it; NaN and empty where there is none."""

    low: float = np.nan
    high: float = np.nan
    level: float = np.nan
    method: str = ""


NONE = Bounds()
NO_SPREAD = 1e-12
"""Bounds nearer to each other than this share of their size differ by rounding alone."""

BY_DELONG = "classification.auroc"
"""The metric with DeLong's interval, which takes rows as independent: its only one without a bootstrap."""

NO_INTERVAL: Mapping[str, str] = dict.fromkeys(
    ("calibration.ici", "calibration.e50", "calibration.e90"), "a_refitted_curve_widens_the_distance"
)
"""Why resampling gives a metric no interval. A smoothed rate fitted to a replicate strays farther from the
probabilities than that of all rows, so that the percentiles lie too high, often above the value itself."""


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
    _of_counts: dict[Any, Confusion | StateCounts] = field(default_factory=dict)
    _of_units: dict[Any, dict[Any, Replicates]] = field(default_factory=dict)

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
            return self.by_delong(metric, tally)
        if metric.key in NO_INTERVAL:
            return Bounds(method=f"not_estimable({NO_INTERVAL[metric.key]})")
        found = self._replicates(metric, made_with, tally, given, population)
        return NONE if found is None else self._percentiles(found)

    def by_delong(self, metric: Metric, tally: Any) -> Bounds:
        """DeLong's interval of an AUROC over rows; none for other metrics and where its variance is 0."""
        if metric.key != BY_DELONG:
            return NONE
        areas = delong_of_counts(tally.n_pos, tally.n_neg)
        if not areas.variance[0] > 0:
            return NONE
        interval = areas.interval(confidence=LEVEL)
        method = f"delong(rows={int(tally.total)};sides=2;independence_assumed)"
        return Bounds(float(interval.low[0]), float(interval.high[0]), LEVEL, method)

    def _percentiles(self, replicates: Replicates) -> Bounds:
        """Percentiles over replicates; none where these do not vary, for then they say nothing of chance."""
        assert self.resampling is not None
        interval = percentile_interval(replicates, confidence=LEVEL)
        n_undefined = int(interval.n_undefined)
        if len(replicates) - n_undefined < MIN_DEFINED:
            return NONE
        low, high = float(interval.low), float(interval.high)
        made = (
            f"{self.units.word}={len(self.units)};B={len(replicates)};"
            f"undefined={n_undefined};seed={self.resampling.seed}"
        )
        if high - low <= NO_SPREAD * max(abs(low), abs(high)):
            return Bounds(method=f"not_estimable(alike_in_replicates;{made})")
        return Bounds(low, high, LEVEL, f"cluster_bootstrap({made};sides=2)")

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
        if metric.family == "calibration":
            of_metric = CALIBRATION.get(metric.key)
            return None if of_metric is None else np.asarray(of_metric(self._replicated, **given), np.float64)
        if metric.tally in ("ScoreTable", "PairTable"):
            return self._on_tables(metric.tally, metric.family).get(_key(metric, given))
        if self.rows is not None and metric.tally in ("Confusion", "StateCounts"):
            return _values(metric, self._counts(metric.tally, made_with), given)
        key = (metric.tally, *sorted(made_with.items()))
        if key not in self._of_units:
            self._of_units[key] = self._over_units(metric.tally, tally, made_with)
        found = self._of_units[key].get((_key(metric, given), population))
        return (
            self._of_units[key].get((metric.key, given.get("variant", "default"))) if found is None else found
        )

    def _over_units(self, kind: str, tally: Any, made_with: Params) -> dict[Any, Replicates]:
        """Every mean and quantile over queries or posts that a tally gives, means in one product."""
        code = self.posts if kind == "LabelMatrix" else self.units.code
        columns: dict[Any, Replicates] = {}
        spreads: dict[bytes, tuple[Replicates, list[tuple[Any, float]]]] = {}
        for metric in METRICS.values() if code is not None else ():
            for given in self._cells(metric, made_with) if metric.tally == kind else ():
                result = metric(tally, **given)
                for population in metric.population if isinstance(result, PerQuery) else ():
                    values = np.where(POPULATIONS[population][0](tally), result.values, np.nan)
                    key = (_key(metric, given), population)
                    if result.quantile is None:
                        columns[key] = values
                    else:
                        spreads.setdefault(values.tobytes(), (values, []))[1].append((key, result.quantile))
        found: dict[Any, Replicates] = {}
        if kind == "LabelMatrix" and code is not None:
            found |= label_replicates(tally, code, len(self.units), self.weights)
        if columns and code is not None:
            of_columns = means(np.stack(list(columns.values()), axis=1), code, len(self.units), self.weights)
            found |= zip(columns, np.ascontiguousarray(of_columns.T), strict=True)
        for values, asked in spreads.values():
            assert code is not None
            of_values = quantiles(values, code, self.weights, [share for _, share in asked])
            found |= zip([key for key, _ in asked], of_values.T, strict=True)
        return found

    def _cells(self, metric: Metric, made_with: Params) -> Iterator[dict[str, Any]]:
        """Every combination of what the metric's function is given."""
        accepted = parameters(metric)
        for own in self.grid(metric):
            given = {name: value for name, value in {**made_with, **own}.items() if name in accepted}
            for variant in metric.variants or ("default",):
                yield {**given, **({"variant": variant} if "variant" in accepted else {})}

    @cached_property
    def weights(self) -> Replicates:
        """All weights, shape (B, P)."""
        assert self.resampling is not None
        return self.resampling.weights()

    @cached_property
    def _replicated(self) -> ReplicatedRows:
        assert self.rows is not None
        assert self.resampling is not None
        return ReplicatedRows(self.rows, self.resampling, self.weights)

    def _counts(self, tally: str, made_with: Params) -> Confusion | StateCounts:
        """The counts of all replicates at one threshold or pair; every metric of the tally shares them."""
        assert self.rows is not None
        key = (tally, *sorted(made_with.items()))
        if key not in self._of_counts:
            if tally == "Confusion":
                found: Confusion | StateCounts = confusion(self.rows, made_with["threshold"], self.weights)
            else:
                found = state_counts(self.rows, *self._zones(made_with), self.weights)
            self._of_counts[key] = found
        return self._of_counts[key]

    def _on_tables(self, tally: str, family: str) -> dict[Any, Replicates]:
        """Every metric of a family on the tables of all replicates, a block of these at a time."""
        assert self.resampling is not None
        name = f"{tally} {family}"
        if name not in self._of_tables and self.rows is not None:
            rows = ranked_only(self.rows)  # what depends on the order only needs far fewer distinct scores
            metrics = [m for m in METRICS.values() if m.tally == tally and m.family == family]
            cells = [(m, given) for m in metrics for given in self._cells(m, {})]

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
