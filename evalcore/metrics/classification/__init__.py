"""Query-level and pair-level classification; the positive class is "has evidence"."""

from evalcore.metrics.classification.at_threshold import (
    balanced_accuracy,
    f1,
    false_negatives,
    false_positive_rate,
    false_positives,
    mcc,
    net_benefit,
    npv,
    precision,
    sensitivity,
    specificity,
    true_negatives,
    true_positives,
)
from evalcore.metrics.classification.discrimination import auprc, auroc, pair_auprc, pair_auroc, tpr_at_fpr

__all__ = [
    "auprc",
    "auroc",
    "balanced_accuracy",
    "f1",
    "false_negatives",
    "false_positive_rate",
    "false_positives",
    "mcc",
    "net_benefit",
    "npv",
    "pair_auprc",
    "pair_auroc",
    "precision",
    "sensitivity",
    "specificity",
    "tpr_at_fpr",
    "true_negatives",
    "true_positives",
]
