"""Calibration metrics in every bootstrap replicate, from sums over rows instead of a table for each.

Each function repeats the declared metric of its key, which stays the definition: the tests hold them equal on
explicitly reweighted rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.replicated_fits import intercepts, slopes
from evalcore.inference.replicated_rows import ReplicatedRows
from evalcore.kernels.logistic import CLIP
from evalcore.spec import Ratio

Floats = NDArray[np.float64]


def _brier(rows: ReplicatedRows) -> Any:
    return Ratio(rows.squared_errors, rows.total).value


def _brier_skill(rows: ReplicatedRows) -> Any:
    by_prevalence = rows.total_pos * (rows.total - rows.total_pos)
    return 1 - Ratio(rows.squared_errors * rows.total, by_prevalence).value


def _log_loss(rows: ReplicatedRows, clip: float = CLIP) -> Any:
    p = np.clip(rows.rows.score, clip, 1 - clip)
    loss = -np.where(rows.rows.is_positive, np.log(p), np.log1p(-p))
    return Ratio(rows.sums(loss[:, None])[:, 0], rows.total).value


def _ece(rows: ReplicatedRows, n_bins: int = 10, variant: str = "default") -> Any:
    return Ratio(rows.bins(n_bins, variant).gap.sum(axis=-1), rows.total).value


def _mce(rows: ReplicatedRows, n_bins: int = 10, variant: str = "default") -> Any:
    bins = rows.bins(n_bins, variant)
    worst = np.where(bins.n > 0, bins.gap / np.maximum(bins.n, 1), 0.0).max(axis=-1)
    return np.where(rows.total == 0, np.nan, worst)


def _fit(fit: Callable[[ReplicatedRows, float], Floats], rows: ReplicatedRows, clip: float = CLIP) -> Floats:
    return fit(rows, clip)


REPLICATES: Mapping[str, Callable[..., Any]] = {
    "calibration.brier": _brier,
    "calibration.brier_skill": _brier_skill,
    "calibration.log_loss": _log_loss,
    "calibration.ece": _ece,
    "calibration.mce": _mce,
    "calibration.calibration_intercept": partial(_fit, intercepts),
    "calibration.calibration_slope": partial(_fit, slopes),
}
"""Metric key → its values over replicates, shape (B,), from the rows and the metric's own parameters."""
