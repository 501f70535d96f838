"""Intervals of rates over annotated answers and queries: Wilson for shares, a bootstrap for other means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import Annotations, Codes, Responses
from evalcore.drawn.replicates import Resampling, means
from evalcore.drawn.weights import hashes
from evalcore.evaluation.intervals import LEVEL, NONE, Bounds
from evalcore.evaluation.options import Options
from evalcore.inference.binomial import wilson
from evalcore.inference.clustered import ClusterSums, ci_method, share_interval
from evalcore.inference.percentile import MIN_DEFINED, percentile_interval

Values = NDArray[np.float64]
NOT_ESTIMABLE = "not estimable: every value is the same"


@dataclass(frozen=True, eq=False)
class Draws:
    """What is drawn together, and how often in each replicate.

    Parameters
    ----------
    unit : int codes, shape (R,), of each record.
    resampling : of P units; None without a bootstrap.
    word : what the units are: ``queries``, or the name of the cluster column.
    """

    unit: Codes
    resampling: Resampling | None
    word: str

    @staticmethod
    def of(annotations: Annotations, responses: Responses, options: Options) -> Draws:
        """The units of a task's records: each by itself, or with the others of its cluster."""
        ids = [str(one) for one in annotations.record_ids]
        unit, word = np.arange(len(ids)), "queries"
        if options.cluster in responses.slices:
            codes, levels = responses.slices[str(options.cluster)]
            cluster = np.full(len(ids), -1)
            np.maximum.at(cluster, responses.record, codes)
            unit = np.where(cluster >= 0, cluster, len(levels) + unit)
            ids, word = [*levels, *ids], str(options.cluster)
        drawn = Resampling.of(hashes(ids), options.bootstrap, options.seed) if options.bootstrap else None
        return Draws(unit, drawn, word)

    def of_share(self, values: Values, record: Codes) -> Bounds:
        """Wilson's interval of a share; where rows come in clusters, the one for clustered shares."""
        is_case = ~np.isnan(values)
        n = int(is_case.sum())
        if n == 0:
            return NONE
        if self.word == "queries":
            found = wilson(int((values == 1).sum()), n, confidence=LEVEL)
            return Bounds(float(found.low), float(found.high), LEVEL, f"wilson(n={n};sides=2)")
        _, unit = np.unique(self.unit[record], return_inverse=True)
        sums = ClusterSums.from_rows(values == 1, is_case, unit, int(unit.max()) + 1)
        interval = share_interval(sums, confidence=LEVEL, sides=2)
        return Bounds(float(interval.low), float(interval.high), LEVEL, ci_method(interval, sides=2))

    def of_means(self, columns: list[Values], record: Codes) -> list[Bounds]:
        """Percentile intervals of means over queries; none where all values are the same."""
        if self.resampling is None or not columns:
            return [NONE] * len(columns)
        before, unit = np.unique(self.unit[record], return_inverse=True)
        weights = self.resampling.where(before).weights()
        replicates = means(np.stack(columns, axis=1), unit, len(before), weights)
        interval = percentile_interval(replicates, confidence=LEVEL)
        found = []
        for at, values in enumerate(columns):
            entered = values[~np.isnan(values)]
            n_undefined = int(interval.n_undefined[at])
            if len(entered) and (entered == entered[0]).all():
                found.append(Bounds(method=NOT_ESTIMABLE))
            elif len(replicates) - n_undefined < MIN_DEFINED:
                found.append(NONE)
            else:
                method = (
                    f"cluster_bootstrap({self.word}={len(before)};B={len(replicates)};"
                    f"undefined={n_undefined};seed={self.resampling.seed};sides=2)"
                )
                found.append(Bounds(float(interval.low[at]), float(interval.high[at]), LEVEL, method))
        return found
