"""All files as one table: shared ids, lists and scores by model, train, test, groups and features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.options import Options
from evalcore.readers.recommender.files import Files, by_model
from evalcore.readers.recommender.groups import (
    Room,
    features_of,
    groups_of,
    tell_contradictions,
    unknown_users,
)
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.naming.ids import Ids, check_across
from evalcore.readers.recommender.naming.meeting import check_exchanged, check_meeting
from evalcore.readers.recommender.naming.orders import check_first
from evalcore.readers.recommender.numbers import check_numbers, check_ranks, leave_empty
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import interactions_of, lists_of, pairs_of
from evalcore.readers.recommender.ratings import is_mixed, rated, settled_ratings
from evalcore.recommendations import (
    Groups,
    Interactions,
    ItemLists,
    Recommendations,
    ScoreMatrix,
    joined_features,
    joined_groups,
)

_OF_PAIRS = ("lists", "scores", "train", "test")
LONGEST = 40
"""Letters of an id that a message shows."""
_TAG_BEFORE, _TAG_BEHIND = re.compile(r"^scores?[_.-]"), re.compile(r"[_.-]scores?$")


def assembled(
    opened: Sequence[Opened], options: Options, findings: Findings
) -> tuple[Recommendations, tuple[str, ...]] | None:
    """The table of all files and notes about it, or None where a problem stops it."""
    files = Files(opened, options, findings)
    has_test = bool(files.of("test"))
    is_sound = [
        _is_sound(one.rows, one.role, has_test, options, findings)
        for one in files.of(*_OF_PAIRS)
        if one.rows is not None
    ]
    if findings.errors or not all(is_sound) or not files.of("lists", "scores"):
        return None
    users, items = _ids(files, findings)
    if findings.errors:
        return None
    notes: list[str] = []
    of_models = by_model(files, "lists", options, notes)
    if [parts for parts in of_models.values() if is_mixed(parts, "score", "rank", findings)]:
        return None
    lists = {
        model: lists_of(pairs_of(parts, users, items, "score"), users, items, options.keep_first, findings)
        for model, parts in of_models.items()
    }
    scores = _scores(files, lists, users, items, options, notes, findings)
    train = _interactions(files, "train", users, items, options, findings)
    test = _interactions(files, "test", users, items, options, findings)
    if test is None:
        test = _beside_scores(files, users, items, options, findings)
    if options.predicted_ratings:
        lists = _rated(lists, test, notes, findings)
    room = Room(findings)
    slices = _groups(files, "user_groups", "user_id", "user_group", users, room, findings)
    item_groups = _groups(files, "item_groups", "item_id", "item_group", items, room, findings)
    features, names = _features(files, items, room, findings)
    _warn_of_strangers(files, findings)
    if findings.errors:
        return None
    table = Recommendations(
        user_ids=users.texts,
        item_ids=items.texts,
        lists=lists,
        scores=scores,
        train=train,
        test=test,
        slices=slices,
        item_groups=item_groups,
        features=features,
        feature_names=names,
        is_described=_described(files, items),
    )
    return table, tuple(notes)


def _described(files: Files, items: Ids) -> NDArray[np.bool_]:
    """Which items the files of groups and features name."""
    found = np.zeros(len(items), bool)
    for names in files.levels("item_id", "item_groups", "item_features").values():
        found[[items.index[name] for name in names if name in items.index]] = True
    return found


def _is_sound(rows: Rows, role: str, has_test: bool, options: Options, findings: Findings) -> bool:
    """Whether the numbers of a table are such; others are reported."""
    is_list = rows.mapped.kind in ("lists", "scores")
    leave_empty(rows)
    if is_list and "score" not in rows.mapped.roles and "rank" not in rows.mapped.roles:
        findings.add("RCM-023", file=rows.name, found=", ".join(rows.mapped.table.names))
        return False
    is_scored = check_numbers(rows, "score", "RCM-006", findings)
    is_rated = settled_ratings(rows, role, has_test, options, findings)
    return is_scored and is_rated and check_ranks(rows, findings)


def _ids(files: Files, findings: Findings) -> tuple[Ids, Ids]:
    """The ids of all users, and the catalogue of items."""
    of_users = files.levels("user_id", *_OF_PAIRS)
    of_items = files.levels("item_id", *_OF_PAIRS, "item_groups", "item_features")
    for matrix in files.matrices.values():
        numbered: dict[str, int] = {}
        others: dict[str, set[str]] = {}
        for unit, known, n, levels in (
            ("users", matrix.users, matrix.values.shape[0], of_users),
            ("items", matrix.items, matrix.values.shape[1], of_items),
        ):
            if known is None:
                _check_numbered(matrix.name, unit, n, levels, findings)
                numbered[unit] = n
                others[unit] = {text for held in levels.values() for text in held}
                levels[matrix.name] = [str(at) for at in range(n)]
        if not findings.errors:
            check_first(matrix.name, numbered, others, findings)
    users, items = Ids.of(of_users.values()), Ids.of(of_items.values())
    check_across(of_users | files.levels("user_id", "user_groups"), users, findings)
    check_across(of_items, items, findings)
    return users, items


def _check_numbered(
    name: str, unit: str, n: int, levels: Mapping[str, Iterable[str]], findings: Findings
) -> None:
    """Refuse ids of other files that are no numbers of rows or columns of a matrix without ids."""
    word = unit.removesuffix("s")
    for file, known in levels.items():
        if file == name:
            continue
        other = next((text for text in known if text and not _is_place(text, n)), None)
        if other is not None:
            shown = other if len(other) <= LONGEST else f"{other[:LONGEST]}…"
            findings.add("RCM-020", file=name, unit=unit, last=n - 1, word=word, found=f"{shown} ({file})")
            return


def _is_place(text: str, n: int) -> bool:
    """Whether an id is the number of one of n rows."""
    return text.isascii() and text.isdigit() and len(text.lstrip("0")) <= len(str(n)) and int(text) < n


def _scores(
    files: Files,
    lists: Mapping[str, ItemLists],
    users: Ids,
    items: Ids,
    options: Options,
    notes: list[str],
    findings: Findings,
) -> dict[str, ScoreMatrix | ItemLists]:
    """Model → its scores of all items; where lists and scores are of one model each, it is the same one."""
    found: dict[str, ScoreMatrix | ItemLists] = {
        model: lists_of(pairs_of(parts, users, items, "score"), users, items, options.keep_first, findings)
        for model, parts in by_model(files, "scores", options, notes).items()
    }
    for one in files.of("scores"):
        if one.name in files.matrices:
            found[one.stem] = _matrix(files.matrices[one.name], users, items)
    if len(found) == len(lists) == 1:
        return dict(zip(lists, found.values(), strict=True))
    return {_model_called(name, lists): scores for name, scores in found.items()}


def _model_called(name: str, lists: Mapping[str, Any]) -> str:
    """The model of lists that scores are called after, as ``scores_bpr``; else their name without tags.

    >>> _model_called("scores_bpr", {"bpr": 1}), _model_called("bpr-scores", {}), _model_called("scores", {})
    ('bpr', 'bpr', 'scores')
    """
    bare = _TAG_BEFORE.sub("", _TAG_BEHIND.sub("", name))
    return name if name in lists else bare or name


def _matrix(matrix: Matrix, users: Ids, items: Ids) -> ScoreMatrix:
    n, m = matrix.values.shape
    user = [users.index[text] for text in matrix.users or map(str, range(n))]
    item = [items.index[text] for text in matrix.items or map(str, range(m))]
    return ScoreMatrix(np.asarray(user, np.intp), np.asarray(item, np.intp), matrix.values)


def _interactions(
    files: Files, role: str, users: Ids, items: Ids, options: Options, findings: Findings
) -> Interactions | None:
    parts = [files.part(one, None) for one in files.of(role) if one.rows is not None]
    if not parts or (role == "test" and is_mixed(parts, "rating", None, findings)):
        return None
    pairs = pairs_of(parts, users, items, "rating")
    return interactions_of(pairs, users, items, role, options.keep_first, findings)


def _rated(
    lists: Mapping[str, ItemLists], test: Interactions | None, notes: list[str], findings: Findings
) -> dict[str, ItemLists]:
    """Lists whose scores are predicted ratings; without scores, or without ratings to judge them, refused."""
    without = [model for model, one in lists.items() if not one.has_scores]
    if without or not lists:
        whose = f" of model {', '.join(without)}" if len(lists) > 1 else ""
        findings.add("RCM-042", found=f"lists{whose} with ranks alone" if lists else "no list")
    if test is None or not test.has_rating:
        findings.add("RCM-043", found="no file of the test" if test is None else "a test without ratings")
    notes.append(
        "The scores in the lists are predicted ratings, as you said: MAE, MSE and RMSE are over the test "
        "pairs that stand in the lists."
    )
    return {model: replace(one, is_rated=True) for model, one in lists.items()}


def _beside_scores(
    files: Files, users: Ids, items: Ids, options: Options, findings: Findings
) -> Interactions | None:
    """The true ratings that stand beside predicted ones, where no file holds the test."""
    named = [one for one in files.of("lists") if one.rows is not None and "rating" in one.rows.mapped.roles]
    parts = [replace(part, at=rated(part)) for part in (files.part(one, None) for one in named)]
    parts = [part for part in parts if part.at is not None and len(part.at)]
    if not parts:
        return None
    for part in parts:
        findings.add("RCM-022", file=part.rows.name, name=part.rows.mapped.one("rating"))
    pairs = pairs_of(parts, users, items, "rating")
    counted = replace(pairs, parts=[replace(part, rows=replace(part.rows, excluded={})) for part in parts])
    own = Findings()
    test = interactions_of(counted, users, items, "test", options.keep_first, own)
    findings.problems += own.errors
    return test


def _groups(
    files: Files, role: str, id_role: str, own: str, ids: Ids, room: Room, findings: Findings
) -> dict[str, Groups]:
    parts = [(rows.name, groups_of(rows, id_role, own, ids, room, findings)) for rows in files.rows(role)]
    found, unlike = joined_groups(parts, len(ids))
    tell_contradictions(unlike, "RCM-040", id_role.removesuffix("_id"), ids, findings)
    if role == "user_groups":
        unknown_users(files.rows(role), ids, findings)
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


def _warn_of_strangers(files: Files, findings: Findings) -> None:
    """Refuse files whose ids are written otherwise; tell of items that only groups or features hold."""
    ids = {}
    for role, unit in (("user_id", "user"), ("item_id", "item")):
        groups = ("user_groups",) if unit == "user" else ("item_groups", "item_features")
        lists, train, test, about = (
            {name: set(ids) - {""} for name, ids in files.levels(role, *roles).items()}
            for roles in (("lists", "scores"), ("train",), ("test",), groups)
        )
        check_meeting(unit, lists, train, test, about, findings)
        ids[unit] = lists, train, test
    check_exchanged(ids["user"], ids["item"], findings)
    known = {text for held in files.levels("item_id", *_OF_PAIRS).values() for text in held}
    has_numbers = any(matrix.items is None for matrix in files.matrices.values())
    for name, held in files.levels("item_id", "item_groups", "item_features").items():
        others = [text for text in held if text and text not in known]
        if others and not has_numbers:
            findings.add("RCM-016", file=name, n=len(others), item=others[0])
