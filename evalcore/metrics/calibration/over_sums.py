"""Replicates of calibration metrics from sums over rows, instead of a table for each."""

from __future__ import annotations

import numpy as np

from evalcore.drawn.fits import intercepts, slopes
from evalcore.drawn.rows import ReplicatedRows, Sums
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


BRIER = Drawn("sums", _brier)
BRIER_SKILL = Drawn("sums", _brier_skill)
LOG_LOSS = Drawn("sums", _log_loss)
INTERCEPT = Drawn("sums", _intercept)
SLOPE = Drawn("sums", _slope)
