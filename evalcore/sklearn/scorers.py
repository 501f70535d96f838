"""Scorers for model selection: how much evidence is kept for how much reading, by the metrics of the gate."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer

from evalcore.metrics import gate
from evalcore.problems import InputError, problem
from evalcore.sklearn.rows import RESPONSES, scored_rows
from evalcore.spec import declared
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoreTable

ROUNDING = 1e-12
"""By so much a share may lie beside the number it stands for: 0.29 of 100 rows are 29, not one less."""


def screening_sensitivity_at(
    y_true: ArrayLike, y_score: ArrayLike, *, workload: float = 0.5, pos_label: Any = None
) -> float:
    """The highest screening sensitivity of any τ_neg at which no more than a share of the rows is read.

    Parameters
    ----------
    y_true : labels, shape (N,).
    y_score : scores of the positive class, shape (N,).
    workload : the largest share of the rows that is not skipped, in [0, 1], compared as counts.
    pos_label : the label that means "has evidence"; None for 1 of 0 and 1, of false and true, of −1 and 1.

    Returns
    -------
    ``gate.screening_sensitivity`` at that threshold, in [0, 1]; NaN without a row with evidence, and said.

    Examples
    --------
    >>> screening_sensitivity_at([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], workload=0.5)
    0.5
    """
    _check_share("workload", workload)
    table = scored_rows(y_true, y_score, pos_label).table
    _, opened = _choices(table)
    fits = np.flatnonzero(opened <= math.floor((workload + ROUNDING) * int(table.total)))
    return _value(table, int(fits[0]), gate.screening_sensitivity)


def workload_at(
    y_true: ArrayLike, y_score: ArrayLike, *, screening_sensitivity: float = 0.995, pos_label: Any = None
) -> float:
    """The least share of the rows that must be read to keep a share of those with evidence.

    Parameters
    ----------
    y_true, y_score, pos_label : as of `screening_sensitivity_at`.
    screening_sensitivity : the share to keep, in [0, 1], reached by the estimate: a bound is for
        `evalcore.choose_operating_point`.

    Returns
    -------
    1 − ``gate.neg_rate`` at the highest such threshold, in [0, 1]; NaN without a row with evidence, and said.

    Examples
    --------
    >>> workload_at([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], screening_sensitivity=1.0)
    0.75
    """
    _check_share("screening_sensitivity", screening_sensitivity)
    table = scored_rows(y_true, y_score, pos_label).table
    kept, _ = _choices(table)
    n_pos = int(table.total_pos)
    if n_pos == 0:
        return _value(table, 0, gate.screening_sensitivity)
    fits = np.flatnonzero(kept >= math.ceil((screening_sensitivity - ROUNDING) * n_pos))
    return 1 - _value(table, int(fits[-1]), gate.neg_rate)


def screening_sensitivity_scorer(*, workload: float = 0.5, pos_label: Any = None) -> Any:
    """`screening_sensitivity_at` a workload as a scorer, for ``cross_val_score`` and ``GridSearchCV``."""
    _check_share("workload", workload)
    return _scorer(screening_sensitivity_at, pos_label, workload=workload)


def workload_scorer(*, screening_sensitivity: float = 0.995, pos_label: Any = None) -> Any:
    """`workload_at` a screening sensitivity as a scorer, negative: the less is read, the greater."""
    _check_share("screening_sensitivity", screening_sensitivity)
    return _scorer(
        workload_at, pos_label, greater_is_better=False, screening_sensitivity=screening_sensitivity
    )


def _scorer(function: Any, pos_label: Any, **how: Any) -> Any:
    # With it among the arguments, scikit-learn hands over the scores of that class, else of the second.
    named = {} if pos_label is None else {"pos_label": pos_label}
    return make_scorer(function, response_method=RESPONSES, **how, **named)


def _choices(table: ScoreTable) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows with evidence that are kept, and all that are read, for a τ_neg at each score and above all."""
    kept = table.total_pos - table.pos_below
    return kept, table.total - table.pos_below - table.neg_below


def _value(table: ScoreTable, at: int, metric: Any) -> float:
    """A metric of the gate where everything below the distinct score at a place is skipped."""
    tau = float(table.score[at]) if at < len(table.score) else math.inf
    counts: StateCounts = states_at(table, tau, None)
    for case in declared(metric).undefined:
        if case.variant is None and case.holds(counts):
            warnings.warn(f"{declared(metric).label}: {case.reason}", UndefinedMetricWarning, stacklevel=3)
            return math.nan
    return float(metric(counts).value)


def _check_share(name: str, share: float) -> None:
    if not 0 <= share <= 1:
        found = repr(share)
        raise InputError([problem("LRN-005", name=name, found=found, expected="a number from 0 to 1")])
