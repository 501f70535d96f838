"""Intervals of means over groups: the mean of the groups' values in each replicate, with the same draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.evaluation.intervals.bounds import Bounds, no_interval, percentile_bounds
from evalcore.evaluation.intervals.defined_values import Replicates
from evalcore.evaluation.over_groups import Cell, cell_of
from evalcore.evaluation.row import Row
from evalcore.tallies.units import Units

NO_REPLICATES = Bounds(method="not_estimable(a_group_without_replicates)")
"""Of a mean that holds a group's fill value, which no draw changes."""


@dataclass(eq=False)
class GroupMeans:
    """Sums over the groups seen so far, by what they are of, in every replicate.

    A group that is undefined in a replicate is left out of that replicate's mean, as one that is undefined
    is left out of the mean itself.

    Parameters
    ----------
    seed : of the replicates.
    """

    seed: int
    _sums: dict[Cell, Replicates] = field(default_factory=dict)
    _entered: dict[Cell, NDArray[np.int64]] = field(default_factory=dict)
    _without: dict[Cell, Bounds] = field(default_factory=dict)
    _units: set[int] = field(default_factory=set)
    _word: str = ""

    def add(self, rows: list[Row], replicates: list[Replicates | None], units: Units) -> None:
        """One more group: its rows, each one's value in every replicate, and what it is drawn by."""
        self._units.update(units.hashed.tolist())
        self._word = units.word
        for row, drawn in zip(rows, replicates, strict=True):
            cell = cell_of(row)
            if drawn is not None:
                is_defined = ~np.isnan(drawn)
                value = np.where(is_defined, drawn, 0.0)
                self._sums[cell] = self._sums[cell] + value if cell in self._sums else value
                self._entered[cell] = self._entered.get(cell, 0) + is_defined.astype(np.int64)
            elif not math.isnan(row.value):
                metric = METRICS[f"{row.family}.{row.metric}"]
                self._without[cell] = no_interval(metric.no_interval) if metric.no_interval else NO_REPLICATES

    def bounds(self) -> dict[Cell, Bounds]:
        """The interval of each mean, or why it has none."""
        cells = [cell for cell in self._sums if cell not in self._without]
        with np.errstate(invalid="ignore"):
            means = [self._sums[cell] / self._entered[cell] for cell in cells]
        found = percentile_bounds(means, f"{self._word}={len(self._units)}", self.seed)
        return {**dict(zip(cells, found, strict=True)), **self._without}
