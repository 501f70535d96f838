"""Points of curves: ROC, precision–recall, reliability, scores, net benefit, popularity of what is shown.

Points only: intervals come from `evalcore.inference`, drawings from `evalcore.figures`.
"""

from __future__ import annotations

from evalcore.curves.net_benefit import (
    GateDecisionCurves,
    gate_decision_curves,
)
from evalcore.curves.ordered import (
    PrCurve,
    RocCurve,
    pr_points,
    roc_points,
)
from evalcore.curves.popularity import (
    PopularityCurves,
    popularity_curves,
)
from evalcore.curves.promised import (
    Reliability,
    ScoreDistribution,
    SmoothedReliability,
    reliability,
    score_distribution,
    smoothed_reliability,
)

__all__ = [
    "GateDecisionCurves",
    "PopularityCurves",
    "PrCurve",
    "Reliability",
    "RocCurve",
    "ScoreDistribution",
    "SmoothedReliability",
    "gate_decision_curves",
    "popularity_curves",
    "pr_points",
    "reliability",
    "roc_points",
    "score_distribution",
    "smoothed_reliability",
]
