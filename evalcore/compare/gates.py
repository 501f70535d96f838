"""The thresholds at which two models are compared: one pair for both, or one screening sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evalcore.compare.options import CompareOptions
from evalcore.compare.statistics import GATE_METRICS, Floats, PairedScores
from evalcore.data import Queries
from evalcore.evaluation.options import Options
from evalcore.evaluation.tallies import gate_thresholds
from evalcore.operating_point.thresholds import shortest_threshold, threshold_text

Pair = tuple[float, float | None]
SCREENING = GATE_METRICS[:2]


@dataclass(frozen=True)
class Gates:
    """The gate of each model.

    Parameters
    ----------
    first, second : (τ_neg, τ_pos) of each; no τ_pos, no alerts.
    metrics : keys of the metrics that are compared at it.
    params : as printed.
    note : how the thresholds came about, where they differ.
    """

    first: Pair
    second: Pair
    metrics: tuple[str, ...]
    params: str
    note: str = ""


def gates_of(
    rows: PairedScores, queries: tuple[Queries, Queries], options: CompareOptions, *, is_one_scale: bool
) -> Gates | str:
    """The gates to compare at, or why there are none.

    Parameters
    ----------
    rows : the shared checks.
    queries : those of each model, which may state their thresholds.
    options : what was asked for.
    is_one_scale : whether both models' scores are of one kind.
    """
    share = options.screening_sensitivity
    if share is not None:
        if not rows.is_positive.any():
            return "no row with evidence: no threshold keeps a share of it"
        first, second = (
            largest_threshold(score, score[rows.is_positive], share) for score in (rows.first, rows.second)
        )
        taus = f"{threshold_text(first)} and {threshold_text(second)}"
        note = (
            f"each model at its own τ_neg, {taus}, the largest that keeps {100 * share:.6g} % of the "
            "evidence on these same rows"
        )
        params = f"screening_sensitivity={share!r}"
        return Gates((first, None), (second, None), SCREENING, params, note)
    if not is_one_scale:
        return "the two scores are of different kinds: no threshold means the same for both"
    pair: tuple[float, float] | None
    if options.tau_neg is not None and options.tau_pos is not None:
        pair = options.tau_neg, options.tau_pos
    else:
        stated = {gate_thresholds(part, Options()) for part in queries}
        pair = stated.pop() if len(stated) == 1 else None
    if pair is None:
        return "no thresholds were given, and the rows do not state one pair"
    params = f"tau_neg={pair[0]!r};tau_pos={pair[1]!r}"
    return Gates(pair, pair, GATE_METRICS, params)


def largest_threshold(score: Floats, positive: Floats, share: float) -> float:
    """The largest τ_neg that keeps at least a share of the checks with evidence, in its shortest form.

    Parameters
    ----------
    score : of all checks, shape (N,).
    positive : of those with evidence, at least one.
    share : in (0, 1].

    Examples
    --------
    >>> largest_threshold(np.array([0.1, 0.2, 0.31, 0.4]), np.array([0.2, 0.31]), 0.5)
    0.3
    """
    n_kept = math.ceil(share * len(positive) - 1e-9)
    at = float(np.sort(positive)[len(positive) - n_kept])
    below = score[score < at]
    return shortest_threshold(float(below.max()) if len(below) else -math.inf, at)
