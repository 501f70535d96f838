"""DeLong's variance of the area under the ROC curve, for rows taken as independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evalcore.inference.binomial import Interval, Sides
from evalcore.kernels.midranks import midranks


@dataclass(frozen=True, eq=False)
class DeLong:
    """Areas under the ROC curve of M scores on the same rows.

    Parameters
    ----------
    auroc : shape (M,), in [0, 1]; NaN without both classes.
    covariance : of the areas, shape (M, M); NaN with fewer than two rows of a class.
    """

    auroc: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Of each area, shape (M,)."""
        return np.diagonal(self.covariance)

    def interval(self, *, confidence: float = 0.95, sides: Sides = 2) -> Interval:
        """Area ± z·standard error, clipped to [0, 1], for each score.

        Where the classes are apart the variance is 0 and the interval empty: it says nothing there.
        """
        half = special.ndtri(1.0 - (1.0 - confidence) / sides) * np.sqrt(self.variance)
        return Interval(np.maximum(self.auroc - half, 0.0), np.minimum(self.auroc + half, 1.0))


@dataclass(frozen=True)
class DeLongTest:
    """Whether two areas differ.

    Parameters
    ----------
    difference : first area − second area, in [−1, 1].
    standard_error : of the difference; NaN where it is undefined.
    z : difference / standard error; NaN where the error is 0 or undefined.
    p_value : two-sided, in [0, 1]; NaN where z is.
    """

    difference: float
    standard_error: float
    z: float
    p_value: float


def delong(scores: ArrayLike, is_positive: ArrayLike) -> DeLong:
    """Areas under the ROC curve of one score or several on the same rows, and their covariance.

    Rows must be independent; rows of one post are not, and there the variance is somewhat too small.

    Parameters
    ----------
    scores : float, shape (N,) or (M, N); higher speaks for the positive class; finite.
    is_positive : bool, shape (N,).

    Returns
    -------
    DeLong

    Source
    ------
    DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; in O(N log N) from midranks, as Sun and Xu,
    IEEE Signal Processing Letters 2014, 21:1389.

    Examples
    --------
    >>> areas = delong([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    >>> areas.auroc.item(), areas.variance.item()
    (0.75, 0.125)
    """
    rows = np.atleast_2d(np.asarray(scores, np.float64))
    label = np.asarray(is_positive, np.bool_)
    n_pos, n_neg = int(label.sum()), int((~label).sum())
    n_scores = len(rows)
    if n_pos == 0 or n_neg == 0:
        return DeLong(np.full(n_scores, np.nan), np.full((n_scores, n_scores), np.nan))
    rank = midranks(rows)
    # For each positive the share of negatives below it, for each negative the share of positives above it.
    of_positive = (rank[:, label] - midranks(rows[:, label])) / n_neg
    of_negative = 1.0 - (rank[:, ~label] - midranks(rows[:, ~label])) / n_pos
    covariance = _covariance(of_positive) / n_pos + _covariance(of_negative) / n_neg
    return DeLong(of_positive.mean(axis=1), covariance)


def delong_of_counts(n_pos: ArrayLike, n_neg: ArrayLike) -> DeLong:
    """The area of one score and its variance, from the rows at each distinct score.

    Parameters
    ----------
    n_pos, n_neg : whole numbers ≥ 0, shape (S,), in the order of the scores: rows of each class at each.

    Returns
    -------
    DeLong of one score, as `delong` gives for the rows; a row counts as often as it is there.

    Examples
    --------
    >>> areas = delong_of_counts([0, 1, 0, 1], [1, 0, 1, 0])
    >>> areas.auroc.item(), areas.variance.item()
    (0.75, 0.125)
    """
    pos, neg = np.asarray(n_pos, np.float64), np.asarray(n_neg, np.float64)
    n_positive, n_negative = pos.sum(), neg.sum()
    if n_positive == 0 or n_negative == 0:
        return DeLong(np.full(1, np.nan), np.full((1, 1), np.nan))
    neg_below = (np.cumsum(neg) - neg / 2) / n_negative
    pos_below = (np.cumsum(pos) - pos / 2) / n_positive  # varies as the share above does
    area = float(np.average(neg_below, weights=pos))
    variance = sum(_variance_of_mean(*pair) for pair in ((neg_below, pos), (pos_below, neg)))
    return DeLong(np.array([area]), np.array([[variance]], np.float64))


def paired_test(areas: DeLong, first: int = 0, second: int = 1) -> DeLongTest:
    """Whether two scores of the same rows differ in area.

    Parameters
    ----------
    areas : of at least two scores.
    first, second : positions of the two.

    Returns
    -------
    DeLongTest, z taken as normal.

    Source
    ------
    DeLong, DeLong and Clarke-Pearson 1988.

    Examples
    --------
    >>> label = [False, False, False, True, True, True]
    >>> areas = delong([[1, 2, 4, 3, 5, 6], [3, 1, 4, 2, 6, 5]], label)
    >>> result = paired_test(areas)
    >>> round(result.difference, 4), round(result.p_value, 3)
    (0.1111, 0.48)
    """
    variance = float(areas.variance[first] + areas.variance[second] - 2 * areas.covariance[first, second])
    difference = float(areas.auroc[first] - areas.auroc[second])
    if not variance > 0:
        return DeLongTest(difference, 0.0 if variance <= 0 else np.nan, np.nan, np.nan)
    error = float(np.sqrt(variance))
    z = difference / error
    return DeLongTest(difference, error, z, float(2 * special.ndtr(-abs(z))))


def _covariance(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the rows of values, with N − 1 below; NaN with fewer than two columns."""
    n = values.shape[1]
    if n < 2:
        return np.full((len(values), len(values)), np.nan)
    centred = values - values.mean(axis=1, keepdims=True)
    return np.asarray(centred @ centred.T / (n - 1))


def _variance_of_mean(value: NDArray[np.float64], count: NDArray[np.float64]) -> float:
    """Of values that are there so often each, with N − 1 below; NaN with fewer than two."""
    n = count.sum()
    if n < 2:
        return float("nan")
    centred = value - np.average(value, weights=count)
    return float(np.sum(count * centred**2) / (n - 1) / n)
