"""Recommendation lists a second time, over users, items and groups, as document 004 prints it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import pstdev

from evalcore.crosscheck.recommended import Recommended
from evalcore.crosscheck.recommended_users import (
    VALUES,
    Setting,
    discount,
    gain_of,
    has_gains,
    of_users,
    ratio,
    selected,
)
from evalcore.crosscheck.spread import summary

USER_GROUP, ITEM_GROUP = "user_group", "item_group"
Rates = dict[str, float]
"""Group → number, NaN where undefined."""
_OfAll = Callable[[Recommended, Setting], float]
_OfGroups = Callable[[Recommended, Setting, Mapping[str, str]], Rates]


def _mean(values: Iterable[float]) -> float:
    return summary([*values])


def _defined(values: Iterable[float]) -> list[float]:
    return [each for each in values if not math.isnan(each)]


def _relative_spread(rates: Rates) -> float:
    """Standard deviation over mean, of at least two defined values."""
    kept = _defined(rates.values())
    return ratio(pstdev(kept), math.fsum(kept) / len(kept)) if len(kept) > 1 else math.nan


def _absolute_deviation(means: Rates) -> float:
    """Mean absolute difference over all pairs, of at least two defined values."""
    return _mean(abs(first - second) for first, second in combinations(_defined(means.values()), 2))


def _tops(data: Recommended, setting: Setting) -> dict[str, list[str]]:
    users = selected(data, data.users("users_with_list"), setting)
    return {user: data.lists[user][: setting.k] for user in users}


def _recommended(data: Recommended, setting: Setting) -> list[str]:
    """Every item of every list, as often as it is recommended."""
    return [item for top in _tops(data, setting).values() for item in top]


def _item_coverage(data: Recommended, setting: Setting) -> float:
    return float(len(set(_recommended(data, setting))))


def _user_coverage(data: Recommended, setting: Setting) -> float:
    return float(sum(bool(top) for top in _tops(data, setting).values()))


def _user_coverage_at_n(data: Recommended, setting: Setting) -> float:
    return float(sum(len(top) == setting.k for top in _tops(data, setting).values()))


def _gini(data: Recommended, setting: Setting) -> float:
    count, n = Counter(_recommended(data, setting)), len(data.items)
    ascending = sorted(count[item] for item in data.items)
    weighted = sum((2 * place - n - 1) * times for place, times in enumerate(ascending, 1))
    return ratio(weighted, (n - 1) * sum(ascending))


def _shannon_entropy(data: Recommended, setting: Setting) -> float:
    count = Counter(_recommended(data, setting))
    shares = [times / sum(count.values()) for times in count.values()]
    return -math.fsum(share * math.log(share) for share in shares) if shares else math.nan


def _auc(data: Recommended, setting: Setting) -> float:
    if data.scores is None:
        return math.nan
    users = selected(data, data.users("users_with_relevant"), setting)
    is_strict = setting.variant == "strict"
    return _mean(share for user in users for share in data.shares_below(user, is_strict=is_strict).values())


def _error(of_pair: Callable[[float], float], at_last: Callable[[float], float]) -> _OfAll:
    """A mean over the pairs of test with a score and a rating, or over the means of their users."""

    def error(data: Recommended, setting: Setting) -> float:
        if data.rated is None or not data.has_ratings:
            return math.nan
        errors: dict[str, list[float]] = defaultdict(list)
        for user in selected(data, data.test or {}, setting):
            for item, rating in (data.test or {})[user].items():
                if item in data.rated.get(user, {}):
                    errors[user].append(of_pair(data.rated[user][item] - rating))
        if setting.variant == "macro":
            return _mean(at_last(_mean(of_user)) for of_user in errors.values())
        return at_last(_mean(each for of_user in errors.values() for each in of_user))

    return error


def _exposure(data: Recommended, setting: Setting, group_of: Mapping[str, str]) -> Rates:
    """Group of items → its recommendations over the pairs of a user and an item that could be recommended."""
    found, possible = Counter[str](), Counter[str]()
    sizes = Counter(group_of.values())
    for user, top in _tops(data, setting).items():
        found.update(group_of[item] for item in top if item in group_of)
        possible.update(sizes)
        possible.subtract(group_of[item] for item in data.before(user) if item in group_of)
    return {group: ratio(found[group], possible[group]) for group in sizes}


def _opportunity(data: Recommended, setting: Setting, group_of: Mapping[str, str]) -> Rates:
    """Group of items → its relevant items that are recommended, over all that are relevant."""
    found, wanted = Counter[str](), Counter[str]()
    for user in selected(data, data.users("users_with_relevant"), setting):
        liked = [item for item in data.relevant(user) if item in group_of]
        wanted.update(group_of[item] for item in liked)
        top = data.lists.get(user, [])[: setting.k]
        found.update(group_of[item] for item in liked if item in top)
    return {group: ratio(found[group], wanted[group]) for group in set(group_of.values())}


def _mean_gains(data: Recommended, setting: Setting, group_of: Mapping[str, str]) -> Rates:
    """Group → mean over its items of the mean discounted gain of their recommendations."""
    gains: dict[str, list[float]] = defaultdict(list)
    if not selected(data, data.test or {}, setting) or not has_gains(data, setting):
        return {}
    for user, top in _tops(data, setting).items():
        relevant = data.relevant(user)
        for rank, item in enumerate(top, 1):
            gains[item].append(gain_of(relevant[item]) * discount(rank) if item in relevant else 0.0)
    return _means_of_groups(gains, group_of)


def _mean_scores(data: Recommended, setting: Setting, group_of: Mapping[str, str]) -> Rates:
    """Group → mean over its items of the mean predicted rating of their hits."""
    scores: dict[str, list[float]] = defaultdict(list)
    for user, top in _tops(data, setting).items():
        relevant, predicted = data.relevant(user), data.predicted.get(user, {})
        for item in top:
            if item in relevant and item in predicted:
                scores[item].append(predicted[item])
    return _means_of_groups(scores, group_of)


def _means_of_groups(of_items: Mapping[str, Sequence[float]], group_of: Mapping[str, str]) -> Rates:
    members: dict[str, list[float]] = {group: [] for group in set(group_of.values())}
    for item, values in of_items.items():
        if item in group_of:
            members[group_of[item]].append(_mean(values))
    return {group: _mean(values) for group, values in members.items()}


OF_ITEM_GROUPS: Mapping[str, tuple[_OfGroups, Callable[[Rates], float]]] = {
    "rsp": (_exposure, _relative_spread),
    "reo": (_opportunity, _relative_spread),
    "item_mad_ranking": (_mean_gains, _absolute_deviation),
    "item_mad_rating": (_mean_scores, _absolute_deviation),
}
"""Metrics over groups of items: the number of each, and the spread of these numbers."""


def of_item_groups(data: Recommended, name: str, setting: Setting, column: str = ITEM_GROUP) -> Rates:
    """Group of items → its number."""
    return OF_ITEM_GROUPS[name][0](data, setting, data.item_groups.get(column, {}))


def _over_item_groups(name: str) -> _OfAll:
    def over(data: Recommended, setting: Setting) -> float:
        if setting.of_items is not None:
            column, group = setting.of_items
            return of_item_groups(data, name, setting, column).get(group, math.nan)
        return OF_ITEM_GROUPS[name][1](of_item_groups(data, name, setting))

    return over


def _head_and_tail(of_groups: _OfGroups) -> _OfAll:
    def over(data: Recommended, setting: Setting) -> float:
        if not data.popularity:
            return math.nan
        head = data.head(setting.params.get("pop_ratio", "0.8"), setting.variant)
        sides = {item: "head" if item in head else "tail" for item in data.items}
        return _relative_spread(of_groups(data, setting, sides))

    return over


def _over_user_groups(values: Callable[[Recommended, Setting], Mapping[str, float]]) -> _OfAll:
    """Mean absolute difference between the means of groups of users."""

    def over(data: Recommended, setting: Setting) -> float:
        group_of, members = data.user_groups.get(USER_GROUP, {}), defaultdict(list)
        for user, value in values(data, setting).items():
            if user in group_of:
                members[group_of[user]].append(value)
        return _absolute_deviation({group: _mean(some) for group, some in members.items()})

    return over


def _ndcg_of_users(data: Recommended, setting: Setting) -> Mapping[str, float]:
    return of_users(data, "ndcg", setting)


def _score_of_users(data: Recommended, setting: Setting) -> Mapping[str, float]:
    """User → mean predicted rating of the first K items; without a list there is none."""
    users = selected(data, data.users(setting.whose), setting)
    scored = {user: data.predicted.get(user, {}) for user in users}
    tops = {user: data.lists.get(user, [])[: setting.k] for user in users}
    return {user: _mean(scored[user][item] for item in tops[user] if item in scored[user]) for user in users}


def _preference(items: Sequence[str], data: Recommended, setting: Setting) -> float:
    """Share of a group among some items, over its share of the catalogue; NaN without a pair of groups."""
    if setting.of_items is None:
        return math.nan
    column, group = setting.of_items
    group_of = data.item_groups.get(column, {})
    share = ratio(sum(group_of.get(item) == group for item in items), len(items))
    return ratio(share, sum(group_of.get(item) == group for item in data.items) / len(data.items))


def _bias_disparity_br(data: Recommended, setting: Setting) -> float:
    return _preference(_recommended(data, setting), data, setting)


def _bias_disparity_bs(data: Recommended, setting: Setting) -> float:
    users = selected(data, data.train or {}, setting)
    return _preference([item for user in users for item in data.before(user)], data, setting)


def _bias_disparity_bd(data: Recommended, setting: Setting) -> float:
    before = _bias_disparity_bs(data, setting)
    return ratio(_bias_disparity_br(data, setting) - before, before)


def _objectives(data: Recommended, setting: Setting) -> dict[str, float]:
    names = setting.params.get("of", "precision+recall+ndcg").split("+")
    return {name: value(data, name, setting._replace(params={}, variant="default")) for name in names}


def _euc_distance(data: Recommended, setting: Setting) -> float:
    reached = _objectives(data, setting)
    best = "+".join("0" if name in LOWER else "1" for name in reached)
    both = zip(reached.values(), map(float, setting.params.get("utopia", best).split("+")), strict=True)
    return math.sqrt(math.fsum((own - wanted) ** 2 for own, wanted in both))


def _hypervolume(data: Recommended, setting: Setting) -> float:
    reached = _objectives(data, setting)
    upward = setting.params.get("higher", "+".join(str(name not in LOWER) for name in reached)).split("+")
    usual = "+".join("0" if is_up == "True" else "1" for is_up in upward)
    worst = setting.params.get("nadir", usual).split("+")
    volume = 1.0
    for own, nadir, is_up in zip(reached.values(), map(float, worst), upward, strict=True):
        gained = own - nadir if is_up == "True" else nadir - own
        volume *= gained if math.isnan(gained) else max(0.0, gained)
    return volume


LOWER = {
    *("mae", "mse", "rmse", "gini", "pop_rsp", "pop_reo", "reo", "rsp", "euc_distance"),
    *("item_mad_ranking", "item_mad_rating", "user_mad_ranking", "user_mad_rating"),
}
"""Metrics that are better where they are lower."""

OF_ALL: Mapping[str, _OfAll] = {
    "auc": _auc,
    "mae": _error(abs, float),
    "mse": _error(lambda error: error**2, float),
    "rmse": _error(lambda error: error**2, math.sqrt),
    "item_coverage": _item_coverage,
    "user_coverage": _user_coverage,
    "user_coverage_at_n": _user_coverage_at_n,
    "gini": _gini,
    "shannon_entropy": _shannon_entropy,
    "pop_rsp": _head_and_tail(_exposure),
    "pop_reo": _head_and_tail(_opportunity),
    **{name: _over_item_groups(name) for name in OF_ITEM_GROUPS},
    "bias_disparity_bs": _bias_disparity_bs,
    "bias_disparity_br": _bias_disparity_br,
    "bias_disparity_bd": _bias_disparity_bd,
    "user_mad_ranking": _over_user_groups(_ndcg_of_users),
    "user_mad_rating": _over_user_groups(_score_of_users),
    "euc_distance": _euc_distance,
    "hypervolume": _hypervolume,
}
"""Metrics of all users together."""


def value(data: Recommended, name: str, setting: Setting) -> float:
    """One value of a metric, NaN where undefined."""
    if name in VALUES:
        key = (name, setting[:4], *sorted(setting.params.items()))
        if key not in data.values_of_users:
            data.values_of_users[key] = [*of_users(data, name, setting).values()]
        return summary(data.values_of_users[key], setting.stat)
    return OF_ALL[name](data, setting)


def _metric(name: str) -> Callable[..., float]:
    def of_lists(data: Recommended, **setting: object) -> float:
        return value(data, name, Setting(**setting))  # type: ignore[arg-type]

    return of_lists


RECOMMENDER: dict[str, Callable[..., float]] = {name: _metric(name) for name in (*VALUES, *OF_ALL)}
