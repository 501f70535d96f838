"""Net benefit of two thresholds that stand fixed, over what a false alarm may cost."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from evalcore.figures.drawing import DARK, LIGHT, curve, finish, line, reference
from evalcore.metrics.classification.at_threshold import net_benefit
from evalcore.tallies.decisions import Confusion, StateCounts


def gate_net_benefit_figure(counts: StateCounts, thresholds: ArrayLike, *, dark: bool = False) -> go.Figure:
    """Net benefit of "screened in" (not skipped) and of "alert", against calling everything and nothing.

    The gate's two thresholds stay where they are; t says what a false alarm costs: t/(1−t) of what a check
    with evidence gains. Means something for calibrated probabilities only.

    Parameters
    ----------
    counts : rows by state and label, scalars.
    thresholds : threshold probabilities t in [0, 1], shape (T,); undefined at 1.
    dark : whether the page is dark.

    Source
    ------
    Vickers and Elkin 2006, Med. Decis. Making 26:565.
    """
    palette = DARK if dark else LIGHT
    t = np.asarray(thresholds, float)
    n_pos, n_neg = counts.total_pos, counts.total - counts.total_pos
    rules = {
        "screened in": (n_pos - counts.neg_pos, n_neg - counts.neg_neg),
        "alert": (counts.pos_pos, counts.pos_neg),
        "everything": (n_pos, n_neg),
    }
    benefit = {
        name: np.array([net_benefit(Confusion(tp, fp, n_pos - tp, n_neg - fp, at)) for at in t.tolist()])
        for name, (tp, fp) in rules.items()
    }
    figure = go.Figure()
    for at, name in enumerate(("screened in", "alert")):
        figure.add_trace(curve(name, t, benefit[name], line(palette, at)))
    figure.add_traces(
        [
            reference(t, benefit["everything"], "everything", palette, dash="dot"),
            reference(t, np.zeros(len(t)), "nothing", palette),
        ]
    )
    finish(figure, palette, "Net benefit of screening in, of alerting, of calling everything and nothing.")
    figure.update_xaxes(title_text="threshold probability t", tickformat=".0%")
    figure.update_yaxes(title_text="net benefit per check", autorangeoptions={"clipmin": -0.05})
    return figure
