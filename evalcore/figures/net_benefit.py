"""Net benefit of two thresholds that stand fixed, over what a false alarm may cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evalcore.curves import GateDecisionCurves, gate_decision_curves
from evalcore.figures.drawing import DARK, LIGHT, Figure, Plain, curve, drawn, line, reference
from evalcore.figures.shares import SHARE_TICKS, VALUE_TICKS
from evalcore.tallies.decisions import StateCounts

DEEPEST = 2.0
"""How far below zero is drawn, in prevalences: losses have no limit, gains end at the prevalence."""

N_STEPS = 201


def steps(low: int, high: int) -> list[float]:
    """Threshold probabilities from one share to another, both in whole per cent, alike far apart.

    Examples
    --------
    >>> steps(0, 50)[:2], len(steps(0, 50))
    ([0.0, 0.0025], 201)
    """
    return [(low + (high - low) * at / (N_STEPS - 1)) / 100 for at in range(N_STEPS)]


@Figure
def gate_net_benefit_figure(counts: StateCounts, thresholds: ArrayLike, *, dark: bool = False) -> Plain:
    """Net benefit of "screened in" (not skipped) and of "alert", against calling everything and nothing.

    Drawn are all four from their highest to their lowest value, but no deeper than twice the prevalence below
    zero, where the lines that matter would lie on each other.

    Parameters
    ----------
    counts : rows by state and label, scalars.
    thresholds : threshold probabilities t in [0, 1], shape (T,); undefined at 1.
    dark : whether the page is dark.

    Source
    ------
    `evalcore.curves.gate_decision_curves`.
    """
    palette = DARK if dark else LIGHT
    found = gate_decision_curves(counts, thresholds)
    t = found.threshold
    return drawn(
        [
            curve("screened in", t, found.screened_in, line(palette, 0)),
            curve("alert", t, found.alert, line(palette, 1)),
            reference(t, found.everything, "everything", palette, dash="dot"),
            reference(t, np.zeros(len(t)), "nothing", palette),
        ],
        palette,
        "Net benefit of screening in, of alerting, of calling everything and nothing.",
        {
            "xaxis": {"title": {"text": "threshold probability t"}, "tickformat": SHARE_TICKS},
            "yaxis": {
                "title": {"text": "net benefit per check"},
                "range": _range(found),
                "tickformat": VALUE_TICKS,
            },
        },
    )


def _range(found: GateDecisionCurves) -> list[float] | None:
    """The range of the axis with a margin; None, left to the drawing, where nothing can be gained."""
    if not found.prevalence > 0:
        return None
    low = max(found.lowest, -DEEPEST * found.prevalence)
    margin = 0.05 * (found.prevalence - low)
    return [low - margin, found.prevalence + margin]
