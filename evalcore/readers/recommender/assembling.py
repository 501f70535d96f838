"""All files as one table: shared ids, lists and scores by model, train, test, groups and features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.options import Options
from evalcore.readers.recommender.about import about_items, groups_in
from evalcore.readers.recommender.files import Files
from evalcore.readers.recommender.groups import Room
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.naming.ids import Ids
from evalcore.readers.recommender.naming.models import Levels, Named, OfModel, named_in
from evalcore.readers.recommender.naming.whole import OF_PAIRS, ids_of, tell_unknown, warn_of_strangers
from evalcore.readers.recommender.numbers import check_numbers, check_ranks, leave_empty
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import (
    RanksAndScores,
    interactions_of,
    lists_of,
    pairs_of,
    ranks_and_scores,
)
from evalcore.readers.recommender.ratings import is_mixed, rated, settled_ratings
from evalcore.recommendations import USER_GROUP, Interactions, ItemLists, Recommendations, ScoreMatrix


def assembled(
    opened: Sequence[Opened], options: Options, findings: Findings
) -> tuple[Recommendations, tuple[str, ...]] | None:
    """The table of all files and notes about it, or None where a problem stops it."""
    files = Files(opened, findings)
    has_test = bool(files.of("test"))
    is_sound = [
        _is_sound(one.rows, one.role, has_test, options, findings)
        for one in files.of(*OF_PAIRS)
        if one.rows is not None
    ]
    if findings.errors or not all(is_sound) or not files.of("lists", "scores"):
        return None
    users, items = ids_of(files, findings)
    if findings.errors:
        return None
    notes: list[str] = []
    named = named_in(
        files, [one.stem for one in files.of("scores") if one.matrix is not None], options, notes
    )
    if lacks_values(files, named, findings):
        return None
    pairs = pairs_in(files, named, users, items, options, findings)
    for file, found in pairs.ranks.values():
        found.tell(file, findings)
    test, lists = pairs.test, pairs.lists
    if test is not None and not has_test:
        tell_beside(files, findings)
    if options.predicted_ratings:
        check_rated({name: one.has_scores for name, one in lists.items()}, test, findings)
        notes.append(RATED)
        lists = {model: replace(one, is_rated=True) for model, one in lists.items()}
    room = Room(findings)
    slices = groups_in(files, "user_groups", "user_id", USER_GROUP, users, room, findings)
    tell_unknown(files, users, findings)
    about = about_items(files, items, room, findings)
    warn_of_strangers(files, findings)
    if findings.errors:
        return None
    table = replace(
        about,
        user_ids=users.texts,
        lists=lists,
        scores=pairs.scores,
        train=pairs.train,
        test=test,
        slices=slices,
    )
    return table, tuple(notes)


RATED = (
    "The scores in the lists are predicted ratings, as you said: MAE, MSE and RMSE are over the test "
    "pairs that stand in the lists."
)


def _is_sound(rows: Rows, role: str, has_test: bool, options: Options, findings: Findings) -> bool:
    """Whether the numbers of a table are such; others are reported."""
    leave_empty(rows)
    has_values = role not in ("lists", "scores") or is_ordered(rows.mapped, findings)
    return has_values and are_numbers(rows, role, has_test, options, findings)


def is_ordered(mapped: Mapped, findings: Findings) -> bool:
    """Whether a table of lists has a score or a rank."""
    if "score" not in mapped.roles and "rank" not in mapped.roles:
        findings.add("RCM-023", file=mapped.table.name, found=", ".join(mapped.table.names))
        return False
    return True


def are_numbers(rows: Rows, role: str, has_test: bool, options: Options, findings: Findings) -> bool:
    """Whether scores, ratings and ranks are numbers of their kind; others are reported."""
    is_scored = check_numbers(rows, "score", "RCM-006", findings)
    is_rated = settled_ratings(rows, role, has_test, options, findings)
    return is_scored and is_rated and check_ranks(rows, findings)


def lacks_values(files: Levels, named: Named, findings: Findings) -> bool:
    """Whether some files of a model have scores, or of the test ratings, and others none; told."""
    having = {one.name: files.roles(one) for one in files.of("lists", "test")}
    mixed = [
        is_mixed({rows.file: having[rows.file] for rows in model.rows}, "score", "rank", findings)
        for model in named.lists.values()
    ]
    test = {one.name: having[one.name] for one in files.of("test")}
    return is_mixed(test, "rating", None, findings) or any(mixed)


class PairsIn(NamedTuple):
    """Lists, scores and interactions.

    Parameters
    ----------
    lists, scores : by model.
    train, test : None without rows.
    ranks : what holds lists or scores with ranks beside them → its first file, and what they say.
    """

    lists: dict[str, ItemLists]
    scores: dict[str, ScoreMatrix | ItemLists]
    train: Interactions | None
    test: Interactions | None
    ranks: dict[tuple[str, str], tuple[str, RanksAndScores]]


def pairs_in(
    files: Files,
    named: Named,
    users: Ids,
    items: Ids,
    options: Options,
    findings: Findings,
    *,
    has_test: bool | None = None,
) -> PairsIn:
    """Lists, scores and interactions of files, of every model that is named.

    Parameters
    ----------
    has_test : whether a file of the input holds the test; None: where one of these does.
    """
    ranks: dict[tuple[str, str], tuple[str, RanksAndScores]] = {}

    def of_model(role: str, name: str, model: OfModel) -> ItemLists:
        parts = files.parts(model)
        if not parts:
            return ItemLists(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), model.is_scored)
        pairs = pairs_of(parts, users, items, "score")
        value, rank = pairs.value if model.is_scored else None, pairs.rank if model.is_ranked else None
        pairs = replace(pairs, value=value, rank=rank)
        if value is not None and rank is not None:
            ranks[role, name] = model.rows[0].file, ranks_and_scores(pairs, users)
        return lists_of(pairs, users, items, options.keep_first, findings)

    lists = {name: of_model("lists", name, model) for name, model in named.lists.items()}
    scores: dict[str, ScoreMatrix | ItemLists] = {
        name: of_model("scores", name, model) for name, model in named.scores.items()
    }
    for one in files.of("scores"):
        if one.name in files.matrices:
            scores[one.stem] = _matrix(files.matrices[one.name], users, items)
    scores = {named.called[name]: found for name, found in scores.items()}
    train = _interactions(files, "train", users, items, options, findings)
    test = _interactions(files, "test", users, items, options, findings)
    if test is None and not (bool(files.of("test")) if has_test is None else has_test):
        test = _beside_scores(files, users, items, options, findings)
    return PairsIn(lists, scores, train, test, ranks)


def _matrix(matrix: Matrix, users: Ids, items: Ids) -> ScoreMatrix:
    n, m = matrix.values.shape
    user = [users.index[text] for text in matrix.users or map(str, range(n))]
    item = [items.index[text] for text in matrix.items or map(str, range(m))]
    return ScoreMatrix(np.asarray(user, np.intp), np.asarray(item, np.intp), matrix.values)


def _interactions(
    files: Files, role: str, users: Ids, items: Ids, options: Options, findings: Findings
) -> Interactions | None:
    parts = [files.part(one, None) for one in files.of(role) if one.rows is not None]
    if not parts:
        return None
    pairs = pairs_of(parts, users, items, "rating")
    return interactions_of(pairs, users, items, role, options.keep_first, findings)


def check_rated(has_scores: Mapping[str, bool], test: Interactions | None, findings: Findings) -> None:
    """Refuse lists whose scores are said to be predicted ratings without scores, or ratings to judge them.

    Parameters
    ----------
    has_scores : whether the lists of a model have scores, by model.
    """
    without = [model for model, has in has_scores.items() if not has]
    if without or not has_scores:
        whose = f" of model {', '.join(without)}" if len(has_scores) > 1 else ""
        findings.add("RCM-042", found=f"lists{whose} with ranks alone" if has_scores else "no list")
    if test is None or not test.has_rating:
        findings.add("RCM-043", found="no file of the test" if test is None else "a test without ratings")


def _beside_scores(
    files: Files, users: Ids, items: Ids, options: Options, findings: Findings
) -> Interactions | None:
    """The true ratings that stand beside predicted ones, where no file holds the test."""
    parts = [replace(part, at=rated(part)) for part in (files.part(one, None) for one in _rated_files(files))]
    parts = [part for part in parts if part.at is not None and len(part.at)]
    if not parts:
        return None
    pairs = pairs_of(parts, users, items, "rating")
    counted = replace(pairs, parts=[replace(part, rows=replace(part.rows, excluded={})) for part in parts])
    own = Findings()
    test = interactions_of(counted, users, items, "test", options.keep_first, own)
    findings.problems += own.errors
    return test


def _rated_files(files: Files) -> list[Opened]:
    """The lists with true ratings beside predicted ones."""
    lists = [one for one in files.of("lists") if one.rows is not None]
    return [one for one in lists if one.rows is not None and "rating" in one.rows.mapped.roles]


def tell_beside(files: Files, findings: Findings) -> None:
    """Name the lists whose ratings are taken for the test."""
    for part in (files.part(one, None) for one in _rated_files(files)):
        if len(rated(part)):
            findings.add("RCM-022", file=part.rows.name, name=part.rows.mapped.one("rating"))
