"""Groups of users and items, and features of items, as all files say them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.recommender.files import Files
from evalcore.readers.recommender.groups import Room, features_of, groups_of, tell_contradictions
from evalcore.readers.recommender.naming.ids import Ids
from evalcore.recommendations import ITEM_GROUP, Groups, Recommendations, joined_features, joined_groups


def about_items(files: Files, items: Ids, room: Room, findings: Findings) -> Recommendations:
    """What is known of items, without users."""
    item_groups = groups_in(files, "item_groups", "item_id", ITEM_GROUP, items, room, findings)
    features, names = _features(files, items, room, findings)
    return Recommendations(
        user_ids=np.zeros(0, object),
        item_ids=items.texts,
        lists={},
        item_groups=item_groups,
        features=features,
        feature_names=names,
        is_described=_described(files, items),
    )


def _described(files: Files, items: Ids) -> NDArray[np.bool_]:
    """Which items the files of groups and features name."""
    found = np.zeros(len(items), bool)
    for names in files.levels("item_id", "item_groups", "item_features").values():
        found[[items.index[name] for name in names if name in items.index]] = True
    return found


def groups_in(
    files: Files,
    role: str,
    id_role: str,
    own: str,
    ids: Ids,
    room: Room,
    findings: Findings,
    too_many: Mapping[str, Collection[str]] | None = None,
) -> dict[str, Groups]:
    """The groups of users or items in all files of a role.

    Parameters
    ----------
    too_many : file → as of `groups_of`; None where the rows are all of the input.
    """
    parts = []
    for rows in files.rows(role):
        many = None if too_many is None else too_many.get(rows.name, ())
        parts.append((rows.name, groups_of(rows, id_role, own, ids, room, findings, many)))
    found, unlike = joined_groups(parts, len(ids))
    tell_contradictions(unlike, "RCM-040", id_role.removesuffix("_id"), ids, findings)
    return found


def _features(
    files: Files, items: Ids, room: Room, findings: Findings
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    found = [
        one
        for opened in files.of("item_features")
        if opened.rows is not None
        for one in features_of(opened.rows, opened.shape, items, room, findings)
    ]
    if not found:
        return None, ()
    joined, unlike = joined_features(found)
    tell_contradictions(unlike, "RCM-041", "item", items, findings)
    return joined.has, joined.names
