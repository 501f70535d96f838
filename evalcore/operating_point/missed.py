"""Missed checks with evidence per 1,000 checks: bounds implied by screening sensitivity, and the verdict."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.inference.verdicts import codes_of_estimates

Floats = NDArray[np.float64]
PER = 1000


def missed_per_1000(low: ArrayLike, high: ArrayLike, *, prevalence: float) -> tuple[Floats, Floats]:
    """Bounds of the missed per 1,000 checks from those of screening sensitivity: 1000·prevalence·(1 − bound).

    Only a check with evidence can be missed. With the share of these taken as that of the rows the two say
    the same, so that neither allows more misses than the other.

    Parameters
    ----------
    low, high : bounds of screening sensitivity, in [0, 1], of one shape.
    prevalence : share of the rows with evidence, in [0, 1].

    Returns
    -------
    Lower and upper bound, in [0, 1000].

    Examples
    --------
    >>> [bound.item() for bound in missed_per_1000(0.75, 1.0, prevalence=0.1)]
    [0.0, 25.0]
    """
    scale = PER * prevalence
    return scale * (1 - np.asarray(high, np.float64)), scale * (1 - np.asarray(low, np.float64))


def most_missed_per_1000(low: float, *, n_pos: int, n_rows: int) -> float:
    """The most missed per 1,000 of counted rows that a lower bound of screening sensitivity allows."""
    return float(missed_per_1000(low, 1.0, prevalence=n_pos / max(n_rows, 1))[1])


def missed_codes(
    n_missed: ArrayLike, *, n_pos: int, n_rows: int, target: float, low: ArrayLike, best_low: ArrayLike
) -> NDArray[np.int8]:
    """The verdicts on "at most ``target`` missed per 1,000 checks", as positions in ``VERDICTS``.

    Parameters
    ----------
    n_missed : missed checks with evidence at each of some thresholds.
    n_pos, n_rows : checks with evidence, all checks.
    target : missed per 1,000 checks that are tolerated, in [0, 1000].
    low : one-sided lower bounds of screening sensitivity; NaN without a positive.
    best_low : the same if nothing were missed.

    Examples
    --------
    >>> from evalcore.inference.verdicts import VERDICTS
    >>> codes = missed_codes([5, 6], n_pos=100, n_rows=1000, target=5, low=[0.9, 0.88], best_low=0.97)
    >>> [VERDICTS[code] for code in codes]
    ['met_point_only', 'not_met']
    """
    n = max(n_rows, 1)
    per_1000 = PER * np.asarray(n_missed, np.float64) / n
    highs = (missed_per_1000(bound, 1.0, prevalence=n_pos / n)[1] for bound in (low, best_low))
    high, best_high = highs
    return codes_of_estimates(-per_1000, n_pos, target=-target, low=-high, best_low=-best_high)
