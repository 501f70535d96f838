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
from evalcore.readers.formats.table import Texts
from evalcore.readers.options import Options
from evalcore.readers.recommender.groups import features_of, groups_of, unknown_users
from evalcore.readers.recommender.ids import Ids, check_across, check_ids
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import (
    Part,
    check_numbers,
    check_ranks,
    interactions_of,
    lists_of,
    pairs_of,
)
from evalcore.recommendations import Groups, Interactions, ItemLists, Recommendations, ScoreMatrix

_OF_PAIRS = ("lists", "scores", "train", "test")
IN_ORDER = "Write the ids in the order of the rows or columns of the matrix, each once."
_FEWEST = 10
"""Users or items on both sides from which on that they share none is no chance."""
_TAG_BEFORE, _TAG_BEHIND = re.compile(r"^scores?[_.-]"), re.compile(r"[_.-]scores?$")


class Files:
    """The files of an evaluation by role, their ids checked.

    Parameters
    ----------
    opened : the files, of every role but ``interactions``.
    options : how they are read.
    findings : gets every problem.
    """

    def __init__(self, opened: Sequence[Opened], options: Options, findings: Findings) -> None:
        self._opened, self._options, self._findings = opened, options, findings
        self._ids: dict[tuple[str, str], Texts] = {}
        for one in opened:
            if one.rows is not None:
                for role in ("user_id", "item_id"):
                    if role in one.rows.mapped.roles:
                        self._ids[one.name, role] = check_ids(one.rows, role, findings)
        self.matrices = {one.name: self._named(one.matrix) for one in opened if one.matrix is not None}

    def _named(self, matrix: Matrix) -> Matrix:
        """A matrix with the ids of its rows and columns where files hold them in their order."""
        for role, unit, n in (
            ("score_users", "users", matrix.values.shape[0]),
            ("score_items", "items", matrix.values.shape[1]),
        ):
            for one in self.of(role):
                if getattr(matrix, unit) is not None:
                    continue
                texts = self._ids[one.name, f"{unit.removesuffix('s')}_id"]
                ids = tuple(texts.levels[texts.codes].tolist())
                facts = {
                    "expected": f"{n:,} different ids, as the {unit} of {matrix.name}",
                    "advice": IN_ORDER,
                }
                if len(ids) != n or len(set(ids)) < n:
                    found = f"{len(ids):,} ids, {len(set(ids)):,} of them different"
                    self._findings.add("RCM-018", file=one.name, found=found, **facts)
                    continue
                matrix = replace(matrix, users=ids) if unit == "users" else replace(matrix, items=ids)
        return matrix

    def of(self, *roles: str) -> list[Opened]:
        """The files of some roles."""
        return [one for one in self._opened if one.role in roles]

    def rows(self, *roles: str) -> list[Rows]:
        """The tables of some roles."""
        return [one.rows for one in self.of(*roles) if one.rows is not None]

    def levels(self, role: str, *roles: str) -> dict[str, Iterable[str]]:
        """File → the ids of users or items in it, of files of some roles."""
        unit = "users" if role == "user_id" else "items"
        found: dict[str, Iterable[str]] = {}
        for one in self.of(*roles):
            if one.name in self.matrices:
                known = getattr(self.matrices[one.name], unit)
                found[one.name] = known if known is not None else ()
            elif (one.name, role) in self._ids:
                found[one.name] = self._ids[one.name, role].levels.tolist()
        return found

    def part(self, one: Opened, at: NDArray[np.intp] | None) -> Part:
        """Some rows of a file, or all."""
        assert one.rows is not None
        user, item = (self._ids[one.name, role] for role in ("user_id", "item_id"))
        return Part(one.rows, at, user, item)


def assembled(
    opened: Sequence[Opened], options: Options, findings: Findings
) -> tuple[Recommendations, tuple[str, ...]] | None:
    """The table of all files and notes about it, or None where a problem stops it."""
    files = Files(opened, options, findings)
    is_sound = [_is_sound(rows, findings) for rows in files.rows(*_OF_PAIRS)]
    if findings.errors or not all(is_sound) or not files.of("lists", "scores"):
        return None
    users, items = _ids(files, findings)
    if findings.errors:
        return None
    notes: list[str] = []
    lists = {
        model: lists_of(pairs_of(parts, users, items, "score"), users, items, options.keep_first, findings)
        for model, parts in _by_model(files, "lists", options, notes).items()
    }
    scores = _scores(files, lists, users, items, options, notes, findings)
    train = _interactions(files, "train", users, items, options, findings)
    test = _interactions(files, "test", users, items, options, findings)
    if test is None:
        test = _beside_scores(files, users, items, options, findings)
    slices = _groups(files, "user_groups", "user_id", "user_group", users, findings)
    item_groups = _groups(files, "item_groups", "item_id", "item_group", items, findings)
    features, names = _features(files, items, findings)
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


def _is_sound(rows: Rows, findings: Findings) -> bool:
    """Whether the numbers of a table are such; others are reported."""
    is_list = rows.mapped.kind in ("lists", "scores")
    if is_list and "score" not in rows.mapped.roles and "rank" not in rows.mapped.roles:
        findings.add("RCM-023", file=rows.name, found=", ".join(rows.mapped.table.names))
        return False
    is_scored = check_numbers(rows, "score", "RCM-006", findings)
    is_rated = check_numbers(rows, "rating", "RCM-007", findings)
    return is_scored and is_rated and check_ranks(rows, findings)


def _ids(files: Files, findings: Findings) -> tuple[Ids, Ids]:
    """The ids of all users, and the catalogue of items."""
    of_users = files.levels("user_id", *_OF_PAIRS)
    of_items = files.levels("item_id", *_OF_PAIRS, "item_groups", "item_features")
    for matrix in files.matrices.values():
        for unit, known, n, levels in (
            ("users", matrix.users, matrix.values.shape[0], of_users),
            ("items", matrix.items, matrix.values.shape[1], of_items),
        ):
            if known is None:
                _check_numbered(matrix.name, unit, n, levels, findings)
                levels[matrix.name] = [str(at) for at in range(n)]
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
        other = next(
            (text for text in known if text and not (text.isascii() and text.isdigit() and int(text) < n)),
            None,
        )
        if other is not None:
            findings.add("RCM-020", file=name, unit=unit, last=n - 1, word=word, found=f"{other} ({file})")
            return


def _by_model(files: Files, role: str, options: Options, notes: list[str]) -> dict[str, list[Part]]:
    """Model → its rows: by a column, else by file, unless files of other users each are parts of one list."""
    opened = [one for one in files.of(role) if one.rows is not None]
    found: dict[str, list[Part]] = {}
    plain = [one for one in opened if one.rows is not None and one.rows.text("model") is None]
    for one in opened:
        model = None if one.rows is None else one.rows.text("model")
        if model is None:
            continue
        for code, level in enumerate(model.levels.tolist()):
            at = np.flatnonzero(model.codes == code)
            if len(at):
                found.setdefault(level or one.stem, []).append(files.part(one, at))
    is_said = options.files_as == "parts"
    if len(plain) > 1 and (is_said or (options.files_as is None and _apart(files, plain))):
        found.setdefault(plain[0].stem, []).extend(files.part(one, None) for one in plain)
        listed = ", ".join(one.name for one in plain)
        why = "as you said" if is_said else "as no user stands in two of them"
        notes.append(f"{listed}: parts of the {role} of one model, {why}.")
        return found
    for one in plain:
        model_name = one.stem if one.stem not in found else one.name
        found[model_name] = [files.part(one, None)]
    return found


def _apart(files: Files, opened: Sequence[Opened]) -> bool:
    """Whether no user stands in two files."""
    seen: set[str] = set()
    for one in opened:
        users = set(files.levels("user_id", one.role)[one.name])
        if not seen.isdisjoint(users):
            return False
        seen |= users
    return True


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
        for model, parts in _by_model(files, "scores", options, notes).items()
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
    if not parts:
        return None
    pairs = pairs_of(parts, users, items, "rating")
    return interactions_of(pairs, users, items, role, options.keep_first, findings)


def _beside_scores(
    files: Files, users: Ids, items: Ids, options: Options, findings: Findings
) -> Interactions | None:
    """The true ratings that stand beside predicted ones, where no file holds the test."""
    rated = [one for one in files.of("lists") if one.rows is not None and "rating" in one.rows.mapped.roles]
    if not rated:
        return None
    for one in rated:
        assert one.rows is not None
        findings.add("RCM-022", file=one.name, name=one.rows.mapped.one("rating"))
    parts = [files.part(one, None) for one in rated]
    pairs = pairs_of(parts, users, items, "rating")
    counted = replace(pairs, parts=[replace(part, rows=replace(part.rows, excluded={})) for part in parts])
    own = Findings()
    test = interactions_of(counted, users, items, "test", options.keep_first, own)
    findings.problems += own.errors
    return test


def _groups(
    files: Files, role: str, id_role: str, own: str, ids: Ids, findings: Findings
) -> dict[str, Groups]:
    found: dict[str, Groups] = {}
    for rows in files.rows(role):
        found |= groups_of(rows, id_role, own, ids, findings)
    if role == "user_groups":
        unknown_users(files.rows(role), ids, findings)
    return found


def _features(
    files: Files, items: Ids, findings: Findings
) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    found = [
        one
        for opened in files.of("item_features")
        if opened.rows is not None
        and (one := features_of(opened.rows, opened.shape, items, findings)) is not None
    ]
    if not found:
        return None, ()
    return np.concatenate([has for has, _ in found], axis=1), tuple(
        name for _, names in found for name in names
    )


def _warn_of_strangers(files: Files, findings: Findings) -> None:
    """Refuse lists that share no id with interactions; tell of items that only groups or features hold."""
    for role, unit in (("user_id", "user"), ("item_id", "item")):
        first, second = files.levels(role, "lists", "scores"), files.levels(role, "train", "test")
        ours = {text for held in first.values() for text in held}
        theirs = {text for held in second.values() for text in held}
        if min(len(ours), len(theirs)) >= _FEWEST and ours.isdisjoint(theirs):
            facts = {"unit": unit, "first": ", ".join(first), "second": ", ".join(second)}
            findings.add("RCM-017", **facts, found=min(theirs), other=min(ours))
    known = {text for held in files.levels("item_id", *_OF_PAIRS).values() for text in held}
    has_numbers = any(matrix.items is None for matrix in files.matrices.values())
    for name, held in files.levels("item_id", "item_groups", "item_features").items():
        others = [text for text in held if text and text not in known]
        if others and not has_numbers:
            findings.add("RCM-016", file=name, n=len(others), item=others[0])
