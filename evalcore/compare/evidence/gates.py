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
from evalcore.text.numerals import as_given, percent, percent_of_share

Floats = NDArray[np.float64]
Pair = tuple[float, float | None]
ONE_SCALE = 0.1
"""How far the averages of two probabilities may lie apart, as a share of the larger, on what is one scale."""
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
        if metric.tally == "StateCounts" and _tells_alerts(metric):
            if self.first[1] is None and self.second[1] is None:
                return "there is no τ_pos, so nothing raises an alert: name thresholds or an alert precision"
            if self.first[1] is None or self.second[1] is None:
                return "one of the two raises no alert at that precision"
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
        means = " and ".join(f"{as_given(float(score.mean()), 3)}" for score in scores)
        note = (
            f"the same thresholds for both, as asked; the scores average {means} on these rows, and where "
            "two scales differ these rates say which one the thresholds fit, not which model is better"
        )
        return Gates(pair, pair, {"tau_neg": pair[0], "tau_pos": pair[1]}, is_asked=True, note=note)
    share = SENSITIVITY if options.screening_sensitivity is None else options.screening_sensitivity
    if not is_positive.any():
        return "no row with evidence: no threshold keeps a share of it"
    printed = {"screening_sensitivity": share}
    first, second = (largest_threshold(score, score[is_positive], share) for score in scores)
    taus = f"{threshold_text(first)} and {threshold_text(second)}"
    note = (
        f"each model at its own τ_neg, {taus}, the largest that keeps {percent(share)} of the "
        "evidence on these same rows"
    )
    alerts: list[float | None] = [None, None]
    precision = options.alert_precision
    if precision is not None:
        printed["alert_precision"] = precision
        alerts = [
            most_alerts(score, is_positive, precision, least=low)
            for score, low in zip(scores, (first, second), strict=True)
        ]
        taus = " and ".join("none" if tau is None else threshold_text(tau) for tau in alerts)
        note += f", and its own τ_pos, {taus}, with the most alerts of which {percent(precision)} are right"
    is_asked = options.screening_sensitivity is not None or precision is not None
    return Gates((first, alerts[0]), (second, alerts[1]), printed, is_asked=is_asked, note=note)


def why_two_scales(scores: tuple[Floats, Floats], *, are_probabilities: bool) -> str:
    """What speaks against one scale of two scores, and so against one threshold for both; empty for nothing.

    Averages that agree prove no scale: two calibrated models have them, and so have others. Averages that
    do not agree show that one threshold asks something else of each.

    Parameters
    ----------
    scores : of the shared checks under each model, shape (N,), N at least 1.
    are_probabilities : whether both are.

    Examples
    --------
    >>> score = np.array([0.1, 0.3])
    >>> why_two_scales((score, score + 0.01), are_probabilities=True)
    ''
    >>> why_two_scales((score, score / 2), are_probabilities=True)
    'they promise 20.0 % and 10.0 % on average, more than a tenth apart'
    """
    if not are_probabilities:
        return "they are no probabilities, and nothing says what one score of both means"
    first, second = (float(score.mean()) for score in scores)
    if abs(first - second) > ONE_SCALE * max(first, second):
        both = f"{percent_of_share(first)} and {percent_of_share(second)}"
        return f"they promise {both} on average, more than a tenth apart"
    return ""


def most_alerts(score: Floats, is_positive: NDArray[np.bool_], share: float, *, least: float) -> float | None:
    """The τ_pos with the most alerts of which at least a share have evidence; None where no τ_pos has.

    Parameters
    ----------
    score : of all checks, shape (N,).
    is_positive : bool, shape (N,).
    share : in (0, 1].
    least : τ_neg, below which no τ_pos lies.

    Examples
    --------
    >>> score, is_positive = np.array([0.1, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
    >>> most_alerts(score, is_positive, 0.6, least=0.0), most_alerts(score, is_positive, 0.9, least=0.0)
    (0.3, 0.7)
    """
    order = np.argsort(-score, kind="stable")
    falling = score[order]
    n_right = np.cumsum(is_positive[order])
    n = np.arange(1, len(score) + 1)
    is_last_of_equals = np.append(falling[1:] != falling[:-1], True)
    is_enough = is_last_of_equals & (n_right >= share * n - 1e-9) & (falling >= least)
    if not is_enough.any():
        return None
    last = int(np.flatnonzero(is_enough)[-1])
    below = float(falling[last + 1]) if last + 1 < len(falling) else -math.inf
    return max(shortest_threshold(below, float(falling[last])), least)


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
