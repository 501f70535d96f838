"""Retrieval: relevance, sufficiency and order of the first K retrieved chunks, as annotators judged them."""

from __future__ import annotations

import numpy as np

from evalcore.annotations import YES
from evalcore.kernels.gains import Values, Weight, firsts, one, reciprocal, shares, totals
from evalcore.metrics.rag.lists import (
    HIT_VARIANTS,
    NDCG_VARIANTS,
    RATE_VARIANTS,
    best_dcg,
    dcg,
    declared,
    enters,
    gains,
    known,
    worth,
)
from evalcore.spec import PerQuery
from evalcore.tallies.judgements import Panels


def _rate(panels: Panels, label: str, variant: str) -> PerQuery:
    known(variant, RATE_VARIANTS)
    state = panels.of(label)
    n_yes = totals(panels.query, worth(panels, state == YES, one), len(panels))
    if variant == "present":
        n = panels.per_query((state >= 0) & panels.is_listed)
    else:
        n = panels.n_listed if panels.k is None else np.full(len(panels), panels.k)
    is_in = enters(panels, label, empty_counts=variant == "k")
    return PerQuery(np.where(is_in, shares(n_yes, n), np.nan))


def _first(panels: Panels, label: str, weight: Weight) -> Values:
    """The weight of the place of each query's first chunk within the cut-off that has the label."""
    is_yes = (panels.of(label) == YES) & panels.is_listed
    return firsts(panels.query[is_yes], worth(panels, is_yes, weight)[is_yes], len(panels))


@declared(
    "Topical precision@K",
    "mean over queries of Σ_k t_ik / K",
    "higher",
    "Topical Precision@K",
    RATE_VARIANTS,
    "topically_relevant",
)
def topical_precision_at_k(panels: Panels, *, variant: str = "present") -> PerQuery:
    """Share of a query's first K retrieved chunks that are topically relevant.

    Lists shorter than K: `present` divides by what was retrieved, `k` counts what is missing as irrelevant.

    Parameters
    ----------
    panels : Q queries, cut at K.

    Returns
    -------
    PerQuery of shape (Q,); NaN for a query whose panel is not used, without a settled label or
    (`present`) without a retrieved chunk.

    Examples
    --------
    >>> panels = Panels.from_lists(5, topically_relevant=[[1, 0], [1, 1, 0, 0, 0]])
    >>> topical_precision_at_k(panels).values.tolist()
    [0.5, 0.4]
    >>> topical_precision_at_k(panels, variant="k").values.tolist()
    [0.2, 0.4]
    """
    return _rate(panels, "topically_relevant", variant)


@declared(
    "Sufficiency hit@K",
    "share of queries with Σ_k s_ik ≥ 1",
    "higher",
    "Sufficiency Hit@K",
    HIT_VARIANTS,
    "evidence_sufficient",
    is_share=True,
)
def sufficiency_hit_at_k(panels: Panels, *, variant: str = "default") -> PerQuery:
    """Share of queries with at least one chunk among the first K that is sufficient evidence.

    A chunk on which annotators are tied is no hit.

    Parameters
    ----------
    panels : Q queries, cut at K.

    Returns
    -------
    PerQuery of shape (Q,), 0 or 1; NaN for a query whose panel is not used or without a settled label.

    Examples
    --------
    >>> panels = Panels.from_lists(2, evidence_sufficient=[[0, 1], [0, 0, 1], []])
    >>> sufficiency_hit_at_k(panels).values.tolist()
    [1.0, 0.0, 0.0]
    """
    empty_counts = known(variant, HIT_VARIANTS) == "default"
    is_in = enters(panels, "evidence_sufficient", empty_counts=empty_counts)
    return PerQuery(np.where(is_in, _first(panels, "evidence_sufficient", one), np.nan))


@declared(
    "Sufficiency rate@K",
    "mean over queries of Σ_k s_ik / K",
    "higher",
    "Sufficiency Rate@K",
    RATE_VARIANTS,
    "evidence_sufficient",
)
def sufficiency_rate_at_k(panels: Panels, *, variant: str = "present") -> PerQuery:
    """Share of a query's first K retrieved chunks that are by themselves sufficient evidence.

    Parameters
    ----------
    panels : Q queries, cut at K.

    Returns
    -------
    PerQuery of shape (Q,); NaN as in `rag.topical_precision_at_k`.

    Examples
    --------
    >>> sufficiency_rate_at_k(Panels.from_lists(4, evidence_sufficient=[[0, 1, 0, 0]])).values.tolist()
    [0.25]
    """
    return _rate(panels, "evidence_sufficient", variant)


@declared(
    "Misleading context rate@K",
    "mean over queries of Σ_k m_ik / K",
    "lower",
    "Misleading Context Rate@K",
    RATE_VARIANTS,
    "misleading",
)
def misleading_context_rate_at_k(panels: Panels, *, variant: str = "present") -> PerQuery:
    """Share of a query's first K retrieved chunks that would mislead if used as evidence.

    The variant `k` makes short lists look safer than they are.

    Parameters
    ----------
    panels : Q queries, cut at K.

    Returns
    -------
    PerQuery of shape (Q,); NaN as in `rag.topical_precision_at_k`.

    Examples
    --------
    >>> misleading_context_rate_at_k(Panels.from_lists(5, misleading=[[0, 1]])).values.tolist()
    [0.5]
    """
    return _rate(panels, "misleading", variant)


@declared(
    "Mean reciprocal rank@K",
    "mean over queries of 1 / min{k ≤ K: t_ik = 1}, 0 where there is none",
    "higher",
    "Mean Reciprocal Rank@K",
    HIT_VARIANTS,
    "topically_relevant",
)
def mean_reciprocal_rank_at_k(panels: Panels, *, variant: str = "default") -> PerQuery:
    """One over the rank of a query's first topically relevant chunk within the first K; 0 without one.

    The rank is that of the file, not the place of the row. A chunk on which annotators are tied is not
    the first relevant one.

    Parameters
    ----------
    panels : Q queries, cut at K.

    Returns
    -------
    PerQuery of shape (Q,); NaN for a query whose panel is not used, or without a settled label.

    Examples
    --------
    >>> panels = Panels.from_lists(3, topically_relevant=[[0, 1], [0, 0, 0, 1]])
    >>> mean_reciprocal_rank_at_k(panels).values.tolist()
    [0.5, 0.0]
    """
    empty_counts = known(variant, HIT_VARIANTS) == "default"
    is_in = enters(panels, "topically_relevant", empty_counts=empty_counts)
    return PerQuery(np.where(is_in, _first(panels, "topically_relevant", reciprocal), np.nan))


@declared(
    "nDCG@K",
    "mean over queries of Σ_k (2^w_ik − 1) / log2(k + 1) over the same sum in the ideal order",
    "higher",
    "Normalized Discounted Cumulative Gain@K",
    NDCG_VARIANTS,
    "topically_relevant",
    "evidence_sufficient",
    is_monotone=False,
)
def ndcg_at_k(panels: Panels, *, variant: str = "within_list") -> PerQuery:
    """How well the order of a query's first K retrieved chunks puts sufficient before relevant before other.

    Within the retrieved list the ideal knows nothing of what was not retrieved: a list with one poor chunk
    at the top and nothing better below reaches 1. A chunk without a settled grade leaves both sums; ranks
    stay as they are.

    Parameters
    ----------
    panels : Q queries, cut at K. Grade 2: sufficient; 1: topically relevant only.

    Returns
    -------
    PerQuery of shape (Q,); 0 without a relevant chunk, NaN under `defined_only`; NaN for a query whose
    panel is not used or without a settled grade.

    Examples
    --------
    >>> panels = Panels.from_lists(2, topically_relevant=[[1, 1]], evidence_sufficient=[[0, 1]])
    >>> ndcg_at_k(panels).values.round(4).tolist()  # (1 + 3/log2 3) / (3 + 1/log2 3)
    [0.7967]
    """
    known(variant, NDCG_VARIANTS)
    gain = gains(panels)
    has_grade = ~np.isnan(gain)
    ideal = best_dcg(panels, gain, has_grade & (panels.is_listed | (variant == "all_judged")))
    empty_counts = variant != "retrieved_only"
    is_in = enters(panels, "topically_relevant", "evidence_sufficient", empty_counts=empty_counts)
    if variant == "defined_only":
        is_in &= ideal > 0
    return PerQuery(np.where(is_in, shares(dcg(panels, gain), ideal), np.nan))
