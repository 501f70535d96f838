"""A line and a curve fitted to labels: intercept, slope, distances to the smoothed rate; of a `ScoreTable`.

A calibrated probability has intercept 0 and slope 1; the smoothed rate needs no bins.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evalcore.kernels.logistic import (
    CLIP,
    clipping_note,
    fit_intercept,
    fit_line,
    intercept_of,
    line_of,
    logit,
    overlaps,
)
from evalcore.kernels.lowess import SmoothRate, smooth_rate
from evalcore.metrics.calibration import over_sums
from evalcore.metrics.calibration.errors import NO_ROWS, ONE_CLASS
from evalcore.spec import Undefined, metric
from evalcore.tallies.scores import ScoreTable

FRAC = 0.75
SEPARATED = Undefined(
    lambda table: ~_has_slope(table),
    "no finite slope: a threshold separates the classes, or all probabilities are alike",
)
NOT_CONVERGED = Undefined(
    lambda table: _has_slope(table) & np.isnan(_slope(table, CLIP)), "the fit does not converge"
)
_calibration = partial(
    metric, family="calibration", population="all_queries", needs_probability=True, contract_value=math.nan
)


@_calibration(
    label="Calibration intercept",
    formula="a of logit P(y = 1) = a + logit p, p within [clip, 1 − clip]",
    undefined=ONE_CLASS,
    bounds=(-math.inf, math.inf),
    better="neither",
    source="Steyerberg 2019, ch. 15 (calibration in the large); design contract, calibration",
    params=("clip",),
    remark=clipping_note,
    drawn=over_sums.INTERCEPT,
    short="Intercept",
    headline=("family",),
    meaning="0 is right; above 0 all probabilities are too low, below 0 too high",
)
def calibration_intercept(table: ScoreTable, *, clip: float = CLIP) -> Any:
    """How far all probabilities together are too low (above 0) or too high (below 0), on the logit scale.

    The slope is held at 1 (offset model); the intercept of the model that also fits the slope differs.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    clip : in (0, 0.5); probabilities are kept within [clip, 1 − clip].

    Returns
    -------
    float, or array over replicates; 0 is calibrated.

    Source
    ------
    Cox 1958; ``CalibrationCurves::val.prob.ci.2`` (R), "Intercept".

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))
    >>> round(float(calibration_intercept(table)), 6)  # ln 3
    1.098612
    """
    if table.n_pos.ndim == 1:
        return intercept_of(table, clip)
    start = None if table.of is None else intercept_of(table.of, clip)
    return fit_intercept(logit(table.score, clip), table.n_pos, table.n_neg, start=start)


@_calibration(
    label="Calibration slope",
    formula="b of logit P(y = 1) = a + b · logit p, p within [clip, 1 − clip]",
    undefined=(*ONE_CLASS, SEPARATED, NOT_CONVERGED),
    bounds=(-math.inf, math.inf),
    better="neither",
    source="Cox 1958; design contract, calibration",
    params=("clip",),
    remark=clipping_note,
    drawn=over_sums.SLOPE,
    short="Slope",
    headline=("family",),
    meaning="1 is right; below 1 probabilities are too extreme, above 1 too timid",
)
def calibration_slope(table: ScoreTable, *, clip: float = CLIP) -> Any:
    """Whether probabilities are too extreme (below 1) or too timid (above 1), on the logit scale.

    Where many probabilities are 0 or 1, the clip decides the value: the note counts them.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    clip : in (0, 0.5); probabilities are kept within [clip, 1 − clip].

    Returns
    -------
    float, or array over replicates; 1 is calibrated.

    Source
    ------
    ``CalibrationCurves::val.prob.ci.2`` (R), "Slope".
    """
    return _slope(table, clip)


def _has_slope(table: ScoreTable) -> Any:
    return overlaps(logit(table.score), table.n_pos, table.n_neg)


def _slope(table: ScoreTable, clip: float) -> Any:
    if table.n_pos.ndim == 1:
        return line_of(table, clip).slope
    start = None if table.of is None else line_of(table.of, clip)
    return fit_line(logit(table.score, clip), table.n_pos, table.n_neg, start=start).slope


def _smooth(table: ScoreTable, frac: float, it: int, delta: int) -> SmoothRate:
    if it or delta:
        raise ValueError(f"it = {it}, delta = {delta}: only it = 0 and delta = 0 are defined")
    return smooth_rate(table, frac)


def _distance_quantile(fit: SmoothRate, q: float) -> float:
    """The quantile over rows (linear, as ``np.quantile``) of |score − smoothed rate|."""
    distance = np.abs(fit.score - fit.rate)
    order = np.argsort(distance)
    above = np.cumsum(fit.n[order])
    position = q * (above[-1] - 1)
    at = np.searchsorted(above, [math.floor(position), math.ceil(position)], side="right")
    lower, upper = distance[order][at]
    return float(lower + (upper - lower) * (position % 1))


def _smooth_remark(table: ScoreTable, *, frac: float = FRAC, it: int = 0, delta: int = 0) -> str:
    fit = _smooth(table, frac, it, delta)
    n_scores, n_points = len(fit.score), int(fit.is_point.sum())
    if n_points == n_scores:
        return ""
    return f"smoothed at {n_points:,} of {n_scores:,} distinct probabilities, straight lines between"


_smoothed = partial(
    _calibration,
    undefined=(NO_ROWS,),
    bounds=(0, math.inf),
    better="lower",
    source="Austin and Steyerberg 2019, Stat. Med. 38:4051; design contract, calibration",
    params=("frac", "it", "delta"),
    remark=_smooth_remark,
    no_interval="a_refitted_curve_widens_the_distance",  # as of the gaps of bins
)


@_smoothed(
    label="Integrated calibration index (ICI)",
    formula="mean over rows of |p − lowess rate at p|",
    short="ICI",
    headline=("family",),
    meaning="mean distance between promised and smoothed rate, without bins",
)
def ici(table: ScoreTable, *, frac: float = FRAC, it: int = 0, delta: int = 0) -> float:
    """Mean distance between a query's probability and the smoothed rate of evidence at it, all queries.

    The smoother is lowess, not R's loess, which gives other values on the same rows.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,); one data set at a time, no replicate axis.
    frac : share of the rows in each neighbourhood, in (0, 1].
    it, delta : always 0: no robustness iterations, no skipped scores (statsmodels' names).

    Returns
    -------
    float, beyond 1 only where the smoothed rate leaves [0, 1] at an end.

    Source
    ------
    Exact up to 1,000 distinct probabilities, within about 1e-6 beyond.
    """
    fit = _smooth(table, frac, it, delta)
    return float((fit.n * np.abs(fit.score - fit.rate)).sum() / fit.n.sum()) if len(fit.n) else math.nan


@_smoothed(
    label="E50",
    formula="median over rows of |p − lowess rate at p|",
    meaning="half of the checks are closer to the smoothed rate than this",
)
def e50(table: ScoreTable, *, frac: float = FRAC, it: int = 0, delta: int = 0) -> float:
    """Median distance between a query's probability and the smoothed rate of evidence at it, all queries.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,); one data set at a time, no replicate axis.
    frac : share of the rows in each neighbourhood, in (0, 1].
    it, delta : always 0, as in `ici`.

    Source
    ------
    Quantile linear between rows.
    """
    fit = _smooth(table, frac, it, delta)
    return _distance_quantile(fit, 0.5) if len(fit.n) else math.nan


@_smoothed(
    label="E90",
    formula="90th percentile over rows of |p − lowess rate at p|",
    meaning="nine in ten checks are closer to the smoothed rate than this",
)
def e90(table: ScoreTable, *, frac: float = FRAC, it: int = 0, delta: int = 0) -> float:
    """Distance between a query's probability and the smoothed rate of evidence that 90 % of all queries keep.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,); one data set at a time, no replicate axis.
    frac : share of the rows in each neighbourhood, in (0, 1].
    it, delta : always 0, as in `ici`.

    Source
    ------
    Quantile linear between rows.
    """
    fit = _smooth(table, frac, it, delta)
    return _distance_quantile(fit, 0.9) if len(fit.n) else math.nan
