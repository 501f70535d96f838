"""What all files together decide before the rows of some users are read: models, items, what must agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.chunks.users.facts import VALUES, AllFiles, FileFacts, looked_at_in
from evalcore.readers.columns.mapping import MAX_LEVELS
from evalcore.readers.formats.table import Texts
from evalcore.readers.options import Options
from evalcore.readers.recommender.about import about_items
from evalcore.readers.recommender.assembling import RATED, check_rated, is_ordered, lacks_values
from evalcore.readers.recommender.groups import Room, columns_called
from evalcore.readers.recommender.naming.ids import Ids, tell_written
from evalcore.readers.recommender.naming.models import Named, OfModel, named_in
from evalcore.readers.recommender.naming.whole import ids_of, tell_unknown, warn_of_strangers
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.ratings import is_none_said, no_ratings
from evalcore.recommendations import USER_GROUP, Groups, Interactions, ItemLists, Recommendations

ONE = np.array(["everybody"], object)
"""The user who stands for all where only items are known."""


@dataclass(frozen=True, eq=False)
class Settled:
    """What holds for the rows of any users.

    Parameters
    ----------
    tables : the files of users, with the columns that have values.
    named : which rows are of which model.
    items : the ids of all items.
    has_test : whether a file holds the test.
    too_many : file of groups → its columns of more different values than can be groups.
    """

    tables: tuple[Opened, ...]
    named: Named
    items: Ids
    has_test: bool
    too_many: Mapping[str, frozenset[str]]


@dataclass(frozen=True, eq=False)
class Settling:
    """What came of all files.

    Parameters
    ----------
    settled : for the rows of any users.
    table : what is known of the whole without users: the items that each model, train and test name, the
        groups that users may have, groups and features of items.
    notes : about it.
    """

    settled: Settled
    table: Recommendations
    notes: tuple[str, ...]


def settle(
    tables: Sequence[Opened],
    facts: Sequence[FileFacts],
    of_items: Sequence[Opened],
    options: Options,
    findings: Findings,
) -> Settling | None:
    """What all files decide, or None where a problem stops them.

    Parameters
    ----------
    tables, facts : files of users, and what is known of each.
    of_items : files of items, with their rows.
    findings : gets what only the whole shows.
    """
    tables = [_with_values(one, of_file) for one, of_file in zip(tables, facts, strict=True)]
    for one, of_file in zip(tables, facts, strict=True):
        _check_file(one, of_file, options, findings)
    files = AllFiles(tables, facts, of_items, findings)
    if findings.errors:
        return None
    users, items = ids_of(files, findings)
    if findings.errors:
        return None
    notes: list[str] = []
    named = named_in(files, [], options, notes)
    if lacks_values(files, named, findings):
        return None
    has_test = bool(files.of("test"))
    test = _items_in(_of_test(files, has_test), items)
    is_rated = not has_test or all("rating" in files.roles(one) for one in files.of("test"))
    pairs = None if test is None else Interactions(_nobody(test), test, np.ones(len(test)), is_rated)
    if pairs is not None and not has_test:
        _tell_beside(files, findings)
    if options.predicted_ratings:
        check_rated({name: one.is_scored for name, one in named.lists.items()}, pairs, findings)
        notes.append(RATED)
    tell_unknown(files, users, findings)
    about = about_items(files.about_items, items, Room(findings), findings)
    warn_of_strangers(files, findings)
    slices, too_many = _groups(files, findings)
    if findings.errors:
        return None
    train = _items_in([files.facts[one.name].items for one in files.of("train")], items)
    table = replace(
        about,
        user_ids=ONE,
        lists={name: _lists(files, one, items) for name, one in named.lists.items()},
        scores={named.called[name]: _lists(files, one, items) for name, one in named.scores.items()},
        train=None if train is None else Interactions(_nobody(train), train, np.ones(len(train))),
        test=pairs,
        slices=slices,
    )
    settled = Settled(tuple(tables), named, items, has_test, too_many)
    return Settling(settled, table, tuple(notes))


def _with_values(one: Opened, facts: FileFacts) -> Opened:
    """A file without the scores, or ranks, that no row has, where the other orders the lists."""
    assert one.rows is not None
    roles = dict(one.rows.mapped.roles)
    unused = dict(one.rows.unused)
    for role, other in (VALUES, VALUES[::-1]):
        if role in roles and other in roles and role not in facts.with_values:
            unused[roles.pop(role)[0]] = "no value in any row"
    return replace(one, rows=replace(one.rows, mapped=replace(one.rows.mapped, roles=roles), unused=unused))


def _check_file(one: Opened, facts: FileFacts, options: Options, findings: Findings) -> None:
    """What only the whole file shows: whether it has rows, how ids are written, if ratings are unnamed."""
    assert one.rows is not None
    mapped = one.rows.mapped
    if not facts.n_rows:
        findings.add("FILE-008", file=one.name)
        return
    for role, ids in (("user_id", facts.users), ("item_id", facts.items)):
        column = mapped.one(role)
        if column is not None:
            texts = Texts(np.arange(len(ids), dtype=np.int32), np.array([*ids], object))
            tell_written(one.rows, column, texts, np.array([*ids.values()], np.intp), findings)
    if one.role in ("lists", "scores"):
        is_ordered(mapped, findings)
    if looked_at_in(one) and not is_none_said(options):
        no_ratings(mapped.table, facts.looked_at, findings)


def _of_test(files: AllFiles, has_test: bool) -> list[Iterable[str]]:
    """The items of the test, by file: of rows with a true rating where no file holds the test."""
    if has_test:
        return [files.facts[one.name].items for one in files.of("test")]
    return [found for one in files.of("lists") if (found := files.facts[one.name].rated)]


def _tell_beside(files: AllFiles, findings: Findings) -> None:
    """Name the lists whose ratings are taken for the test."""
    for one in files.of("lists"):
        if files.facts[one.name].rated and one.rows is not None:
            findings.add("RCM-022", file=one.name, name=one.rows.mapped.one("rating"))


def _items_in(by_file: Sequence[Iterable[str]], items: Ids) -> NDArray[np.intp] | None:
    """The codes of the items of some files, each once; None without a file."""
    if not by_file:
        return None
    names = dict.fromkeys(name for of_file in by_file for name in of_file if name)
    return np.array([items.index[name] for name in names], np.intp)


def _nobody(items: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.zeros(len(items), np.intp)


def _lists(files: AllFiles, model: OfModel, items: Ids) -> ItemLists:
    """The items that a model names, as one list."""
    named = [files.facts[rows.file].items_of.get(rows.level or "", {}) for rows in model.rows]
    found = _items_in(named, items)
    assert found is not None
    return ItemLists(_nobody(found), found, np.zeros(len(found)), model.is_scored)


def _groups(files: AllFiles, findings: Findings) -> tuple[dict[str, Groups], dict[str, frozenset[str]]]:
    """The groups that users may have, by column, and the columns of more values than there can be groups."""
    levels: dict[str, dict[str, None]] = {}
    too_many: dict[str, frozenset[str]] = {}
    for one in files.of("user_groups"):
        assert one.rows is not None
        cells, others = files.facts[one.name].groups, list(one.rows.mapped.groups)
        columns = columns_called(one.rows.mapped, others, USER_GROUP)
        if USER_GROUP not in columns and len(others) > 1:
            findings.add("RCM-086", file=one.name, found=", ".join(others), name=others[0])
        too_many[one.name] = frozenset(name for name, texts in cells.items() if len(texts) > MAX_LEVELS)
        for name, column in columns.items():
            if column not in too_many[one.name]:
                levels.setdefault(name, {}).update(cells[column])
    nobody = np.full(1, -1, np.intp)
    slices = {name: (nobody, tuple(text for text in texts if text)) for name, texts in levels.items()}
    return slices, too_many
