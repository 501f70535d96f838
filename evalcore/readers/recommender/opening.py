"""From the files of a recommender evaluation to tables with a role, and to matrices of scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from evalcore.problems import Findings
from evalcore.readers.columns.advice import as_options
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.formats.signatures import columnar_format, unpacked
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import open_table
from evalcore.readers.options import Options
from evalcore.readers.recommender.columns import (
    OF_COLUMNS,
    lists_in_cells,
    mapped,
    of_matrix,
    of_ranking,
    role_of,
    unfolding,
)
from evalcore.readers.recommender.lines import ONE_ROW_EACH, SECOND, are_lists_in_cells, one_pair_a_line
from evalcore.readers.recommender.matrices import Matrix, is_matrix, read_matrix
from evalcore.readers.recommender.naming.orders import with_unit_named
from evalcore.readers.recommender.roles import role_named
from evalcore.readers.recommender.shapes import with_header
from evalcore.schema import TABLES

_NO_ROLE = "fits neither lists, interactions, groups, features nor scores"
_NEGATIVES = "sampled negatives by its name, and no rating that says so"


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


Reads = Callable[[Mapped, Findings], Rows | None]


def opened(
    given: Iterable[Given],
    columns: Mapping[str, tuple[str, ...]],
    options: Options,
    findings: Findings,
    read: Reads = read_rows,
) -> tuple[list[Opened], list[Mapped], dict[str, str]]:
    """The files that can be read, every table with the roles of its columns, and what was left out and why.

    Parameters
    ----------
    columns : role → columns, as the user says.
    read : the rows of a table.
    """
    found: list[Opened] = []
    tables: list[Mapped] = []
    left_out: dict[str, str] = {}
    for one in given:
        own = Findings()
        result = _opened(one, columns, options, tables, own, read)
        was_named = one.file.was_named or one.role is not None
        if isinstance(result, Opened):
            found.append(replace(result, was_named=was_named))
        elif all(one.severity != "choice" for one in own.errors) and not (was_named and own.errors):
            reason = own.errors[0].found if own.errors else str(result)
            if own.errors and own.errors[0].code == "RCM-025":  # these are the lists, most likely
                reason += f" ({own.errors[0].remedy.rstrip('.')})"
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
    read: Reads,
) -> Opened | str:
    """A file with its role, or why it is none: its problem, or words."""
    file, stem = one.file, stem_of(one.file.name)
    named = role_named(file.name)
    are_negatives = named == "negatives"
    named = "test" if are_negatives else named
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
    if not shape and role not in OF_COLUMNS:
        table, columns = of_ranking(table, role, columns, own)
    own.hand_over(findings)
    if table is None or table.lacks_names:
        return "no table"
    listed = lists_in_cells(table)
    if listed is not None and role not in OF_COLUMNS:
        findings.add("RCM-025", file=table.name, name=listed, advice=unfolding(table, listed))
        return "lists in cells"
    role = role if one.role is not None else role_of(table, role, columns, findings)
    if role == "scores":
        role = of_matrix(table, stem) or role
    if role is None:
        if not findings.errors:
            found, meaning = ", ".join(table.names), TABLES["lists"].column("user_id").meaning
            facts = {"found": found, "meaning": meaning, "options": as_options("user_id", ())}
            findings.add("COL-001", file=table.name, role="user_id", **facts)
        tables.append(Mapped(table, None, {}, unused=dict.fromkeys(table.names, _NO_ROLE)))
        return _NO_ROLE
    kind = "test" if role == "interactions" else role
    with_roles = mapped(table, kind, columns, findings)
    if are_negatives and role in ("train", "test") and "rating" not in with_roles.roles:
        if one.role is not None:
            findings.add("RCM-073", file=table.name)
        return _NEGATIVES
    tables.append(with_roles)
    rows = None if findings.errors else read(with_roles, findings)
    return "damaged" if rows is None else Opened(role, rows, None, stem, shape)


def _table(
    file: RawFile, content: bytes, codec: str | None, role: str | None, options: Options, findings: Findings
) -> tuple[Table | None, str]:
    """The table in a file, with the header that it should have."""
    shaped = None if options.no_header or columnar_format(content) else with_header(content, role)
    if shaped is None and role == "scores" and not (options.no_header or columnar_format(content)):
        ids = with_unit_named(content, stem_of(file.name))
        shaped = None if ids is None else (ids, "no header")
    if shaped is None and role not in OF_COLUMNS and not columnar_format(content):
        if are_lists_in_cells(content):
            findings.add("RCM-025", file=file.name, name=SECOND, advice=ONE_ROW_EACH)
            return None, ""
        pairs = one_pair_a_line(content, role, file.name, findings)
        if findings.errors:
            return None, ""
        shaped = (
            None
            if pairs is None
            else (pairs, "a line a user" if b"rating" not in pairs[:40] else "no header")
        )
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


def stem_of(name: str) -> str:
    """The name of a file without its endings; one that is told apart by its folder keeps it.

    >>> stem_of("bpr/recs.v2.csv.gz"), stem_of("u.data")
    ('bpr/recs.v2', 'u')
    """
    folder, slash, base = re.sub(r"\.(gz|zst|zstd)$", "", name).rpartition("/")
    return folder + slash + (base.rpartition(".")[0] or base)
