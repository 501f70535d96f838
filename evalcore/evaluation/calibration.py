"""Calibration of one set of rows: every calibration metric, its bins, and what recalibration would change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.catalog import of_family
from evalcore.curves import Reliability, reliability
from evalcore.curves.recalibration import METHODS, Recalibration
from evalcore.evaluation.parameters import parameters
from evalcore.evaluation.values import measure
from evalcore.inference.binomial import Interval, clopper_pearson
from evalcore.tallies.neighbours import Neighbours, Side, neighbours
from evalcore.tallies.scores import ScoreTable


@dataclass(frozen=True)
class CalibrationValue:
    """One calibration metric of one set of rows.

    Parameters
    ----------
    metric : its key, such as ``calibration.ece``.
    variant : name of the definition; ``default`` where there is one only.
    value : NaN where undefined.
    n : how many rows it rests on.
    note : the reason of a NaN, or a remark.
    """

    metric: str
    variant: str
    value: float
    n: int
    note: str


@dataclass(frozen=True)
class Recalibrated:
    """What a recalibration fitted on tune rows makes of test rows.

    Parameters
    ----------
    fit : the fitted map.
    table : the test rows with their new probabilities; None where there is no fit.
    values : their calibration by (metric, variant); empty where there is no fit.
    """

    fit: Recalibration
    table: ScoreTable | None
    values: Mapping[tuple[str, str], CalibrationValue]


def calibration_values(table: ScoreTable, n_bins: int = 10) -> dict[tuple[str, str], CalibrationValue]:
    """Every calibration metric in every variant, by (metric, variant).

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : bins of those metrics that have bins, at least 1.
    """
    found = {}
    for metric in of_family("calibration"):
        if metric.tally != ScoreTable.__name__:
            continue
        for variant in metric.variants or ("default",):
            params: dict[str, object] = {"n_bins": n_bins} if "n_bins" in parameters(metric) else {}
            if metric.variants:
                params["variant"] = variant
            ((_, _, value, n, note),) = measure(metric, table, params)
            found[metric.key, variant] = CalibrationValue(metric.key, variant, value, n, note)
    return found


def bins_with_interval(
    table: ScoreTable, n_bins: int = 10, variant: str = "default"
) -> tuple[Reliability, Interval]:
    """The observed rate in each bin with its exact 95 % interval, rows taken as independent.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins, variant : as for `evalcore.curves.reliability`.
    """
    bins = reliability(table, n_bins, variant)
    return bins, clopper_pearson(bins.n_pos, bins.n)


@dataclass(frozen=True)
class BesideThreshold:
    """The rows nearest to a threshold on one side of it.

    Parameters
    ----------
    near : how many they are, and with evidence.
    low, high : exact 95 % interval of their rate of evidence, rows taken as independent; NaN without rows.
    """

    near: Neighbours
    low: float
    high: float


def beside_threshold(table: ScoreTable, threshold: float, side: Side, n_rows: int) -> BesideThreshold:
    """The observed rate of evidence just below a threshold, or from it on.

    Parameters
    ----------
    table, threshold, side, n_rows : as for `neighbours`.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(np.array([0.1, 0.9]), np.array([0, 1]), np.array([1, 0]))
    >>> round(beside_threshold(table, 0.5, "above", 10).low, 6)
    0.025
    """
    near = neighbours(table, threshold, side, n_rows)
    if near.n == 0:
        return BesideThreshold(near, math.nan, math.nan)
    bounds = clopper_pearson(near.n_pos, near.n)
    return BesideThreshold(near, float(bounds.low), float(bounds.high))


def recalibrated(tune: ScoreTable, test: ScoreTable, n_bins: int = 10) -> dict[str, Recalibrated]:
    """Each method fitted on tune rows and shown on test rows, by name.

    Parameters
    ----------
    tune, test : counts at each distinct probability, shape (S,), of rows without a common post.
    n_bins : bins of those metrics that have bins, at least 1.
    """
    found = {}
    for name, fit_on in METHODS.items():
        fit = fit_on(tune)
        table = fit.table(test) if fit.reason is None else None
        found[name] = Recalibrated(fit, table, {} if table is None else calibration_values(table, n_bins))
    return found
