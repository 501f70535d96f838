"""Ranking a second time: every list sorted, every place looked at, a query at a time.

A query is its gold (id → grade) and its list as (id, score) rows in the order of the input. Where the order
of equal scores is left open, chances take the part of gold: a place among m candidates of one score, g of
them gold, holds gold with chance g/m, and two such places both do with g/m · (g − 1)/(m − 1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from evalcore.crosscheck.spread import summary

Gold = Mapping[str, int]
Rows = Sequence[tuple[str, float]]


class Place(NamedTuple):
    """A place of a list.

    Parameters
    ----------
    block : number of the block of equal scores that the place belongs to.
    grades : grade of every candidate of the block, 0 for one that is not gold.
    """

    block: int
    grades: tuple[int, ...]

    @property
    def chance(self) -> float:
        """Chance of a gold here."""
        return sum(grade > 0 for grade in self.grades) / len(self.grades)


class Top(NamedTuple):
    """The first K places of a query's list (all where K is None), and its gold."""

    gold: Gold
    places: Sequence[Place]
    k: int | None

    @property
    def sum_of_chances(self) -> float:
        """Gold to be expected among the places."""
        return math.fsum(place.chance for place in self.places)


def places(gold: Gold, rows: Rows, ties: str) -> list[Place]:
    """The places of a list, best first; without open ties each is a block of its own."""
    if ties == "trec":
        rows = sorted(rows, key=lambda row: row[0].encode(), reverse=True)
    ordered = sorted(rows, key=lambda row: -row[1])
    if ties != "expected":
        return [Place(at, (gold.get(item, 0),)) for at, (item, _) in enumerate(ordered)]
    blocks = [[gold.get(item, 0) for item, _ in tied] for _, tied in groupby(ordered, key=lambda row: row[1])]
    return [Place(at, tuple(grades)) for at, grades in enumerate(blocks) for _ in grades]


def _both(one: Place, other: Place) -> float:
    """Chance that two places of a list both hold gold."""
    if one.block != other.block:
        return one.chance * other.chance
    n_gold, size = sum(grade > 0 for grade in one.grades), len(one.grades)
    return n_gold / size * (n_gold - 1) / (size - 1)


def _none_before(top: Top) -> list[float]:
    """Chance that no place before each holds gold and, last, that none of all does."""
    chances, drawn = [1.0], Counter[int]()
    for place in top.places:
        others = sum(grade == 0 for grade in place.grades)
        left = len(place.grades) - drawn[place.block]
        chances.append(chances[-1] * max(others - drawn[place.block], 0) / left)
        drawn[place.block] += 1
    return chances


def _recall(top: Top) -> float:
    return top.sum_of_chances / len(top.gold)


def _precision(top: Top) -> float:
    return _returned(top) if top.k is None else top.sum_of_chances / top.k


def _returned(top: Top) -> float:
    return top.sum_of_chances / len(top.places) if top.places else 0.0


def _hit_rate(top: Top) -> float:
    return 1 - _none_before(top)[-1]


def _mrr(top: Top) -> float:
    steps = pairwise(_none_before(top))
    return math.fsum((before - after) / rank for rank, (before, after) in enumerate(steps, 1))


def _sum_of_precisions(top: Top) -> float:
    """Sum over places that hold gold of the share of gold down to them."""
    held = [(rank, place) for rank, place in enumerate(top.places, 1) if place.chance]
    total = 0.0
    for at, (rank, place) in enumerate(held):
        total += (place.chance + math.fsum(_both(place, earlier) for _, earlier in held[:at])) / rank
    return total


def _map(top: Top) -> float:
    return _sum_of_precisions(top) / (len(top.gold) if top.k is None else min(len(top.gold), top.k))


def _map_gold(top: Top) -> float:
    return _sum_of_precisions(top) / len(top.gold)


def _ndcg(top: Top, *, linear: bool = False) -> float:
    highest = max(top.gold.values())

    def gain(grade: int) -> float:
        return float(grade) if linear else 2.0 ** (grade - highest) - 2.0**-highest

    dcg = 0.0
    for rank, place in enumerate(top.places, 1):
        dcg += math.fsum(map(gain, place.grades)) / len(place.grades) / math.log2(rank + 1)
    best = sorted(top.gold.values(), reverse=True)[: top.k]
    return dcg / math.fsum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(best, 1))


def _ndcg_linear(top: Top) -> float:
    return _ndcg(top, linear=True)


def _ndcg_k_eff(top: Top) -> float:
    return _ndcg(top._replace(k=len(top.places))) if top.places else 0.0


Queries = Sequence[tuple[Gold, Rows]]
OF_QUERY: Mapping[str, Mapping[str, Callable[[Top], float]]] = {
    "recall": {"default": _recall},
    "precision": {"k": _precision, "returned": _returned},
    "hit_rate": {"default": _hit_rate},
    "mrr": {"default": _mrr},
    "map": {"min_gold_k": _map, "gold": _map_gold},
    "ndcg": {"default": _ndcg, "k_eff": _ndcg_k_eff, "linear": _ndcg_linear},
}
"""Metric → variant → value of one query with gold."""


def values(
    name: str, queries: Queries, *, k: int | None = None, variant: str = "default", ties: str = "trec"
) -> list[float | None]:
    """The value of each query; None where it has no gold."""
    of_query = OF_QUERY[name][variant]
    return [of_query(Top(gold, places(gold, rows, ties)[:k], k)) if gold else None for gold, rows in queries]


def over(of_queries: Sequence[float | None], population: str, stat: str = "mean") -> float:
    """One number for a population; a query without gold counts 0 among all queries."""
    if population == "all_queries":
        return summary([value or 0.0 for value in of_queries], stat)
    return summary([value for value in of_queries if value is not None], stat)


def _metric(name: str) -> Callable[..., float]:
    def of_queries(
        queries: Queries,
        *,
        k: int | None = None,
        variant: str = "default",
        ties: str = "trec",
        population: str = "positives_only",
        stat: str = "mean",
    ) -> float:
        return over(values(name, queries, k=k, variant=variant, ties=ties), population, stat)

    return of_queries


RANKING: dict[str, Callable[..., float]] = {name: _metric(name) for name in OF_QUERY}
