"""Tune and test rows: what they are called, the data of one of them alone, and drawing them by post."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, RankedRows, Rankings

TEST_NAMES = ("test", "testing", "holdout", "hold-out", "held-out", "heldout")
TUNE_NAMES = ("tune", "tuning", "dev", "development", "val", "valid", "validation", "calibration", "train")
"""Names of tune rows, the most telling first; rows a model was fitted on come last."""
SPLIT, TUNE, TEST = "split", "tune", "test"
DIVIDED = (
    "The files name no split: rows were divided by post into tune and test, half and half of those with and "
    "of those without evidence, by lot. The lot follows from the ids of the posts: neither the order of rows "
    "nor the format nor other columns change it, and only other ids would give another draw."
)


def test_split(data: Data) -> str | None:
    """The level of the split column that names test rows, in whatever case; None where there is none."""
    return _named(_levels(data), TEST_NAMES)


def tune_split(data: Data) -> str | None:
    """The level of the rows to choose on where others are test rows; None without both.

    A level with a usual name comes first (`TUNE_NAMES`), then the first of the others.
    """
    test = test_split(data)
    others = [level for level in _levels(data) if level != test]
    if test is None or not others:
        return None
    return _named(others, TUNE_NAMES) or others[0]


def only_split(data: Data, split: str | None) -> Data:
    """The data with the queries of one split alone, ranked lists included; None leaves them as they are.

    Queries of ranked lists that name no split belong to none. Codes of queries are numbered anew, ids and
    items stay as they are.
    """
    if split is None:
        return data
    queries, rankings = data.queries, data.rankings
    counted = data.with_tables(
        queries=None if queries is None else queries.where(_in(queries, split)),
        rankings=None if rankings is None else _kept(rankings, _in(rankings, split)),
        lists=None if data.lists is None else data.lists.where(_in(data.lists, split)),
    )
    return replace(counted, notes=(*data.notes, f"Only queries of the split {split} are counted here."))


def can_divide(data: Data) -> bool:
    """Whether rows can be divided by post: they name their posts, at least two, and no split."""
    queries = data.queries
    return queries is not None and queries.has_posts and len(queries.post_ids) > 1 and not _levels(data)


def divided(data: Data) -> Data:
    """The data with a split that is drawn: half of the posts are tune, half test.

    Nobody can draw again until a draw pleases by writing the same rows otherwise: the seed is a hash of the
    sorted ids of all posts, and the place of a post in the draw a hash of the seed and its id. The order of
    rows, the format, other columns, scores and models play no part; only other ids would give another draw.
    Posts with evidence and posts without are halved apart, so that each half holds as many: which of the two
    a post is follows from its labels. Of an odd number tune gets one more.

    Parameters
    ----------
    data : data that name posts and no split (`can_divide`).

    Returns
    -------
    Data whose queries and lists have the slice ``split`` with the levels ``tune`` and ``test``.
    """
    queries = data.queries
    if queries is None or not can_divide(data):
        return data
    names = [str(name) for name in queries.post_ids]
    n_rows = np.bincount(queries.post, minlength=len(names))
    has_evidence = np.bincount(queries.post, weights=queries.has_evidence, minlength=len(names)) > 0
    known = sorted({name for name, n in zip(names, n_rows, strict=True) if n})
    seed = hashlib.sha256(json.dumps(known).encode()).hexdigest()
    lots = [hashlib.sha256(f"{seed}\t{name}".encode()).digest() for name in names]
    is_test = np.zeros(len(names), bool)
    for of_kind in (has_evidence, ~has_evidence & (n_rows > 0)):
        drawn = sorted(np.flatnonzero(of_kind), key=lots.__getitem__)
        is_test[drawn[: len(drawn) // 2]] = True
    side = dict(zip(names, is_test.astype(np.intp), strict=True))

    def split(part: Any) -> Any:
        if part is None:
            return None
        of_post = np.array([side.get(str(name), -1) for name in part.post_ids], np.intp)
        return replace(part, slices={**part.slices, "split": (of_post[part.post], (TUNE, TEST))})

    tables = {"queries": split(queries), "rankings": split(data.rankings)}
    return replace(data.with_tables(**tables), notes=(*data.notes, DIVIDED), is_divided=True)


def _levels(data: Data) -> list[str]:
    tables = (data.queries, data.rankings, data.lists, data.tables.get("sites"))
    parts = (part for part in tables if part is not None)
    return list(dict.fromkeys(level for part in parts for level in part.slices.get("split", ((), ()))[1]))


def _named(levels: list[str], names: tuple[str, ...]) -> str | None:
    by_name = {level.strip().casefold(): level for level in reversed(levels)}
    return next((by_name[name] for name in names if name in by_name), None)


def _in(part: Any, split: str) -> NDArray[np.bool_]:
    codes, levels = part.slices.get("split", (np.full(len(part.post), -1), ()))
    return np.asarray(codes == (levels.index(split) if split in levels else -2))


def _kept(rankings: Rankings, mask: NDArray[np.bool_]) -> Rankings:
    anew = np.cumsum(mask) - 1
    gold = mask[rankings.gold_query]
    lists = {}
    for name, rows in rankings.lists.items():
        of_kept = mask[rows.query]
        lists[name] = RankedRows(
            query=anew[rows.query[of_kept]],
            item=rows.item[of_kept],
            score=rows.score[of_kept],
            has_scores=rows.has_scores,
            n_candidates=rows.n_candidates[mask],
        )
    return replace(
        rankings,
        post=rankings.post[mask],
        criterion=rankings.criterion[mask],
        slices={name: (codes[mask], levels) for name, (codes, levels) in rankings.slices.items()},
        gold_query=anew[rankings.gold_query[gold]],
        gold_item=rankings.gold_item[gold],
        gold_grade=rankings.gold_grade[gold],
        lists=lists,
    )
