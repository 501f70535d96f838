"""The values of one group in every bootstrap replicate, from its rows and what these are drawn with.

A metric's replicate is the metric of the tally with each unit repeated as often as it is drawn. What a metric
or the kind of its tally or result declares leads to the same values faster; the tests hold both equal.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.drawn.labels import label_counts
from evalcore.drawn.post_values import PostValues, Work, totals_together
from evalcore.drawn.ranks import Order, kind_of
from evalcore.drawn.replicates import (
    Resampling,
    confusion_work,
    means_work,
    quantiles,
    quantiles_work,
    score_counts,
    state_work,
)
from evalcore.drawn.rows import ReplicatedRows, sums_together
from evalcore.drawn.swaps import Swaps, times
from evalcore.evaluation.intervals.defined_values import (
    ON_ROWS,
    Asked,
    Params,
    Replicates,
    entering,
    function_of,
    road_of,
    value_of,
)
from evalcore.spec import Ratio
from evalcore.tallies.decisions import (
    Confusion,
    DecidedRows,
    StateCounts,
    confusion_at,
    states_at,
    states_by_row,
)
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.units import Units

FEW_VALUES = 64
"""Up to so many distinct values are counted in the product that serves the other totals."""

AskedAt = dict[int, Asked]
Found = dict[int, Replicates]


@dataclass(frozen=True, eq=False)
class GroupReplicates:
    """What the replicates of one group rest on.

    Parameters
    ----------
    units, rows, own_thresholds, posts : as of `evalcore.evaluation.intervals.bounds.Sample`.
    resampling : how often each unit is drawn, or in which units two systems change places.
    """

    units: Units
    rows: ScoredRows | None
    resampling: Resampling | Swaps
    own_thresholds: NDArray[np.float64] | None
    posts: NDArray[np.intp] | None

    def of(self, asked: AskedAt) -> Found:
        """Each value in every replicate, shape (B,), by its number, without those that have none."""
        found: Found = {}
        works: list[Work[Found]] = []
        by_road: dict[tuple[Hashable, ...], AskedAt] = {}
        for at, one in asked.items():
            if self._is_drawn(one):
                # Means of all tallies of the same units are summed at once: many of their columns are alike.
                way = road_of(one)
                made_with = () if way == "units" else sorted(one.made_with.items())
                road = (way, one.metric.tally, *made_with)
                by_road.setdefault(road, {})[at] = one
        for (name, *_), of_road in by_road.items():
            match name:
                case "order":
                    found |= self._by_order(of_road)
                case "sums":
                    works.append(self._by_sums(of_road))
                case "labels":
                    works.append(self._by_labels(of_road))
                case "counts":
                    works.append(self._by_counts(of_road))
                case "units":
                    works += self._over_units(of_road)
                case "totals":
                    found |= self._of_totals(of_road)
                case "tables":
                    found |= self._by_tables(of_road)
                case _:
                    found |= self.one_at_a_time(of_road)
        for of_work in totals_together(works, self.weights) if works else ():
            found |= of_work
        return found

    def one_at_a_time(self, asked: AskedAt) -> Found:
        """As `of`, by the definition: the metric of the tally with its units repeated."""
        found = {at: np.empty(self.resampling.n_replicates) for at in asked}
        for replicate, drawn in enumerate(self.resampling.drawn):
            repeated: dict[int, Any] = {}
            for at, one in asked.items():
                if id(one.tally) not in repeated:
                    repeated[id(one.tally)] = self._repeated(one, drawn)
                found[at][replicate] = self._drawn_value(one, repeated[id(one.tally)])
        return found

    def _drawn_value(self, asked: Asked, tally: Any) -> float:
        """The metric of drawn units; a number of units as if as many of those it counts among were drawn."""
        among = None if asked.of_totals is None else asked.of_totals.among
        if among is None or isinstance(self.resampling, Swaps):
            return value_of(asked, tally)
        result = asked.metric(tally, **asked.given)
        totals = np.asarray(result.columns.sum(axis=0), np.float64)
        return float(result.value(totals * (among.sum() / max(int(result.among.sum()), 1))))

    def _by_tables(self, asked: AskedAt) -> Found:
        """As `one_at_a_time`, but the tables of a block of replicates are counted in one product."""
        kind = type(next(iter(asked.values())).tally)
        assert self.rows is not None
        values: dict[int, list[float]] = {at: [] for at in asked}
        for score, n_pos, n_neg in score_counts(self.rows, self.resampling):
            tally = kind(score, n_pos, n_neg)
            for at, one in asked.items():
                values[at].append(value_of(one, tally))
        return {at: np.array(of_one) for at, of_one in values.items()}

    def _repeated(self, asked: Asked, drawn: NDArray[np.uint8]) -> Any:
        """The tally as if the rows, queries or posts of each unit stood there as often as it is drawn."""
        if asked.metric.tally not in ON_ROWS:
            code = self._code(asked.metric.tally)
            assert code is not None
            return asked.tally.take(np.repeat(np.arange(len(code)), drawn[code]))
        rows = self.rows
        assert rows is not None
        at = np.repeat(np.arange(len(rows)), drawn[rows.post])
        repeated = rows.take(at)
        if asked.metric.tally == "Confusion":
            return confusion_at(ScoreTable.from_rows(repeated), asked.made_with["threshold"])
        if asked.metric.tally != "StateCounts":
            return type(asked.tally).from_rows(repeated)
        if self.own_thresholds is not None:
            return states_by_row(repeated.score, repeated.is_positive, *self.own_thresholds[:, at])
        pair = asked.made_with["tau_neg"], asked.made_with["tau_pos"]
        return states_at(ScoreTable.from_rows(repeated), *pair)

    def _is_drawn(self, asked: Asked) -> bool:
        """Whether it is known which units the tally's rows belong to."""
        kind = asked.metric.tally
        return self.rows is not None if kind in ON_ROWS else self._code(kind) is not None

    def _code(self, kind: str) -> NDArray[np.intp] | None:
        """The unit of each query or post of a tally."""
        return self.posts if kind == "LabelMatrix" else self.units.code

    def _by_sums(self, asked: AskedAt) -> Work[Found]:
        """Metrics of sums over rows."""
        assert self.rows is not None
        rows = ReplicatedRows(self.rows, self.resampling, next(iter(asked.values())).tally)
        works = [function_of(one)(rows, **one.given) for one in asked.values()]
        return dict(zip(asked, (yield from sums_together(self.rows, works)), strict=True))

    def _by_order(self, asked: AskedAt) -> Found:
        """Metrics of the order of scores, a block of replicates at a time."""
        assert self.rows is not None
        kind = kind_of(len(self.rows))
        order, parts = Order.of(self.rows, kind), []
        for weights in self.resampling.blocks(order.n_counts, kind):
            ranks = order.drawn(weights)
            parts.append([function_of(one)(ranks, **one.given) for one in asked.values()])
        return {
            at: np.concatenate(of_one) for at, of_one in zip(asked, zip(*parts, strict=True), strict=True)
        }

    def _by_counts(self, asked: AskedAt) -> Work[Found]:
        """Metrics of the counts at one threshold or pair."""
        assert self.rows is not None
        one = next(iter(asked.values()))
        counts: Confusion | StateCounts
        if one.metric.tally == "Confusion":
            counts = yield from confusion_work(self.rows, one.made_with["threshold"])
        else:
            decided = decided_rows(self.rows, one.made_with, self.own_thresholds)
            counts = yield from state_work(self.rows, decided.skipped, decided.alerted)
        return {at: _values(one, counts) for at, one in asked.items()}

    def _of_totals(self, asked: AskedAt) -> Found:
        """Values of totals over units; those of many columns a block of replicates at a time."""
        code = self.units.code
        found: Found = {}
        for at, one in asked.items():
            columns = one.result.columns
            by_unit = sparse.csr_array(
                (np.ones(len(code)), (code, np.arange(len(code)))), shape=(len(self.units), len(code))
            )
            by_column = (by_unit @ columns).T
            by_column = by_column.tocsr() if sparse.issparse(by_column) else np.ascontiguousarray(by_column)
            values = []
            for weights in self.resampling.blocks(by_column.shape[0]):
                totals = np.ascontiguousarray(times(by_column, weights).T)
                if one.result.among is not None and isinstance(weights, np.ndarray):
                    # Draws are of more or fewer users, and the value is over as many as there are.
                    members = by_unit @ one.result.among.astype(float)
                    totals *= (members.sum() / np.maximum(weights @ members, 1.0))[:, None]
                values.append(one.result.value(totals))
            found[at] = np.concatenate(values)
        return found

    def _by_labels(self, asked: AskedAt) -> Work[Found]:
        """Metrics of whole posts."""
        assert self.posts is not None
        tally = next(iter(asked.values())).tally
        counts = yield from label_counts(tally, self.posts, len(self.units))
        return {at: np.asarray(function_of(one)(counts, **one.given)) for at, one in asked.items()}

    def _over_units(self, asked: AskedAt) -> list[Work[Found]]:
        """Means and quantiles over queries or posts."""
        code = self._code(next(iter(asked.values())).metric.tally)
        assert code is not None
        works = self._quantiles(code, asked)
        columns = {at: entering(one) for at, one in asked.items() if one.result.quantile is None}
        bound = [max(map(abs, asked[at].metric.bounds)) for at in columns]
        return [*works, self._of_columns(code, columns, bound)] if columns else works

    def _of_columns(self, code: NDArray[np.intp], columns: Found, bound: list[float]) -> Work[Found]:
        values = np.stack(list(columns.values()), axis=1)
        found = yield from means_work(values, code, len(self.units), bound=bound)
        return dict(zip(columns, np.ascontiguousarray(found.T), strict=True))

    def _quantiles(self, code: NDArray[np.intp], asked: AskedAt) -> list[Work[Found]]:
        """Quantiles over queries or posts, those of the same values from the same counts."""
        by_values: dict[bytes, tuple[Replicates, dict[int, float]]] = {}
        for at, one in asked.items():
            if one.result.quantile is not None:
                values = entering(one)
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
    def weights(self) -> Replicates | Swaps:
        """All weights, shape (B, P), or swaps."""
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


def _values(asked: Asked, tally: Any) -> Replicates:
    result = asked.metric(tally, **asked.given)
    return np.asarray(result.value if isinstance(result, Ratio) else result, np.float64)
