"""Extraction metrics by the formulas as printed, and their values as numbers."""

import numpy as np

from evalcore.metrics import extraction as e
from evalcore.spec import PerQuery

EVIDENCE = (e.evidence_recall, e.evidence_precision, e.evidence_f1)


def members(chosen, population):
    """The queries of a population, as a mask."""
    masks = {
        "positives_only": chosen.n_gold > 0,
        "negatives_only": chosen.n_gold == 0,
        "all_queries": np.ones(len(chosen), bool),
    }
    return masks[population]


def value(metric, chosen, population="positives_only", **params):
    """The value of a metric over a population."""
    result = metric(chosen, **params)
    mask = members(chosen, population)
    return result.over(mask)[0] if isinstance(result, PerQuery) else metric(chosen.where(mask), **params)


def evidence_recall_at_selected_k(gold_sent_uids, extracted_sent_uids):
    """Document 002 §4.2 as printed."""
    if not gold_sent_uids:
        return 0.0
    retrieved_gold = gold_sent_uids & extracted_sent_uids
    return len(retrieved_gold) / len(gold_sent_uids)


def evidence_precision_at_selected_k(gold_sent_uids, extracted_sent_uids):
    """Document 002 §4.3 as printed."""
    if not extracted_sent_uids:
        return 0.0
    retrieved_gold = gold_sent_uids & extracted_sent_uids
    return len(retrieved_gold) / len(extracted_sent_uids)


def f1_of_sets(gold, extracted):
    precision = evidence_precision_at_selected_k(gold, extracted)
    recall = evidence_recall_at_selected_k(gold, extracted)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


OF_SETS = dict(
    zip(
        EVIDENCE,
        (evidence_recall_at_selected_k, evidence_precision_at_selected_k, f1_of_sets),
        strict=True,
    )
)
