"""What every threshold misses of each criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import Interval, clopper_pearson
from evalcore.tallies.scores import ScoredRows


@dataclass(frozen=True)
class CriterionTradeoff:
    """Missed positives of one criterion as τ_neg rises, in steps.

    Parameters
    ----------
    n_rows, n_pos
        Rows and positives of the criterion.
    step
        int32, shape (T,), ascending from 0: the threshold indices from which on ``n_missed`` holds.
    n_missed
        int32, shape (T,): positives below the threshold.
    sensitivity
        Two-sided exact interval of the share of positives kept, shape (T,); NaN without positives. A post
        has one row of a criterion, so that these rows belong to different posts.
    """

    n_rows: int
    n_pos: int
    step: NDArray[np.int32]
    n_missed: NDArray[np.int32]
    sensitivity: Interval


def missed_by_criterion(
    rows: ScoredRows,
    criterion: NDArray[np.intp] | None,
    n_criteria: int,
    first_missed: NDArray[np.intp],
    *,
    confidence: float,
) -> tuple[CriterionTradeoff, ...]:
    """Steps of each criterion; none where the criteria are not known.

    Parameters
    ----------
    rows : scored rows.
    criterion : int, shape (N,), codes 0 … n_criteria − 1.
    n_criteria : number of criteria.
    first_missed : int, shape (N,): the threshold index from which on a row lies below.
    confidence : of the intervals, in (0, 1).
    """
    if criterion is None:
        return ()
    found = []
    n_rows = np.bincount(criterion[criterion >= 0], minlength=n_criteria)
    of_positive, missed_from = criterion[rows.is_positive], first_missed[rows.is_positive]
    for code in range(n_criteria):
        step, n_new = np.unique(missed_from[of_positive == code], return_counts=True)
        n_pos = int(n_new.sum())
        n_missed = np.append(0, np.cumsum(n_new))
        found.append(
            CriterionTradeoff(
                n_rows=int(n_rows[code]),
                n_pos=n_pos,
                step=np.append(0, step).astype(np.int32),
                n_missed=n_missed.astype(np.int32),
                sensitivity=clopper_pearson(n_pos - n_missed, n_pos, confidence=confidence),
            )
        )
    return tuple(found)
