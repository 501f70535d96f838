"""How well the score tells the classes apart, over all thresholds; of a `ScoreTable`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

import numpy as np

from evalcore.kernels.cumulative import n_under
from evalcore.metrics.classification import over_order
from evalcore.spec import Ratio, Undefined, metric
from evalcore.tallies.scores import BinnedPairs, PairTable, ScoreTable

_UPWARD = Context(prec=2, rounding=ROUND_CEILING)
ONE_CLASS = (
    Undefined(lambda table: table.total_pos == 0, "no row with evidence"),
    Undefined(lambda table: table.total_neg == 0, "no row without evidence"),
)


def _auroc(table: ScoreTable) -> Any:
    twice_wins = (table.n_pos * (2 * table.neg_below[..., :-1] + table.n_neg)).sum(axis=-1)
    return Ratio(twice_wins, 2 * table.total_pos * table.total_neg).value


def _average_precision(table: ScoreTable) -> Any:
    true_pos = table.total_pos[..., None] - table.pos_below[..., :-1]
    called = true_pos + table.total_neg[..., None] - table.neg_below[..., :-1]
    precision = true_pos / np.maximum(called, 1)
    return Ratio((table.n_pos * precision).sum(axis=-1), table.total_pos).value


@metric(
    family="classification",
    label="AUROC",
    headline=("steps",),
    formula="(Σ over pairs of [p⁺ > p⁻] + ½[p⁺ = p⁻]) / (n⁺ · n⁻)",
    population="all_queries",
    undefined=ONE_CLASS,
    bounds=(0, 1),
    better="higher",
    source="002 §2.1, 001 §2.1",
    contract_value=0.5,
    drawn=over_order.AUROC,
    compared=1,
)
def auroc(table: ScoreTable) -> Any:
    """Chance that a random query with evidence scores higher than a random one without, ties counting half.

    Parameters
    ----------
    table : counts at each distinct score, shape (..., S).

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Equals ``sklearn.metrics.roc_auc_score``.

    Examples
    --------
    >>> import numpy as np
    >>> auroc(ScoreTable(np.array([0.2, 0.8]), np.array([0, 1]), np.array([1, 1])))
    0.75
    """
    return _auroc(table)


@metric(
    family="classification",
    label="AUPRC (average precision)",
    formula="Σ (R_n − R_{n−1}) · P_n over distinct thresholds, descending",
    population="all_queries",
    undefined=ONE_CLASS,
    bounds=(0, 1),
    better="higher",
    source="002 §2.2, 001 §2.2",
    contract_value=lambda table: float(table.total_pos / max(int(table.total), 1)),
    drawn=over_order.AVERAGE_PRECISION,
    compared=2,
)
def auprc(table: ScoreTable) -> Any:
    """Average precision over recall, on queries; its baseline is the share of queries with evidence, not 0.5.

    Parameters
    ----------
    table : counts at each distinct score, shape (..., S).

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Equals ``sklearn.metrics.average_precision_score``.

    Examples
    --------
    >>> import numpy as np
    >>> float(auprc(ScoreTable(np.array([0.2, 0.8]), np.array([0, 1]), np.array([1, 1]))))
    0.5
    """
    return np.where(table.total_neg == 0, np.nan, _average_precision(table))[()]


def auroc_off_by(table: ScoreTable) -> float:
    """By how much an AUROC of bins is off at most: half the pairs of rows of both classes that share one.

    Examples
    --------
    >>> auroc_off_by(ScoreTable(np.array([0.2, 0.8]), np.array([0, 1]), np.array([1, 1])))
    0.25
    """
    together = int((table.n_pos * table.n_neg).sum())
    return together / (2 * int(table.total_pos) * int(table.total_neg))


def average_precision_off_by(table: ScoreTable) -> float:
    """By how much an average precision of bins is off at most.

    It is at least what it would be with the negatives of each bin first, each of its positives as precise as
    the first one, and at most what it would be with none of them before, each as precise as the last.
    """
    above = table.total_pos - table.pos_below[1:]
    false_pos = table.total_neg - table.neg_below[1:]
    has = table.n_pos > 0
    n_pos, n_neg, above, false_pos = (one[has] for one in (table.n_pos, table.n_neg, above, false_pos))
    worst = (n_pos * ((above + 1) / (above + 1 + false_pos + n_neg))).sum() / table.total_pos
    best = (n_pos * ((above + n_pos) / (above + n_pos + false_pos))).sum() / table.total_pos
    value = _average_precision(table)
    return float(max(best - value, value - worst))


def _of_bins(off_by: Callable[[ScoreTable], float]) -> Callable[[ScoreTable], str]:
    def remark(table: ScoreTable) -> str:
        if not isinstance(table, BinnedPairs):
            return ""
        most = _UPWARD.create_decimal_from_float(off_by(table))
        return f"{table.told}: off by at most {float(most):.2g}"

    return remark


@metric(
    family="classification",
    label="Pair AUROC",
    formula="as AUROC, over (query, candidate) pairs",
    population="all_pairs",
    undefined=ONE_CLASS,
    bounds=(0, 1),
    better="higher",
    source="000 §4.1",
    contract_value=0.5,
    remark=_of_bins(auroc_off_by),
    drawn=over_order.AUROC,
)
def pair_auroc(table: PairTable) -> Any:
    """Chance that a random gold candidate scores higher than a random other one, over all candidates.

    It mixes candidates of different queries and is not the query-level AUROC.

    Parameters
    ----------
    table : counts of pairs at each distinct score.
    """
    return _auroc(table)


@metric(
    family="classification",
    label="Pair AUPRC",
    formula="as AUPRC, over (query, candidate) pairs",
    population="all_pairs",
    undefined=ONE_CLASS,
    bounds=(0, 1),
    better="higher",
    source="000 §4.2",
    contract_value=lambda table: float(table.total_pos / max(int(table.total), 1)),
    remark=_of_bins(average_precision_off_by),
    drawn=over_order.AVERAGE_PRECISION,
)
def pair_auprc(table: PairTable) -> Any:
    """Average precision over all (query, candidate) pairs; its baseline is the share of gold candidates.

    Parameters
    ----------
    table : counts of pairs at each distinct score.
    """
    return np.where(table.total_neg == 0, np.nan, _average_precision(table))[()]


def fpr_index(table: ScoreTable, fpr: float, variant: str) -> Any:
    """Index of the threshold that `tpr_at_fpr` uses, 0 … S (S: no threshold, nothing is called positive)."""
    budget = over_order.budget_of(fpr)
    n_neg, below = table.total_neg, table.neg_below.T
    if variant == "first_at_or_above":
        needed = -((-n_neg * budget.numerator) // budget.denominator)
        return np.maximum(n_under(below, n_neg - needed + 1) - 1, 0)
    allowed = n_neg * budget.numerator // budget.denominator
    return n_under(below, n_neg - allowed)


def _tpr_at_fpr_remark(table: ScoreTable, *, fpr: float, variant: str) -> str:
    at = int(fpr_index(table, fpr, variant))
    false_pos = int(table.total_neg - table.neg_below[at])
    if at == len(table.score):
        return "no positive call possible within the budget; threshold null"
    is_beyond = Fraction(false_pos, int(table.total_neg)) > over_order.budget_of(fpr)
    exceeds = "exceeds its budget: " if is_beyond else ""
    return (
        f"{exceeds}achieved FPR {false_pos}/{int(table.total_neg)} = {false_pos / int(table.total_neg):.6g} "
        f"at score >= {float(table.score[at])!r}"
    )


@metric(
    family="classification",
    label="TPR at FPR",
    formula="max TPR over thresholds with FP ≤ ⌊α · n⁻⌋",
    population="positives_only",
    undefined=ONE_CLASS,
    bounds=(0, 1),
    better="higher",
    source="002 §2.1, 001 §2.3, 000 §4.3",
    variants={
        "default": "greatest TPR with FPR ≤ α, all thresholds considered",
        "first_at_or_above": "first ROC point with FPR ≥ α: reproduces published tables, exceeds its budget",
    },
    params=("fpr",),
    in_percent=True,
    remark=_tpr_at_fpr_remark,
    drawn=over_order.TPR_AT_FPR,
)
def tpr_at_fpr(table: ScoreTable, *, fpr: float, variant: str = "default") -> Ratio:
    """Greatest share of queries with evidence found while at most α of the others are called positive.

    Parameters
    ----------
    table : counts at each distinct score, shape (..., S).
    fpr : α in [0, 1]; compared as counts, so that no rounding moves the budget.

    Returns
    -------
    Ratio of queries; 0 where no threshold keeps the budget.

    Source
    ------
    ``sklearn.metrics.roc_curve(drop_intermediate=False)``.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(np.array([0.1, 0.2, 0.9]), np.array([1, 1, 0]), np.array([0, 0, 2]))
    >>> tpr_at_fpr(table, fpr=0.05).value
    0.0
    """
    at = fpr_index(table, fpr, variant)
    found = table.total_pos - np.take_along_axis(table.pos_below, np.asarray(at)[..., None], -1)[..., 0]
    return Ratio(
        np.where(table.total_neg == 0, 0, found)[()], np.where(table.total_neg == 0, 0, table.total_pos)[()]
    )
