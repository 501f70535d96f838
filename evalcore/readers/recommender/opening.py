"""From the files of a recommender evaluation to tables with a role, and to matrices of scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from evalcore.problems import Findings
from evalcore.readers.columns.mapping import Mapped, is_text
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.formats.signatures import columnar_format, unpacked
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import open_table
from evalcore.readers.options import Options
from evalcore.readers.recommender.matrices import Matrix, is_matrix, read_matrix
from evalcore.readers.recommender.roles import beside_by_columns, role_by_columns, role_named
from evalcore.readers.recommender.shapes import with_header
from evalcore.schema import TABLES, plain, recognise
from evalcore.schema.recommendations import PREDICTED

_NO_ROLE = "fits neither lists, interactions, groups, features nor scores"
_OF_COLUMNS = ("user_groups", "item_groups", "item_features")
"""Roles of files whose other columns are read too."""
_FIELDS = {
    "user_id": "topic",
    "item_id": "document",
    "score": "score",
    "rank": "rank",
    "rating": "relevance",
}
"""Role → the field of a run or qrels."""
_OF_ITEMS = ("item_groups", "item_features")


@dataclass(frozen=True)
class Given:
    """A file with the role that the user gave it, or None."""

    file: RawFile
    role: str | None


@dataclass(frozen=True)
class Opened:
    """A file that could be read.

    Parameters
    ----------
    role : ``lists``, ``train``, ``test``, ``scores``, ``user_groups``, ``item_groups``, ``item_features``, or
        ``interactions`` where nothing says of which.
    rows : its rows, or None for a matrix.
    matrix : the matrix, or None.
    stem : its name without endings, which names a model.
    shape : in words, the layout of another library that it has; else "".
    was_named : whether the user named the file, not only its folder.
    """

    role: str
    rows: Rows | None
    matrix: Matrix | None
    stem: str
    shape: str = ""
    was_named: bool = True

    @property
    def name(self) -> str:
        """The file's name."""
        if self.rows is not None:
            return self.rows.name
        assert self.matrix is not None
        return self.matrix.name


def opened(
    given: Iterable[Given], columns: Mapping[str, tuple[str, ...]], options: Options, findings: Findings
) -> tuple[list[Opened], list[Mapped], dict[str, str]]:
    """The files that can be read, every table with the roles of its columns, and what was left out and why.

    Parameters
    ----------
    columns : role → columns, as the user says.
    """
    found: list[Opened] = []
    tables: list[Mapped] = []
    left_out: dict[str, str] = {}
    for one in given:
        own = Findings()
        result = _opened(one, columns, options, tables, own)
        was_named = one.file.was_named or one.role is not None
        if isinstance(result, Opened):
            found.append(replace(result, was_named=was_named))
        elif not was_named or not own.errors:
            reason = own.errors[0].found if own.errors else str(result)
            left_out[one.file.name] = reason
            if was_named:
                findings.add("RCM-024", file=one.file.name, found=reason)
            else:
                findings.add("FILE-019", file=one.file.name, reason=reason)
            continue
        own.hand_over(findings)
    return found, tables, left_out


def _opened(
    one: Given,
    columns: Mapping[str, tuple[str, ...]],
    options: Options,
    tables: list[Mapped],
    findings: Findings,
) -> Opened | str:
    """A file with its role, or why it is none: its problem, or words."""
    file, stem = one.file, stem_of(one.file.name)
    named = role_named(file.name)
    role = one.role or (None if named in options.beside else named)
    if role == "validation":
        return "validation interactions"
    try:
        content, codec = unpacked(file.content, file.name, findings)
    except ValueError:
        return "damaged"
    if is_matrix(content) and (role == "scores" or one.role is None):
        matrix = read_matrix(file, content, codec, options.max_rows, findings)
        if matrix is None:
            return "damaged"
        tables.append(Mapped(matrix.table, "scores", {}))
        return Opened("scores", None, matrix, stem)
    own = Findings()
    table, shape = _table(file, content, codec, role, options, own)
    if not shape and role not in _OF_COLUMNS:
        table, columns = _of_ranking(table, role, columns, own)
    own.hand_over(findings)
    if table is None or table.lacks_names:
        return "no table"
    listed = _lists_in_cells(table)
    if listed is not None and role in (None, "lists"):
        findings.add("RCM-025", file=table.name, name=listed)
        return "lists in cells"
    role = role if one.role is not None else _role_of(table, role, columns)
    if role == "scores":
        role = _of_matrix(table, stem) or role
    if role is None:
        found = ", ".join(table.names)
        findings.add(
            "COL-001",
            file=table.name,
            role="user_id",
            found=found,
            meaning=TABLES["lists"].column("user_id").meaning,
        )
        tables.append(Mapped(table, None, {}, unused=dict.fromkeys(table.names, _NO_ROLE)))
        return _NO_ROLE
    kind = "test" if role == "interactions" else role
    mapped = _mapped(table, kind, columns, findings)
    tables.append(mapped)
    rows = None if findings.errors else read_rows(mapped, findings)
    return "damaged" if rows is None else Opened(role, rows, None, stem, shape)


def _role_of(table: Table, named: str | None, columns: Mapping[str, tuple[str, ...]]) -> str | None:
    """The role of a file that the user gave none: what its name says, unless its columns say otherwise."""
    said = [role for role, names in columns.items() if not set(names).isdisjoint(table.known)]
    by_columns = role_by_columns([*table.known, *said])
    is_rated = "rating" in recognise(TABLES["lists"], table.names)
    if named is None and by_columns is None:
        return beside_by_columns([*table.known, *said])
    if named is None or (named == "lists" and by_columns == "interactions" and is_rated):
        return by_columns
    if named in ("train", "test") and (by_columns is None or _are_predicted(table)):
        return by_columns
    return named


def _are_predicted(table: Table) -> bool:
    """Whether columns are those of lists: a rank, or a predicted rating without a true one."""
    found = recognise(TABLES["lists"], table.names)
    score = plain(found["score"][0]) if "score" in found else None
    return "rank" in found or ("rating" not in found and score in PREDICTED)


def _of_ranking(
    table: Table | None, role: str | None, columns: Mapping[str, tuple[str, ...]], findings: Findings
) -> tuple[Table | None, Mapping[str, tuple[str, ...]]]:
    """A run or qrels, of TREC or as JSON by user, as a table of users and items; the roles of its fields."""
    if table is None:
        return None, columns
    kind = "qrels" if role in ("train", "test") else "run"
    if table.kind is None and table.may_rank is not None and role_by_columns(table.known) is None:
        found = kind if kind in table.may_rank.kinds else table.may_rank.kinds[0]
        findings.problems.clear()  # they were about its lines as a table with a header
        table = table.may_rank.make(found, findings)
    if table.kind is None:
        return table, columns
    named = {said: table.fields[field] for said, field in _FIELDS.items() if field in table.fields}
    return replace(table, kind=None), {**{said: (name,) for said, name in named.items()}, **columns}


def _lists_in_cells(table: Table) -> str | None:
    """The column of lists in a table of users without one of items, or None."""
    found = recognise(TABLES["lists"], table.names)
    if "user_id" not in found or "item_id" in found:
        return None
    is_listed = (
        name
        for name in table.names
        if name in table.lists
        or name in table.held
        or any((cell[:1] in "[(" and cell) or "|" in cell for cell in table.sample.get(name, ()))
    )
    return next(is_listed, None)


def _of_matrix(table: Table, stem: str) -> str | None:
    """``score_users`` or ``score_items`` for the ids of the rows or columns of a matrix, else None."""
    found = [role for role in ("user_id", "item_id") if role in recognise(TABLES["scores"], table.names)]
    if table.names == ("id",):
        found = [role for role in ("user_id", "item_id") if role.removesuffix("_id") in stem.lower()]
    is_scored = "score" in recognise(TABLES["scores"], table.names)
    return None if len(found) != 1 or is_scored else f"score_{found[0].removesuffix('_id')}s"


def _table(
    file: RawFile, content: bytes, codec: str | None, role: str | None, options: Options, findings: Findings
) -> tuple[Table | None, str]:
    """The table in a file, with the header that it should have."""
    shaped = None if options.no_header or columnar_format(content) else with_header(content, role)
    if shaped is None:
        has_header = not options.no_header
        return open_table(file, options.encoding, options.max_rows, findings, has_header, options.fits), ""
    text, words = shaped
    made = replace(file, content=text, heads={})
    table = open_table(made, options.encoding, options.max_rows, findings)
    if table is None:
        return None, words
    packed = f", {codec}" if codec else ""
    return replace(table, n_bytes=len(file.content), format=f"{table.format}, {words}{packed}"), words


def _mapped(table: Table, kind: str, columns: Mapping[str, tuple[str, ...]], findings: Findings) -> Mapped:
    """The roles of a table's columns: what the user says first, then what is recognised by name."""
    declared = TABLES[kind]
    found: dict[str, tuple[str, ...]] = {}
    left_out: set[str] = set()
    for said, names in columns.items():
        role = declared.role_named(said)
        here = tuple(name for name in names if name in table.known)
        if role is not None and here:
            found.setdefault(role, here[:1])
        elif role is not None and not names:
            left_out.add(role)
    if not table.has_header:
        found = _by_position(table, kind, found)
    taken = {name for names in found.values() for name in names}
    for role, names in recognise(declared, [name for name in table.names if name not in taken]).items():
        if role not in left_out:
            found.setdefault(role, names)
    for column in declared.columns:
        if column.required and column.role not in found:
            listed = ", ".join(table.names)
            findings.add("COL-001", file=table.name, role=column.role, found=listed, meaning=column.meaning)
    taken = {name for names in found.values() for name in names}
    rest = tuple(name for name in table.names if name not in taken)
    kept = tuple(name for name in rest if kind in _OF_COLUMNS and name not in table.held)
    unused = dict.fromkeys((name for name in rest if name not in kept), "no role in this table")
    texts = [name for name in rest if is_text(table, name)]
    kept = tuple(name for name in kept if name not in texts)
    unused |= dict.fromkeys(texts, "a text about the item" if kind in _OF_ITEMS else "personal text: dropped")
    return Mapped(table, kind, found, groups=kept, unused=unused)


def _by_position(table: Table, kind: str, found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """User, item and value from the left, of a table without a header, but for what the user says."""
    roles = [
        column.role
        for column in TABLES[kind].columns
        if column.role in ("user_id", "item_id", "score", "rating")
    ]
    free = [role for role in roles[:3] if role not in found]
    taken = {name for names in found.values() for name in names}
    places = [name for name in table.names[:3] if name not in taken]
    return {**found, **{role: (name,) for role, name in zip(free, places, strict=False)}}


def stem_of(name: str) -> str:
    """The name of a file without its endings; one that is told apart by its folder keeps it.

    >>> stem_of("bpr/recs.v2.csv.gz"), stem_of("u.data")
    ('bpr/recs.v2', 'u')
    """
    folder, slash, base = re.sub(r"\.(gz|zst|zstd)$", "", name).rpartition("/")
    return folder + slash + (base.rpartition(".")[0] or base)
