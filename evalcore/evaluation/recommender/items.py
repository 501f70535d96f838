"""Groups and features of items in the parts of one input: by the codes of all, and where parts disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evalcore.data import Data
from evalcore.problems import SHOWN, Problem, problem
from evalcore.recommendations import Features, Groups, Recommendations, joined_features, joined_groups


def groups_of(
    parts: Sequence[Recommendations], place: Mapping[str, int], names: Sequence[str] | None = None
) -> list[tuple[str, dict[str, Groups]]]:
    """The groups of items of each part, by the codes of all parts."""
    found = []
    for name, part in zip(names or [""] * len(parts), parts, strict=True):
        at = np.array([place[str(item)] for item in part.item_ids], np.intp)
        groups = {}
        for column, (group, levels) in part.item_groups.items():
            of_all = np.full(len(place), -1, np.intp)
            of_all[at] = group
            groups[column] = of_all, levels
        found.append((name, groups))
    return found


def features_of(
    parts: Sequence[Recommendations], place: Mapping[str, int], names: Sequence[str] | None = None
) -> list[Features]:
    """The features of items of each part, by the codes of all parts."""
    found = []
    for name, part in zip(names or [""] * len(parts), parts, strict=True):
        has = np.zeros((len(place), len(part.feature_names)), bool)
        if part.features is not None:
            has[[place[str(item)] for item in part.item_ids]] = part.features
        found.append(Features(name, "", has, part.feature_names))
    return found


def contradictions(parts: Sequence[Recommendations], of: Sequence[Data]) -> Iterator[Problem]:
    """The items that two parts give other groups or features, the first ones of each."""
    ids = list(dict.fromkeys(str(name) for part in parts for name in part.item_ids))
    place = {name: at for at, name in enumerate(ids)}

    def named(role: str) -> list[str]:
        files = [[one.name for one in data.sources if one.role == role] for data in of]
        return [f"{', '.join(names) or 'the files'} of part {at}" for at, names in enumerate(files, 1)]

    _, groups = joined_groups(groups_of(parts, place, named("item_groups")), len(ids))
    _, features = joined_features(features_of(parts, place, named("item_features")))
    for code, unlike in (("RCM-040", groups), ("RCM-041", features)):
        for one in unlike[:SHOWN]:
            yield problem(
                code,
                file=one.file,
                column=one.what,
                unit=f"item {ids[one.place]}",
                value=one.value,
                other=one.other,
                first=one.first,
            )
