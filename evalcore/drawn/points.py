"""Few points of the score that stand for all its values where the logistic function is summed over rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.rows import ReplicatedRows, Wanted
from evalcore.kernels.logistic import intercept_of, line_of, logit
from evalcore.rows import kept_with

Floats = NDArray[np.float64]
REACH = 1.0
"""How far from the intercept of all rows those of the replicates are looked for in the series."""
ACCURACY = 1e-12
LAGRANGE_BOUND = 2.0
"""Of a Lagrange polynomial of Chebyshev points on [−1, 1]: its square is at most 2."""
STEEPER = 1.5
"""Slopes up to this multiple of the slope of all rows, and 0.2 more, lie within the points' accuracy."""
SHIFT = 1.5
"""So far, in units of the logit, may the score of an even chance lie from that of all rows."""


@dataclass(frozen=True, eq=False)
class Points:
    """Few points of the score that stand for its distinct values, for rates near those of all rows.

    Between the lowest and the highest value, often the clipped probabilities, which are points of their own,
    they are Chebyshev points of ``asinh((x − centre) / width)``: dense where the rate bends, and far from the
    poles of the logistic function in that scale.

    Parameters
    ----------
    x : the points, shape (M,).
    basis : the weight of each point at each distinct value, shape (D, M).
    of_row : int, shape (N,), which of the distinct values each row has.
    mean : of the rows' scores.
    steepest : the largest slope that is looked for.
    scale : where the points lie, None where they are the distinct values themselves.
    """

    x: Floats
    basis: Floats
    of_row: NDArray[np.intp]
    mean: float
    steepest: float
    scale: Scale | None

    def wanted(self, replicated: ReplicatedRows, clip: float) -> Wanted:
        """Positives, the sum of their scores about the mean, and what the points stand for."""
        label = replicated.rows.is_positive

        def columns() -> Floats:
            from_mean = logit(replicated.rows.score, clip) - self.mean
            return np.concatenate(
                [np.stack([label, label * from_mean], axis=1), self.basis[self.of_row]], axis=1
            )

        bound = np.full(2 + len(self.x), LAGRANGE_BOUND)
        bound[1] = 2 * float(logit(np.array(1.0), clip))  # a distance of two logits
        return Wanted(("points", clip), columns, bound)

    def carry(self, a: Floats, b: Floats) -> NDArray[np.bool_]:
        """Whether the points carry the rates of lines with these intercepts and slopes."""
        if self.scale is None:
            return np.isfinite(b)
        return np.asarray(self.scale.distance(a, b) >= self.scale.least)


class Scale(NamedTuple):
    """The scale t of the points, asinh((x − centre) / width), and what its ends are.

    Parameters
    ----------
    centre, width : of the scale.
    low, high : its ends.
    least : how far from the points poles must lie, as `distance` tells.
    """

    centre: float
    width: float
    low: float
    high: float
    least: float

    def distance(self, a: Any, b: Any) -> Any:
        """Half axes, together, of the ellipse about [−1, 1] through the nearest pole of σ(a + b·x)."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            pole = (-a + 1j * np.pi) / b
            t = (np.arcsinh((pole - self.centre) / self.width) - (self.low + self.high) / 2) * (
                2 / (self.high - self.low)
            )
            axes = np.abs(t + np.sqrt(t * t - 1))
            found = np.maximum(axes, 1 / axes)
        return np.where(np.isnan(found), np.inf, found)


def points_of(replicated: ReplicatedRows, clip: float) -> Points:
    """The points of the rows, made once: intercept and slope rest on the same."""
    return kept_with(replicated, f"points_{clip}", lambda: _points(replicated, clip))


def _points(replicated: ReplicatedRows, clip: float) -> Points:
    rows = logit(replicated.rows.score, clip)
    line, centre = line_of(replicated.whole, clip), intercept_of(replicated.whole, clip)
    a, b = (centre, 1.0) if math.isnan(line.slope) else (float(line.intercept), float(line.slope))
    steepest = STEEPER * abs(b) + 0.2
    x, at = np.unique(rows, return_inverse=True)
    mean, inner = math.fsum(rows) / len(rows), x[1:-1]
    if len(inner) > 1:
        scale = _scale(inner, a, b, steepest, centre)
        n = math.ceil(-math.log(ACCURACY) / math.log(scale.least)) + 4
        if 2 * n < len(inner):
            half = (scale.high - scale.low) / 2
            t = (np.arcsinh((inner - scale.centre) / scale.width) - scale.low) / half - 1
            points, inside = _chebyshev(t, n)
            basis = np.zeros((len(x), n + 2))
            basis[0, 0] = basis[-1, -1] = 1.0
            basis[1:-1, 1:-1] = inside
            between = scale.centre + scale.width * np.sinh(scale.low + half * (1 + points))
            return Points(np.concatenate([x[:1], between, x[-1:]]), basis, at, mean, steepest, scale)
    return Points(x, np.eye(len(x)), at, mean, steepest, None)


def _scale(x: Floats, a: float, b: float, steepest: float, centre: float) -> Scale:
    """The scale for lines about a + b·x up to the steepest, and for slopes of 1 about an intercept."""
    even = -a / b if b else math.inf
    reach = x[-1] - x[0]
    middle, width = float(np.clip(even, x[0] - reach, x[-1] + reach)), math.pi / steepest
    low, high = (float(np.arcsinh((end - middle) / width)) for end in (x[0], x[-1]))
    scale = Scale(middle, width, low, high, 0.0)
    shift = np.linspace(-SHIFT, SHIFT, 17)
    lines = scale.distance((a + shift) * (steepest / b if b else 0.0), np.full(17, steepest))
    offsets = scale.distance(centre + REACH * np.linspace(-1, 1, 9), np.ones(9))
    return scale._replace(least=float(min(lines.min(), offsets.min())))


def _chebyshev(t: Floats, n: int) -> tuple[Floats, Floats]:
    """n Chebyshev points on [−1, 1], and the Lagrange polynomial of each at t, shape (len(t), n).

    Source
    ------
    Berrut and Trefethen 2004, SIAM Review 46:501, barycentric formula.
    """
    angle = np.pi * (np.arange(n) + 0.5) / n
    points = np.cos(angle)
    weight = np.sin(angle) * (-1.0) ** np.arange(n)
    from_point = t[:, None] - points
    is_point = from_point == 0
    from_point[is_point] = 1.0
    share = weight / from_point
    basis = share / share.sum(axis=1, keepdims=True)
    is_on = is_point.any(axis=1)
    basis[is_on] = is_point[is_on]
    return points, basis
