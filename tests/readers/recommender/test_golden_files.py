"""The golden problems written as files are read as the same tables as their numbers make."""

import json
from typing import Any

import numpy as np

import evalcore
from evalcore.recommendations import Groups, Recommendations
from tests.support.reading import upload
from tests.support.recommendations import golden_problems, recommendations_of
from tests.support.recommending import cells_of, npz, rows_of, table_of


def text_of(header: str, rows: Any) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def files_of(problem: dict[str, Any]) -> dict[str, Any]:
    """What is given beside no lists."""
    scores = np.asarray([[np.nan if one is None else one for one in row] for row in problem["scores"]])
    n_users, n_items = scores.shape
    names = ",".join(f"f{i}" for i in range(len(problem["item_features"][0])))
    texts = {
        "train": text_of("user,item", problem["train"]),
        "test": text_of("user,item,rating", problem["test"]),
        "user_groups": text_of("id,cluster", enumerate(problem["user_clusters"])),
        "item_groups": text_of("id,cluster", enumerate(problem["item_clusters"])),
        "item_features": text_of(
            f"item,{names}", ([i, *has] for i, has in enumerate(problem["item_features"]))
        ),
    }
    matrix = npz(users=np.arange(n_users), items=np.arange(n_items), scores=scores)
    files = {name: upload(text, f"{name}.csv") for name, text in texts.items()}
    return {**files, "scores": upload(matrix, "scored.npz")}


def group_of(ids: Any, groups: Groups) -> dict[str, str | None]:
    """Id → its group."""
    codes, levels = groups
    return {str(one): levels[at] if at >= 0 else None for one, at in zip(ids, codes.tolist(), strict=True)}


def features_of(table: Recommendations) -> dict[str, set[str]]:
    """Item → the features that it has."""
    assert table.features is not None
    return {
        str(item): {name for name, is_there in zip(table.feature_names, has, strict=True) if is_there}
        for item, has in zip(table.item_ids, table.features.tolist(), strict=True)
    }


def test_golden_problems_are_read_from_files_as_they_are():
    for document in golden_problems():
        problem = json.loads(json.dumps(document["problem"]))
        found = table_of(evalcore.load([], **files_of(problem), keep_first=True))
        wanted = recommendations_of(problem)
        assert set(found.item_ids) == set(wanted.item_ids)
        assert cells_of(found, found.scores["scored"]) == cells_of(wanted, wanted.scores["scored"])
        assert rows_of(found, found.train) == rows_of(wanted, wanted.train)
        assert rows_of(found, found.test) == rows_of(wanted, wanted.test)
        of_items = group_of(found.item_ids, found.item_groups["item_group"])
        assert of_items == group_of(wanted.item_ids, wanted.item_groups["item_group"])
        of_users = group_of(found.user_ids, found.slices["user_group"])
        assert of_users == group_of(wanted.user_ids, wanted.slices["user_group"])
        assert features_of(found) == features_of(wanted)
