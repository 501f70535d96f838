"""How often intervals of recommender metrics hold: groups that are alike, and that are not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.certificates import Share
from evalcore.catalog import METRICS
from evalcore.drawn.replicates import Resampling
from evalcore.evaluation.intervals.bounds import Bounds, jackknife_bounds, percentile_bounds, spread_bounds
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.intervals.jackknife import figures_without_each, without_each
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import gathered_lists
from evalcore.evaluation.recommender.planning import planned
from evalcore.recommendations import Interactions, ItemLists, Recommendations
from evalcore.spec import OfTotals
from evalcore.tallies.recommended import ItemGroups, RecommendationLists
from evalcore.tallies.units import Units

Floats = NDArray[np.float64]
NAME = "Recommendations"
ABOUT = (
    "How unlike groups are: the true value is that of the mean figures of all draws, 0 where groups are",
    "alike. The interval is the value give or take the size that chance reaches in 95 of 100 samples, of a",
    "difference of two models the sizes of both; percentiles over replicates lie beside it. Item MAD of",
    "rating has no interval: of a group of items that few users find, users left out in turn hold it in",
    "fewer than .92. From five groups on the interval is too wide. One that takes figures to differ in the",
    "shape that those at hand do would be narrower; it holds in .93 to .98 where the size is a standard",
    "deviation, but in .72 where it is the mean difference of pairs, of ten groups of which",
    "one lies apart (`python -m benchmarks.spread_intervals`): so the wide one stands.",
)
HEAD = "| simulated | found | ± | percentiles |"
METRICS_OF_GROUPS = ("rsp", "reo", "item_mad_ranking", "user_mad_ranking", "user_mad_rating")
N_ITEMS, K, N_LIKED, N_REPLICATES = 100, 10, 5, 200
UNLIKE = {0.0: "alike", 0.15: "slightly unlike", 0.8: "clearly unlike"}


class Drawn(NamedTuple):
    """One model in one draw: a figure of each group, without each part of the users too, and replicates."""

    asked: Asked
    figures: Floats
    without: Floats
    replicates: Floats

    @property
    def size(self) -> float:
        """How unlike the figures are."""
        assert self.asked.spread is not None
        return float(self.asked.spread.size(self.figures))


def recommendations(rng: np.random.Generator, n_users: int, n_groups: int, unlike: float) -> Recommendations:
    """Lists that favour the first group of items, and serve the first group of users better, by so much."""
    item, user = np.arange(N_ITEMS) % n_groups, np.arange(n_users) % n_groups
    taste = rng.gumbel(size=(n_users, N_ITEMS))
    skill = 0.8 + unlike * (user == 0)[:, None]
    best = np.argsort(-(skill * taste + rng.gumbel(size=taste.shape) + unlike * (item == 0)), axis=1)[:, :K]
    score = np.sort(rng.normal(3.5, 0.5, best.shape), axis=1)[:, ::-1] + 0.3 * unlike * (user == 0)[:, None]
    liked = np.argsort(-taste, axis=1)[:, :N_LIKED].ravel()
    names = tuple(map(str, range(n_groups)))
    return Recommendations(
        np.array([f"u{at}" for at in range(n_users)], object),
        np.array([f"i{at:02}" for at in range(N_ITEMS)], object),
        {"m": ItemLists(np.repeat(np.arange(n_users), K), best.ravel(), score.ravel(), has_scores=True)},
        test=Interactions(np.repeat(np.arange(n_users), N_LIKED), liked, np.ones(len(liked))),
        slices={"user_group": (user, names)},
        item_groups={"item_group": (item, names)},
    )


def rare_items(rng: np.random.Generator, n_users: int) -> Recommendations:
    """Lists and likes of the same few popular items, whose scores differ from item to item."""
    skew = -np.log(np.arange(1, 2 * N_ITEMS + 1))
    score = 5 * np.exp(-np.arange(2 * N_ITEMS) / N_ITEMS)
    shape = (n_users, 2 * N_ITEMS)
    best = np.argsort(-(skew + rng.gumbel(size=shape)), axis=1)[:, :K].ravel()
    liked = np.argsort(-(skew + rng.gumbel(size=shape)), axis=1)[:, :N_LIKED].ravel()
    return Recommendations(
        np.array([f"u{at}" for at in range(n_users)], object),
        np.array([f"i{at:03}" for at in range(2 * N_ITEMS)], object),
        {"m": ItemLists(np.repeat(np.arange(n_users), K), best, score[best], has_scores=True)},
        test=Interactions(np.repeat(np.arange(n_users), N_LIKED), liked, np.ones(len(liked))),
        item_groups={"item_group": (np.arange(2 * N_ITEMS) // N_ITEMS, ("head", "tail"))},
    )


def drawn(table: Recommendations, names: tuple[str, ...]) -> dict[str, Drawn]:
    """What chance does to metrics of one draw."""
    found = gathered_lists(table, Options(ks=(K,)), planned([table]), "")
    lists, units = found.models["m"], found.users
    asked = {at: _asked(name, lists) for at, name in enumerate(names)}
    resampling = Resampling.of(units.hashed, N_REPLICATES, 0)
    replicates = GroupReplicates(units, None, resampling, None, None).of(asked)
    return {name: _drawn(asked[at], units, replicates[at]) for at, name in enumerate(names)}


def _asked(name: str, lists: RecommendationLists) -> Asked:
    metric = METRICS[f"recommender.{name}"]
    tally = ItemGroups(lists) if metric.kind is ItemGroups else lists
    return Asked(metric, {}, tally, {"k": K}, metric(tally, k=K), metric.population[0])


def _drawn(asked: Asked, units: Units, replicates: Floats) -> Drawn:
    result, spread = asked.result, asked.spread
    assert isinstance(result, OfTotals)
    assert spread is not None
    figures = spread.figures(np.asarray(result.columns.sum(axis=0), np.float64))
    return Drawn(asked, figures, figures_without_each(result, spread, units, N_REPLICATES), replicates)


def covered(case: str, models: list[tuple[Drawn, ...]], true: float) -> Share:
    """In what share of draws the interval of a value, or of a difference of two, holds the true one."""
    held, by_percentiles, n_draws = 0, 0, 0
    for of_draw in models:
        *first, last = of_draw
        value = last.size - sum(one.size for one in first)
        spreads = [one.asked.spread for one in of_draw]
        sizes = [one.size for one in spreads if one is not None]
        bounds = spread_bounds(value, [one.without for one in of_draw], sizes, "users")
        replicates = last.replicates - sum(one.replicates for one in first)
        if np.isnan(bounds.low):
            continue
        n_draws += 1
        held += _holds(bounds, true)
        by_percentiles += _holds(percentile_bounds([replicates], "users", 0)[0], true)
    return Share(case, held / n_draws, by_percentiles / n_draws, n_draws)


def _holds(bounds: Bounds, true: float) -> bool:
    # The lower end is cut at 0, where the true value of groups that are alike lies.
    return bounds.low <= true + 1e-12 and true <= bounds.high


def recommended(*, n_draws: int, seed: int) -> Iterator[Share]:
    """Every row of the section."""
    for n_users, n_groups in product((200, 1000), (2, 5)):
        draws = {}
        for unlike, told in UNLIKE.items():
            rng = np.random.default_rng(seed)
            draws[unlike] = [
                drawn(recommendations(rng, n_users, n_groups, unlike), METRICS_OF_GROUPS)
                for _ in range(n_draws)
            ]
            for name in METRICS_OF_GROUPS:
                models = [(one[name],) for one in draws[unlike]]
                case = f"{name}, {n_users:,} users, {n_groups} groups {told}"
                yield covered(case, models, _true(models, unlike))
        for name in METRICS_OF_GROUPS:
            pairs = [(one[name], other[name]) for one, other in zip(draws[0.0], draws[0.8], strict=True)]
            case = f"{name}, {n_users:,} users, {n_groups} groups, difference of alike and clearly unlike"
            yield covered(case, pairs, _true([(other,) for _, other in pairs], 0.8))
    for n_users in (200, 600):
        yield of_rare_items(n_users, n_draws=4 * n_draws, seed=seed)


def of_rare_items(n_users: int, *, n_draws: int, seed: int) -> Share:
    """In what share of draws users left out in turn hold the item MAD of rating of a group of rare items."""
    rng = np.random.default_rng(seed)
    metric, values, held = METRICS["recommender.item_mad_rating"], [], []
    for _ in range(n_draws):
        table = rare_items(rng, n_users)
        found = gathered_lists(table, Options(ks=(K,)), planned([table]), "")
        tail = ItemGroups(found.models["m"], 1)
        asked = Asked(metric, {}, tail, {"k": K}, metric(tail, k=K), metric.population[0])
        resampling = Resampling.of(found.users.hashed, N_REPLICATES, 0)
        replicates = GroupReplicates(found.users, None, resampling, None, None).of({0: asked})[0]
        value, without = asked.result.of_all, without_each(asked, found.users, N_REPLICATES)
        values.append(value)
        by_users = jackknife_bounds(value, without, "users")
        if not (np.isnan(by_users.low) or np.isnan(without).any()):
            held.append((by_users, percentile_bounds([replicates], "users", 0)[0]))
    true = float(np.nanmean(values))
    shares = [
        float(np.mean([_holds(bounds, true) for bounds in of_way])) for of_way in zip(*held, strict=True)
    ]
    case = f"item_mad_rating of a group of items that few find, {n_users:,} users"
    return Share(case, shares[0], shares[1], len(held))


def _true(models: list[tuple[Drawn, ...]], unlike: float) -> float:
    """How unlike the mean figures are; 0 of groups that are alike."""
    spread = models[0][-1].asked.spread
    assert spread is not None
    figures = np.array([of_draw[-1].figures for of_draw in models])
    return float(spread.size(np.nanmean(figures, axis=0))) if unlike else 0.0
