"""Replicates of calibration metrics from sums over rows, instead of a table for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.fits import intercepts, slopes
from evalcore.drawn.rows import ReplicatedRows, Sums, Wanted
from evalcore.kernels.bins import bins_of, bins_of_scores
from evalcore.kernels.logistic import CLIP
from evalcore.spec import Drawn, Ratio


def _brier(rows: ReplicatedRows) -> Sums:
    counts, errors = yield [rows.counts(), rows.squared_errors()]
    return np.asarray(Ratio(errors[:, 0], counts[:, 1]).value)


def _brier_skill(rows: ReplicatedRows) -> Sums:
    counts, errors = yield [rows.counts(), rows.squared_errors()]
    n_pos, n = counts.T
    return np.asarray(1 - Ratio(errors[:, 0] * n, n_pos * (n - n_pos)).value)


def _log_loss(rows: ReplicatedRows, clip: float = CLIP) -> Sums:
    counts, losses = yield [rows.counts(), rows.losses(clip)]
    return np.asarray(Ratio(losses[:, 0], counts[:, 1]).value)


def _intercept(rows: ReplicatedRows, clip: float = CLIP) -> Sums:
    return intercepts(rows, clip)


def _slope(rows: ReplicatedRows, clip: float = CLIP) -> Sums:
    return slopes(rows, clip)


BLOCK_CELLS = 1 << 21


def _ece(rows: ReplicatedRows, n_bins: int = 10, variant: str = "default") -> Sums:
    at = bins_of_scores(rows.rows.score, n_bins, variant)
    if at is None:
        (counts,) = yield [rows.counts()]
        return Ratio(_gaps_of_tables(rows, len(counts), n_bins, variant), counts[:, 1]).value  # type: ignore[no-any-return]

    def gaps() -> NDArray[np.float64]:
        """Of each row score − label in the column of its bin; a row in no bin has none."""
        found = np.zeros((len(at), n_bins + 1))
        found[np.arange(len(at)), at] = rows.rows.score - rows.rows.is_positive
        return found[:, :n_bins]

    counts, sums = yield [rows.counts(), Wanted(("gaps", n_bins, variant), gaps)]
    return np.asarray(Ratio(np.abs(sums).sum(axis=1), counts[:, 1]).value)


def _gaps_of_tables(rows: ReplicatedRows, n: int, n_bins: int, variant: str) -> NDArray[np.float64]:
    """Sums of gaps where the bins themselves change from replicate to replicate, a block at a time."""
    size, found = max(1, BLOCK_CELLS // max(len(rows.rows), 1)), np.empty(n)
    for start in range(0, n, size):
        which = np.zeros(n, bool)
        which[start : start + size] = True
        found[which] = bins_of(rows.tables(which), n_bins, variant).gap.sum(axis=-1)
    return found


BRIER = Drawn("sums", _brier)
BRIER_SKILL = Drawn("sums", _brier_skill)
ECE = Drawn("sums", _ece)
LOG_LOSS = Drawn("sums", _log_loss)
INTERCEPT = Drawn("sums", _intercept)
SLOPE = Drawn("sums", _slope)
