"""Evidence extraction a second time: sets of ids, one query after the other, as 001 and 002 print it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import NamedTuple

from evalcore.crosscheck.spread import quantile, summary


class Selected(NamedTuple):
    """One query.

    Parameters
    ----------
    gold : its gold ids; where only the number selected is known, any id stands for "has evidence".
    ids : the ids that were selected; where only their number is known, any ids.
    passed : whether the gate lets it through.
    """

    gold: frozenset[str]
    ids: frozenset[str]
    passed: bool = True


def selected_k(
    scores: Sequence[float],
    *,
    policy: str,
    is_probability: bool,
    k: int | None = None,
    threshold: float = math.nan,
    gamma: float = math.nan,
    temperature: float | None = None,
    k_min: int = 2,
    hard_cap: int = 10,
    ratio: float | str = 0.5,
    rounding: str = "floor",
) -> int:
    """How many of a list of descending scores a policy selects."""
    n = len(scores)
    by_rule = {
        "fixed": n if k is None else k,
        "threshold": sum(score >= threshold for score in scores),
        "mass": _mass(scores, gamma, temperature, is_probability),
    }
    by_rule["combined"] = min(by_rule["threshold"], by_rule["mass"])
    exact = n * Decimal(str(ratio))
    k_max = min(hard_cap, int(exact.to_integral_value(ROUND_CEILING if rounding == "ceil" else ROUND_FLOOR)))
    return min(max(by_rule[policy], k_min), max(k_max, k_min), n)


def _mass(scores: Sequence[float], gamma: float, temperature: float | None, is_probability: bool) -> int:
    """The smallest number of candidates whose shares together reach γ."""
    if is_probability and temperature is None:
        weights = list(scores) if any(scores) else [1.0] * len(scores)
    else:
        weights = [math.exp((score - scores[0]) / (temperature or 1.0)) for score in scores]
    total, held = math.fsum(weights), 0.0
    for k, weight in enumerate(weights, 1):
        held += weight / total
        if held >= gamma - 1e-12:
            return k
    return len(scores)


def _recall(gold: frozenset[str], ids: frozenset[str]) -> float:
    if not gold:
        return math.nan
    return len(gold & ids) / len(gold)


def _precision(gold: frozenset[str], ids: frozenset[str]) -> float:
    if not ids:
        return math.nan
    return len(gold & ids) / len(ids)


def _f1(gold: frozenset[str], ids: frozenset[str]) -> float:
    precision, recall = _precision(gold, ids), _recall(gold, ids)
    if math.isnan(precision) or math.isnan(recall):
        return math.nan
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


OfSets = Callable[[frozenset[str], frozenset[str]], float]
Queries = Sequence[Selected]


def _is_member(query: Selected, population: str) -> bool:
    return {
        "all_queries": True,
        "positives_only": bool(query.gold),
        "negatives_only": not query.gold,
    }[population]


def _over_queries(of_sets: OfSets) -> Callable[..., float]:
    def of_queries(
        queries: Queries,
        *,
        variant: str = "default",
        population: str = "positives_only",
        stat: str = "mean",
    ) -> float:
        values = []
        for query in queries:
            if not _is_member(query, population) or (variant == "conditional" and not query.passed):
                continue
            ids = query.ids if query.passed else frozenset()
            if variant == "defined_only":
                values.append(of_sets(query.gold, ids) if ids else math.nan)
            elif not query.gold:
                values.append(0.0 if ids else 1.0)
            else:
                values.append(of_sets(query.gold, ids) if ids else 0.0)
        return summary(values, stat)

    return of_queries


evidence_recall, evidence_precision = _over_queries(_recall), _over_queries(_precision)


def evidence_f1(
    queries: Queries,
    *,
    variant: str = "default",
    population: str = "positives_only",
    stat: str = "mean",
) -> float:
    """Mean of the queries' F1, or F1 of the two means."""
    if variant != "harmonic_mean_of_means":
        return _over_queries(_f1)(queries, variant=variant, population=population, stat=stat)
    precision = evidence_precision(queries, population=population)
    recall = evidence_recall(queries, population=population)
    return 2 * precision * recall / (precision + recall) if precision + recall else precision + recall


def _numbers(queries: Queries, variant: str, population: str) -> list[int]:
    kept = [query for query in queries if _is_member(query, population)]
    return [len(query.ids) for query in kept if query.passed or variant != "conditional"]


def mean_selected_k(
    queries: Queries, *, variant: str = "default", population: str = "all_queries", stat: str = "mean"
) -> float:
    """Mean number selected."""
    return summary(_numbers(queries, variant, population), stat)


def _quantile_of_numbers(q: float) -> Callable[..., float]:
    def of_queries(queries: Queries, *, variant: str = "default", population: str = "all_queries") -> float:
        return quantile(_numbers(queries, variant, population), q)

    return of_queries


EXTRACTION: Mapping[str, Callable[..., float]] = {
    "evidence_recall": evidence_recall,
    "evidence_precision": evidence_precision,
    "evidence_f1": evidence_f1,
    "mean_selected_k": mean_selected_k,
    "median_selected_k": _quantile_of_numbers(0.5),
    "p90_selected_k": _quantile_of_numbers(0.9),
}
