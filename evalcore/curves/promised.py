"""Points of reliability diagrams, smoothed and binned, and of the score distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.bins import bins_of, equal_width_edges
from evalcore.kernels.lowess import smooth_rate
from evalcore.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Reliability:
    """Promised and observed rate of evidence by bin of the probability.

    Parameters
    ----------
    low, high : float64, shape (M,), edges of the bins; for ``equal_mass`` their first and last probability.
    n, n_pos : int64, shape (M,), rows, and rows with evidence: what an interval of the rate needs.
    mean_probability, observed_rate : float64 in [0, 1], shape (M,), NaN in an empty bin.
    variant : how the bins were made.
    """

    low: Floats
    high: Floats
    n: Counts
    n_pos: Counts
    mean_probability: Floats
    observed_rate: Floats
    variant: str


@dataclass(frozen=True)
class SmoothedReliability:
    """The smoothed rate of evidence by probability.

    Parameters
    ----------
    probability : float64 in [0, 1], shape (P,), ascending.
    rate : float64, shape (P,); it may leave [0, 1] at the ends.
    """

    probability: Floats
    rate: Floats


@dataclass(frozen=True)
class ScoreDistribution:
    """Rows with and without evidence by bin of the score.

    Parameters
    ----------
    low, high : float64, shape (M,), edges; [low, high), the last one closed.
    n_pos, n_neg : int64, shape (M,).
    """

    low: Floats
    high: Floats
    n_pos: Counts
    n_neg: Counts


def reliability(table: ScoreTable, n_bins: int = 10, variant: str = "default") -> Reliability:
    """Promised and observed rate of evidence by bin; the gaps weighted by n make the ECE of the same variant.

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : M, at least 1.
    variant : ``default``, ``spec_001`` or ``equal_mass``, as in ``calibration.ece``.

    Returns
    -------
    Reliability; ``equal_mass`` leaves out bins that ties have emptied.

    Examples
    --------
    >>> bins = reliability(ScoreTable(np.array([0.25, 0.75]), np.array([1, 3]), np.array([1, 1])), n_bins=2)
    >>> bins.n.tolist(), bins.mean_probability.tolist(), bins.observed_rate.tolist()
    ([2, 4], [0.25, 0.75], [0.5, 0.75])
    """
    bins = bins_of(table, n_bins, variant)
    start, n, n_pos, sum_score = bins.start, bins.n, bins.n_pos, bins.sum_score
    if variant == "equal_mass":
        held = n > 0
        low, high = table.score[start[:-1][held]], table.score[start[1:][held] - 1]
        n, n_pos, sum_score = n[held], n_pos[held], sum_score[held]
    else:
        edges = np.linspace(0, 1, n_bins + 1) if variant == "spec_001" else equal_width_edges(n_bins)
        low, high = edges[:-1], edges[1:]
    with np.errstate(invalid="ignore"):
        return Reliability(low, high, n, n_pos, sum_score / n, n_pos / n, variant)


def smoothed_reliability(table: ScoreTable, frac: float = 0.75) -> SmoothedReliability:
    """The lowess curve behind ICI, E50 and E90, at the probabilities where it is fitted (at most 1,000).

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    frac : share of the rows in each neighbourhood, in (0, 1].
    """
    fit = smooth_rate(table, frac)
    return SmoothedReliability(fit.score[fit.is_point], fit.rate[fit.is_point])


def score_distribution(table: ScoreTable, n_bins: int = 50) -> ScoreDistribution:
    """Rows with and without evidence in bins of equal width over [0, 1].

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : M, at least 1.
    """
    bins = bins_of(table, n_bins)
    edges = equal_width_edges(n_bins)
    return ScoreDistribution(edges[:-1], edges[1:], bins.n_pos, bins.n - bins.n_pos)
