"""Replicates of what depends on the order of scores, from counts at the scores of positives."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from evalcore.drawn.ranks import SINGLE, ReplicatedRanks
from evalcore.spec import Drawn, Ratio


@cache
def budget_of(fpr: float) -> Fraction:
    """A false positive rate as it is written: no rounding moves the budget."""
    return Fraction(str(fpr))


def _auroc(ranks: ReplicatedRanks) -> Any:
    twice_pairs = 2 * ranks.total_pos * ranks.total_neg
    n_pos, twice_below = ranks.n_pos, ranks.neg_below[1:-1:2] + ranks.neg_below[2::2]
    if twice_pairs.max() > SINGLE:  # counts fit where their products do not
        n_pos, twice_below = (one.astype(np.float64, copy=False) for one in (n_pos, twice_below))
    return Ratio(np.einsum("sb,sb->b", n_pos, twice_below), twice_pairs).value


def _average_precision(ranks: ReplicatedRanks) -> Any:
    true_pos = ranks.found[:-1]
    called = ranks.neg_below[-1] - ranks.neg_below[1:-1:2]
    called += true_pos
    np.maximum(called, 1, out=called)
    precision = np.divide(true_pos, called, dtype=np.float64)
    n_pos = ranks.n_pos.astype(np.float64, copy=False)
    found = Ratio(np.einsum("sb,sb->b", n_pos, precision), ranks.total_pos).value
    return np.where(ranks.total_neg == 0, np.nan, found)


def _tpr_at_fpr(ranks: ReplicatedRanks, *, fpr: float, variant: str = "default") -> Any:
    budget, n_neg = budget_of(fpr), ranks.total_neg.astype(np.int64)
    if variant == "first_at_or_above":
        needed = -((-n_neg * budget.numerator) // budget.denominator)
        found = ranks.found_at((n_neg - needed).astype(np.float64), "last")
    else:
        allowed = n_neg * budget.numerator // budget.denominator
        found = ranks.found_at((n_neg - allowed).astype(np.float64), "first")
    return Ratio(found, np.where(n_neg == 0, 0, ranks.total_pos)).value


AUROC = Drawn("order", _auroc)
AVERAGE_PRECISION = Drawn("order", _average_precision)
TPR_AT_FPR = Drawn("order", _tpr_at_fpr)
