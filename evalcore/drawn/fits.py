"""Calibration intercept and slope in every bootstrap replicate, all replicates at once.

The expected number of positives is smooth in the parameters and in the score, so that it is carried, to
rounding, by its values at few Chebyshev points; these are sums over rows, one matrix product for all
replicates. A replicate whose fit leaves the range of the points is fitted on its own counts.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly
from numpy.typing import NDArray

from evalcore.drawn.points import REACH, Points, points_of
from evalcore.drawn.rows import ReplicatedRows, Sums
from evalcore.kernels.logistic import (
    FARTHEST,
    FULL_STEPS,
    Line,
    fit_intercept,
    fit_line,
    intercept_of,
    line_of,
    logit,
)

Floats = NDArray[np.float64]
TERMS = 18
"""Of the series: on ±1 the logistic function is within 1e-14 of it."""
TO_POWERS = np.stack(
    [np.pad(cheb2poly(row[: k + 1]), (0, TERMS - 1 - k)) for k, row in enumerate(np.eye(TERMS))]
)
"""The coefficients of each Chebyshev polynomial, a row each."""
SETTLED = 1e-6
"""Newton doubles the correct digits: after a step so small the next one changes nothing."""
SETTLED_INTERCEPT = 1e-8
"""The same for an intercept, which may be near 0, where a relative distance counts."""
BLOCK_CELLS = 1 << 16
"""So many rates at a time, of points times replicates, stay in the processor's cache."""


def intercepts(replicated: ReplicatedRows, clip: float) -> Sums:
    """The intercept with the slope held at 1, shape (B,), as `fit_intercept`; NaN with one class only.

    Parameters
    ----------
    replicated : rows with probabilities.
    clip : in (0, 0.5); probabilities are kept within [clip, 1 − clip].
    """
    centre = intercept_of(replicated.whole, clip)
    if math.isnan(centre):
        (counts,) = yield [replicated.counts()]
        return np.full(len(counts), np.nan)
    points = points_of(replicated, clip)
    counts, at_points = yield [replicated.counts(), points.wanted(replicated, clip)]
    n_pos, n = counts.T
    series = np.einsum("mk,bm->kb", _series(points.x + centre), at_points[:, 2:])
    both = (n_pos > 0) & (n_pos < n)
    t, is_settled = np.zeros(len(n)), ~both
    going = np.flatnonzero(both)
    for _ in range(FULL_STEPS):
        expected, rise = _series_at(series[:, going], t[going])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (n_pos[going] - expected) / rise
        t[going] = np.clip(t[going] + step, -1, 1)
        is_settled[going] = np.abs(step) <= SETTLED_INTERCEPT
        going = going[~is_settled[going]]
        if not len(going):
            break
    found = np.where(both, centre + REACH * t, np.nan)
    alone = both & ~(is_settled & (np.abs(t) < 1))
    if alone.any():
        tables = replicated.tables(alone)
        found[alone] = fit_intercept(logit(tables.score, clip), tables.n_pos, tables.n_neg, start=centre)
    return found


def _series(x: Floats) -> Floats:
    """Coefficients of the powers of t in σ(x + REACH · t) on [−1, 1], of each row; shape (N, TERMS).

    By interpolation in Chebyshev points. Their polynomials' own coefficients grow as 2.4^k, those of the
    function fall as 6.4^−k: nothing is lost on the way to powers, which are evaluated in a third of the time.
    """
    angle = np.pi * (np.arange(TERMS) + 0.5) / TERMS
    to_chebyshev = np.cos(angle[:, None] * np.arange(TERMS)) * (2 / TERMS)
    to_chebyshev[:, 0] /= 2
    return np.asarray(_logistic(x[:, None] + REACH * np.cos(angle)) @ to_chebyshev @ TO_POWERS)


def _series_at(series: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Value and derivative at t of the series of each replicate, from shape (TERMS, B)."""
    value, slope = series[-1].copy(), np.zeros_like(t)
    for coefficients in series[-2::-1]:
        slope *= t
        slope += value
        value *= t
        value += coefficients
    return value, slope


def slopes(replicated: ReplicatedRows, clip: float) -> Sums:
    """The slope, shape (B,), as `fit_line`; NaN where a threshold separates the classes.

    Parameters
    ----------
    replicated : rows with probabilities.
    clip : in (0, 0.5); probabilities are kept within [clip, 1 − clip].
    """
    rows, start = replicated.rows, line_of(replicated.whole, clip)
    x = logit(rows.score, clip)
    first_pos, last_pos = replicated.ends(x, rows.is_positive)
    first_neg, last_neg = replicated.ends(x, ~rows.is_positive)
    is_finite = (last_neg > first_pos) & (last_pos > first_neg)
    found = np.full(len(is_finite), np.nan)
    if math.isnan(float(start.slope)) or not is_finite.any():
        yield [replicated.counts()]
    else:
        points = points_of(replicated, clip)
        (sums,) = yield [points.wanted(replicated, clip)]
        # Blocks of one size: a few replicates left over would be summed in another order.
        n_blocks = math.ceil(len(found) * len(points.x) / BLOCK_CELLS)
        for first, last in pairwise(np.linspace(0, len(found), n_blocks + 1).astype(int)):
            block = slice(first, last)
            found[block] = _near(points, sums[block], start, is_finite[block])
    alone = is_finite & np.isnan(found)
    if alone.any():
        tables = replicated.tables(alone)
        found[alone] = fit_line(logit(tables.score, clip), tables.n_pos, tables.n_neg, start=start).slope
    return found


def _near(points: Points, sums: Floats, start: Line, is_finite: NDArray[np.bool_]) -> Floats:
    """Slopes by Newton steps on the sums at few points; NaN where they do not settle in range."""
    n_pos, sum_pos, *_ = sums.T
    n = np.ascontiguousarray(sums.T[2:])
    x, slope = points.x - points.mean, float(start.slope)
    at = float(start.intercept) + slope * points.mean, slope
    a, b = np.full(len(n_pos), at[0]), np.full(len(n_pos), at[1])
    step_a, step_b = _first_step(x, n, (n_pos, sum_pos), at)
    is_near = np.isfinite(step_a) & (np.abs(step_b) < FARTHEST)
    a, b = a + np.where(is_near, step_a, 0.0), b + np.where(is_near, step_b, 0.0)
    is_settled = np.zeros(len(n_pos), bool)
    going = np.flatnonzero(is_finite)
    for _ in range(FULL_STEPS):
        is_whole = len(going) == len(n_pos) > 1
        if len(going) == 1:
            going = np.repeat(going, 2)  # a single column would be summed in another order
        of_going = n if is_whole else n[:, going]
        step_a, step_b = _step(x, of_going, (n_pos[going], sum_pos[going]), (a[going], b[going]))
        moves = np.isfinite(step_a) & (np.abs(step_b) < FARTHEST)
        going, step_a, step_b = going[moves], step_a[moves], step_b[moves]
        a[going] += step_a
        b[going] += step_b
        is_small = np.maximum(np.abs(step_a), np.abs(step_b)) <= SETTLED * (1 + np.abs(b[going]))
        is_settled[going[is_small]] = True
        going = going[~is_small & (np.abs(b[going]) <= points.steepest)]
        if not len(going):
            break
    return np.where(is_settled & points.carry(a - b * points.mean, b), b, np.nan)


def _first_step(
    x: Floats, n: Floats, positives: tuple[Floats, Floats], at: tuple[float, float]
) -> tuple[Floats, Floats]:
    """The step that all replicates take from one and the same fit, with the curvature's own change in it."""
    rate = _logistic(at[0] + at[1] * x)
    curve = rate * (1 - rate)
    bend = curve * (1 - 2 * rate)
    columns = [rate, rate * x, curve, curve * x, curve * x**2, *(bend * x**k for k in range(4))]
    e0, e1, h00, h01, h11, k0, k1, k2, k3 = np.einsum("km,mb->kb", np.stack(columns), n)
    g0, g1 = positives[0] - e0, positives[1] - e1
    determinant = h00 * h11 - h01 * h01
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        # Chebyshev's correction: what the third derivatives take from the residual after a full step.
        g0, g1 = (
            (k0 * a * a + 2 * k1 * a * b + k2 * b * b) / 2,
            (k1 * a * a + 2 * k2 * a * b + k3 * b * b) / 2,
        )
        back_a, back_b = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
    is_small = np.abs(back_a) + np.abs(back_b) < 0.5 * (np.abs(a) + np.abs(b))
    return np.where(is_small, a - back_a, a), np.where(is_small, b - back_b, b)


def _step(
    x: Floats, n: Floats, positives: tuple[Floats, Floats], at: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """One Newton step of each replicate; ``n`` of shape (M, b), the rest of shape (b,)."""
    intercept, slope = at
    line = np.einsum("m,b->mb", x, slope)  # in half the time of a product with broadcasting
    line += intercept
    rate = _logistic(line, out=line)
    expected = n * rate
    curve = np.multiply(expected, np.subtract(1.0, rate, out=rate), out=rate)
    # Sums along the points: in one order, whichever replicates stand beside each other.
    powers = np.stack([np.ones_like(x), x, x * x])
    e0, e1 = np.einsum("km,mb->kb", powers[:2], expected)
    h00, h01, h11 = np.einsum("km,mb->kb", powers, curve)
    g0, g1 = positives[0] - e0, positives[1] - e1
    determinant = h00 * h11 - h01 * h01
    with np.errstate(divide="ignore", invalid="ignore"):
        return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _logistic(x: Floats, out: Floats | None = None) -> Floats:
    """1 / (1 + e^−x), a third of the time of ``scipy.special.expit`` and within a few bits of it."""
    with np.errstate(over="ignore"):  # e^−x of a number far below 0 is infinite, and the rate 0
        found = np.negative(x, out=out)
        np.exp(found, out=found)
        found += 1.0
        return np.divide(1.0, found, out=found)
