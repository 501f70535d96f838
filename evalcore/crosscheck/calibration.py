"""Calibration a second time: bins by comparison, likelihoods by root finding, lowess point after point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from evalcore.crosscheck.spread import quantile

Scores = Sequence[float]
Labels = Sequence[bool]
Bin = list[tuple[float, bool]]
CLIP = 1e-6
FEWEST_POINTS = 1_000
CELLS = 200_000_000  # points × rows that the smoother visits, a few seconds


def _bins(scores: Scores, labels: Labels, n_bins: int, variant: str) -> list[Bin]:
    """The (probability, label) rows of each bin that has rows."""
    rows = sorted(zip(scores, labels, strict=True))
    bins: list[Bin] = [[] for _ in range(n_bins)]
    if variant == "equal_mass":
        first_place: dict[float, int] = {}
        for place, (score, label) in enumerate(rows):
            first = first_place.setdefault(score, place)
            bins[first * n_bins // len(rows)].append((score, label))
    else:
        edges = [m / n_bins for m in range(n_bins + 1)]
        if variant == "spec_001":
            edges = np.linspace(0, 1, n_bins + 1).tolist()
        at = 0
        for score, label in rows:
            while at < n_bins and score >= edges[at + 1] and (variant == "spec_001" or at < n_bins - 1):
                at += 1
            if at < n_bins:
                bins[at].append((score, label))
    return [rows_of_bin for rows_of_bin in bins if rows_of_bin]


def _gap(rows: Bin) -> float:
    """|mean probability − share with evidence| of a bin."""
    return abs(math.fsum(score for score, _ in rows) - sum(label for _, label in rows)) / len(rows)


def ece(scores: Scores, labels: Labels, *, n_bins: int = 10, variant: str = "default") -> float:
    """Gaps of the bins, each weighted by its rows."""
    if not len(scores):
        return math.nan
    bins = _bins(scores, labels, n_bins, variant)
    return math.fsum(len(rows) * _gap(rows) for rows in bins) / len(scores)


def mce(scores: Scores, labels: Labels, *, n_bins: int = 10, variant: str = "default") -> float:
    """The largest gap."""
    return max((_gap(rows) for rows in _bins(scores, labels, n_bins, variant)), default=math.nan)


def brier(scores: Scores, labels: Labels) -> float:
    """Mean of squares."""
    squares = [(score - label) ** 2 for score, label in zip(scores, labels, strict=True)]
    return math.fsum(squares) / len(squares) if squares else math.nan


def brier_skill(scores: Scores, labels: Labels) -> float:
    """1 − Brier of the rows over Brier of their prevalence."""
    prevalence = sum(labels) / len(labels) if len(labels) else 0
    if prevalence in (0, 1):
        return math.nan
    return 1 - brier(scores, labels) / brier([prevalence] * len(labels), labels)


def log_loss(scores: Scores, labels: Labels, *, clip: float = CLIP) -> float:
    """Mean of −ln of the probability given to what happened."""
    losses = []
    for score, label in zip(scores, labels, strict=True):
        p = min(max(score, clip), 1 - clip)
        losses.append(-math.log(p) if label else -math.log1p(-p))
    return math.fsum(losses) / len(losses) if losses else math.nan


def _logits(scores: Scores, clip: float) -> Any:
    inside = [min(max(score, clip), 1 - clip) for score in scores]
    return np.array([math.log(p / (1 - p)) for p in inside])


def _root(falling: Callable[[float], float]) -> float:
    """Where a falling function is 0, by a bracket that widens; NaN where it stays on one side."""
    from scipy.optimize import brentq

    reach = 1.0
    while falling(-reach) < 0 or falling(reach) > 0:
        reach *= 2
        if reach > 2**20:
            return math.nan
    return float(brentq(falling, -reach, reach, xtol=1e-13, rtol=1e-13, maxiter=500))


def _intercept_beside(offset: Any, label: Any) -> float:
    """The a for which logit P = a + offset expects as many positives as there are."""
    from scipy.special import expit

    return _root(lambda a: float(label.sum() - expit(a + offset).sum()))


def calibration_intercept(scores: Scores, labels: Labels, *, clip: float = CLIP) -> float:
    """Root of the score equation with the logit as offset."""
    if len(set(labels)) < 2:
        return math.nan
    return _intercept_beside(_logits(scores, clip), np.array(labels, float))


def calibration_slope(scores: Scores, labels: Labels, *, clip: float = CLIP) -> float:
    """Root of the derivative of the profile likelihood in b, the intercept fitted anew for each b."""
    from scipy.special import expit

    x, label = _logits(scores, clip), np.array(labels, float)
    positives, negatives = x[label == 1], x[label == 0]
    if not len(positives) or not len(negatives):
        return math.nan
    if positives.max() <= negatives.min() or negatives.max() <= positives.min():
        return math.nan
    centred = x - x.mean()

    def derivative(b: float) -> float:
        line = _intercept_beside(b * centred, label) + b * centred
        return float((centred * (label - expit(line))).sum())

    return _root(derivative)


def _smoothed(scores: Scores, labels: Labels, frac: float) -> tuple[list[float], list[float]]:
    """Distinct scores, and the local line through the nearest rows, weighted by the tricube, at each."""
    x, y = np.array(scores, float), np.array(labels, float)
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    k = min(max(int(frac * len(x) + 1e-10), 2), len(x))
    distinct = sorted(set(x.tolist()))
    n_points = max(CELLS // len(x), FEWEST_POINTS)
    points = sorted({*distinct[:: -(-len(distinct) // n_points)], distinct[-1]})
    rates = []
    left = 0
    for point in points:
        while left + k < len(x) and x[left + k] - point < point - x[left]:
            left += 1
        reach = max(point - x[left], x[left + k - 1] - point)
        if reach == 0:
            rates.append(float(y[x == point].mean()))
            continue
        share = np.minimum(np.abs(x - point) / reach, 1)
        weight = 1 - share * share * share
        weight = weight * weight * weight
        centre = (weight * x).sum() / weight.sum()
        spread = max((weight * (x - centre) * (x - centre)).sum() / weight.sum(), 1e-12)
        line = weight * (1 + (point - centre) * (x - centre) / spread)
        rates.append(float((line * y).sum() / weight.sum()))
    return distinct, np.interp(distinct, points, rates).tolist()


def _distances(scores: Scores, labels: Labels, frac: float) -> list[float]:
    """|score − smoothed rate| of every row, ascending."""
    return _distances_of(tuple(scores), tuple(labels), frac) if len(scores) else []


@lru_cache(maxsize=4)
def _distances_of(scores: tuple[float, ...], labels: tuple[bool, ...], frac: float) -> list[float]:
    """Kept for the next of the three metrics that read them."""
    rate = dict(zip(*_smoothed(scores, labels, frac), strict=True))
    return sorted(abs(score - rate[score]) for score in scores)


def ici(scores: Scores, labels: Labels, *, frac: float = 0.75, it: int = 0, delta: int = 0) -> float:
    """Mean distance of the rows."""
    _check_plain(it, delta)
    distances = _distances(scores, labels, frac)
    return math.fsum(distances) / len(distances) if distances else math.nan


def e50(scores: Scores, labels: Labels, *, frac: float = 0.75, it: int = 0, delta: int = 0) -> float:
    """Median distance of the rows."""
    _check_plain(it, delta)
    return quantile(_distances(scores, labels, frac), 0.5)


def e90(scores: Scores, labels: Labels, *, frac: float = 0.75, it: int = 0, delta: int = 0) -> float:
    """90th percentile of the rows' distances."""
    _check_plain(it, delta)
    return quantile(_distances(scores, labels, frac), 0.9)


def _check_plain(it: int, delta: int) -> None:
    if it or delta:
        raise ValueError("only it = 0 and delta = 0 are defined")


CALIBRATION: dict[str, Callable[..., float]] = {
    "ece": ece,
    "mce": mce,
    "brier": brier,
    "brier_skill": brier_skill,
    "log_loss": log_loss,
    "calibration_intercept": calibration_intercept,
    "calibration_slope": calibration_slope,
    "ici": ici,
    "e50": e50,
    "e90": e90,
}
