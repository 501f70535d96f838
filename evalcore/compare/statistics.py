"""Every compared metric as a function of totals over posts, so that it can be resampled and swapped.

A statistic holds J numbers of each post under each model; its value depends on their totals alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from evalcore.drawn.post_values import PairedPostValues, PostValues
from evalcore.kernels.bins import equal_width_edges

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.intp]
Value = Callable[[Floats], Floats]
N_BINS = 10
GATE_METRICS = (
    "gate.neg_rate",
    "gate.screening_sensitivity",
    "gate.alerts_per_1000",
    "gate.alert_precision",
)


@dataclass(frozen=True, eq=False)
class Statistic:
    """M metrics of the same totals, under two models.

    Parameters
    ----------
    posts : J values of each of P posts.
    keys : of the metrics, M of them.
    values : from totals, shape (B, J), to values, shape (M, B); NaN where undefined.
    denominators : from totals, shape (B, J), to how many queries enter, shape (M, B); None: all of them.
    """

    posts: PairedPostValues
    keys: tuple[str, ...]
    values: Value
    denominators: Value | None = None

    def only(self, wanted: Collection[str]) -> Statistic | None:
        """The wanted ones of the metrics; None where none is."""
        at = [place for place, key in enumerate(self.keys) if key in wanted]
        keys = tuple(self.keys[place] for place in at)
        if not at:
            return None
        count = self.denominators
        of_kept = None if count is None else lambda totals: count(totals)[at]
        return Statistic(self.posts, keys, lambda totals: self.values(totals)[at], of_kept)


@dataclass(frozen=True, eq=False)
class PairedScores:
    """The scores of two models on N shared checks of P posts.

    Parameters
    ----------
    first, second : float64, shape (N,).
    is_positive : bool, shape (N,).
    post : codes 0 … P − 1, shape (N,).
    n_posts : P.
    """

    first: Floats
    second: Floats
    is_positive: Mask
    post: Codes
    n_posts: int

    def __len__(self) -> int:
        return len(self.post)

    def where(self, mask: Mask) -> PairedScores:
        """The checks of a group; posts keep their codes."""
        return PairedScores(
            self.first[mask], self.second[mask], self.is_positive[mask], self.post[mask], self.n_posts
        )


def discrimination(rows: PairedScores) -> Statistic:
    """AUROC and AUPRC, from counts at and between the distinct ranks that hold a check with evidence.

    Both depend on the order of the scores alone. Scores are first replaced by their ranks within each model,
    so that a swap does not mix two scales.

    Source
    ------
    Ranks exchanged between two models: Venkatraman and Begg 1996, Biometrika 83:835.
    """
    ranks = stats.rankdata(rows.first), stats.rankdata(rows.second)
    cuts = np.unique(np.concatenate([rank[rows.is_positive] for rank in ranks]))
    counts = [_cut_counts(rows, rank, cuts) for rank in ranks]
    keys = ("classification.auroc", "classification.auprc")
    return Statistic(PairedPostValues(*counts), keys, lambda totals: _areas(totals, len(cuts)))


def squared_error(rows: PairedScores) -> Statistic:
    """The Brier score."""
    losses = [(score - rows.is_positive) ** 2 for score in (rows.first, rows.second)]
    n = np.ones(len(rows))
    first, second = (_by_post(rows, loss, n) for loss in losses)
    return Statistic(PairedPostValues(first, second), ("calibration.brier",), _ratio)


def calibration_error(rows: PairedScores) -> Statistic:
    """Expected calibration error over bins of equal width."""
    first, second = (_gaps(rows, score) for score in (rows.first, rows.second))
    return Statistic(PairedPostValues(first, second), ("calibration.ece",), _mean_gap)


def gate_rates(
    rows: PairedScores, first: tuple[float, float | None], second: tuple[float, float | None]
) -> Statistic:
    """Rates of the gate, each model with its (τ_neg, τ_pos); without τ_pos no check raises an alert."""
    counts = [_states(rows, score, *pair) for score, pair in ((rows.first, first), (rows.second, second))]
    return Statistic(PairedPostValues(*counts), GATE_METRICS, _rates, _n_of_rates)


def mean_of_queries(key: str, first: Floats, second: Floats, *, post: Codes, n_posts: int) -> Statistic:
    """A ranking metric, the mean over queries of values of shape (Q,) under each model."""
    n = np.ones(len(post))
    sides = [_post_sums(post, n_posts, [values, n]) for values in (first, second)]
    return Statistic(PairedPostValues(*sides), (key,), _ratio)


def _post_sums(post: Codes, n_posts: int, columns: list[Any]) -> PostValues:
    sums = [np.bincount(post, weights=column, minlength=n_posts) for column in columns]
    return PostValues.from_array(np.stack(sums, axis=1))


def _by_post(rows: PairedScores, *columns: Any) -> PostValues:
    return _post_sums(rows.post, rows.n_posts, list(columns))


def _ratio(totals: Floats) -> Floats:
    return _quotient(totals[:, 0], totals[:, 1])[None]


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    undefined = np.full(len(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))


def _rates(totals: Floats) -> Floats:
    n, n_neg, n_evidence, n_kept, n_alerts, n_right = totals.T
    rates = [_quotient(n_neg, n), _quotient(n_kept, n_evidence), 1000 * _quotient(n_alerts, n)]
    return np.stack([*rates, _quotient(n_right, n_alerts)])


def _n_of_rates(totals: Floats) -> Floats:
    n, _, n_evidence, _, n_alerts, _ = totals.T
    return np.stack([n, n_evidence, n, n_alerts])


def _states(rows: PairedScores, score: Floats, tau_neg: float, tau_pos: float | None) -> PostValues:
    is_neg = score < tau_neg
    is_alert = ~is_neg & (score >= (np.inf if tau_pos is None else tau_pos))
    label = rows.is_positive
    return _by_post(rows, np.ones(len(rows)), is_neg, label, label & ~is_neg, is_alert, is_alert & label)


def _gaps(rows: PairedScores, score: Floats) -> PostValues:
    at = np.searchsorted(equal_width_edges(N_BINS)[1:-1], score, side="right")
    gap = sparse.csr_array((score - rows.is_positive, (rows.post, at)), shape=(rows.n_posts, N_BINS))
    n = np.bincount(rows.post, minlength=rows.n_posts)[:, None].astype(np.float64)
    return PostValues.from_array(sparse.hstack([gap, sparse.csr_array(n)]))


def _mean_gap(totals: Floats) -> Floats:
    return _quotient(np.abs(totals[:, :-1]).sum(axis=1), totals[:, -1])[None]


def _cut_counts(rows: PairedScores, rank: Floats, cuts: Floats) -> PostValues:
    """Per post: positives at each of G cuts, then negatives below the first, at it, …, above the last."""
    n = len(cuts)
    below = np.searchsorted(cuts, rank, side="left")
    column = n + below + np.searchsorted(cuts, rank, side="right")  # n + 2 g between cuts, + 1 at a cut
    column[rows.is_positive] = below[rows.is_positive]
    shape = (rows.n_posts, 3 * n + 1)
    return PostValues.from_array(sparse.csr_array((np.ones(len(rows)), (rows.post, column)), shape=shape))


def _areas(totals: Floats, n: int) -> Floats:
    """AUROC and AUPRC from the counts of `_cut_counts`; a threshold at a cut takes what lies at it."""
    positives, negatives_at = totals[:, :n], totals[:, n + 1 :: 2]
    sums = np.cumsum(totals, axis=1)
    n_positive = sums[:, n - 1 : n] if n else np.zeros((len(totals), 1))
    n_negative = sums[:, -1:] - n_positive
    pos_below = sums[:, :n] - positives
    neg_below = sums[:, n : 3 * n : 2] - n_positive
    twice_wins = (positives * (2 * neg_below + negatives_at)).sum(axis=1)
    true_pos = n_positive - pos_below
    precision = true_pos / np.maximum(true_pos + n_negative - neg_below, 1)
    average = _quotient((positives * precision).sum(axis=1), n_positive[:, 0])
    auroc = _quotient(twice_wins, 2 * n_positive[:, 0] * n_negative[:, 0])
    return np.stack([auroc, np.where(n_negative[:, 0] > 0, average, np.nan)])
