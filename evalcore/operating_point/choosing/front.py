"""The Pareto front of thresholds: what workload, screening sensitivity and precision cost each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.operating_point.choosing.request import option_problem
from evalcore.operating_point.tradeoff.thresholds import shortest_thresholds
from evalcore.problems import InputError
from evalcore.tallies.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 1000
"""A curve of more points looks the same, and nobody reads a longer table."""


def pareto_front(
    table: ScoreTable, *, fewest_alerts: int = 29, most_points: int | None = MOST_POINTS
) -> pd.DataFrame:
    """Pairs of thresholds that no other pair beats in workload, screening sensitivity and alert precision.

    Workload and screening sensitivity depend on τ_neg alone; with each τ_neg goes the τ_pos ≥ τ_neg of the
    best alert precision and, of those, of the most alerts. The number of alerts is no aim: it stands beside.
    All rates are estimates on the rows they are counted on, without a bound; several looks flatter the best.

    Parameters
    ----------
    table : counts at each distinct score, not replicated, with a positive.
    fewest_alerts : a precision counts from so many alerts on, at least 1: of one alert it is 0 or 1. 29 are
        the fewest that can show 90 % with 95 % confidence.
    most_points : the front is thinned evenly to so many, both ends kept; None keeps every point.

    Returns
    -------
    DataFrame, workload ascending: ``tau_neg``, ``tau_pos`` (NaN: the zone is empty), ``workload``,
    ``screening_sensitivity``, ``alert_precision`` (NaN without so many alerts) in [0, 1], and the counts
    ``skipped``, ``missed``, ``alerts``, ``alerts_right``. Empty without rows or without a positive.

    Raises
    ------
    InputError : OPT-008 for fewer than one alert or two points.

    Source
    ------
    statistics.md, "Choosing τ_pos".

    Examples
    --------
    >>> table = ScoreTable(np.array([0.1, 0.4, 0.7]), np.array([0, 1, 2]), np.array([3, 1, 0]))
    >>> front = pareto_front(table, fewest_alerts=1)
    >>> front[["tau_neg", "tau_pos", "workload", "screening_sensitivity", "alert_precision"]].values.tolist()
    [[0.6, 0.6, 0.2857142857142857, 0.6666666666666666, 1.0], [0.3, 0.6, 0.5714285714285714, 1.0, 1.0]]
    """
    _check(fewest_alerts, most_points)
    precision, alert_at = _best_alerts(table, fewest_alerts)
    kept = np.empty(0, np.intp)
    if int(table.total_pos):
        # The last index skips every row: no workload, but no screening either.
        kept = _not_dominated(table.pos_below[:-1], np.nan_to_num(precision[:-1], nan=-1.0))
    kept = _thinned(kept[::-1], most_points)
    return _frame(table, kept, alert_at[kept], fewest_alerts)


def alert_front(
    table: ScoreTable,
    tau_neg: float | None,
    *,
    fewest_alerts: int = 29,
    most_points: int | None = MOST_POINTS,
) -> pd.DataFrame:
    """What a precision costs in alerts at a fixed τ_neg: pairs that none beats in precision and right alerts.

    Parameters
    ----------
    table : counts at each distinct score, not replicated.
    tau_neg : the threshold to skip; None: nothing is skipped.
    fewest_alerts, most_points : as for `pareto_front`.

    Returns
    -------
    DataFrame as of `pareto_front`, alert precision ascending; empty where no τ_pos leaves so many alerts
    and a right one among them.

    Raises
    ------
    InputError : as for `pareto_front`.

    Examples
    --------
    >>> table = ScoreTable(np.array([0.1, 0.4, 0.7]), np.array([0, 1, 2]), np.array([3, 1, 0]))
    >>> front = alert_front(table, 0.3, fewest_alerts=1)
    >>> front[["tau_pos", "alert_precision", "alerts_right"]].values.tolist()
    [[0.3, 0.75, 3.0], [0.6, 1.0, 2.0]]
    """
    _check(fewest_alerts, most_points)
    low = 0 if tau_neg is None else table.index(tau_neg)
    n_right, n_alerts = _alerts(table)
    able = np.flatnonzero((n_alerts >= fewest_alerts) & (n_right > 0))
    able = able[able >= low]
    # From the most alerts on, right ones can only become fewer: what stays must be more often right than all
    # before it, and the last of several with as many right alerts has the fewest wrong ones.
    precision = n_right[able] / np.maximum(n_alerts[able], 1)
    before = np.maximum.accumulate(np.append(-1.0, precision))[:-1]
    is_last = np.append(np.diff(n_right[able]) != 0, True)[: len(able)]
    kept = able[(precision > before) & is_last]
    kept = _thinned(kept, most_points)
    return _frame(table, np.full(len(kept), low), kept, fewest_alerts)


def _frame(
    table: ScoreTable, low: NDArray[np.intp], high: NDArray[np.intp], fewest_alerts: int
) -> pd.DataFrame:
    """The rates and counts of pairs of threshold indices."""
    import pandas as pd

    n, n_pos = int(table.total), int(table.total_pos)
    skipped, missed = (table.pos_below + table.neg_below)[low], table.pos_below[low]
    n_right, n_alerts = (counts[high] for counts in _alerts(table))
    is_counted = n_alerts >= fewest_alerts
    return pd.DataFrame(
        {
            "tau_neg": np.where(skipped > 0, _exported(table, low), np.nan),
            "tau_pos": _exported(table, high),
            "workload": (n - skipped) / max(n, 1),
            "screening_sensitivity": (n_pos - missed) / max(n_pos, 1),
            "alert_precision": np.where(is_counted, n_right / np.maximum(n_alerts, 1), np.nan),
            "skipped": skipped,
            "missed": missed,
            "alerts": n_alerts,
            "alerts_right": n_right,
        }
    )


def _alerts(table: ScoreTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Right alerts and alerts at each τ_pos index 0 … S."""
    n_right = table.total_pos - table.pos_below
    return n_right, n_right + table.total_neg - table.neg_below


def _check(fewest_alerts: int, most_points: int | None) -> None:
    if fewest_alerts < 1 or (most_points is not None and most_points < 2):
        found = f"{fewest_alerts} alerts at least and {most_points} points at most"
        raise InputError([option_problem(found, "1 alert and 2 points, or more", "Ask for more.")])


def _best_alerts(table: ScoreTable, fewest: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """For each τ_neg index 0 … S: the best precision of any τ_pos index from there on, and where it lies.

    NaN and S, which raises no alert, where too few alerts are left.
    """
    n_right, n_alerts = _alerts(table)
    is_counted = n_alerts >= fewest
    precision = np.where(is_counted, n_right / np.maximum(n_alerts, 1), -1.0)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    # Of several with the best precision the lowest index has the most alerts.
    is_best = is_counted & (precision == best)
    last = len(precision) - 1
    where = np.minimum.accumulate(np.where(is_best, np.arange(last + 1), last)[::-1])[::-1]
    return np.where(best >= 0, best, np.nan), np.where(best >= 0, where, last)


def _not_dominated(missed: NDArray[np.int64], precision: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices of τ_neg that no other beats: with less work both other aims can only get worse.

    So the next index, which skips more, beats this one exactly where it changes neither.
    """
    is_same = (np.diff(missed) == 0) & (np.diff(precision) == 0)
    return np.flatnonzero(np.append(~is_same, True))


def _exported(table: ScoreTable, index: NDArray[np.intp]) -> NDArray[np.float64]:
    """The thresholds with the fewest digits that decide alike; NaN where nothing lies at or above."""
    found = np.full(len(index), np.nan)
    is_score = index < len(table.score)
    at, place = np.unique(index[is_score], return_inverse=True)
    previous = np.array([table.highest_below(one) if one else -np.inf for one in at.tolist()])
    found[is_score] = shortest_thresholds(table.score[at], previous)[place]
    return found


def _thinned(index: NDArray[np.intp], most: int | None) -> NDArray[np.intp]:
    if most is None or len(index) <= most:
        return index
    return index[np.unique(np.linspace(0, len(index) - 1, most).round().astype(np.intp))]
