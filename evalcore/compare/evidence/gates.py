"""The thresholds at which two models are compared: each its own for one target, or one pair if asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.compare.options import SENSITIVITY, CompareOptions
from evalcore.operating_point.tradeoff.thresholds import shortest_threshold, threshold_text
from evalcore.spec import Metric, Ratio
from evalcore.tallies.decisions import Confusion, StateCounts

Floats = NDArray[np.float64]
Pair = tuple[float, float | None]
AT_ONE_PAIR = "tau_neg="
"""How the parameters of rates at one pair of thresholds begin."""


@dataclass(frozen=True)
class Gates:
    """The gate of each model.

    Parameters
    ----------
    first, second : (τ_neg, τ_pos) of each; no τ_pos, no alerts.
    printed : the parameters that the table states.
    is_asked : whether somebody named the thresholds or the target.
    note : how the thresholds came about, where they differ.
    """

    first: Pair
    second: Pair
    printed: Mapping[str, float]
    is_asked: bool
    note: str = ""

    def why_not(self, metric: Metric) -> str:
        """Why a metric of decisions cannot be compared at these gates; empty where it can."""
        if metric.tally == "StateCounts" and self.first[1] is None and _tells_alerts(metric):
            return "there is no τ_pos, so nothing raises an alert: name both thresholds"
        if metric.tally == "Confusion" and self.is_asked and self.first != self.second and _weighs(metric):
            return "it depends on the threshold itself, and each model has its own"
        return ""


def _tells_alerts(metric: Metric) -> bool:
    """Whether a metric tells alerts from what is looked at without one: exchanging the two moves it."""
    n = [np.array(count) for count in (1, 2, 3, 5, 7, 11)]
    return _value(metric, StateCounts(*n)) != _value(metric, StateCounts(*n[:2], *n[4:], *n[2:4]))


def _weighs(metric: Metric) -> bool:
    """Whether a metric of the same counts changes with their threshold."""
    n = [np.array(count) for count in (3, 5, 7, 11)]
    one, other = (Confusion(n[0], n[1], n[2], n[3], threshold) for threshold in (0.25, 0.5))
    return _value(metric, one) != _value(metric, other)


def _value(metric: Metric, tally: Confusion | StateCounts) -> float:
    result = metric(tally)
    return float(result.value if isinstance(result, Ratio) else result)


def gates_of(
    scores: tuple[Floats, Floats],
    is_positive: NDArray[np.bool_],
    options: CompareOptions,
    *,
    is_one_scale: bool,
) -> Gates | str:
    """The gates to compare at, or why there are none.

    By default both have the same target and each its own threshold. The same thresholds are compared only
    where they are named: no data show that two scores are of one scale, and where they are not, whichever
    model lies lower seems to skip more and miss more.

    Parameters
    ----------
    scores : of the shared checks under each model, shape (N,).
    is_positive : bool, shape (N,).
    options : what was asked for.
    is_one_scale : whether both models' scores are of one kind.
    """
    if options.tau_neg is not None and options.tau_pos is not None:
        if not is_one_scale:
            return "the two scores are of different kinds: no threshold means the same for both"
        pair = options.tau_neg, options.tau_pos
        means = " and ".join(f"{score.mean():.3g}" for score in scores)
        note = (
            f"the same thresholds for both, as asked; the scores average {means} on these rows, and where "
            "two scales differ these rates say which one the thresholds fit, not which model is better"
        )
        return Gates(pair, pair, {"tau_neg": pair[0], "tau_pos": pair[1]}, is_asked=True, note=note)
    share = SENSITIVITY if options.screening_sensitivity is None else options.screening_sensitivity
    if not is_positive.any():
        return "no row with evidence: no threshold keeps a share of it"
    first, second = (largest_threshold(score, score[is_positive], share) for score in scores)
    taus = f"{threshold_text(first)} and {threshold_text(second)}"
    note = (
        f"each model at its own τ_neg, {taus}, the largest that keeps {100 * share:.6g} % of the "
        "evidence on these same rows"
    )
    is_asked = options.screening_sensitivity is not None
    return Gates(
        (first, None), (second, None), {"screening_sensitivity": share}, is_asked=is_asked, note=note
    )


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
