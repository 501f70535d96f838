"""Retrieved chunks and generated answers by what annotators said of them (document 003).

Every function returns a value per query or answer; the metric is the mean over those that have one. A label
on which annotators are tied is left out, a panel that is not wholly annotated is skipped; both are counted.
"""

SHARES = frozenset(
    {
        "rag.sufficiency_hit_at_k",
        "rag.grounding_presence_rate",
        "rag.unsupported_claim_rate",
        "rag.contradiction_rate",
        "rag.citation_presence_rate",
        "rag.conditional_fabrication_rate",
        "rag.proper_action_rate",
        "rag.on_topic_rate",
        "rag.helpfulness_rate",
        "rag.incompleteness_rate",
        "rag.unsafe_content_rate",
    }
)
"""Metrics whose value of a query or answer is 0 or 1: their mean is a share."""

MONOTONE = (SHARES - {"rag.conditional_fabrication_rate"}) | {
    "rag.topical_precision_at_k",
    "rag.sufficiency_rate_at_k",
    "rag.misleading_context_rate_at_k",
    "rag.mean_reciprocal_rank_at_k",
}
"""Metrics that no further yes lowers: filling what nobody annotated with no and with yes bounds them."""

LABELS_OF = {
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
"""Metric key → the labels that it is computed from."""
