"""Calibration metrics in every bootstrap replicate, from sums over rows instead of a table for each.

Each function repeats the declared metric of its key, which stays the definition: the tests hold them equal on
explicitly reweighted rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from evalcore.inference.replicated_fits import intercepts, slopes
from evalcore.inference.replicated_rows import ReplicatedRows, Sums
from evalcore.kernels.logistic import CLIP
from evalcore.spec import Ratio


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


REPLICATES: Mapping[str, Callable[..., Sums]] = {
    "calibration.brier": _brier,
    "calibration.brier_skill": _brier_skill,
    "calibration.log_loss": _log_loss,
    "calibration.calibration_intercept": _intercept,
    "calibration.calibration_slope": _slope,
}
"""Metric key → its values over replicates, shape (B,), from the rows and the metric's own parameters."""
