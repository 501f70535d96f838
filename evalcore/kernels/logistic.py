"""Logistic regression of the label on one number, on counts and for many replicates at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import kept_with
from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
CLIP = 1e-6
MAX_STEPS = 100
FULL_STEPS = 12
FULL_TOLERANCE = 1e-6
FARTHEST = 10.0
"""A full Newton step that changes the slope by more is one too far."""
TOLERANCE = 1e-9  # of the last step: Newton doubles the correct digits, so that the next one changes nothing


@dataclass(frozen=True)
class Line:
    """``logit P(label) = intercept + slope · x``, each of shape (...), NaN where there is no finite fit."""

    intercept: Floats
    slope: Floats


def logit(probability: Floats, clip: float = CLIP) -> Floats:
    """log(p / (1 − p)) with p kept within [clip, 1 − clip]."""
    inside = np.clip(probability, clip, 1 - clip)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def clipping_note(table: ScoreTable, *, clip: float = CLIP) -> str:
    """How many probabilities the clip moved, and how many 0s and 1s the label contradicts; or nothing."""
    n = table.n_pos + table.n_neg
    n_clipped = int(n[(table.score < clip) | (table.score > 1 - clip)].sum())
    n_contradicted = int(table.n_pos[table.score == 0].sum() + table.n_neg[table.score == 1].sum())
    if not n_clipped:
        return ""
    return (
        f"{n_clipped:,} of {int(table.total):,} probabilities clipped at {clip:g}; "
        f"{n_contradicted:,} contradicted (p = 0 with evidence or p = 1 without)"
    )


def overlaps(x: Floats, n_pos: Counts, n_neg: Counts) -> NDArray[np.bool_]:
    """Whether no threshold on x separates the classes, so that a slope has a finite estimate.

    Parameters
    ----------
    x : ascending, shape (S,); equal values may repeat.
    n_pos, n_neg : counts at x, shape (..., S).

    Returns
    -------
    bool, shape (...): False with one class, one value of x, or classes that touch in one value at most.
    """
    first_pos, last_pos = _range_with_rows(x, n_pos)
    first_neg, last_neg = _range_with_rows(x, n_neg)
    return (last_neg > first_pos) & (last_pos > first_neg)


def fit_intercept(offset: Floats, n_pos: Counts, n_neg: Counts, *, start: float | None = None) -> Floats:
    """Maximum-likelihood a of ``logit P(label) = a + offset``: observed and expected positives agree.

    Parameters
    ----------
    offset : finite, shape (S,).
    n_pos, n_neg : counts at each offset, shape (..., S).
    start : where to look first; None where nothing is known.

    Returns
    -------
    float64, shape (...); NaN with one class only.
    """
    from scipy.special import expit

    n = n_pos + n_neg
    observed = np.asarray(n_pos.sum(axis=-1), float)
    others = np.asarray(n_neg.sum(axis=-1), float)
    both = (observed > 0) & (others > 0)
    centre = np.log(np.where(both, observed, 1)) - np.log(np.where(both, others, 1))
    low, high = centre - offset.max(initial=0), centre - offset.min(initial=0)
    a, converged = centre, ~both
    if start is not None and math.isfinite(start):
        a = np.clip(np.full_like(centre, start), low, high)
    for _ in range(MAX_STEPS):
        expected = expit(a[..., None] + offset)
        missing = observed - (n * expected).sum(axis=-1)
        low, high = np.where(missing >= 0, a, low), np.where(missing <= 0, a, high)
        expected *= n * (1 - expected)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = missing / expected.sum(axis=-1)
        new = np.where((a + step >= low) & (a + step <= high), a + step, (low + high) / 2)
        a, converged = np.where(converged, a, new), converged | (np.abs(new - a) <= TOLERANCE)
        if converged.all():
            break
    return np.where(both & converged, a, np.nan)


def intercept_of(table: ScoreTable, clip: float) -> float:
    """`fit_intercept` of a table's probabilities, shape (S,); the fit stays with its table."""
    return kept_with(
        table,
        f"intercept_{clip}",
        lambda: float(fit_intercept(logit(table.score, clip), table.n_pos, table.n_neg)),
    )


def line_of(table: ScoreTable, clip: float) -> Line:
    """`fit_line` of a table's probabilities, shape (S,); the fit stays with its table."""
    return kept_with(
        table, f"line_{clip}", lambda: fit_line(logit(table.score, clip), table.n_pos, table.n_neg)
    )


def fit_line(x: Floats, n_pos: Counts, n_neg: Counts, *, start: Line | None = None) -> Line:
    """Maximum-likelihood intercept and slope of ``logit P(label) = intercept + slope · x``.

    Newton steps from a start near the fit; where these do not settle, Newton steps from no slope at all,
    halved while they lower the likelihood.

    Parameters
    ----------
    x : finite, ascending, shape (S,).
    n_pos, n_neg : counts at each x, shape (..., S).
    start : where to look first; None for a calibrated model, intercept 0 and slope 1.

    Returns
    -------
    Line; NaN where a threshold separates the classes, or where 100 steps do not settle.
    """
    if n_pos.ndim == 1:
        line = fit_line(x, n_pos[None], n_neg[None], start=start)
        return Line(line.intercept[0], line.slope[0])
    finite = overlaps(x, n_pos, n_neg)
    n = n_pos + n_neg
    mean = (n @ x) / np.maximum(n.sum(axis=-1), 1)
    near = _newton(x, n_pos, n, mean, finite, start or Line(np.zeros(()), np.ones(())))
    far = finite & np.isnan(near.slope)
    if far.any():
        halved = _halved_newton(x, n_pos[far], n[far], mean[far])
        near.intercept[far], near.slope[far] = halved.intercept, halved.slope
    return near


def _newton(
    x: Floats, n_pos: Counts, n: Counts, mean: Floats, finite: NDArray[np.bool_], start: Line
) -> Line:
    """Full steps only, few where the start is near the fit; NaN where they do not settle."""
    a, b = start.intercept + start.slope * mean, np.full_like(mean, start.slope)
    settled, going = np.zeros(len(mean), bool), np.flatnonzero(finite)
    for _ in range(FULL_STEPS):
        from_mean = x - mean[going, None]
        step_a, step_b = _newton_step(from_mean, n_pos[going], n[going], a[going], b[going])
        moves = np.isfinite(step_a) & np.isfinite(step_b) & (np.abs(step_b) < FARTHEST)
        going, step_a, step_b = going[moves], step_a[moves], step_b[moves]
        a[going], b[going] = a[going] + step_a, b[going] + step_b
        # What a full step leaves is about its square: the last one need not be tiny.
        small = _is_small(step_a, a[going], FULL_TOLERANCE) & _is_small(step_b, b[going], FULL_TOLERANCE)
        settled[going[small]] = True
        going = going[~small]
        if not len(going):
            break
    return Line(np.where(settled, a - b * mean, np.nan), np.where(settled, b, np.nan))


def _halved_newton(x: Floats, n_pos: Counts, n: Counts, mean: Floats) -> Line:
    """Steps that never lower the likelihood; every row of the counts has a finite fit."""
    from_mean = x - mean[..., None]
    total = np.maximum(n.sum(axis=-1), 1)
    share = np.clip(n_pos.sum(axis=-1) / total, 0.5 / total, 1 - 0.5 / total)
    a, b = np.log(share) - np.log1p(-share), np.zeros_like(mean)
    settled = np.zeros(len(mean), bool)
    for _ in range(MAX_STEPS):
        step_a, step_b = _newton_step(from_mean, n_pos, n, a, b)
        moves = ~settled & np.isfinite(step_a) & np.isfinite(step_b)
        step_a, step_b = np.where(moves, step_a, 0), np.where(moves, step_b, 0)
        scale = _uphill_scale(from_mean, n_pos, n, (a, b), (step_a, step_b))
        a, b = a + scale * step_a, b + scale * step_b
        settled = settled | (moves & _is_small(step_a, a) & _is_small(step_b, b))
        if not (moves & ~settled).any():
            break
    return Line(np.where(settled, a - b * mean, np.nan), np.where(settled, b, np.nan))


def _is_small(step: Floats, value: Floats, tolerance: float = TOLERANCE) -> NDArray[np.bool_]:
    return np.abs(step) <= tolerance * (1 + np.abs(value))


def _newton_step(x: Floats, n_pos: Counts, n: Counts, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    from scipy.special import expit

    expected = expit(a[..., None] + b[..., None] * x)
    weight = n * expected
    residual = n_pos - weight
    weight *= 1 - expected
    g0, h00 = residual.sum(axis=-1), weight.sum(axis=-1)
    residual *= x
    weight *= x
    g1, h01 = residual.sum(axis=-1), weight.sum(axis=-1)
    weight *= x
    h11 = weight.sum(axis=-1)
    determinant = h00 * h11 - h01 * h01
    with np.errstate(divide="ignore", invalid="ignore"):
        return (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant


def _uphill_scale(
    x: Floats, n_pos: Counts, n: Counts, at: tuple[Floats, Floats], step: tuple[Floats, Floats]
) -> Floats:
    now = _log_likelihood(x, n_pos, n, *at)
    scale = np.ones_like(now)
    for _ in range(30):
        then = _log_likelihood(x, n_pos, n, at[0] + scale * step[0], at[1] + scale * step[1])
        lower = ~(then >= now - 1e-12 * np.abs(now))
        if not lower.any():
            break
        scale = np.where(lower, scale / 2, scale)
    return scale


def _log_likelihood(x: Floats, n_pos: Counts, n: Counts, a: Floats, b: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far: the caller halves it
        line = a[..., None] + b[..., None] * x
        return np.asarray((n_pos * line - n * np.logaddexp(0, line)).sum(axis=-1))


def _range_with_rows(x: Floats, counts: Counts) -> tuple[Floats, Floats]:
    """Lowest and highest x with a row; (inf, −inf) where there is none."""
    held = counts > 0
    low = np.where(held, x, np.inf).min(axis=-1, initial=np.inf)
    high = np.where(held, x, -np.inf).max(axis=-1, initial=-np.inf)
    return low, high
