"""What may be said of a target, given an estimate, its bound and the number of cases behind both."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Verdict = Literal[
    "not_assessed", "not_met", "met_with_confidence", "infeasible_with_this_n", "met_point_only"
]

VERDICTS: tuple[Verdict, ...] = (
    "not_assessed",
    "not_met",
    "met_with_confidence",
    "infeasible_with_this_n",
    "met_point_only",
)
"""Every verdict in the order in which they are considered; codes are positions in this tuple."""

MIN_CASES = 20
"""Fewer cases than this carry an interval and no verdict."""


def verdict(
    successes: float,
    n: float,
    *,
    target: float,
    low: float,
    best_low: float,
    none_is_not_met: bool = False,
) -> Verdict:
    """What may be said of the target "share at least so much", for one share.

    Parameters
    ----------
    successes, n
        Counts behind the estimate.
    target
        Share wanted, in [0, 1].
    low
        Lower bound of the share at the confidence of the target.
    best_low
        The bound that n cases without a single failure would have.
    none_is_not_met
        Whether no case at all (no alerts) fails the target instead of leaving it open.

    Returns
    -------
    Verdict
        The first that holds, in the order of ``VERDICTS``.

    Examples
    --------
    >>> verdict(687, 690, target=0.995, low=0.98883, best_low=0.99567)
    'met_point_only'
    >>> verdict(0, 0, target=0.9, low=float("nan"), best_low=float("nan"), none_is_not_met=True)
    'not_met'
    """
    codes = verdict_codes(
        successes, n, target=target, low=low, best_low=best_low, none_is_not_met=none_is_not_met
    )
    return VERDICTS[int(codes)]


def verdict_codes(
    successes: ArrayLike,
    n: ArrayLike,
    *,
    target: float,
    low: ArrayLike,
    best_low: ArrayLike,
    none_is_not_met: bool = False,
) -> NDArray[np.int8]:
    """The verdicts of many shares at once, as positions in ``VERDICTS``.

    Parameters
    ----------
    successes, n, low, best_low
        As for ``verdict``, of one shape or broadcastable.
    target
        Share wanted, in [0, 1].
    none_is_not_met
        As for ``verdict``.

    Returns
    -------
    int8 array
        Codes 0 … 4 in the common shape.
    """
    n_cases = np.asarray(n, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.asarray(successes, np.float64) / n_cases
    return codes_of_estimates(
        estimate, n_cases, target=target, low=low, best_low=best_low, none_is_not_met=none_is_not_met
    )


def codes_of_estimates(
    estimate: ArrayLike,
    n: ArrayLike,
    *,
    target: float,
    low: ArrayLike,
    best_low: ArrayLike,
    none_is_not_met: bool = False,
) -> NDArray[np.int8]:
    """The same for estimates on any scale on which more is better, with bounds and target on that scale."""
    n_cases, estimate = np.asarray(n, np.float64), np.asarray(estimate, np.float64)
    first_that_holds: list[tuple[Verdict, NDArray[np.bool_]]] = [
        ("not_met", (n_cases == 0) & none_is_not_met),
        ("not_assessed", (n_cases < MIN_CASES) | np.isnan(estimate)),
        ("not_met", estimate < target),
        ("met_with_confidence", np.asarray(low) >= target),
        ("infeasible_with_this_n", np.asarray(best_low) < target),
    ]
    codes = np.select(
        [holds for _, holds in first_that_holds],
        [VERDICTS.index(name) for name, _ in first_that_holds],
        VERDICTS.index("met_point_only"),
    )
    return codes.astype(np.int8)


def is_not_excluded(high: ArrayLike, target: float) -> NDArray[np.bool_]:
    """Whether a target that the estimate misses still lies within the interval; False where undefined."""
    return np.asarray(high, np.float64) >= target
