"""The values of one group in every bootstrap replicate, from its rows and what these are drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.calibration_replicates import REPLICATES as CALIBRATION
from evalcore.evaluation.label_replicates import label_replicates
from evalcore.evaluation.populations import POPULATIONS
from evalcore.evaluation.rank_replicates import REPLICATES as RANKS
from evalcore.evaluation.units import Units
from evalcore.inference.post_values import PostValues, Work, totals_together
from evalcore.inference.replicated_ranks import Order
from evalcore.inference.replicated_rows import ReplicatedRows, sums_together
from evalcore.inference.replicates import (
    Resampling,
    confusion_work,
    means_work,
    quantiles,
    quantiles_work,
    state_work,
)
from evalcore.spec import Metric, PerQuery, Ratio
from evalcore.tallies.decisions import Confusion, DecidedRows, StateCounts
from evalcore.tallies.scores import ScoredRows

Replicates = NDArray[np.float64]
Params = Mapping[str, Any]
ON_TABLES = ("ScoreTable", "PairTable")
ON_COUNTS = ("Confusion", "StateCounts")
FEW_VALUES = 64
"""Up to so many distinct values are counted in the product that serves the other totals."""


class Asked(NamedTuple):
    """A defined value whose interval is asked for.

    Parameters
    ----------
    metric : its declaration.
    made_with : the parameters that the tally was made with.
    tally : what the metric was computed on.
    given : what the metric's function was given.
    result : what it returned.
    population : what the value is over.
    """

    metric: Metric
    made_with: Params
    tally: Any
    given: Params
    result: Any
    population: str


AskedAt = dict[int, Asked]
Found = dict[int, Replicates]


@dataclass(frozen=True, eq=False)
class GroupReplicates:
    """What the replicates of one group rest on.

    Parameters
    ----------
    units, rows, own_thresholds, posts : as of `evalcore.evaluation.intervals.Sample`.
    resampling : how often each unit is drawn.
    """

    units: Units
    rows: ScoredRows | None
    resampling: Resampling
    own_thresholds: NDArray[np.float64] | None
    posts: NDArray[np.intp] | None

    def of(self, asked: AskedAt) -> Found:
        """Each value in every replicate, shape (B,), by its number, without those that have none."""
        found: Found = {}
        works: list[Work[Found]] = []
        by_tally: dict[Any, AskedAt] = {}
        for at, one in asked.items():
            kind = "calibration" if one.metric.family == "calibration" else one.metric.tally
            by_tally.setdefault((kind, *sorted(one.made_with.items())), {})[at] = one
        for (kind, *_), of_tally in by_tally.items():
            if kind == "calibration":
                known = {at: one for at, one in of_tally.items() if one.metric.key in CALIBRATION}
                works += [self._calibration(known)] if known else []
            elif kind in ON_TABLES:
                found |= self._on_tables(of_tally)
            elif kind in ON_COUNTS and self.rows is not None:
                works.append(self._on_counts(kind, of_tally))
            else:
                works += self._over_units(kind, of_tally)
        for of_work in totals_together(works, self.weights) if works else ():
            found |= of_work
        return found

    def _calibration(self, asked: AskedAt) -> Work[Found]:
        assert self.rows is not None
        rows = ReplicatedRows(self.rows, self.resampling, self.weights)
        works = [CALIBRATION[one.metric.key](rows, **one.given) for one in asked.values()]
        return dict(zip(asked, (yield from sums_together(self.rows, works)), strict=True))

    def _on_tables(self, asked: AskedAt) -> Found:
        """Metrics of the order of scores, a block of replicates at a time."""
        if self.rows is None:
            return {}
        order = Order.of(self.rows)
        parts = []
        for weights in self.resampling.blocks(order.n_counts):
            ranks = order.drawn(weights)
            parts.append([RANKS[one.metric.key](ranks, **one.given) for one in asked.values()])
        return {
            at: np.concatenate(of_one) for at, of_one in zip(asked, zip(*parts, strict=True), strict=True)
        }

    def _on_counts(self, kind: str, asked: AskedAt) -> Work[Found]:
        """Metrics of the counts at one threshold or pair."""
        assert self.rows is not None
        made_with = next(iter(asked.values())).made_with
        counts: Confusion | StateCounts
        if kind == "Confusion":
            counts = yield from confusion_work(self.rows, made_with["threshold"])
        else:
            decided = decided_rows(self.rows, made_with, self.own_thresholds)
            counts = yield from state_work(self.rows, decided.skipped, decided.alerted)
        return {at: _values(one, counts) for at, one in asked.items()}

    def _over_units(self, kind: str, asked: AskedAt) -> list[Work[Found]]:
        """Means and quantiles over queries or posts, and figures of whole posts."""
        code = self.posts if kind == "LabelMatrix" else self.units.code
        if code is None:
            return []
        works = self._quantiles(code, asked)
        columns = {
            at: _entering(one)
            for at, one in asked.items()
            if isinstance(one.result, PerQuery) and one.result.quantile is None
        }
        if columns:
            works.append(self._of_columns(code, columns))
        if kind == "LabelMatrix":
            works.append(self._of_labels(code, asked))
        return works

    def _of_columns(self, code: NDArray[np.intp], columns: Found) -> Work[Found]:
        found = yield from means_work(np.stack(list(columns.values()), axis=1), code, len(self.units))
        return dict(zip(columns, np.ascontiguousarray(found.T), strict=True))

    def _of_labels(self, code: NDArray[np.intp], asked: AskedAt) -> Work[Found]:
        tally = next(iter(asked.values())).tally
        found = yield from label_replicates(tally, code, len(self.units))
        keys = {at: (one.metric.key, one.given.get("variant", "default")) for at, one in asked.items()}
        return {at: found[key] for at, key in keys.items() if key in found}

    def _quantiles(self, code: NDArray[np.intp], asked: AskedAt) -> list[Work[Found]]:
        """Quantiles over queries or posts, those of the same values from the same counts."""
        by_values: dict[bytes, tuple[Replicates, dict[int, float]]] = {}
        for at, one in asked.items():
            if isinstance(one.result, PerQuery) and one.result.quantile is not None:
                values = _entering(one)
                by_values.setdefault(values.tobytes(), (values, {}))[1][at] = one.result.quantile
        return [self._quantiles_of(code, values, shares) for values, shares in by_values.values()]

    def _quantiles_of(
        self, code: NDArray[np.intp], values: Replicates, shares: dict[int, float]
    ) -> Work[Found]:
        if len(np.unique(values[~np.isnan(values)])) <= FEW_VALUES:
            found = yield from quantiles_work(values, code, len(self.units), list(shares.values()))
        else:
            yield PostValues.none(len(self.units))
            found = quantiles(values, code, self.weights, list(shares.values()))
        return dict(zip(shares, np.ascontiguousarray(found.T), strict=True))

    @property
    def weights(self) -> Replicates:
        """All weights, shape (B, P)."""
        return self.resampling.weights()


def decided_rows(
    rows: ScoredRows, made_with: Params, own_thresholds: NDArray[np.float64] | None = None
) -> DecidedRows:
    """The decision on each row that a tally of the rows counts.

    Parameters
    ----------
    rows : scored rows.
    made_with : the parameters of the tally: ``threshold``, or ``tau_neg`` and ``tau_pos``.
    own_thresholds : each row's τ_neg and τ_pos where there is no pair for all, shape (2, N).
    """
    score, label = rows.score, rows.is_positive
    if "threshold" in made_with:
        called = score >= made_with["threshold"]
        return DecidedRows(~called, called, label)
    low, high = (made_with["tau_neg"], made_with["tau_pos"]) if own_thresholds is None else own_thresholds
    skipped = score < low
    return DecidedRows(skipped, ~skipped & (score >= high), label)


def _entering(asked: Asked) -> Replicates:
    """The value of each query or post, NaN for those outside the population."""
    is_member = POPULATIONS[asked.population][0](asked.tally)
    return np.where(is_member, asked.result.values, np.nan)


def _values(asked: Asked, tally: Any) -> Replicates:
    result = asked.metric(tally, **asked.given)
    return np.asarray(result.value if isinstance(result, Ratio) else result, np.float64)
