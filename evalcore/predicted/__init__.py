"""Predicted labels beside human labels: how well they agree, and what both together say of all units."""

from evalcore.predicted.pairs import THRESHOLD, LabelPairs, label_pairs, pairs_with_responses
from evalcore.predicted.quality import Quality, Rate, quality
from evalcore.predicted.shares import ShareEstimate, shares_of_labels

__all__ = [
    "THRESHOLD",
    "LabelPairs",
    "Quality",
    "Rate",
    "ShareEstimate",
    "label_pairs",
    "pairs_with_responses",
    "quality",
    "shares_of_labels",
]
