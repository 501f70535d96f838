"""Counts of decisions against labels: at one threshold, and in the three states of the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import InputError, problem
from evalcore.tallies.places import Codes
from evalcore.tallies.scores import ScoreTable

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Pair = tuple[float | None, float | None]
STATES = ("NEG", "UNCERTAIN", "POS")


@dataclass(frozen=True)
class Confusion:
    """Counts at one threshold, ``score >= threshold`` being the positive decision; each of shape (...)."""

    is_of_scores: ClassVar[bool] = True
    is_decided: ClassVar[bool] = True

    true_pos: Counts
    false_pos: Counts
    false_neg: Counts
    true_neg: Counts
    threshold: float = 0.5

    @property
    def total(self) -> Counts:
        """Number of rows."""
        return self.true_pos + self.false_pos + self.false_neg + self.true_neg


@dataclass(frozen=True)
class StateCounts:
    """Rows by state and label, each of shape (...): ``neg_pos`` is missed evidence, positives in NEG."""

    is_of_scores: ClassVar[bool] = True
    is_decided: ClassVar[bool] = True

    neg_pos: Counts
    neg_neg: Counts
    uncertain_pos: Counts
    uncertain_neg: Counts
    pos_pos: Counts
    pos_neg: Counts

    @property
    def n_neg(self) -> Counts:
        """Rows in state NEG (skipped)."""
        return self.neg_pos + self.neg_neg

    @property
    def n_uncertain(self) -> Counts:
        """Rows in state UNCERTAIN (looked at)."""
        return self.uncertain_pos + self.uncertain_neg

    @property
    def n_pos(self) -> Counts:
        """Rows in state POS (alerts)."""
        return self.pos_pos + self.pos_neg

    @property
    def total(self) -> Counts:
        """Number of rows."""
        return self.n_neg + self.n_uncertain + self.n_pos

    @property
    def total_pos(self) -> Counts:
        """Rows with evidence."""
        return self.neg_pos + self.uncertain_pos + self.pos_pos


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """The decision on each row beside its label, each bool of shape (N,).

    Parameters
    ----------
    skipped : in state NEG, or called negative.
    alerted : in state POS, or called positive.
    is_positive : whether there is evidence.
    """

    skipped: Mask
    alerted: Mask
    is_positive: Mask


def confusion_at(table: ScoreTable, threshold: float) -> Confusion:
    """Counts when ``score >= threshold`` is called positive."""
    at = table.index(threshold)
    false_neg, true_neg = table.pos_below[..., at], table.neg_below[..., at]
    return Confusion(table.total_pos - false_neg, table.total_neg - true_neg, false_neg, true_neg, threshold)


def states_at(table: ScoreTable, tau_neg: float | None, tau_pos: float | None) -> StateCounts:
    """Counts by state: ``p < tau_neg`` NEG, ``p >= tau_pos`` POS, otherwise UNCERTAIN (document 002, 5.1).

    A threshold of None empties its zone: nothing is NEG, or nothing is POS.
    """
    low = 0 if tau_neg is None else table.index(tau_neg)
    high = len(table.score) if tau_pos is None else table.index(tau_pos)
    high = max(low, high)
    neg_pos, neg_neg = table.pos_below[..., low], table.neg_below[..., low]
    below_pos, below_neg = table.pos_below[..., high], table.neg_below[..., high]
    return StateCounts(
        neg_pos,
        neg_neg,
        below_pos - neg_pos,
        below_neg - neg_neg,
        table.total_pos - below_pos,
        table.total_neg - below_neg,
    )


def states_by_row(
    score: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
    tau_neg: NDArray[np.float64],
    tau_pos: NDArray[np.float64],
) -> StateCounts:
    """Counts by state where each row has thresholds of its own, all of shape (N,)."""
    skipped = score < tau_neg
    alerted = ~skipped & (score >= tau_pos)
    looked = ~skipped & ~alerted
    return StateCounts(
        *(
            np.asarray(np.count_nonzero(zone & label))
            for zone in (skipped, looked, alerted)
            for label in (is_positive, ~is_positive)
        )
    )


def states_of(score: NDArray[np.float64], taus: Pair) -> Codes:
    """The state of each score, shape (N,), as a code into `STATES`.

    Examples
    --------
    >>> states_of(np.array([0.1, 0.2, 0.9]), (0.2, 0.9)).tolist(), states_of(np.array([0.1]), (None, None))
    ([0, 1, 2], array([1]))
    """
    tau_neg, tau_pos = taus
    if tau_neg is not None and tau_pos is not None and tau_neg > tau_pos:
        raise InputError([problem("OPT-002", tau_neg=tau_neg, tau_pos=tau_pos)])
    return state_codes(score, -np.inf if tau_neg is None else tau_neg, np.inf if tau_pos is None else tau_pos)


def state_codes(
    score: NDArray[np.float64], low: float | NDArray[np.float64], high: float | NDArray[np.float64]
) -> Codes:
    """The state of each score, shape (N,), at one pair or at a pair a row; −1 where a threshold is NaN.

    Examples
    --------
    >>> state_codes(np.array([0.1, 0.2, 0.9]), np.array([0.2, 0.2, np.nan]), 0.9).tolist()
    [0, 1, -1]
    """
    decided = np.where(score < low, 0, np.where(score >= high, 2, 1))
    return np.where(np.isnan(low) | np.isnan(high), -1, decided).astype(np.intp)
