"""Ratings: in the test they decide what is relevant, in train nothing, and in lists they may be empty."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.evidence.rows import Rows, kept_rows
from evalcore.readers.formats.table import Numbers, Table
from evalcore.readers.options import Options
from evalcore.readers.recommender.numbers import LARGEST, name_cells
from evalcore.readers.recommender.pairs import Part
from evalcore.schema import TABLES, binary, plain

_NO_RATING = re.compile(
    r"(.*_)?(ts|time|timestamp|timestamps|unixtime|date|datetime|day|month|year|hour|index|idx|id|fold|split)"
    r"|unnamed:_\d+|level_\d+|field_\d+"
)
"""Names of columns of numbers that are none of ratings."""
_SECONDS = 10**8
"""Seconds from 1970 to 1973: no rating is as large, and every time of an interaction is."""


def settled_ratings(rows: Rows, role: str, has_test: bool, options: Options, findings: Findings) -> bool:
    """Whether the ratings of a table can be used as its role needs them; others are reported.

    Parameters
    ----------
    rows : gets numbers for the words true and false, and 0 where a rating plays no part.
    role : ``train`` (no part), ``test`` (each a number), or another (empty: not in the test).
    has_test : whether a file holds the test, so that ratings beside scores are not needed.
    options : with the columns that the user names.
    """
    numbers, column = rows.number("rating"), rows.mapped.one("rating")
    if numbers is None or column is None:
        return role != "test" or is_none_said(options) or _is_rated_nowhere(rows, findings)
    plays_no_part = role == "train" or (role != "test" and has_test)
    numbers = numbers if plays_no_part else _with_words(rows, column, numbers)
    is_wrong = ~np.isfinite(numbers.values)
    huge = np.flatnonzero(~is_wrong & (abs(numbers.values) > LARGEST))
    if plays_no_part:
        numbers = replace(numbers, values=np.where(is_wrong, 0.0, numbers.values))
        is_wrong, huge = np.zeros(0, bool), huge[:0]
    rows.columns = replace(rows.columns, numbers={**rows.columns.numbers, column: numbers})
    if role != "test":
        given = kept_rows(rows, column) if is_wrong.any() else None
        is_wrong = is_wrong if given is None else is_wrong & np.isin(np.arange(len(is_wrong)), given)
    bad = np.flatnonzero(is_wrong)
    name_cells(rows, numbers, bad, column, "RCM-007" if role == "test" else "RCM-071", findings)
    name_cells(rows, numbers, huge, column, "RCM-112", findings)
    return not len(bad) and not len(huge)


def _with_words(rows: Rows, column: str, numbers: Numbers) -> Numbers:
    """The numbers of a column of true and false; of any other as they are."""
    at = np.flatnonzero(numbers.is_unreadable)
    if not len(at):
        return numbers
    cells = rows.cells(column)
    said = [binary(cells(i)) for i in at.tolist()]
    if None in said:
        return numbers
    values = numbers.values.copy()
    values[at] = np.asarray(said, float)
    return replace(numbers, values=values, is_unreadable=np.zeros(len(values), bool))


def is_none_said(options: Options) -> bool:
    """Whether the user says that no column holds ratings."""
    said = (role for role, names in options.columns.items() if not names)
    return any(TABLES["test"].role_named(role) == "rating" for role in said)


def _is_rated_nowhere(rows: Rows, findings: Findings) -> bool:
    """Whether no column of a test without ratings looks like one; one that does is asked about or told."""
    names = may_be_ratings(rows.mapped.table, rows.unused)
    if not names:
        return True
    read = rows.mapped.table.read(dict.fromkeys(names, "text")).texts
    cells = {name: read[name].levels[np.unique(read[name].codes)].tolist() for name in names}
    return no_ratings(rows.mapped.table, cells, findings)


def may_be_ratings(table: Table, unused: Collection[str]) -> list[str]:
    """The columns of a test without ratings that could hold them, of those that are not used."""
    others = [name for name in table.names if name in unused and name not in table.held]
    return [name for name in others if name not in table.lists and not _NO_RATING.fullmatch(plain(name))]


def no_ratings(table: Table, cells: Mapping[str, Sequence[str]], findings: Findings) -> bool:
    """Whether no column looks like ratings; one that does is asked about or told.

    Parameters
    ----------
    cells : column → the different texts in it.
    """
    told: list[str] = []
    for name, texts in cells.items():
        said = {binary(text) for text in texts if text}
        if said == {True, False}:
            findings.add("RCM-074", file=table.name, column=name, name=name)
            return False
        told += [name] if _are_ratings(texts) else []
    if told:
        findings.add("RCM-075", file=table.name, found=", ".join(told), name=told[0])
    return True


def _are_ratings(texts: Sequence[str]) -> bool:
    """Whether texts are numbers, not all of them one or times."""
    try:
        values = np.asarray([float(text) for text in texts if text])
    except ValueError:
        return False
    return len(values) > 1 and bool(np.isfinite(values).all()) and float(values.min()) < _SECONDS


def telling(texts: Sequence[str]) -> list[str]:
    """A few texts by which `no_ratings` decides of a column as by all: different ones, in any order.

    >>> telling(["3", "", "1", "2", "5", "1e400", "word", "4"])
    ['3', '1', '2', '1e400', 'word']
    """
    kept: dict[str, None] = {}
    of_kind: dict[object, int] = {}
    least: tuple[float, str] | None = None
    for text in filter(None, texts):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        kind = binary(text), math.isfinite(value), math.isnan(value)
        of_kind[kind] = of_kind.get(kind, 0) + 1
        if of_kind[kind] <= 2:
            kept[text] = None
        if math.isfinite(value) and (least is None or value < least[0]):
            least = value, text
    return list(kept if least is None else {**kept, least[1]: None})


def rated(part: Part) -> NDArray[np.intp]:
    """The rows of a file of lists with a rating."""
    numbers = part.rows.number("rating")
    assert numbers is not None
    return np.flatnonzero(np.isfinite(numbers.values))


def is_mixed(having: Mapping[str, Collection[str]], role: str, other: str | None, findings: Findings) -> bool:
    """Whether some files of a kind have a value and others none, so that it would be missing in all; told.

    Parameters
    ----------
    having : file → the roles of its columns.
    role : of the value: ``rating`` or ``score``.
    other : the role that serves in its place where every file has it: ``rank`` for scores.
    """
    has = {name: role in roles for name, roles in having.items()}
    if len(set(has.values())) < 2:
        return False
    if other is not None and all(other in roles for roles in having.values()):
        return False
    first = ", ".join(name for name, is_there in has.items() if is_there)
    second = ", ".join(name for name, is_there in has.items() if not is_there)
    findings.add("RCM-076", file=second, value=role, first=first)
    return True
