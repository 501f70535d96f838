"""Calibration metrics in every bootstrap replicate, from sums over rows instead of a table for each.

Each function repeats the declared metric of its key, which stays the definition: the tests hold them equal on
explicitly reweighted rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.replicated_fits import intercepts, slopes
from evalcore.inference.replicated_rows import ReplicatedRows, Sums, Wanted, bins_of_sums
from evalcore.kernels.bins import Bins
from evalcore.kernels.logistic import CLIP
from evalcore.spec import Ratio

Floats = NDArray[np.float64]


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


def _bins(
    rows: ReplicatedRows, n_bins: int, variant: str
) -> Generator[list[Wanted], list[Floats], tuple[Bins, Floats]]:
    """The bins, and the number of rows, in every replicate."""
    if variant == "equal_mass":
        (counts,) = yield [rows.counts()]
        return rows.equal_mass(n_bins), counts[:, 1]
    counts, in_bins = yield [rows.counts(), rows.in_bins(n_bins, variant)]
    return bins_of_sums(in_bins), counts[:, 1]


def _ece(rows: ReplicatedRows, n_bins: int = 10, variant: str = "default") -> Sums:
    bins, n = yield from _bins(rows, n_bins, variant)
    return np.asarray(Ratio(bins.gap.sum(axis=-1), n).value)


def _mce(rows: ReplicatedRows, n_bins: int = 10, variant: str = "default") -> Sums:
    bins, n = yield from _bins(rows, n_bins, variant)
    worst = np.where(bins.n > 0, bins.gap / np.maximum(bins.n, 1), 0.0).max(axis=-1)
    return np.where(n == 0, np.nan, worst)


def _intercept(rows: ReplicatedRows, clip: float = CLIP) -> Sums:
    return intercepts(rows, clip)


def _slope(rows: ReplicatedRows, clip: float = CLIP) -> Sums:
    return slopes(rows, clip)


REPLICATES: Mapping[str, Callable[..., Sums]] = {
    "calibration.brier": _brier,
    "calibration.brier_skill": _brier_skill,
    "calibration.log_loss": _log_loss,
    "calibration.ece": _ece,
    "calibration.mce": _mce,
    "calibration.calibration_intercept": _intercept,
    "calibration.calibration_slope": _slope,
}
"""Metric key → its values over replicates, shape (B,), from the rows and the metric's own parameters."""
