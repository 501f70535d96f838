"""Verdicts at every attainable threshold, and the bounds of the missed that follow from those of the kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import Interval
from evalcore.inference.verdicts import MIN_CASES, VERDICTS, verdict_codes
from evalcore.operating_point.missed import PER, missed_codes, missed_per_1000
from evalcore.operating_point.tradeoff.share_bounds import ShareBounds
from evalcore.tallies.scores import ScoreTable

__all__ = [
    "MIN_CASES",
    "VERDICTS",
    "missed_share",
    "missed_verdict",
    "precision_verdict",
    "sensitivity_verdict",
]
"""With what the codes of verdicts stand for, and from how many cases on there is one."""


def sensitivity_verdict(
    table: ScoreTable, index: NDArray[np.intp], kept: ShareBounds, target: float
) -> NDArray[np.int8]:
    """The verdict at every τ_neg; where nothing is skipped there is no claim to judge."""
    n_kept = table.total_pos - table.pos_below[index]
    codes = verdict_codes(n_kept, int(table.total_pos), target=target, low=kept.low, best_low=kept.best)
    return _where_skipped(table, index, codes)


def missed_verdict(
    table: ScoreTable, index: NDArray[np.intp], kept: ShareBounds, target: float | None
) -> NDArray[np.int8]:
    """The verdict on the missed per 1,000 at every τ_neg, by sensitivity's bound; without a target none."""
    if target is None:
        return np.full(len(index), VERDICTS.index("not_assessed"), np.int8)
    codes = missed_codes(
        table.pos_below[index],
        n_pos=int(table.total_pos),
        n_rows=int(table.total),
        target=target,
        low=kept.low,
        best_low=kept.best,
    )
    return _where_skipped(table, index, codes)


def _where_skipped(table: ScoreTable, index: NDArray[np.intp], codes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Verdicts where something is skipped; elsewhere nothing is claimed."""
    is_nothing_skipped = table.pos_below[index] + table.neg_below[index] == 0
    return np.where(is_nothing_skipped, VERDICTS.index("not_assessed"), codes).astype(np.int8)


def missed_share(table: ScoreTable, low: NDArray[np.float64], high: NDArray[np.float64]) -> Interval:
    """Bounds of missed positives as a share of all rows, from bounds of the share of positives kept."""
    prevalence = int(table.total_pos) / max(int(table.total), 1)
    return Interval(*(bound / PER for bound in missed_per_1000(low, high, prevalence=prevalence)))


def precision_verdict(
    table: ScoreTable, index: NDArray[np.intp], right: ShareBounds, target: float, is_chosen_here: bool
) -> NDArray[np.int8]:
    """The verdict at every τ_pos; on the rows it is chosen on, a bound cannot confirm a precision."""
    n_right = table.total_pos - table.pos_below[index]
    n_alerts = table.total - table.pos_below[index] - table.neg_below[index]
    codes = verdict_codes(
        n_right,
        n_alerts,
        target=target,
        low=right.low,
        best_low=right.best,
        none_is_not_met=True,
    )
    if is_chosen_here:
        codes[codes == VERDICTS.index("met_with_confidence")] = VERDICTS.index("met_point_only")
    return codes
