"""What a file is of a recommender evaluation: by its name, by its columns, and whether it is one at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalcore.readers.recommender.shapes import plain_names
from evalcore.schema import TABLES, fits_by_name, recognise

ROLES = frozenset({"rating"})
"""Roles of columns that no other task has."""
BESIDE = ("lists", "train", "test", "scores", "user_groups", "item_groups", "item_features")
"""What files can be said to be: the lists, and what can be given beside them."""

_LISTS = {
    "lists",
    "list",
    "recs",
    "recommendations",
    "recommended",
    "predictions",
    "preds",
    "topk",
    "rankings",
}
_TRAIN, _TEST = {"train", "training"}, {"test", "testing", "holdout", "heldout"}
_GROUPS = {"groups", "group", "clusters", "cluster"}
_NEGATIVES = {"negative", "negatives", "neg", "negs"}
_OF_INTERACTIONS = {
    "ratings",
    "rating",
    "interactions",
    "interaction",
    "data",
    "set",
    "split",
    "fold",
    "part",
    "df",
}
"""Words of a name beside ``train`` or ``test`` that are no name of a model."""
_OTHERS = {"valid", "validation", "val", "dev"}
_MOVIELENS_TRAIN, _MOVIELENS = re.compile(r"u[1-5ab]\.base"), re.compile(r"u(\.data|[1-5ab]\.(base|test))")
_PACKED = re.compile(r"\.(gz|zst|zstd)$")


def role_named(name: str) -> str | None:
    """The role that a file's name tells, or None; ``validation`` is none that is read.

    >>> [role_named(name) for name in ("train.csv", "ml-100k.test.inter", "u1.base", "movies.dat")]
    ['train', 'test', 'train', 'item_features']
    >>> role_named("user_groups.csv"), role_named("scores_bpr.npz"), role_named("ratings.csv")
    ('user_groups', 'scores', None)
    >>> role_named("test_negatives.csv")
    'negatives'
    """
    base = _PACKED.sub("", name.lower().rpartition("/")[2])
    if _MOVIELENS_TRAIN.fullmatch(base):
        return "train"
    words = set(re.split(r"[^a-z0-9]+", base))
    ending = base.rpartition(".")[2]
    if words & _OTHERS:
        return "validation"
    if "features" in words or ending == "item" or base.startswith("movies."):
        return "item_features"
    if words & _GROUPS and words & {"user", "users", "item", "items"}:
        return "user_groups" if words & {"user", "users"} else "item_groups"
    if ending == "user" or base.startswith("users."):
        return "user_groups"
    if words & {"score", "scores"}:
        return "scores"
    if words & _LISTS:
        return "lists"
    if words & _TRAIN or words & _TEST:
        if words & _NEGATIVES:
            return "negatives"
        return "train" if words & _TRAIN else "test"
    return None


def is_called_so(name: str) -> bool:
    """Whether a file is called after interactions and nothing else, such as a model.

    >>> is_called_so("test.csv"), is_called_so("ratings_test_1.csv.gz"), is_called_so("bpr_test.csv")
    (True, True, False)
    """
    base = _PACKED.sub("", name.lower().rpartition("/")[2])
    words = set(re.split(r"[^a-z]+", base.rpartition(".")[0] or base)) - {""}
    return words <= _TRAIN | _TEST | _OF_INTERACTIONS


def is_movielens(name: str) -> bool:
    """Whether a file is called as those of MovieLens 100K, which have no header.

    >>> is_movielens("u.data"), is_movielens("u1.base"), is_movielens("data.csv")
    (True, True, False)
    """
    return _MOVIELENS.fullmatch(_PACKED.sub("", name.lower().rpartition("/")[2])) is not None


def is_recommendations(names: Sequence[str], cells: Sequence[str] = ()) -> bool:
    """Whether columns of these names are lists or interactions: a user and an item, and no labelled query.

    >>> is_recommendations(["userId", "movieId", "rating", "timestamp"])
    True
    >>> is_recommendations(["user_id:token", "item_id:token", "rating:float"])
    True
    >>> is_recommendations(["post_id", "criterion_id", "score"]), is_recommendations(["1::11::5::978300760"])
    (False, True)
    """
    if len(names) == 1 and _is_double_colon(names[0]):
        return all(map(_is_double_colon, cells[:20]))
    plain = plain_names(names)
    return _has_pair(plain) and not fits_by_name(plain)


def _is_double_colon(line: str) -> bool:
    """Whether a line is one of MovieLens: user, item, rating and time between pairs of colons."""
    return re.fullmatch(r"\d+::\d+::\d+(\.\d+)?(::\d+)?", line.strip()) is not None


def role_by_columns(names: Sequence[str]) -> str | None:
    """``lists`` for columns of users, items and scores or ranks, ``interactions`` without these, else None.

    >>> role_by_columns(["user", "item", "rank"]), role_by_columns(["user", "item", "rating"])
    ('lists', 'interactions')
    """
    if not _has_pair(names):
        return None
    found = recognise(TABLES["lists"], names)
    return "lists" if {"score", "rank"} & found.keys() else "interactions"


def _has_pair(names: Sequence[str]) -> bool:
    return {"user_id", "item_id"} <= recognise(TABLES["lists"], names).keys()
