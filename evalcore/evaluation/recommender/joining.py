"""The rows of all parts of an input as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.recommender.planning import planned_as_one, recoded
from evalcore.recommendations import Interactions, ItemLists, Recommendations, ScoreMatrix

Codes = NDArray[np.intp]


def whole(parts: Sequence[Recommendations], _: Sequence[str]) -> Recommendations:
    """The rows of all parts as one table; users of two parts are others."""
    if len(parts) == 1:
        return parts[0]
    users = np.concatenate([part.user_ids for part in parts])
    items = np.array([*dict.fromkeys(name for part in parts for name in part.item_ids.tolist())], object)
    code = {name: at for at, name in enumerate(items.tolist())}
    places = [np.array([code[name] for name in part.item_ids.tolist()], np.intp) for part in parts]
    starts = np.cumsum([0, *(len(part.user_ids) for part in parts)])[:-1]
    each = list(zip(parts, places, starts.tolist(), strict=True))
    plan = planned_as_one(parts)
    by_plan = np.array([plan.place[name] for name in items.tolist()], np.intp)
    features = plan.catalogue.features
    return Recommendations(
        user_ids=users,
        item_ids=items,
        lists={
            name: _joined([(part.lists[name], at, start) for part, at, start in each if name in part.lists])
            for name in dict.fromkeys(name for part in parts for name in part.lists)
        },
        scores={
            name: _long([(part.scores[name], at, start) for part, at, start in each if name in part.scores])
            for name in dict.fromkeys(name for part in parts for name in part.scores)
        },
        train=_interactions([(part.train, at, start) for part, at, start in each]),
        test=_interactions([(part.test, at, start) for part, at, start in each]),
        slices={
            column: (np.concatenate([recoded(part, column, levels)[0] for part in parts]), levels)
            for column, levels in plan.levels.items()
        },
        item_groups={
            column: (codes[by_plan], names) for column, (codes, names) in plan.catalogue.groups.items()
        },
        features=None if features is None else features[by_plan],
        feature_names=plan.feature_names,
        is_described=_described(each, len(items)),
    )


Placed = list[tuple[Any, Codes, int]]


def _described(parts: Placed, n_items: int) -> NDArray[np.bool_] | None:
    """The items that files of groups or features of any part name; None where no part says so."""
    found = np.zeros(n_items, bool)
    for part, at, _ in parts:
        if part.is_described is None:
            return None
        found[at[part.is_described]] = True
    return found


def _joined(parts: Placed) -> ItemLists:
    return ItemLists(
        np.concatenate([one.user + start for one, _, start in parts]),
        np.concatenate([at[one.item] for one, at, _ in parts]),
        np.concatenate([one.score for one, _, _ in parts]),
        all(one.has_scores for one, _, _ in parts),
        all(one.is_rated for one, _, _ in parts),
    )


def _long(parts: Placed) -> ItemLists:
    """Scores of parts in long form, for their matrices may have other columns."""
    return _joined([(_as_rows(one), at, start) for one, at, start in parts])


def _as_rows(scores: ScoreMatrix | ItemLists) -> ItemLists:
    if isinstance(scores, ItemLists):
        return scores
    row, column = np.nonzero(~np.isnan(scores.values))
    values = scores.values[row, column].astype(np.float64)
    return ItemLists(scores.user[row], scores.item[column], values, has_scores=True)


def _interactions(parts: Placed) -> Interactions | None:
    having = [one for one in parts if one[0] is not None]
    if not having:
        return None
    return Interactions(
        np.concatenate([one.user + start for one, _, start in having]),
        np.concatenate([at[one.item] for one, at, _ in having]),
        np.concatenate([one.rating for one, _, _ in having]),
        all(one.has_rating for one, _, _ in having),
    )
