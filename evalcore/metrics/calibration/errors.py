"""Distances between promised and observed rate by bins, and squared and logarithmic loss; of a `ScoreTable`.

All are of the probability that a query has evidence, never of the more likely class.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evalcore.kernels.bins import bins_of
from evalcore.kernels.logistic import CLIP, clipping_note
from evalcore.metrics.calibration import over_sums
from evalcore.spec import Ratio, Undefined, metric
from evalcore.tallies.scores import ScoreTable

NO_ROWS = Undefined(lambda table: table.total == 0, "no rows")
ONE_CLASS = (
    NO_ROWS,
    Undefined(lambda table: table.total_pos == 0, "no row with evidence"),
    Undefined(lambda table: table.total_neg == 0, "no row without evidence"),
)
_calibration = partial(metric, family="calibration", population="all_queries", needs_probability=True)
GAPS_WIDEN = "drawing_again_widens_the_gap_of_every_bin"
"""Why resampling gives a distance between promised and observed rates no interval.

The distance holds the chance in both; a replicate adds as much again, so that the percentiles lie too high,
often above the value itself. With the excess taken off they still cover a calibrated model too rarely
(docs/coverage.md).
"""
_EQUAL_WIDTH = "M bins of equal width, [lo, hi), the last one closed"
_EQUAL_MASS = "M bins of equally many rows, rows of one probability kept together"


def _ece_remark(table: ScoreTable, *, n_bins: int = 10, variant: str = "default") -> str:
    n_dropped = int(table.total - bins_of(table, n_bins, variant).n.sum())
    return f"{n_dropped:,} of {int(table.total):,} rows with p = 1 are in no bin" if n_dropped else ""


@_calibration(
    label="Expected calibration error",
    short="ECE",
    headline=("family",),
    meaning="mean distance between promised and observed rate, over the bins",
    formula="Σ_m (n_m / N) · |mean p in bin m − share with evidence in bin m|",
    undefined=(NO_ROWS,),
    bounds=(0, 1),
    better="lower",
    source="001 §4.1, 002 §2.4",
    variants={
        "default": _EQUAL_WIDTH,
        "spec_001": "as document 001 prints it: edges by linspace, rows with p = 1 in no bin",
        "equal_mass": _EQUAL_MASS,
    },
    params=("n_bins",),
    remark=_ece_remark,
    no_interval=GAPS_WIDEN,
    drawn=over_sums.ECE,
    compared=4,
)
def ece(table: ScoreTable, *, n_bins: int = 10, variant: str = "default") -> Any:
    """Mean distance between promised and observed rate of evidence over bins of the probability, all queries.

    It depends on the bins, and more of them or fewer rows make it larger by chance alone.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    n_bins : M, at least 1.
    variant : ``default``, ``spec_001`` or ``equal_mass``.

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> table = ScoreTable(np.array([0.25, 0.75]), np.array([1, 3]), np.array([1, 1]))
    >>> round(ece(table), 6)  # |2 · 0.25 − 1| / 6 + |4 · 0.75 − 3| / 6
    0.083333
    """
    return Ratio(bins_of(table, n_bins, variant).gap.sum(axis=-1), table.total).value


def _worst(table: ScoreTable, n_bins: int, variant: str) -> tuple[int, Any]:
    bins = bins_of(table, n_bins, variant)
    return int(np.argmax(np.where(bins.n > 0, bins.gap / np.maximum(bins.n, 1), -1))), bins


def _mce_remark(table: ScoreTable, *, n_bins: int = 10, variant: str = "default") -> str:
    at, bins = _worst(table, n_bins, variant)
    first, last = table.score[bins.start[at]], table.score[bins.start[at + 1] - 1]
    return f"in the bin with p from {first:.4g} to {last:.4g} (n = {int(bins.n[at]):,})"


@_calibration(
    label="Maximum calibration error",
    formula="max_m |mean p in bin m − share with evidence in bin m|, over bins with rows",
    undefined=(NO_ROWS,),
    bounds=(0, 1),
    better="lower",
    source="Naeini et al. 2015; design contract, calibration",
    variants={"default": _EQUAL_WIDTH, "equal_mass": _EQUAL_MASS},
    params=("n_bins",),
    remark=_mce_remark,
    no_interval=GAPS_WIDEN,
    meaning="largest distance in any bin",
)
def mce(table: ScoreTable, *, n_bins: int = 10, variant: str = "default") -> Any:
    """Largest distance between promised and observed rate of evidence in any bin, all queries.

    A bin with a handful of rows often decides it: the note says how many the bin has.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    n_bins : M, at least 1.
    variant : ``default`` or ``equal_mass``.

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Of the positive class.
    """
    bins = bins_of(table, n_bins, variant)
    worst = np.where(bins.n > 0, bins.gap / np.maximum(bins.n, 1), 0.0).max(axis=-1)
    return np.where(table.total == 0, np.nan, worst)[()]


@_calibration(
    label="Brier score",
    short="Brier",
    headline=("family",),
    meaning="mean squared distance between probability and label",
    formula="Σ (p − y)² / N",
    undefined=(NO_ROWS,),
    bounds=(0, 1),
    better="lower",
    source="002 §2.4",
    drawn=over_sums.BRIER,
    compared=3,
)
def brier(table: ScoreTable) -> Any:
    """Mean squared distance between probability and label, all queries.

    A constant probability at the prevalence π already reaches π(1 − π), which is small when evidence is rare.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Equals ``sklearn.metrics.brier_score_loss``.

    Examples
    --------
    >>> import numpy as np
    >>> brier(ScoreTable(np.array([0.0, 0.5]), np.array([0, 1]), np.array([1, 1])))  # (0 + 1/4 + 1/4) / 3
    0.16666666666666666
    """
    return Ratio(_squared_errors(table), table.total).value


@_calibration(
    label="Brier skill score",
    formula="1 − Brier / (π · (1 − π)), π the share with evidence",
    undefined=ONE_CLASS,
    bounds=(-math.inf, 1),
    better="higher",
    source="Brier score scaled by its value at the prevalence; design contract, calibration",
    drawn=over_sums.BRIER_SKILL,
    meaning="0 is no better than saying the prevalence every time, 1 is perfect",
)
def brier_skill(table: ScoreTable) -> Any:
    """Share of the prevalence's own Brier score that the probabilities remove, all queries.

    0 is no better than saying the prevalence of these same rows every time; negative is worse.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).

    Returns
    -------
    float, or array over replicates.

    Source
    ------
    Scaled Brier score, Steyerberg et al. 2010, Epidemiology 21:128.
    """
    return 1 - Ratio(_squared_errors(table) * table.total, table.total_pos * table.total_neg).value


@_calibration(
    label="Log loss",
    formula="−Σ (y · ln p + (1 − y) · ln(1 − p)) / N, p within [clip, 1 − clip]",
    undefined=(NO_ROWS,),
    bounds=(0, math.inf),
    better="lower",
    source="design contract, calibration",
    params=("clip",),
    remark=clipping_note,
    drawn=over_sums.LOG_LOSS,
    short="Log loss",
    headline=("family",),
    meaning="punishes confident mistakes; 0 is perfect",
)
def log_loss(table: ScoreTable, *, clip: float = CLIP) -> Any:
    """Mean negative log-likelihood of the labels under the probabilities (natural logarithm), all queries.

    Where probabilities are 0 or 1 and wrong, the clip decides the value: the note counts them.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    clip : in (0, 0.5); probabilities are kept within [clip, 1 − clip].

    Returns
    -------
    float up to −ln clip, or array over replicates.

    Source
    ------
    Equals ``sklearn.metrics.log_loss`` on clipped probabilities.
    """
    p = np.clip(table.score, clip, 1 - clip)
    return Ratio(-(table.n_pos * np.log(p) + table.n_neg * np.log1p(-p)).sum(axis=-1), table.total).value


def _squared_errors(table: ScoreTable) -> Any:
    return (table.n_pos * (1 - table.score) ** 2 + table.n_neg * table.score**2).sum(axis=-1)
