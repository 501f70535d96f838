"""What a file looks like, before or without evaluating it: for the Data page and for ``check``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evalcore.data import Data, Source
from evalcore.problems import Problem
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.stated import OF_RANKINGS
from evalcore.readers.evidence.predicted_class import classes_in
from evalcore.readers.loading import ordered
from evalcore.readers.reading import Reading
from evalcore.schema import CANDIDATES, QUERIES, RANKED_LISTS, TABLES, Column, binary

PREVIEW_ROWS = 10
_HIDDEN = "…"


@dataclass(frozen=True)
class TableInspection:
    """One file as it was understood.

    Parameters
    ----------
    name : the file's name.
    kind : its kind of table (a name of `evalcore.schema.TABLES`) or the tool whose file it is, or None where
        its columns fit none.
    format : how it is read, in words.
    encoding, delimiter, decimal_mark : of a text file, in words; None where there is none.
    columns : its column names.
    preview : the first rows as text, in the order of ``columns``; personal text is not shown.
    roles : the columns such a table has, for a mapping form.
    mapping : role → columns, as the user said or by name.
    suggestions : role without a column → columns that could be it.
    predictions : the classes that a column of predictions names.
    labels : label → rows, where labels are not 0 and 1; else None.
    unused : column → why it is left out.
    source : rows in, used and excluded, or None where the rows could not be read.
    """

    name: str
    kind: str | None
    format: str
    encoding: str | None
    delimiter: str | None
    decimal_mark: str | None
    columns: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    roles: tuple[Column, ...]
    mapping: Mapping[str, tuple[str, ...]]
    suggestions: Mapping[str, tuple[str, ...]]
    predictions: tuple[str, ...]
    labels: Mapping[str, int] | None
    unused: Mapping[str, str]
    source: Source | None


@dataclass(frozen=True)
class Inspection:
    """An input as it was understood, with everything that is wrong with it.

    Parameters
    ----------
    tables : the files that could be opened.
    problems : every problem: errors and choices to make first, then warnings.
    n_more : code → rows with this problem that are not named.
    data : the data, where no error and no open choice stops them.
    """

    tables: tuple[TableInspection, ...]
    problems: tuple[Problem, ...]
    n_more: Mapping[str, int]
    data: Data | None


def inspection(reading: Reading) -> Inspection:
    """What came of an input, as it is told to a user."""
    problems = reading.data.warnings if reading.data is not None else ordered(reading.findings)
    return Inspection(
        tables=tuple(_table(mapped, reading) for mapped in reading.tables),
        problems=tuple(problems),
        n_more={code: n for code, n in reading.findings.n_more.items() if n},
        data=reading.data,
    )


def _table(mapped: Mapped, reading: Reading) -> TableInspection:
    table = mapped.table
    rows = next((one for one in reading.rows if one.mapped.table is table), None)
    labels = reading.labels.get(table.name)
    counts = labels.counts if labels is not None else {}
    predicted = rows.text("predicted_label") if rows is not None else None
    unused = dict(rows.unused if rows is not None else mapped.unused)
    return TableInspection(
        name=table.name,
        kind=mapped.kind,
        format=table.format,
        encoding=table.encoding,
        delimiter=table.delimiter,
        decimal_mark=table.decimal_mark,
        columns=table.known,
        preview=_preview(mapped),
        roles=_roles(mapped),
        mapping=_mapping(mapped),
        suggestions=mapped.suggestions,
        predictions=tuple(classes_in(predicted)) if predicted is not None else (),
        labels=dict(counts) if any(binary(label) is None for label in counts) else None,
        unused=unused,
        source=rows.source() if rows is not None else reading.sources.get(table.name),
    )


def _preview(mapped: Mapped) -> tuple[tuple[str, ...], ...]:
    """The first rows, with personal text, and objects that may hold some, hidden."""
    table = mapped.table
    texts = {name for name, why in mapped.unused.items() if why.startswith("personal text")}
    hidden = texts | set(table.held) | (table.nested - table.lists)
    columns = [
        [_HIDDEN if cell else "" for cell in cells[:PREVIEW_ROWS]]
        if name in hidden
        else list(cells[:PREVIEW_ROWS])
        for name, cells in ((name, table.sample.get(name, ())) for name in table.known)
    ]
    return tuple(zip(*columns, strict=False)) if columns else ()


def _mapping(mapped: Mapped) -> Mapping[str, tuple[str, ...]]:
    """Role → columns; of a qrels or a run by the roles that the user may give, not by its fields."""
    if mapped.kind not in _RANKINGS:
        return mapped.roles
    return {role: mapped.roles[field] for role, field in OF_RANKINGS.items() if field in mapped.roles}


_RANKINGS = {"qrels": ("query_id", "sent_uid", "is_gold"), "run": ("query_id", "sent_uid", "score", "rank")}
_OF_SENTENCES = ("sent_uid", "is_gold", "score", "rank")
"""Roles by which a table that was taken for one of queries is one of their sentences or documents."""


def _roles(mapped: Mapped) -> tuple[Column, ...]:
    kind, table = mapped.kind, mapped.table
    if kind in _RANKINGS:
        is_mapped = bool(table.names) and not table.counts_lines
        return tuple(CANDIDATES.column(role) for role in _RANKINGS[kind]) if is_mapped else ()
    if kind in ("queries", "truth"):
        of_sentences = (CANDIDATES.column(role) for role in _OF_SENTENCES)
        return (*TABLES[kind].columns, *(replace(column, required=False) for column in of_sentences))
    if kind == "ranked_lists":
        roles = {column.role: column for column in (*RANKED_LISTS.columns, *QUERIES.columns)}
        return tuple(roles.values())
    if kind is None:
        known = {column.role: column for column in QUERIES.columns}
        others = (*RANKED_LISTS.columns, *CANDIDATES.columns)
        known |= {
            column.role: replace(column, required=False) for column in others if column.role not in known
        }
        return tuple(known.values())
    return TABLES[kind].columns if kind in TABLES else ()
