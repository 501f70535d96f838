"""Predicted labels beside human labels: how well they agree, and what both together say of all units."""

from evalcore.predicted.pairs import THRESHOLD, LabelPairs, label_pairs, pairs_with_responses
from evalcore.predicted.quality import Quality, Rate, calibration_table, quality
from evalcore.predicted.shares import ShareEstimate, share_estimates, shares_of_labels

__all__ = [
    "THRESHOLD",
    "LabelPairs",
    "Quality",
    "Rate",
    "ShareEstimate",
    "calibration_table",
    "label_pairs",
    "pairs_with_responses",
    "quality",
    "share_estimates",
    "shares_of_labels",
]
