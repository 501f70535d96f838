"""Which labels each metric rests on, and the weakest agreement among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evalcore.agreement.alpha import Alpha

LABELS_OF_METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "rag.topical_precision_at_k": ("topically_relevant",),
        "rag.sufficiency_hit_at_k": ("evidence_sufficient",),
        "rag.sufficiency_rate_at_k": ("evidence_sufficient",),
        "rag.misleading_context_rate_at_k": ("misleading",),
        "rag.mean_reciprocal_rank_at_k": ("topically_relevant",),
        "rag.ndcg_at_k": ("topically_relevant", "evidence_sufficient"),
        "rag.grounding_presence_rate": ("support_present",),
        "rag.unsupported_claim_rate": ("unsupported_claim_present",),
        "rag.contradiction_rate": ("contradicted_claim_present",),
        "rag.citation_presence_rate": ("source_cited",),
        "rag.conditional_fabrication_rate": ("source_cited", "fabricated_source"),
        "rag.proper_action_rate": ("proper_action",),
        "rag.on_topic_rate": ("response_on_topic",),
        "rag.helpfulness_rate": ("helpful",),
        "rag.incompleteness_rate": ("incomplete",),
        "rag.unsafe_content_rate": ("unsafe_content",),
    }
)
"""The labels of document 003 that each metric is counted from."""


@dataclass(frozen=True)
class Weakest:
    """The label on which annotators agree least, of those that a metric rests on.

    Parameters
    ----------
    label : its name; empty where no label has an alpha.
    value : its alpha; NaN with a reason where no label has one.
    n_pairable : units that this alpha rests on.
    without_alpha : label → why it has none; a label on which agreement is not measured is no agreed label.
    reason : why ``value`` is NaN; empty where it is not.
    """

    label: str
    value: float
    n_pairable: int
    without_alpha: Mapping[str, str]
    reason: str


def weakest(alphas: Iterable[Alpha], labels: Iterable[str]) -> Weakest:
    """The smallest alpha of some labels, and which of them have none.

    Parameters
    ----------
    alphas : of all labels that were measured, of any task.
    labels : those that a metric rests on, see `LABELS_OF_METRICS`.

    Examples
    --------
    >>> weakest((), ["helpful"]).reason
    'helpful: not annotated'
    """
    by_label = {alpha.label: alpha for alpha in alphas}
    asked = list(labels)
    without = {
        label: by_label[label].reason if label in by_label else "not annotated"
        for label in asked
        if label not in by_label or np.isnan(by_label[label].value)
    }
    defined = [by_label[label] for label in asked if label not in without]
    if not defined:
        reason = "; ".join(f"{label}: {why}" for label, why in without.items())
        return Weakest("", np.nan, 0, without, reason)
    least = min(defined, key=lambda alpha: alpha.value)
    return Weakest(least.label, least.value, least.n_pairable, without, "")
