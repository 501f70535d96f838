"""Net benefit of acting on a probability, and of the gate's two rules, over what a false alarm may cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.tallies.decisions import StateCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GateDecisionCurves:
    """Net benefit of the gate's two rules by threshold probability, against calling everything and nothing.

    Parameters
    ----------
    threshold : float64 in [0, 1], shape (T,).
    screened_in, alert, everything : float64 up to the prevalence, shape (T,); NaN at threshold 1 and without
        rows. Calling nothing gains 0.
    prevalence : the most that any rule can gain; NaN without rows.
    """

    threshold: Floats
    screened_in: Floats
    alert: Floats
    everything: Floats
    prevalence: float

    @property
    def lowest(self) -> float:
        """The lowest value of any rule where it is defined, 0 for calling nothing among them."""
        values = np.concatenate([self.screened_in, self.alert, self.everything])
        return float(np.min(values[np.isfinite(values)], initial=0.0))


def gate_decision_curves(counts: StateCounts, thresholds: ArrayLike) -> GateDecisionCurves:
    """Net benefit of "screened in" (not skipped) and of "alert" while the gate's two thresholds stand fixed.

    t says what a false alarm costs: t/(1 − t) of what a check with evidence gains. Means something for
    calibrated probabilities only.

    Parameters
    ----------
    counts : rows by state and label, scalars.
    thresholds : threshold probabilities t in [0, 1], shape (T,).

    Returns
    -------
    GateDecisionCurves; NaN at t = 1, where the odds are infinite, and without rows.

    Source
    ------
    Vickers and Elkin 2006, Med. Decis. Making 26:565.

    Examples
    --------
    >>> counts = StateCounts(*(np.array(n) for n in (1, 50, 4, 30, 5, 10)))
    >>> curves = gate_decision_curves(counts, [0.0, 0.2])
    >>> curves.screened_in.round(4).tolist(), curves.alert.round(4).tolist()
    ([0.09, -0.01], [0.05, 0.025])
    """
    t = np.asarray(thresholds, float)
    n, n_pos = float(counts.total), float(counts.total_pos)
    odds = _odds(t)

    def gain(true_pos: float, false_pos: float) -> Floats:
        return np.asarray((true_pos - false_pos * odds) / n) if n else np.full(t.shape, np.nan)

    return GateDecisionCurves(
        threshold=t,
        screened_in=gain(n_pos - float(counts.neg_pos), n - n_pos - float(counts.neg_neg)),
        alert=gain(float(counts.pos_pos), float(counts.pos_neg)),
        everything=gain(n_pos, n - n_pos),
        prevalence=n_pos / n if n else float("nan"),
    )


def _odds(t: Floats) -> Floats:
    """t/(1 − t), NaN at t = 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(t < 1, t / (1 - t), np.nan))
