"""Values of users a second time: one list at a time, rank by rank, as document 004 prints it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from evalcore.crosscheck.recommended import Group, Recommended

LARGEST_RATING = 1000


class Setting(NamedTuple):
    """Which value of a metric.

    Parameters
    ----------
    k : cut-off of the lists; 0 for a metric without one.
    variant : of the metric itself, ``default`` where none is named.
    population : ``all_users``, or the metric's own.
    of_users : column and group of the users that it is restricted to; None for everybody.
    of_items : column and group of items that it is of; None for the value over all groups.
    params : further parameters as text, parts joined by ``+``: ``pop_ratio``, ``relevance``, ``of`` (the
        metrics that one is made from), ``beta``, ``utopia``, ``nadir`` and ``higher``.
    stat : which figure about the values of users.
    """

    k: int = 0
    variant: str = "default"
    population: str = ""
    of_users: Group | None = None
    of_items: Group | None = None
    params: Mapping[str, str] = {}
    stat: str = "mean"

    @property
    def whose(self) -> str:
        """The population of a metric about what users like."""
        return "all_users" if self.population == "all_users" else "users_with_relevant"


class Person(NamedTuple):
    """One user: the first K items of the list, the relevant items with their ratings, and all data."""

    user: str
    top: Sequence[str]
    relevant: Mapping[str, float]
    data: Recommended
    setting: Setting

    @property
    def hits(self) -> list[int]:
        """The ranks that hold a relevant item."""
        return [rank for rank, item in enumerate(self.top, 1) if item in self.relevant]


def discount(rank: int) -> float:
    """What a rank counts, from 1 for the first."""
    return 1 / math.log2(rank + 1)


def _discounts(k: int) -> float:
    return math.fsum(map(discount, range(1, k + 1)))


def gain_of(rating: float) -> float:
    """2^r − 1, without loss for a small rating."""
    return math.expm1(rating * math.log(2))


def has_gains(data: Recommended, setting: Setting) -> bool:
    """Whether 2^r − 1 is a number for every relevant rating of the users asked for."""
    users = selected(data, data.users("users_with_relevant"), setting)
    return all(rating <= LARGEST_RATING for user in users for rating in data.relevant(user).values())


def ratio(numerator: float, denominator: float) -> float:
    """NaN where the denominator is 0."""
    return numerator / denominator if denominator else math.nan


def _precision(one: Person) -> float:
    return len(one.hits) / one.setting.k


def _recall(one: Person) -> float:
    return len(one.hits) / len(one.relevant)


def _ndcg(one: Person) -> float:
    best = max(one.relevant.values())

    def gain(rating: float) -> float:
        """2^r − 1 over 2^best: the quotient stays and no rating is too large, or too small."""
        return math.pow(2, rating - best) * -math.expm1(-rating * math.log(2))

    found = math.fsum(gain(one.relevant[one.top[rank - 1]]) * discount(rank) for rank in one.hits)
    ideal = sorted(one.relevant.values(), reverse=True)[: one.setting.k]
    return found / math.fsum(gain(rating) * discount(rank) for rank, rating in enumerate(ideal, 1))


def _ndcg_rendle2020(one: Person) -> float:
    return math.fsum(map(discount, one.hits)) / _discounts(min(len(one.relevant), one.setting.k))


def _hit_rate(one: Person) -> float:
    return float(bool(one.hits))


def _map(one: Person) -> float:
    precisions = [n / rank for n, rank in enumerate(one.hits, 1)]
    return math.fsum(precisions) / min(len(one.relevant), one.setting.k)


def _mar(one: Person) -> float:
    recalls = [n / len(one.relevant) for n, _ in enumerate(one.hits, 1)]
    return math.fsum(recalls) / min(len(one.relevant), one.setting.k)


def _mrr(one: Person) -> float:
    return 1 / one.hits[0] if one.hits else 0.0


def _f1(one: Person) -> float:
    params = one.setting.params
    names = params.get("of", "precision+recall").split("+")
    weight = float(params.get("beta", 1)) ** 2
    plain = one._replace(setting=one.setting._replace(params={}))
    first, second = (VALUES[name](plain) for name in names)
    if first * second == 0:
        return 0.0
    return ratio((1 + weight) * first * second, weight * first + second)


def _gauc(one: Person) -> float:
    shares = one.data.shares_below(one.user, is_strict=one.setting.variant == "strict")
    return math.fsum(shares.values()) / len(shares) if one.data.scores is not None else math.nan


def _lauc(one: Person) -> float:
    shares = one.data.shares_below(one.user, is_strict=one.setting.variant == "strict")
    if one.data.scores is None or any(map(math.isnan, shares.values())):
        return math.nan
    within = [shares[one.top[rank - 1]] for rank in one.hits]
    return math.fsum(within) / min(len(one.relevant), one.setting.k)


def _novelty(one: Person, of_item: Callable[[int], float]) -> float:
    """Discounted mean over the first K ranks of relevance times novelty of the item."""
    count = one.data.popularity
    if not count:
        return math.nan
    found = []
    for rank in one.hits:
        item = one.top[rank - 1]
        is_graded = one.setting.params.get("relevance") == "discounted"
        relevance = gain_of(one.relevant[item]) if is_graded else 1.0
        found.append(relevance * of_item(count[item]) * discount(rank))
    return math.fsum(found) / _discounts(one.setting.k)


def _efd(one: Person) -> float:
    is_over_users = one.setting.variant == "p_over_users"
    total = one.data.n_known_users if is_over_users else sum(one.data.popularity.values())
    return _novelty(one, lambda n: -math.log2(max(n, 1) / total))


def _epc(one: Person) -> float:
    return _novelty(one, lambda n: 1 - n / one.data.n_known_users)


def _s_recall(one: Person) -> float:
    features = one.data.features
    if features is None:
        return math.nan
    wanted = {name for item in one.relevant for name in features[item]}
    covered = {name for item in one.top for name in features[item]}
    return ratio(len(wanted & covered), len(wanted))


def _num_retrieved(one: Person) -> float:
    return float(len(one.top))


def _arp(one: Person) -> float:
    count = one.data.popularity
    return sum(count[item] for item in one.top) / one.setting.k if count else math.nan


def _aclt(one: Person) -> float:
    if not one.data.popularity:
        return math.nan
    head = one.data.head(one.setting.params.get("pop_ratio", "0.8"), one.setting.variant)
    return float(sum(item not in head for item in one.top))


def _aplt(one: Person) -> float:
    return _aclt(one) / one.setting.k


OF_RELEVANT: Mapping[str, Callable[[Person], float]] = {
    "precision": _precision,
    "recall": _recall,
    "ndcg": _ndcg,
    "ndcg_rendle2020": _ndcg_rendle2020,
    "hit_rate": _hit_rate,
    "map": _map,
    "mar": _mar,
    "mrr": _mrr,
    "f1": _f1,
    "gauc": _gauc,
    "lauc": _lauc,
    "efd": _efd,
    "epc": _epc,
    "s_recall": _s_recall,
}
"""Metrics with a value of each user who liked something."""

OF_LIST: Mapping[str, Callable[[Person], float]] = {
    "num_retrieved": _num_retrieved,
    "arp": _arp,
    "aclt": _aclt,
    "aplt": _aplt,
}
"""Metrics with a value of each user who has a list."""

VALUES: Mapping[str, Callable[[Person], float]] = {**OF_RELEVANT, **OF_LIST}


def of_users(data: Recommended, name: str, setting: Setting) -> dict[str, float]:
    """User → value of a metric, NaN where undefined; 0 for a user of all users who likes nothing.

    Without train, or without features, there is nothing to be found by anybody.
    """
    population = setting.whose if name in OF_RELEVANT else "users_with_list"
    is_lacking = (name in ("efd", "epc") and not data.popularity) or (
        name == "s_recall" and not data.features
    )
    is_graded = name == "efd" and setting.params.get("relevance") == "discounted"
    if is_graded and not has_gains(data, setting):
        return {}
    found = {}
    for user in selected(data, data.users(population), setting):
        relevant = data.relevant(user)
        one = Person(user, data.lists.get(user, [])[: setting.k], relevant, data, setting)
        without = math.nan if is_lacking else 0.0
        found[user] = VALUES[name](one) if relevant or name in OF_LIST else without
    return found


def selected(data: Recommended, users: Iterable[str], setting: Setting) -> list[str]:
    """Those of some users that belong to the group asked for."""
    if setting.of_users is None:
        return [*users]
    column, group = setting.of_users
    return [user for user in users if data.user_groups[column].get(user) == group]
