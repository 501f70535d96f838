"""The thresholds at which two models are compared: each its own for one target, or one pair if asked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evalcore.compare.options import SENSITIVITY, CompareOptions
from evalcore.compare.statistics import GATE_METRICS, Floats, PairedScores
from evalcore.operating_point.thresholds import shortest_threshold, threshold_text

Pair = tuple[float, float | None]
SCREENING = GATE_METRICS[:2]
AT_ONE_PAIR = "tau_neg="
"""How the parameters of rates at one pair of thresholds begin."""


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


def gates_of(rows: PairedScores, options: CompareOptions, *, is_one_scale: bool) -> Gates | str:
    """The gates to compare at, or why there are none.

    By default both have the same target and each its own threshold. The same thresholds are compared only
    where they are named: no data show that two scores are of one scale, and where they are not, whichever
    model lies lower seems to skip more and miss more.

    Parameters
    ----------
    rows : the shared checks.
    options : what was asked for.
    is_one_scale : whether both models' scores are of one kind.
    """
    if options.tau_neg is not None and options.tau_pos is not None:
        if not is_one_scale:
            return "the two scores are of different kinds: no threshold means the same for both"
        pair = options.tau_neg, options.tau_pos
        means = " and ".join(f"{score.mean():.3g}" for score in (rows.first, rows.second))
        note = (
            f"the same thresholds for both, as asked; the scores average {means} on these rows, and where "
            "two scales differ these rates say which one the thresholds fit, not which model is better"
        )
        return Gates(pair, pair, GATE_METRICS, f"{AT_ONE_PAIR}{pair[0]!r};tau_pos={pair[1]!r}", note)
    share = SENSITIVITY if options.screening_sensitivity is None else options.screening_sensitivity
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
    return Gates((first, None), (second, None), SCREENING, f"screening_sensitivity={share!r}", note)


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
