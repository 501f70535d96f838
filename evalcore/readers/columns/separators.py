"""Cells of lists between other separators than bars: told by where the gold occurs, or refused.

An id may hold blanks and commas. So a cell like ``s2, s1, s3`` is taken apart only where ids that are known
from elsewhere in its row occur as its pieces and never as the whole cell. Where neither or both are seen it
is refused, unless ids that are known for certain hold such a mark: every value of an evaluation hangs on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.lists import Lists, lists_of, whole
from evalcore.readers.columns.other_marks import open_cells, several_ids
from evalcore.readers.formats.arrays import arrow_texts, plain_array
from evalcore.readers.formats.storage import is_list

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "\n": "line breaks", " ": "blanks"}
_OTHERS = "/\\&+>~"
"""Marks that ids hold often: never taken for separators, and told only where a piece is a known id."""
_MARK = "[" + re.escape("".join(_SEPARATORS) + _OTHERS) + "]"
_NO_FORM = r"^\s*[^\s\[(|][^|]*$"
_EDGES = "\"'[](){}<>"
_ADVICE = (
    "Write several ids as a|b|c or a JSON array, and one id that holds such a mark as a JSON array of one."
)
_Ids = Mapping[int, set[str]]


@dataclass(frozen=True)
class _Column:
    """A column of lists.

    Parameters
    ----------
    lists : what was read of it between bars and in brackets.
    is_known : whether some of its lists are in such a form.
    lone : row → its cell, where it is in no such form and holds a mark.
    held : the marks that ids in such a form hold: ids for certain.
    """

    lists: Lists
    is_known: bool
    lone: Mapping[int, str]
    held: frozenset[str]


@dataclass(frozen=True)
class _Seen:
    """What is seen of lone cells.

    Parameters
    ----------
    wholes : rows in which the cell is a known id.
    pieces : separator → rows in which a piece of the cell is a known id and the whole is none.
    is_clean : separator → whether it leaves nothing but ids in every cell.
    """

    wholes: set[int]
    pieces: Mapping[str, set[int]]
    is_clean: Mapping[str, bool]

    @property
    def rows(self) -> set[int]:
        """Rows in which a piece is a known id."""
        return set().union(*self.pieces.values())

    @property
    def separators(self) -> list[str]:
        """Separators that show known ids and leave nothing but ids."""
        return [mark for mark, rows in self.pieces.items() if rows and self.is_clean[mark]]


@dataclass(frozen=True)
class _Decision:
    separator: str | None = None
    refused: Iterable[int] = field(default_factory=tuple)


def separated(
    raw: Mapping[str, Any],
    lists: Mapping[str, Lists],
    gold: str | None,
    row: NDArray[np.intp],
    file: str,
    findings: Findings,
) -> dict[str, Lists]:
    """The lists, taken apart where another separator is evident, which is told; what is open is refused.

    Parameters
    ----------
    raw : name → Arrow column of text or of lists; the gold, where the file has it, and the lists.
    lists : name → what was read of it between bars and in brackets.
    gold : the name of the gold column, or None.
    row : data rows from 1, for messages.
    """
    columns = {name: _column(raw[name], one) for name, one in lists.items()}
    rows = {at for one in columns.values() for at in one.lone}
    found = dict(lists)
    others_open = {name: open_cells(raw[name]) for name in lists}
    if not rows:
        _report_other_marks(others_open, lists, gold, {}, row, file, findings)
        return found
    held = frozenset().union(*(one.held for one in columns.values()))
    marks = [mark for mark in (*_SEPARATORS, *_OTHERS) if mark not in held]
    own = _ids([lists[gold]] if gold is not None else [], rows)
    others = _ids([_certain(one) for name, one in columns.items() if name != gold], rows)
    known = {at: own[at] | others[at] for at in rows}
    decisions = {name: _decided(one, known, own, marks) for name, one in columns.items() if name != gold}
    for name, one in decisions.items():
        found[name] = _apart(raw[name], lists[name], one.separator, row)
    if gold is not None:
        listed = _ids([found[name] for name in decisions], rows)
        is_open = not any(one.refused for one in decisions.values())
        decisions[gold] = _decided(columns[gold], listed, {}, marks, is_open)
        found[gold] = _apart(raw[gold], lists[gold], decisions[gold].separator, row)
    for name, decision in decisions.items():
        _report(name, columns[name].lone, decision, row, file, findings)
    settled = {name: one for name, one in decisions.items() if one.separator is not None or one.refused}
    _report_other_marks(others_open, found, gold, settled, row, file, findings)
    return found


def _report_other_marks(
    cells: Mapping[str, Mapping[int, str]],
    lists: Mapping[str, Lists],
    gold: str | None,
    settled: Mapping[str, _Decision],
    row: NDArray[np.intp],
    file: str,
    findings: Findings,
) -> None:
    """Refuse cells that may be several ids between a mark that is none of the known ones."""
    for name, own in cells.items():
        if not own or name in settled:
            continue
        names = [other for other in lists if other != name and (name == gold or gold in (None, other))]
        known = _ids([lists[other] for other in names], set(own))
        refused = several_ids(own, known, (*_SEPARATORS, *_OTHERS))
        _report(name, own, _Decision(refused=refused), row, file, findings)


def _column(raw: Any, lists: Lists) -> _Column:
    if pa.types.is_string(raw.type) and not pc.any(pc.match_substring_regex(raw, _MARK)).as_py():
        return _Column(lists, True, {}, frozenset())  # most files: no id needs to be looked at
    levels = arrow_texts(lists.item.levels.tolist())
    has_mark = plain_array(pc.match_substring_regex(levels, _MARK))
    if not has_mark.any():
        return _Column(lists, True, {}, frozenset())
    is_lone, is_known = np.zeros(lists.n_rows, bool), True
    if not is_list(raw.type):
        cells = whole(raw)
        is_plain = pc.match_substring_regex(cells, _NO_FORM)
        is_lone = plain_array(is_plain)
        is_known = bool((~is_lone & (lists.lengths() > 0)).any())
    is_marked = has_mark[lists.item.codes]
    lone = np.flatnonzero(is_marked & is_lone[lists.row])
    sure = np.unique(lists.item.codes[is_marked & ~is_lone[lists.row]])
    held = {mark for level in lists.item.levels[sure].tolist() for mark in level}
    return _Column(
        lists, is_known, {int(lists.row[i]): lists.item.at(i) for i in lone.tolist()}, frozenset(held)
    )


def _certain(one: _Column) -> Lists:
    """The lists of a column without its lone cells."""
    is_certain = ~np.isin(one.lists.row, list(one.lone))
    lists = one.lists
    kept = lists.row[is_certain], lists.position[is_certain], lists.item.where(is_certain)
    return Lists(*kept, lists.n_rows)


def _ids(several: Iterable[Lists], rows: set[int]) -> dict[int, set[str]]:
    """Row → the ids of its lists, for some rows."""
    found: dict[int, set[str]] = {at: set() for at in rows}
    for lists in several:
        for i in np.flatnonzero(np.isin(lists.row, list(rows))).tolist():
            found[int(lists.row[i])].add(lists.item.at(i))
    return found


def _decided(one: _Column, known: _Ids, gold: _Ids, marks: list[str], is_open: bool = True) -> _Decision:
    """What becomes of the lone cells of a column.

    Parameters
    ----------
    known : row → ids that are known from other columns.
    gold : row → its gold, which may be written in the same way.
    marks : marks that no id holds for certain.
    is_open : whether cells of which nothing is seen are refused.
    """
    seen = _seen(one.lone, known, marks)
    if one.is_known:
        return _Decision(refused=seen.rows)
    separators = [mark for mark in marks if mark in _SEPARATORS]
    alike = set().union(*(_seen(one.lone, _pieces_of(gold, mark), [mark]).rows for mark in separators))
    if seen.wholes:
        return _Decision(refused=seen.rows | (alike - seen.wholes))
    if len(seen.separators) == 1:
        return _Decision(seen.separators[0])
    doubtful = {at for at, cell in one.lone.items() if any(mark in cell for mark in separators)}
    return _Decision(refused=seen.rows | alike | (doubtful if is_open else set()))


def _seen(lone: Mapping[int, str], known: _Ids, marks: list[str]) -> _Seen:
    wholes = {at for at, cell in lone.items() if cell in known.get(at, ())}
    pieces: dict[str, set[int]] = {mark: set() for mark in marks}
    is_clean = {mark: mark in _SEPARATORS for mark in marks}
    for at, cell in lone.items():
        for mark in (mark for mark in marks if mark in cell):
            parts = _parts(cell, mark)
            is_clean[mark] &= all(_is_clean(part, mark) for part in parts)
            if at not in wholes and not known.get(at, set()).isdisjoint(parts):
                pieces[mark].add(at)
    return _Seen(wholes, pieces, is_clean)


def _parts(cell: str, mark: str) -> list[str]:
    return [part.strip() for part in (cell.split() if mark == " " else cell.split(mark))]


def _is_clean(part: str, mark: str) -> bool:
    """Whether a piece looks like an id, with no other separator left in or around it."""
    if not part or part[0] in _EDGES or part[-1] in _EDGES:
        return False
    if mark == " ":
        return part[-1] not in ",;"
    return not any(other in part for other in ",;\t\n" if other != mark)


def _pieces_of(ids: _Ids, mark: str) -> dict[int, set[str]]:
    return {at: {part for one in found for part in _parts(one, mark)} for at, found in ids.items()}


def _apart(raw: Any, lists: Lists, separator: str | None, row: NDArray[np.intp]) -> Lists:
    """The lists with their lone cells taken apart at a separator."""
    if separator is None:
        return lists
    cells = ["|".join(_parts(cell, separator)) for cell in whole(raw).to_pylist()]
    return lists_of(pa.array(cells, pa.string()), row, "", "", False, Findings())


def _report(
    name: str,
    lone: Mapping[int, str],
    decision: _Decision,
    row: NDArray[np.intp],
    file: str,
    findings: Findings,
) -> None:
    if decision.separator is not None:
        parts = next(p for cell in lone.values() if len(p := _parts(cell, decision.separator)) > 1)
        between, ids = _SEPARATORS[decision.separator], "|".join(parts)[:40]
        findings.add("RNK-030", file=file, column=name, found=between, ids=ids)
    refused = sorted(decision.refused)
    facts = (
        (int(row[at]), {"found": f"text that may be one id or several: {lone[at][:40]}"})
        for at in refused[:SHOWN]
    )
    findings.add_rows("RNK-003", facts, len(refused), file=file, column=name, advice=_ADVICE)
