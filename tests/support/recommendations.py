"""Small tables of recommendations: from rows of ids, from a golden problem, and made at random."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from evalcore.recommendations import Groups, Interactions, ItemLists, Recommendations, ScoreMatrix
from tests.support.inputs import GOLDEN

KEYS = {
    "Precision": "precision",
    "Recall": "recall",
    "nDCG": "ndcg",
    "nDCGRendle2020": "ndcg_rendle2020",
    "HitRate": "hit_rate",
    "MAP": "map",
    "MAR": "mar",
    "MRR": "mrr",
    "F1": "f1",
    "AUC": "auc",
    "GAUC": "gauc",
    "LAUC": "lauc",
    "MAE": "mae",
    "MSE": "mse",
    "RMSE": "rmse",
    "ItemCoverage": "item_coverage",
    "UserCoverage": "user_coverage",
    "NumRetrieved": "num_retrieved",
    "UserCoverageAtN": "user_coverage_at_n",
    "EFD": "efd",
    "EPC": "epc",
    "Gini": "gini",
    "ShannonEntropy": "shannon_entropy",
    "SRecall": "s_recall",
    "ARP": "arp",
    "ACLT": "aclt",
    "APLT": "aplt",
    "PopRSP": "pop_rsp",
    "PopREO": "pop_reo",
    "REO": "reo",
    "RSP": "rsp",
    "BiasDisparityBD": "bias_disparity_bd",
    "BiasDisparityBR": "bias_disparity_br",
    "BiasDisparityBS": "bias_disparity_bs",
    "ItemMADRanking": "item_mad_ranking",
    "ItemMADRating": "item_mad_rating",
    "UserMADRanking": "user_mad_ranking",
    "UserMADRating": "user_mad_rating",
    "EucDistance": "euc_distance",
    "Hypervolume": "hypervolume",
}
"""Name of a metric in document 004 and the golden problems → its name in the table of results."""

PAIRS = ("bias_disparity_bd", "bias_disparity_br", "bias_disparity_bs")
"""The metrics with one value a pair of groups and none over all."""

Rows = Sequence[tuple[str, str, float]]
Lists = Mapping[str, Sequence[str]]
Scores = Mapping[str, Mapping[str, float]]


def table(
    *,
    lists: Mapping[str, Lists | Rows] | None = None,
    scores: Mapping[str, Scores | Rows] | None = None,
    train: Sequence[tuple[Any, ...]] | None = None,
    test: Sequence[tuple[Any, ...]] | None = None,
    user_groups: Mapping[str, str] | None = None,
    item_groups: Mapping[str, str] | None = None,
    features: Mapping[str, Iterable[str]] | None = None,
) -> Recommendations:
    """A table from rows of ids, which are numbered as they come.

    Parameters
    ----------
    lists : model → user → its items, best first (ranks alone); or model → rows (user, item, score).
    scores : model → user → item → score, which becomes a matrix; or model → rows (user, item, score).
    train, test : rows (user, item) or (user, item, rating), each pair once.
    user_groups, item_groups : id → group; an empty one and ``0`` are unknown.
    features : item → its features.
    """
    ranked = {model: _ranked(given) for model, given in (lists or {}).items() if isinstance(given, Mapping)}
    listed = {model: ranked.get(model, given) for model, given in (lists or {}).items()}
    scored = {
        model: [(user, item, score) for user, of_user in given.items() for item, score in of_user.items()]
        if isinstance(given, Mapping)
        else given
        for model, given in (scores or {}).items()
    }
    rows = [row for some in (*listed.values(), *scored.values(), train or (), test or ()) for row in some]
    users, items = _codes(row[0] for row in rows), _codes([row[1] for row in rows] + [*(item_groups or ())])
    for item in features or ():
        items.setdefault(item, len(items))
    topics = _codes(topic for of_item in (features or {}).values() for topic in of_item)
    has_topic = np.zeros((len(items), len(topics)), bool)
    for item, of_item in (features or {}).items():
        has_topic[items[item], [topics[topic] for topic in of_item]] = True

    def long(of_model: Rows, *, has_scores: bool) -> ItemLists:
        values = np.array([row[2] for row in of_model], float)
        return ItemLists(*_pairs(of_model, users, items), values, has_scores)

    def matrix(of_model: Scores) -> ScoreMatrix:
        of_items = _codes(item for of_user in of_model.values() for item in of_user)
        values = [[of_user.get(item, math.nan) for item in of_items] for of_user in of_model.values()]
        codes = [[users[user] for user in of_model], [items[item] for item in of_items]]
        return ScoreMatrix(*(np.array(some, np.intp) for some in codes), np.array(values, float))

    def interactions(given: Sequence[tuple[Any, ...]] | None) -> Interactions | None:
        if given is None:
            return None
        ratings = np.array([float(row[2]) if len(row) > 2 else 1.0 for row in given])
        return Interactions(*_pairs(given, users, items), ratings, any(len(row) > 2 for row in given))

    return Recommendations(
        user_ids=np.array(list(users), object),
        item_ids=np.array(list(items), object),
        lists={model: long(of_model, has_scores=model not in ranked) for model, of_model in listed.items()},
        scores={
            model: matrix(given) if isinstance(given, Mapping) else long(given, has_scores=True)
            for model, given in (scores or {}).items()
        },
        train=interactions(train),
        test=interactions(test),
        slices={} if user_groups is None else {"user_group": _groups(user_groups, users)},
        item_groups={} if item_groups is None else {"item_group": _groups(item_groups, items)},
        features=None if features is None else has_topic,
        feature_names=tuple(topics),
        is_described=np.isin(list(items), [*(item_groups or ()), *(features or ())]),
    )


def _codes(ids: Iterable[str]) -> dict[str, int]:
    return {one: at for at, one in enumerate(dict.fromkeys(ids))}


def _ranked(lists: Lists) -> Rows:
    return [(user, item, -rank) for user, items in lists.items() for rank, item in enumerate(items, 1)]


def _pairs(rows: Sequence[tuple[Any, ...]], users: Mapping[str, int], items: Mapping[str, int]) -> Any:
    user = np.array([users[row[0]] for row in rows], np.intp)
    return user, np.array([items[row[1]] for row in rows], np.intp)


def _groups(of_ids: Mapping[str, str], codes: Mapping[str, int]) -> Groups:
    levels = tuple(sorted({group for group in of_ids.values() if group not in ("", "0")}))
    found = np.full(len(codes), -1, np.intp)
    for one, group in of_ids.items():
        if one in codes and group in levels:
            found[codes[one]] = levels.index(group)
    return found, levels


def recommendations_of(problem: Mapping[str, Any]) -> Recommendations:
    """The table of a golden problem, of one model ``scored`` with a matrix of scores and no lists."""
    scores = {
        str(user): {str(item): score for item, score in enumerate(of_user) if score is not None}
        for user, of_user in enumerate(problem["scores"])
    }
    return table(
        scores={"scored": scores},
        train=[(str(user), str(item)) for user, item in problem["train"]],
        test=[(str(user), str(item), rating) for user, item, rating in problem["test"]],
        user_groups={str(user): str(group) for user, group in enumerate(problem["user_clusters"])},
        item_groups={str(item): str(group) for item, group in enumerate(problem["item_clusters"])},
        features={
            str(item): [f"f{at}" for at, has in enumerate(of_item) if has]
            for item, of_item in enumerate(problem["item_features"])
        },
    )


class Cell(NamedTuple):
    """A golden value.

    Parameters
    ----------
    metric : its name in the table of results.
    k : the cut-off.
    value : over everybody, NaN where undefined; of the metrics of `PAIRS` NaN throughout.
    users : value of each user, by id; empty where the problem names none.
    groups : value of each group: of items ``2``, of users and items ``1;2``; empty where it names none.
    """

    metric: str
    k: int
    value: float
    users: dict[str, float]
    groups: dict[str, float]


def golden_problems() -> list[dict[str, Any]]:
    """The golden problems, with name, ``problem`` and values."""
    found = [json.loads(path.read_text()) for path in sorted((GOLDEN / "recommender").glob("*.json"))]
    assert found, "no golden problem of recommendations"
    return found


def golden_cells(document: Mapping[str, Any]) -> Iterator[Cell]:
    """Every value of a golden problem as the contract has it, else as document 004 does.

    The values of users are those of the document: where the contract decides otherwise they are left out.
    """
    for name, by_k in document["values"].items():
        for k, cell in by_k.items():
            decided = "contract" in cell
            users = {} if decided else dict(enumerate(cell.get("documented_per_user", ())))
            groups = cell.get("contract_groups", {} if decided else cell.get("documented_groups", {}))
            yield Cell(
                KEYS[name],
                int(k),
                _number(cell["contract" if decided else "documented"]),
                {str(user): _number(value) for user, value in users.items()},
                {_group(group): _number(value) for group, value in groups.items()},
            )


def _number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _group(name: str) -> str:
    """``IC2`` as ``2``, ``UC1_IC2`` as ``1;2``."""
    return ";".join(part[2:] for part in name.split("_"))


def made_recommendations(
    seed: int,
    *,
    n_users: int = 12,
    n_items: int = 15,
    n_models: int = 2,
    has_train: bool = True,
    has_groups: bool = True,
    has_features: bool = True,
    has_ratings: bool = True,
) -> Recommendations:
    """A random table with everything that occurs in one.

    Scores tie; lists are short, missing, or hold items of train; items are cold, without a score, group or
    feature; users have no test row, none that is relevant (rating 0), no train row or no group; groups have
    nobody. Numeric ids, whose order differs from that of texts, or texts, by the seed. The first model has
    lists with scores and long scores of (nearly) all items, the second a matrix alone, the third lists of
    ranks alone, the fourth lists with scores and a matrix, and so on in turn.
    """
    draw = random.Random(seed)
    prefix = ("", "") if draw.random() < 0.5 else ("u", "i")
    users = [f"{prefix[0]}{number}" for number in draw.sample(range(1, 4 * n_users), n_users)]
    items = [f"{prefix[1]}{number}" for number in draw.sample(range(1, 8 * n_items), n_items)]
    popularity = [1 / (at + 1) for at in range(n_items)]
    cold = set(draw.sample(items, max(1, n_items // 6)))

    def some(most: int) -> list[str]:
        return list(dict.fromkeys(draw.choices(items, popularity, k=draw.randint(0, most))))

    train = [(user, item) for user in users for item in some(4) if item not in cold]
    test: list[tuple[Any, ...]] = [
        (user, item, draw.choice((0, 1, 2, 3, 4, 5)))
        for user in users
        for item in dict.fromkeys([*some(4), *draw.sample(sorted(cold), 1)])
        if (user, item) not in train and draw.random() < 0.8
    ]
    if not has_ratings:
        test = [row[:2] for row in test]
    lists: dict[str, Any] = {}
    scores: dict[str, Any] = {}
    for at in range(n_models):
        model = f"model_{at + 1}"
        unscored, unlisted = draw.sample(users, 2)
        values = {
            user: {item: draw.randint(0, 10) / 2 for item in items if draw.random() < 0.9}
            for user in users
            if user != unscored
        }
        rows = [(user, item, score) for user, of_user in values.items() for item, score in of_user.items()]
        listed = [row for row in rows if draw.random() < 0.4 and row[0] != unlisted]
        draw.shuffle(rows)
        draw.shuffle(listed)
        kind = at % 4
        if kind in (0, 3):
            lists[model] = listed
        elif kind == 2:
            lists[model] = {user: [row[1] for row in listed if row[0] == user] for user in users}
        if kind != 2:
            scores[model] = rows if kind == 0 else values
    return table(
        lists=lists,
        scores=scores,
        train=train if has_train else None,
        test=test,
        user_groups={user: draw.choice(("", "1", "2", "3")) for user in users} if has_groups else None,
        item_groups={item: draw.choice(("0", "1", "2", "10")) for item in items} if has_groups else None,
        features={item: draw.sample("abcd", draw.randint(0, 2)) for item in items} if has_features else None,
    )


def groups_alike(rng: np.random.Generator, n_groups: int, unlike: float) -> Recommendations:
    """Lists at random, of 200 users and 60 items, of groups that are alike but for what ``unlike`` adds."""
    n_users, n_items, k = 200, 60, 6
    item, user = np.arange(n_items) % n_groups, np.arange(n_users) % n_groups
    taste = rng.gumbel(size=(n_users, n_items))
    shown = taste * (1 + unlike * (user == 0)[:, None]) + rng.gumbel(size=taste.shape) + unlike * (item == 0)
    best = np.argsort(-shown, axis=1)[:, :k]
    score = np.sort(rng.normal(3, 1, best.shape) + unlike * (user == 0)[:, None], axis=1)[:, ::-1]
    of_user = np.repeat(np.arange(n_users), k)
    liked = Interactions(of_user, np.argsort(-taste, axis=1)[:, :k].ravel(), np.ones(n_users * k))
    # Users without a list make every third item popular: nobody's list lacks what is in their train.
    n_others, names = 30, tuple("abcde"[:n_groups])
    known = n_users + np.arange(n_others), (np.arange(n_others) * 3) % n_items
    return Recommendations(
        np.array([f"u{rng.integers(1 << 40)}" for _ in range(n_users + n_others)], object),
        np.array([f"i{at:02}" for at in range(n_items)], object),
        {"m": ItemLists(of_user, best.ravel(), score.ravel(), has_scores=True)},
        train=Interactions(*known, np.ones(n_others)),
        test=liked,
        slices={
            "user_group": (np.append(user, np.full(n_others, -1)), tuple(f"g{at}" for at in range(n_groups)))
        },
        item_groups={"item_group": (item, names)},
    )


def beside_a_stranger(one: Recommendations) -> Recommendations:
    """The same models with another one, whose users and items are partly in no other file."""
    users = np.append(one.user_ids, [f"stranger{at}" for at in range(4)]).astype(object)
    items = np.append(one.item_ids, [f"new{at}" for at in range(6)]).astype(object)
    user = np.repeat(np.arange(len(users) - 12, len(users)), 4)
    item = np.tile(np.arange(len(items) - 8, len(items)), 6)
    strange = ItemLists(user, item, np.arange(len(user), dtype=float), has_scores=True)
    no_feature = np.zeros((6, len(one.feature_names)), bool)
    described = one.is_described
    unknown, groups = np.full(6, -1), [0, -1, 0, -1]
    return replace(
        one,
        user_ids=users,
        item_ids=items,
        lists={"stranger": strange, **one.lists},
        scores={"stranger": strange, **one.scores},
        slices={name: (np.append(codes, groups), names) for name, (codes, names) in one.slices.items()},
        item_groups={name: (np.append(at, unknown), names) for name, (at, names) in one.item_groups.items()},
        features=None if one.features is None else np.concatenate([one.features, no_feature]),
        is_described=None if described is None else np.append(described, np.zeros(6, bool)),
    )
