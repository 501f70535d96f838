"""The rows of one table: read, empty ones taken out, each with its query, its model and its groups."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Source
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns import nested
from evalcore.readers.columns.ids import Keys, own_posts, report_lookalikes, split_query_ids
from evalcore.readers.columns.labels import Labels
from evalcore.readers.columns.mapping import CLUSTER, MAX_LEVELS, POST_NAMES, TOO_MANY, Mapped
from evalcore.readers.formats.cells import cell_text, numbers_in, texts_of
from evalcore.readers.formats.table import Columns, Numbers, Texts
from evalcore.schema import TABLES, own_name, plain


@dataclass
class Rows:
    """The rows of a mapped table.

    Parameters
    ----------
    mapped : the table and its roles.
    columns : what was read, without empty rows.
    n_empty : rows without anything in them.
    excluded : reason → further rows left out by the builder of its kind.
    dropped : reason → rows that were taken out of ``columns``.
    unused : column → why it is left out.
    units : columns of many values of which only the codes are kept, by name.
    labels : the labels of the rows where they come from a file of their own, else None.
    """

    mapped: Mapped
    columns: Columns
    n_empty: int
    excluded: dict[str, int] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)
    units: dict[str, Texts] = field(default_factory=dict)
    labels: Labels | None = None
    dropped: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name."""
        return self.mapped.table.name

    @property
    def row(self) -> NDArray[np.intp]:
        """The data row of each row, from 1."""
        return self.columns.row

    def text(self, role: str) -> Texts | None:
        """The text column of a role, or None."""
        column = self.mapped.one(role)
        return self.columns.texts[column] if column is not None else None

    def number(self, role: str) -> Numbers | None:
        """The number column of a role, or None."""
        column = self.mapped.one(role)
        return self.columns.numbers[column] if column is not None else None

    def cells(self, column: str) -> Callable[[int], str]:
        """The cells of a column as they stand in the file, for messages."""
        again = self.mapped.table.read({column: "raw"})
        place = np.flatnonzero(np.isin(again.row, self.row))
        return lambda index: cell_text(again.raw[column][int(place[index])].as_py())

    def release(self) -> None:
        """Let go of the cells, but for one of each predicted class, which the Data page offers to name.

        What is made of the cells takes memory of its own; `source` stays as it is.
        """
        name, predicted = self.mapped.one("predicted_label"), self.text("predicted_label")
        self.columns = self.columns.counts_alone()
        if name is not None and predicted is not None:
            one_of_each = replace(predicted, codes=np.unique(predicted.codes))
            self.columns = replace(self.columns, texts={name: one_of_each})
        self.units, self.labels = {}, None

    def source(self) -> Source:
        """The facts about the file."""
        table, columns = self.mapped.table, self.columns
        taken = {name for names in self.mapped.roles.values() for name in names}
        skipped = {"blank line": columns.n_blank, "comment": columns.n_comments, EMPTY_ROW: self.n_empty}
        skipped |= self.dropped
        excluded = {**skipped, **self.excluded}
        n_used = columns.n_rows - sum(self.excluded.values())
        return Source(
            name=table.name,
            role=str(self.mapped.kind),
            sha256=table.sha256,
            n_bytes=table.n_bytes,
            n_rows=columns.n_rows + sum(skipped.values()),
            n_used=n_used,
            excluded={reason: n for reason, n in excluded.items() if n},
            columns={role: ", ".join(names) for role, names in self.mapped.roles.items()},
            format=table.format,
            has_header=table.has_header,
            others=tuple(name for name in table.names if name not in taken),
        )


def kept_rows(rows: Rows, column: str) -> NDArray[np.intp] | None:
    """The rows in which a number column has a value, or None where all have: it may be empty, nan or NA."""
    numbers = rows.columns.numbers[column]
    is_missing = numbers.is_empty | (np.isnan(numbers.values) & ~numbers.is_unreadable)
    if numbers.is_unreadable.any():
        cell = rows.cells(column)
        is_missing |= [bad and cell(i).strip() == _MISSING for i, bad in enumerate(numbers.is_unreadable)]
    return np.flatnonzero(~is_missing) if is_missing.any() else None


_MISSING = "NA"
"""What R writes for a missing value."""


def rows_where(rows: Rows, at: NDArray[np.intp]) -> Rows:
    """Some rows of a table, for what looks at one of several score columns."""
    mask = np.zeros(rows.columns.n_rows, bool)
    mask[at] = True
    return replace(rows, columns=rows.columns.where(mask))


def read_rows(mapped: Mapped, findings: Findings) -> Rows | None:
    """Read the mapped columns of a table, or None with the reason reported."""
    if mapped.kind is None or not mapped.table.is_readable:
        return None
    if _refuse_held(mapped, findings):
        return None
    try:
        columns = mapped.table.read(mapped.forms())
    except ValueError:
        return None
    if columns.short:
        mapped, columns = _check_short_rows(mapped, columns, findings)
    columns, n_empty = _without_empty_rows(columns, mapped.units)
    if not columns.n_rows:
        findings.add("FILE-008", file=mapped.table.name)
        return None
    units = {name: columns.texts[name] for name in mapped.units}
    return Rows(mapped, columns, n_empty, unused=dict(mapped.unused), units=units)


EMPTY_ROW = "empty row"
"""Why a row without anything in it is left out."""
_IDS_ALONE = "Keep the ids alone, best first; ids with scores belong into a candidates file, a row for each."


def _refuse_held(mapped: Mapped, findings: Findings) -> bool:
    """Report columns that hold objects, maps or lists where the role needs a value; whether there is one."""
    table = mapped.table
    if table.kind is not None:
        return False
    is_wrong = False
    for name, column in mapped.columns():
        found = table.held.get(name)
        if column.cell == "list" and found is not None:
            findings.add("RNK-003", file=table.name, column=name, found=found, advice=_IDS_ALONE)
        elif column.cell != "list" and (found is not None or name in table.lists):
            words = found or "lists"
            facts = {"meaning": column.meaning, "advice": nested.refusal(table, name, column.role)}
            findings.add("COL-020", file=table.name, column=name, found=words, **facts)
        else:
            continue
        is_wrong = True
    return is_wrong


def _check_short_rows(mapped: Mapped, columns: Columns, findings: Findings) -> tuple[Mapped, Columns]:
    """Rows with too few fields are an error where a needed cell is missing.

    Elsewhere they are a warning, and the other columns behind the needed ones are left out: to which of them
    the missing cell belongs cannot be told.
    """
    table = mapped.table
    last = max((table.places[name] for names in mapped.roles.values() for name in names), default=-1)
    broken = [(row, {"n_found": n}) for row, n in columns.short.items() if n <= last]
    shared = {"file": table.name, "n_expected": len(table.names) + len(table.nameless)}
    findings.add_rows("FILE-006", broken, len(broken), **shared)
    others = {*mapped.groups, *mapped.numbers}
    behind = [name for name in table.names if name in others and table.places[name] > last]
    kept = [(row, {"n_found": n}) for row, n in columns.short.items() if n > last]
    findings.add_rows("FILE-023", kept, len(kept), left_out=", ".join(behind) or "no columns", **shared)
    unused = dict(mapped.unused) | dict.fromkeys(behind, "rows with too few fields: its cells cannot be told")
    without = replace(
        mapped,
        units=tuple(name for name in mapped.units if table.places[name] <= last),
        groups=tuple(name for name in mapped.groups if name not in behind),
        numbers=tuple(name for name in mapped.numbers if name not in behind),
        unused=unused,
    )
    return without, columns.where(~np.isin(columns.row, [row for row, _ in broken])) if broken else columns


def _without_empty_rows(columns: Columns, besides: tuple[str, ...]) -> tuple[Columns, int]:
    """Rows in which every cell that is used is empty: spreadsheets write them under their table."""
    texts = (texts for name, texts in columns.texts.items() if name not in besides)
    masks = itertools.chain((t.is_empty for t in texts), (n.is_empty for n in columns.numbers.values()))
    is_empty: Any = True
    for mask in masks:
        is_empty = is_empty & mask
        if not is_empty.any():
            return columns, 0
    for column in columns.raw.values():
        is_empty = is_empty & np.asarray([not cell for cell in column.to_pylist()], bool)
    if is_empty is True or not is_empty.any():
        return columns, 0
    return columns.where(~is_empty), int(is_empty.sum())


def keys_of(rows: Rows, findings: Findings) -> Keys | None:
    """The query of each row; reports empty and look-alike ids, and rows that must be posts of their own.

    None, with the missing column reported, where a row is not a query and no column says which it belongs to.
    """
    post, criterion = rows.text("post_id"), rows.text("criterion_id")
    query_column = rows.mapped.one("query_id")
    for role, texts in (("post_id", post), ("criterion_id", criterion), ("model", rows.text("model"))):
        _check_ids(rows, str(rows.mapped.one(role)), texts, role != "criterion_id", findings)
    query = None
    if query_column is not None:
        parts = split_query_ids(rows.columns.raw[query_column])
        if parts is not None:
            for texts in parts:
                _check_ids(rows, query_column, texts, True, findings)
            return Keys(parts[0] if post is None else post, parts[1], True)
        query = texts_of(rows.columns.raw[query_column])
        _check_ids(rows, query_column, query, True, findings)
    if post is None and rows.mapped.kind == "candidates":
        if query is not None:
            return Keys(query, None, False)
        found, meaning = ", ".join(rows.mapped.table.names), "the id of the post, or query_id"
        options = "--column post_id=NAME"
        facts = {"found": found, "meaning": meaning, "options": options}
        findings.add("COL-001", file=rows.name, role="post_id", **facts)
        return None
    if post is None:
        findings.add("QRY-010", file=rows.name)
        own = own_posts(rows.columns.n_rows) if query is None else query
        return Keys(own, criterion, False, query is not None)
    if criterion is not None and criterion.is_empty.any():
        empty = np.flatnonzero(criterion.is_empty)
        column = rows.mapped.one("criterion_id")
        more = f" and {len(empty) - 1:,} more" if len(empty) > 1 else ""
        findings.add("QRY-020", file=rows.name, column=column, rows=f"row {rows.row[empty[0]]}{more}")
    return Keys(post, criterion, True)


def _check_ids(rows: Rows, column: str, texts: Texts | None, is_needed: bool, findings: Findings) -> None:
    if texts is not None:
        check_ids(rows, column, texts, "a name or id" if is_needed else None, findings)


def check_ids(rows: Rows, column: str, texts: Texts, expected: str | None, findings: Findings) -> None:
    """Report ids that are no text, look alike, or are missing; None as what is expected: they may be."""
    check_floating_ids(rows, column, texts, findings)
    report_lookalikes(texts, rows.row, rows.name, column, findings)
    empty = np.flatnonzero(texts.is_empty) if expected is not None else np.zeros(0, int)
    if len(empty):
        where: list[tuple[int, dict[str, str]]] = [(int(rows.row[i]), {}) for i in empty[:SHOWN]]
        findings.add_rows("QRY-005", where, len(empty), file=rows.name, column=column, expected=expected)


def check_floating_ids(
    rows: Rows, column: str, texts: Texts, findings: Findings, row: NDArray[np.intp] | None = None
) -> None:
    """Ids stored as floating-point numbers: whole ones are warned about, others are errors.

    Parameters
    ----------
    row : the data row of each text; those of the table where None.
    """
    if column not in rows.mapped.table.floating:
        return
    levels = [level for level in texts.levels.tolist() if level]
    broken = {level for level in levels if not level.lstrip("-").isdigit()}
    if not broken:
        example = levels[0] if levels else "17"
        findings.add("QRY-021", file=rows.name, column=column, found=f"{example}.0", example=example)
        return
    is_broken = np.asarray([level in broken for level in texts.levels.tolist()], bool)[texts.codes]
    at = np.flatnonzero(is_broken)
    row = rows.row if row is None else row
    facts = ((int(row[i]), {"found": texts.at(i)}) for i in at[:SHOWN])
    findings.add_rows("QRY-022", facts, len(at), file=rows.name, column=column)


def groups_of(
    rows: Rows, roles: tuple[str, ...], too_many: Collection[str] | None = None
) -> tuple[dict[str, Texts], dict[str, NDArray[np.float64]]]:
    """Columns to break down by, under their role or else their own name, and columns of numbers.

    A column of more than 1,000 levels is no group: numbers are kept as such, other columns left out. What
    says which rows belong together is kept however many levels it has: the cluster, and a column of posts
    beside the one that was taken for it. A column that is called as a role is that another one has is kept
    beside it, as ``NAME (column)``.

    Parameters
    ----------
    too_many : columns of more values than can be groups, in the whole of which these rows are some.
    """
    mapped = rows.mapped
    named = {role: column for role in roles if (column := mapped.one(role)) is not None}
    taken = {*named, *KEYS, *(role for role in NUMBERS if role in mapped.roles)}
    own = {
        column: own_name(column, taken, mapped.table.names) for column in (*mapped.groups, *mapped.numbers)
    }
    named.update({own[column]: column for column in mapped.groups})
    groups: dict[str, Texts] = {}
    numbers = {own[column]: rows.columns.numbers[column].values for column in mapped.numbers}
    for name, column in named.items():
        texts = rows.columns.texts[column]
        is_unit = name == CLUSTER or plain(column) in POST_NAMES
        is_too_many = column in (too_many or ())
        if (len(texts.levels) <= MAX_LEVELS and not is_too_many) or is_unit:
            groups[name] = texts
            continue
        values = numbers_in(texts)
        if mapped.kind == "queries" and not values.is_unreadable.any():
            numbers[name] = values.values
        else:
            rows.unused[column] = TOO_MANY if is_too_many else f"{len(texts.levels):,} different values"
            rows.units[column] = texts
    return groups, numbers


KEYS = ("criterion", "criterion_id")
"""What criteria are called beside the columns to break down by."""

NUMBERS = tuple(
    column.role for column in TABLES["queries"].columns if column.cell == "number" and not column.many
)
"""Roles that hold numbers, which are kept under their name."""


def coded_slice(texts: Texts) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Codes and levels of a group; the empty cell is code −1."""
    levels = texts.levels.tolist()
    filled = [level for level in levels if level != ""]
    new = {level: i for i, level in enumerate(filled)}
    of_level = np.asarray([new.get(level, -1) for level in levels], np.intp)
    return of_level[texts.codes] if len(levels) else np.zeros(0, np.intp), tuple(filled)
