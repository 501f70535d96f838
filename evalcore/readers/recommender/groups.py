"""Groups of users and of items, and features of items."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.lists import Lists, lists_of
from evalcore.readers.columns.mapping import MAX_LEVELS, TOO_MANY, Mapped
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.arrays import arrow_texts
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.formats.storage import is_list
from evalcore.readers.formats.table import Texts
from evalcore.readers.recommender.naming.ids import Ids
from evalcore.readers.recommender.separators import barred
from evalcore.readers.recommender.shapes import RECBOLE
from evalcore.recommendations import USER_GROUP, Contradiction, Features, Groups, in_order
from evalcore.schema import binary, is_known_name
from evalcore.settings import Settings

UNKNOWN_ID = "id in no list, train or test"
REPEATED_ID = "repeated id"
CODE_BYTES = np.dtype(np.intp).itemsize
_ZERO = re.compile(r"0+(\.0*)?")
_NOTHING = "(no genres listed)"
"""What MovieLens writes for an item without a genre."""


class Room:
    """The memory that groups and features may take: a few bytes of a file say something of every id there is.

    Parameters
    ----------
    findings : gets what does not fit.
    """

    def __init__(self, findings: Findings) -> None:
        self._limit = self._left = Settings.read().max_beside_mb * 1_000_000
        self._findings = findings

    def has(self, rows: Rows, n_columns: int, ids: Ids, id_role: str, *, of_features: bool = False) -> bool:
        """Whether so many columns of groups or features of a file fit in; they then take their room."""
        n_bytes = n_columns * len(ids) * (1 if of_features else CODE_BYTES)
        if n_bytes <= self._left:
            self._left -= n_bytes
            return True
        what, advice = "columns of groups", "Leave out columns that are no groups"
        if of_features:
            what = "features"
            advice = "Keep features that many items share, such as genres, and not the words of a description"
        self._findings.add(
            "RCM-110",
            file=rows.name,
            found=f"{n_columns:,} {what}",
            n=len(ids),
            unit=f"{id_role.removesuffix('_id')}s",
            size=f"{-(-n_bytes // 1_000_000):,} MB",
            limit=f"{self._limit // 1_000_000:,} MB",
            advice=advice,
        )
        return False


def groups_of(
    rows: Rows,
    id_role: str,
    own: str,
    ids: Ids,
    room: Room,
    findings: Findings,
    too_many: Collection[str] | None = None,
) -> dict[str, Groups]:
    """The group of each user or item by column: the one of that name, or the only one, is called ``own``.

    A column of users that is called ``own`` and has a name of its own is known by both.

    Parameters
    ----------
    rows : the file.
    id_role : ``user_id`` or ``item_id``.
    own : ``user_group`` or ``item_group``.
    ids : of all users or items.
    room : for the groups; none are made where they do not fit.
    too_many : columns of more different values in the whole file than can be groups; the rows are then only
        some of the file's, of which all else was told.
    """
    texts = rows.text(id_role)
    assert texts is not None
    code = ids.codes(texts)
    others = [name for name in rows.mapped.groups if name in rows.columns.texts]
    columns = columns_called(rows.mapped, others, own)
    if own not in columns and len(others) > 1 and too_many is None:
        facts = {"found": ", ".join(others), "name": others[0]}
        findings.add("RCM-086", file=rows.name, **facts)
    found: dict[str, Groups] = {}
    _exclude(rows, code)
    kept: dict[str, Texts] = {}
    for name, column in columns.items():
        cells = rows.columns.texts[column]
        if column in (too_many or ()):
            rows.unused[column] = TOO_MANY
        elif len(cells.levels) > MAX_LEVELS:
            rows.unused[column] = f"{len(cells.levels):,} different values"
        else:
            kept[name] = cells
    if not room.has(rows, len(kept), ids, id_role):
        return {}
    checked = set()
    for name, cells in kept.items():
        column = columns[name]
        if column not in checked:
            _check_same(rows, code, cells, column, ids, id_role, findings)
        checked.add(column)
        found[name] = _coded(code, cells, len(ids), zero_is_unknown=name == own)
    return found


def columns_called(mapped: Mapped, others: Sequence[str], own: str) -> dict[str, str]:
    """What groups are called → their column: see `groups_of`.

    Parameters
    ----------
    mapped : the file.
    others : its columns without a role.
    own : ``user_group`` or ``item_group``.
    """
    cluster = mapped.one("cluster")
    columns = {own: cluster} if cluster is not None else {own: others[0]} if len(others) == 1 else {}
    known = columns.get(own)
    if own == USER_GROUP and known is not None and not is_known_name(known):
        columns[known] = known
    return columns | {name: name for name in others if name not in columns.values()}


def _exclude(rows: Rows, code: NDArray[np.intp]) -> None:
    """Count rows of ids that are unknown, and those that name an id once more."""
    n_unknown = int(np.count_nonzero(code < 0))
    n_again = len(code) - n_unknown - len(np.unique(code[code >= 0]))
    rows.excluded |= {reason: n for reason, n in ((UNKNOWN_ID, n_unknown), (REPEATED_ID, n_again)) if n}


def _check_same(
    rows: Rows,
    code: NDArray[np.intp],
    cells: Texts,
    column: str,
    ids: Ids,
    id_role: str,
    findings: Findings,
) -> None:
    """Name ids that have two values in a column."""
    order = np.argsort(code, kind="stable")
    same = (code[order][1:] == code[order][:-1]) & (code[order][1:] >= 0)
    differs = same & (cells.codes[order][1:] != cells.codes[order][:-1])
    at = np.flatnonzero(differs)
    unit = "user" if id_role == "user_id" else "item"
    for place in at[:SHOWN].tolist():
        first, again = int(order[place]), int(order[place + 1])
        findings.add(
            "RCM-014",
            file=rows.name,
            row=int(rows.row[again]),
            column=column,
            unit=f"{unit} {ids.texts[code[again]]}",
            value=cells.at(again) or "empty",
            other=cells.at(first) or "empty",
            first=int(rows.row[first]),
        )
    findings.count_more("RCM-014", len(at))


def _coded(code: NDArray[np.intp], cells: Texts, n: int, *, zero_is_unknown: bool) -> Groups:
    """The group of each id, −1 where unknown, and the groups' names in order."""
    used = np.unique(cells.codes[code >= 0])
    texts = {int(at): str(cells.levels[at]) for at in used.tolist()}
    known = {
        at: text
        for at, text in texts.items()
        if text != "" and not (zero_is_unknown and _ZERO.fullmatch(text))
    }
    levels = in_order(dict.fromkeys(known.values()))
    place = {level: i for i, level in enumerate(levels)}
    of_level = np.full(len(cells.levels), -1, np.intp)
    for at, text in known.items():
        of_level[at] = place[text]
    group = np.full(n, -1, np.intp)
    group[code[code >= 0]] = of_level[cells.codes[code >= 0]]
    return group, tuple(levels)


def features_of(rows: Rows, shape: str, ids: Ids, room: Room, findings: Findings) -> list[Features]:
    """Which features each item has, by a list and by columns; none, with the problem, without any or room.

    Features are columns of 0 and 1, or the items of a list such as ``Comedy|Drama``.
    """
    texts = rows.text("item_id")
    assert texts is not None
    code = ids.codes(texts)
    _exclude(rows, code)
    listed = rows.mapped.one("features")
    lists = None if listed is None else _lists(rows, listed, shape, findings)
    levels = [] if lists is None else [text for text in in_order(set(lists.item.levels.tolist())) if text]
    flags = _flags(rows)
    if not levels and not flags:
        findings.add("RCM-021", file=rows.name, found=", ".join(rows.mapped.table.names))
        return []
    if not room.has(rows, len(levels) + len(flags), ids, "item_id", of_features=True):
        return []
    found = []
    if lists is not None and levels:
        has = _listed(lists, levels, code, len(ids))
        found.append(Features(rows.name, f"column {listed}", has, tuple(levels)))
    if flags:
        has = np.zeros((len(ids), len(flags)), bool)
        for at, yes in enumerate(flags.values()):
            has[code[(code >= 0) & yes], at] = True
        found.append(Features(rows.name, rows.name, has, tuple(flags)))
    return found


def tell_contradictions(
    found: Sequence[Contradiction], code: str, unit: str, ids: Ids, findings: Findings
) -> None:
    """Refuse what two files say otherwise of a user or an item."""
    for one in found[:SHOWN]:
        findings.add(code, **one.told_of(f"{unit} {ids.texts[one.place]}"))
    findings.count_more(code, len(found))


def _listed(lists: Lists, levels: Sequence[str], code: NDArray[np.intp], n: int) -> NDArray[np.bool_]:
    """Which of n items has each feature."""
    place = {text: i for i, text in enumerate(levels)}
    of_level = np.asarray([place.get(text, -1) for text in lists.item.levels.tolist()], np.intp)
    has = np.zeros((n, len(levels)), bool)
    item, feature = code[lists.row], of_level[lists.item.codes]
    is_known = (item >= 0) & (feature >= 0)
    has[item[is_known], feature[is_known]] = True
    return has


def _lists(rows: Rows, column: str, shape: str, findings: Findings) -> Lists:
    cells = rows.columns.raw[column]
    if not is_list(cells.type):
        texts = [cell_text(one) for one in cells.to_pylist()]
        texts = ["" if text == _NOTHING else text for text in texts]
        if shape == RECBOLE:
            texts = [text.replace(" ", "|") for text in texts]
        texts = barred(texts, rows.name, column, findings)
        cells = arrow_texts(texts)
    return lists_of(cells, rows.row, rows.name, column, False, findings)


def _flags(rows: Rows) -> dict[str, NDArray[np.bool_]]:
    """The columns of two values that are no and yes, and which rows say yes; others are left out."""
    found = {}
    for name in rows.mapped.groups:
        cells = rows.columns.texts[name]
        said = [None if text == "" else binary(text) for text in cells.levels.tolist()]
        if any(truth is None and text != "" for truth, text in zip(said, cells.levels.tolist(), strict=True)):
            rows.unused[name] = "no feature: neither 0 and 1 nor a list"
            continue
        found[name] = np.asarray([bool(truth) for truth in said], bool)[cells.codes]
    return found
