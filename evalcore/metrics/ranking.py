"""Ranking of candidates against gold: how high the evidence of a query stands in its list.

Every function returns a value per query; the metric is their mean over ``positives_only`` (queries with gold)
or ``all_queries`` (a query without gold counts 0). A gold that the list lacks is a miss, so a query with gold
and no list counts 0. K = None means the whole list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains, ranks
from evalcore.kernels.ranks import check_k as check_k
from evalcore.problems import InputError, problem
from evalcore.spec import METRICS, PerQuery, Place, Undefined, metric
from evalcore.tallies.ranked import RankedQueries

NO_GOLD = Undefined(lambda queries: not np.any(queries.n_gold), "no query with gold")
MAP_VARIANTS = {
    "min_gold_k": "divides by min(|G|, K), as 000 and 001 do",
    "gold": "divides by |G|, as 002 and trec_eval's map_cut do",
}
PRECISION_VARIANTS = {
    "k": "divides by K; by the length of the list when K is the whole list",
    "returned": "divides by min(K, length of the list)",
}
NDCG_VARIANTS = {
    "default": "gain 2^grade − 1, ideal of the full gold cut at K",
    "k_eff": "the same gain, ideal cut at K_eff = min(K, length of the list) (000 §3.2)",
    "linear": "gain = grade, ideal of the full gold cut at K, as trec_eval does",
}


def effective_k(queries: RankedQueries, k: int | None) -> NDArray[np.int64]:
    """K_eff = min(K, length of the list) of each query; it changes no metric but the variant ``k_eff``.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list.

    Returns
    -------
    int64, shape (Q,), from 0 on.

    Source
    ------
    Document 000 §3.2.

    Examples
    --------
    >>> effective_k(RankedQueries.from_lists([{"a": 1}, {}], [["a", "b", "c"], ["d"]]), 2).tolist()
    [2, 1]
    """
    return np.minimum(queries.n_ranked, ranks.cutoff(k))


def queries_affected_by_ties(
    function: Callable[..., Any], queries: RankedQueries, **params: Any
) -> NDArray[np.bool_]:
    """Which queries' values depend on how tied scores are ordered.

    Parameters
    ----------
    function : a metric of this module.
    queries : Q queries.
    params : K and variant.

    Returns
    -------
    bool, shape (Q,): whether the value with golds first among equal scores differs from that with golds last;
    of a metric without values by query all False.

    Source
    ------
    contract.md, Ranking, ties in score.
    """
    if not (queries.tie_size > 1).any():
        return np.zeros(len(queries), bool)
    best, worst = (
        function(ordered, **params) for ordered in (queries.gold_first_in_ties, queries.gold_last_in_ties)
    )
    if not isinstance(best, PerQuery):
        return np.zeros(len(queries), bool)
    return np.asarray((best.values != worst.values) & ~np.isnan(best.values))


def _note_on_ties(name: str) -> Callable[..., str]:
    def note(queries: RankedQueries, **params: Any) -> str:
        affected = queries_affected_by_ties(METRICS[f"ranking.{name}"].function, queries, **params)
        n, n_with_gold = queries.n_of(affected), queries.n_of(queries.n_gold > 0)
        depend = "depends" if n == 1 else "depend"
        return f"{n:,} of {n_with_gold:,} queries with gold {depend} on the order of tied scores" if n else ""

    return note


def _ranking(
    name: str,
    label: str,
    formula: str,
    source: str,
    variants: dict[str, str] | None = None,
    *,
    headline: tuple[Place, ...] = (),
    compared: int = 0,
    is_of_whole_list: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return metric(
        family="ranking",
        headline=headline,
        name=name,
        label=label,
        formula=formula,
        population=("positives_only", "all_queries"),
        undefined=(NO_GOLD,),
        bounds=(0, 1),
        better="higher",
        source=source,
        variants=variants,
        params=("k",),
        remark=_note_on_ties(name),
        compared=compared,
        is_of_whole_list=is_of_whole_list,
        takes_counted=True,
    )


def _known(variant: str, variants: dict[str, str]) -> str:
    if variant not in variants:
        expected = ", ".join(variants)
        raise InputError(
            [problem("OPT-003", name="variant", found=repr(variant), expected=f"one of {expected}")]
        )
    return variant


@_ranking(
    "recall",
    "Recall@K",
    "|G ∩ first K| / |G|",
    "000 §1.2, 001 §1.1, 002 §3.1",
    headline=("steps",),
    compared=11,
)
def recall(queries: RankedQueries, *, k: int | None) -> PerQuery:
    """Share of a query's gold that stands among the first K of its list.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list.

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query without gold.

    Raises
    ------
    InputError : for an illegal K.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1, "d": 1}], [["b", "a", "c"]])
    >>> recall(queries, k=2).values.tolist(), recall(queries, k=1).values.tolist()
    ([0.5], [0.0])
    """
    hits = ranks.by_query(queries, ranks.weight_in_top(queries, ranks.cutoff(k), gains.one))
    return PerQuery(gains.shares(hits, queries.n_gold))


@_ranking("precision", "Precision@K", "|G ∩ first K| / K", "002 §3.2", PRECISION_VARIANTS)
def precision(queries: RankedQueries, *, k: int | None, variant: str = "k") -> PerQuery:
    """Share of the first K places that hold gold; a list shorter than K is not forgiven.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list: then both variants divide by its length.
    variant : ``k`` divides by K, ``returned`` by min(K, length of the list).

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query without gold or with an empty list.

    Raises
    ------
    InputError : for an illegal K or variant.

    Source
    ------
    `returned` divides by the K_eff of document 000 §3.2.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1}], [["a", "b"]])
    >>> [precision(queries, k=4, variant=name).values.tolist() for name in ("k", "returned")]
    [[0.25], [0.5]]
    """
    cut = ranks.cutoff(k)
    hits = ranks.by_query(queries, ranks.weight_in_top(queries, cut, gains.one))
    by_length = _known(variant, PRECISION_VARIANTS) == "returned" or cut == gains.WHOLE_LIST
    length = effective_k(queries, k) if by_length else np.full(len(queries), cut)
    return PerQuery(gains.shares(hits, length))


@_ranking("hit_rate", "Hit rate@K", "[|G ∩ first K| ≥ 1]", "002 §3.3", compared=14)
def hit_rate(queries: RankedQueries, *, k: int | None) -> PerQuery:
    """Whether at least one gold of a query stands among the first K of its list.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list.

    Returns
    -------
    PerQuery of shape (Q,), each 0 or 1 (in between where the order of ties is left open); 0 for a query
    without gold.

    Raises
    ------
    InputError : for an illegal K.

    Source
    ------
    Trec_eval's ``success``.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1, "d": 1}], [["b", "a", "c"]])
    >>> hit_rate(queries, k=1).values.tolist(), hit_rate(queries, k=2).values.tolist()
    ([0.0], [1.0])
    """
    return PerQuery(ranks.first_weight_in_top(queries, ranks.cutoff(k), gains.one))


@_ranking(
    "mrr",
    "MRR@K",
    "1 / rank of the first gold, 0 below place K",
    "000 §1.3, 001 §1.2; whole list: 002 §3.4",
    compared=12,
    is_of_whole_list=True,
)
def mrr(queries: RankedQueries, *, k: int | None) -> PerQuery:
    """One over the rank of a query's first gold, 0 when the first K places hold none.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on (documents 000 and 001), or None for the whole list (document 002).

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query without gold.

    Raises
    ------
    InputError : for an illegal K.

    Source
    ------
    Documents 000 §1.3 and 002 §3.4; trec_eval's ``recip_rank`` without K.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"c": 1}], [["b", "a", "c"]])
    >>> mrr(queries, k=2).values.tolist(), mrr(queries, k=None).values.round(3).tolist()
    ([0.0], [0.333])
    """
    return PerQuery(ranks.first_weight_in_top(queries, ranks.cutoff(k), gains.reciprocal))


@_ranking(
    "map",
    "MAP@K",
    "Σ over gold in first K of P@rank / min(|G|, K)",
    "000 §1.4, 001 §1.3, 002 §3.5",
    MAP_VARIANTS,
    compared=13,
    is_of_whole_list=True,
)
def average_precision(queries: RankedQueries, *, k: int | None, variant: str = "min_gold_k") -> PerQuery:
    """Mean precision at the places of a query's gold, gold below place K or not in the list counting 0.

    Parameters
    ----------
    queries : Q queries; every grade from 1 on counts as relevant.
    k : whole number from 1 on, or None for the whole list: then both variants divide by |G|.
    variant : ``min_gold_k`` divides by min(|G|, K), ``gold`` by |G|.

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query without gold.

    Raises
    ------
    InputError : for an illegal K or variant.

    Source
    ------
    `gold` is document 002 §3.5 and trec_eval's ``map_cut``.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1, "d": 1, "e": 1, "f": 1}], [["b", "a", "c"]])
    >>> [average_precision(queries, k=2, variant=name).values.tolist() for name in ("min_gold_k", "gold")]
    [[0.25], [0.125]]
    """
    cut = ranks.cutoff(k)
    total = ranks.by_query(queries, ranks.precision_in_top(queries, cut))
    cuts_gold = _known(variant, MAP_VARIANTS) == "min_gold_k"
    return PerQuery(gains.shares(total, np.minimum(queries.n_gold, cut) if cuts_gold else queries.n_gold))


@_ranking(
    "ndcg",
    "nDCG@K",
    "Σ gain / log₂(rank + 1) over gold in first K / the same of the ideal list",
    "000 §1.5, 001 §1.4, 002 §3.6",
    NDCG_VARIANTS,
    headline=("family", "steps"),
    compared=10,
)
def ndcg(queries: RankedQueries, *, k: int | None, variant: str = "default") -> PerQuery:
    """Discounted gain of a query's gold among the first K, as a share of the best possible one.

    The ideal list shows the full gold, also what the list lacks.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list: then the ideal is not cut, except by ``k_eff``.
    variant : ``default`` (gain 2^grade − 1), ``k_eff`` (the ideal cut at min(K, length of the list)) or
        ``linear`` (gain = grade); all the same for binary gold and lists of at least K.

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query without gold or with an empty list.

    Raises
    ------
    InputError : for an illegal K or variant.

    Source
    ------
    `k_eff` is document 000 §3.2, `linear` trec_eval's ``ndcg_cut``.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1}, {"a": 2, "b": 1}], [["b", "a"], ["b", "a"]])
    >>> ndcg(queries, k=10).values.round(4).tolist()
    [0.6309, 0.7967]
    """
    cut = ranks.cutoff(k)
    gain = _gain(queries, linear=_known(variant, NDCG_VARIANTS) == "linear")
    dcg = ranks.by_query(queries, gain * ranks.weight_in_top(queries, cut, gains.discount))
    ideal_cut = effective_k(queries, k) if variant == "k_eff" else cut
    ideal = gains.ideal_dcg(queries.query, gain[queries.best_first], len(queries), ideal_cut)
    return PerQuery(gains.shares(dcg, ideal))


def _gain(queries: RankedQueries, *, linear: bool) -> NDArray[np.float64]:
    """Gain of each gold, shape (G,): the grade, or 2^grade − 1 over the query's highest 2^grade.

    nDCG does not see the common factor, and no grade overflows.
    """
    if linear:
        return queries.grade.astype(float)
    highest = queries.grade[queries.best_first][queries.first[queries.query]]
    return np.asarray(np.ldexp(1.0, queries.grade - highest) - np.ldexp(1.0, -highest))
