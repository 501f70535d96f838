"""Recalibration: a map from probability to probability, fitted on tune rows and shown on others.

Thresholds move with it; the order of rows stays, but isotonic may tie rows and a negative Platt slope
reverses them. On the rows that it was fitted on it flatters itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.logistic import CLIP, fit_line, logit
from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
STEEPEST = 1e6


@dataclass(frozen=True)
class Recalibration:
    """A fitted map of probabilities.

    Parameters
    ----------
    method : ``isotonic``, ``platt`` or ``temperature``.
    parameters : what was fitted, by name; NaN where there is no fit.
    of : the map, float64 in [0, 1] to float64 in [0, 1], shape kept; NaN where there is no fit.
    reason : why there is no fit, or None.
    """

    method: str
    parameters: Mapping[str, float]
    of: Callable[[Floats], Floats]
    reason: str | None = None

    def table(self, table: ScoreTable) -> ScoreTable:
        """The same rows with recalibrated probabilities.

        Raises
        ------
        ValueError : where there is no fit; ``reason`` says why.
        """
        if self.reason is not None:
            raise ValueError(f"no {self.method} recalibration: {self.reason}")
        recalibrated = self.of(table.score)
        order = np.argsort(recalibrated, kind="stable")
        score, start = np.unique(recalibrated[order], return_index=True)
        n_pos, n_neg = (
            np.add.reduceat(counts[..., order], start, axis=-1) for counts in (table.n_pos, table.n_neg)
        )
        return ScoreTable(score, n_pos, n_neg)


def isotonic(tune: ScoreTable) -> Recalibration:
    """The rising steps closest to the labels, straight lines between them, constant beyond the ends.

    Parameters
    ----------
    tune : counts at each distinct probability of the rows to fit on, shape (S,).

    Source
    ------
    Zadrozny and Elkan 2002; equals ``sklearn.isotonic.IsotonicRegression(out_of_bounds="clip")``.
    """
    from scipy.optimize import isotonic_regression

    n = tune.n_pos + tune.n_neg
    held = n > 0
    if not held.any():
        return _without_fit("isotonic", ("n_levels",), "no rows")
    score, rate = tune.score[held], tune.n_pos[held] / n[held]
    level: Floats = isotonic_regression(rate, weights=n[held].astype(float)).x
    return Recalibration(
        "isotonic", {"n_levels": float(len(np.unique(level)))}, lambda p: np.interp(p, score, level)
    )


def platt(tune: ScoreTable) -> Recalibration:
    """A line on the logit scale: logit q = intercept + slope · logit p, by maximum likelihood without priors.

    Parameters
    ----------
    tune : counts at each distinct probability of the rows to fit on, shape (S,).

    Source
    ------
    Platt 1999, on logits and without his smoothed targets.
    """
    line = fit_line(logit(tune.score, CLIP), tune.n_pos, tune.n_neg)
    intercept, slope = float(line.intercept), float(line.slope)
    if math.isnan(slope):
        return _without_fit(
            "platt", ("intercept", "slope"), "one class, or a threshold separates the classes"
        )
    return Recalibration(
        "platt",
        {"intercept": intercept, "slope": slope},
        lambda p: _expit(intercept + slope * logit(p, CLIP)),
    )


def temperature(tune: ScoreTable) -> Recalibration:
    """One divisor of the logit: logit q = logit p / T, by maximum likelihood; p = 0.5 stays.

    Parameters
    ----------
    tune : counts at each distinct probability of the rows to fit on, shape (S,).

    Source
    ------
    Guo et al. 2017 (ICML), for two classes.
    """
    from scipy.optimize import brentq

    x = logit(tune.score, CLIP)
    n = tune.n_pos + tune.n_neg

    def uphill(slope: float) -> float:
        return float((x * (tune.n_pos - n * _expit(slope * x))).sum())

    if uphill(0.0) <= 0:
        reason = "no temperature helps: probabilities do not rise with the labels"
        return _without_fit("temperature", ("temperature",), reason)
    if uphill(STEEPEST) >= 0:
        return _without_fit("temperature", ("temperature",), "every label lies on its side of p = 0.5")
    slope = brentq(uphill, 0.0, STEEPEST, xtol=1e-14, rtol=1e-14)
    return Recalibration("temperature", {"temperature": 1 / slope}, lambda p: _expit(slope * logit(p, CLIP)))


METHODS: Mapping[str, Callable[[ScoreTable], Recalibration]] = {
    "isotonic": isotonic,
    "platt": platt,
    "temperature": temperature,
}


def _expit(x: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(x))


def _without_fit(method: str, names: tuple[str, ...], reason: str) -> Recalibration:
    return Recalibration(method, dict.fromkeys(names, math.nan), lambda p: np.full_like(p, np.nan), reason)
