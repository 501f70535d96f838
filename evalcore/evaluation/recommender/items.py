"""Groups and features of items in the parts of one input: by the codes of all, and where parts disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data
from evalcore.problems import SHOWN, Problem, problem
from evalcore.recommendations import Features, Groups, Recommendations, joined_features, joined_groups

Codes = NDArray[np.intp]


def places_of(parts: Sequence[Recommendations], place: Mapping[str, int]) -> list[Codes]:
    """The codes of all parts, of the items of each part."""
    return [np.array([place[str(item)] for item in part.item_ids.tolist()], np.intp) for part in parts]


def groups_of(
    parts: Sequence[Recommendations], places: Sequence[Codes], n: int, names: Sequence[str] | None = None
) -> list[tuple[str, dict[str, Groups]]]:
    """The groups of items of each part, by the codes of all n items."""
    found = []
    for name, part, at in zip(names or [""] * len(parts), parts, places, strict=True):
        groups = {}
        for column, (group, levels) in part.item_groups.items():
            of_all = np.full(n, -1, np.intp)
            of_all[at] = group
            groups[column] = of_all, levels
        found.append((name, groups))
    return found


def features_of(
    parts: Sequence[Recommendations], places: Sequence[Codes], n: int, names: Sequence[str] | None = None
) -> list[Features]:
    """The features of items of each part, by the codes of all n items."""
    found = []
    for name, part, at in zip(names or [""] * len(parts), parts, places, strict=True):
        has = np.zeros((n, len(part.feature_names)), bool)
        if part.features is not None:
            has[at] = part.features
        found.append(Features(name, "", has, part.feature_names))
    return found


def contradictions(parts: Sequence[Recommendations], of: Sequence[Data]) -> Iterator[Problem]:
    """The items that two parts give other groups or features, the first ones of each."""
    ids = list(dict.fromkeys(str(name) for part in parts for name in part.item_ids))
    place = {name: at for at, name in enumerate(ids)}

    def named(role: str) -> list[str]:
        files = [[one.name for one in data.sources if one.role == role] for data in of]
        return [f"{', '.join(names) or 'the files'} of part {at}" for at, names in enumerate(files, 1)]

    places = places_of(parts, place)
    _, groups = joined_groups(groups_of(parts, places, len(ids), named("item_groups")), len(ids))
    _, features = joined_features(features_of(parts, places, len(ids), named("item_features")))
    for code, unlike in (("RCM-040", groups), ("RCM-041", features)):
        for one in unlike[:SHOWN]:
            yield problem(code, **one.told_of(f"item {ids[one.place]}"))
