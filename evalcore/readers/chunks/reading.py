"""One chunk of rows as data, by the readers that would read the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from evalcore.data import Data, RankedRows, Rankings, Task
from evalcore.problems import Findings, Problem
from evalcore.readers.chunks.batches import Chunk
from evalcore.readers.chunks.files import PartFile
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.assembling import evidence_data
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.formats.cells import cells_fit
from evalcore.readers.formats.columnar import columns_of
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import Columns, Form
from evalcore.readers.options import Options

Layout = Literal["aligned", "straddling"]
ALIGNED: Layout = "aligned"
STRADDLING: Layout = "straddling"
NO_ADJUDICATOR = "adjudicator is read beside the whole"
NO_POSTS = "its rows have no posts, and are parted by user or record whenever they are read"


@dataclass(frozen=True)
class Prepared:
    """What was decided on the whole input before its rows are read.

    Parameters
    ----------
    task : what they are about.
    files : those with rows.
    mapped : each with the roles of its columns.
    given : role → columns, as the user says.
    options : how they are read.
    lists : name of each list of candidates → whether it has scores, in the order of the input.
    warnings : what was found on the way.
    """

    task: Task
    files: tuple[PartFile, ...]
    mapped: tuple[Mapped, ...]
    given: Mapping[str, tuple[str, ...]]
    options: Options
    lists: Mapping[str, bool]
    warnings: tuple[Problem, ...] = ()

    @property
    def kind(self) -> str:
        """What all files are, ``queries`` or ``candidates``."""
        return str(self.mapped[0].kind)

    @property
    def every_file(self) -> tuple[PartFile, ...]:
        """All files that are read."""
        return self.files

    def why_not(self, layout: Layout) -> str:
        """As of `evalcore.readers.chunks.looking.Looked`."""
        if self.options.adjudicator is not None:
            return NO_ADJUDICATOR
        return self._why_apart() if layout == STRADDLING else self._why_not_aligned()

    def by_post(self) -> Prepared:
        """As of `evalcore.readers.chunks.looking.Looked`: rows of evidence have posts."""
        return self

    def _why_not_aligned(self) -> str:
        """Why files cannot be read one after the other; empty where they can."""
        kinds = list(dict.fromkeys(str(one.kind) for one in self.mapped))
        return (
            f"it holds {' and '.join(kinds)} (--layout straddling brings them together)" if kinds[1:] else ""
        )

    def _why_apart(self) -> str:
        """Why the rows of files cannot be brought together; empty where they can."""
        first: dict[str, int] = {}
        for at, one in enumerate(self.mapped):
            other = self.mapped[before := first.setdefault(str(one.kind), at)]
            columns, others = ((of.roles, set(of.groups), set(of.numbers)) for of in (one, other))
            if columns != others:
                return f"{self.files[at].name} has other columns than {self.files[before].name}"
        return ""

    def columns(self, file: int) -> list[str]:
        """The columns of a file that are read."""
        keys = self.files[file].partitions
        return [name for name in self.mapped[file].forms() if name not in keys]

    def coded(self, file: int) -> list[str]:
        """Of these, the texts that are stored as such: they are read as codes."""
        forms, texts = self.mapped[file].forms(), self.files[file].texts
        return [name for name in self.columns(file) if forms[name] == "text" and name in texts]

    def ids(self, file: int) -> list[str]:
        """The columns of a file that name the query of a row."""
        names = [self.mapped[file].one(role) for role in ("post_id", "criterion_id", "query_id")]
        return [name for name in names if name is not None and name not in self.files[file].partitions]


ROW = "evalcore.row"
"""A column of the numbers of rows, where these do not follow each other."""


@dataclass(frozen=True)
class _Reader:
    """Reads the columns of a chunk as `evalcore.readers.formats.columnar.ColumnarReader` those of a file."""

    chunk: Chunk
    file: PartFile
    findings: Findings

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The columns in the forms asked for; rows are numbered as in the file."""
        rows, n, name = self.chunk.rows, self.chunk.rows.num_rows, self.file.name
        cells = {one: self._column(rows, one, n) for one in forms}
        row = np.arange(self.chunk.first_row, self.chunk.first_row + n)
        if ROW in rows.column_names:
            row = np.asarray(rows.column(ROW))
        try:
            if cells_fit(cells, row, name, self.findings):
                found = columns_of(pa.table(cells), forms, name, self.findings)
                texts = {
                    one: replace(of_column, is_in_order=one in self.chunk.in_order)
                    for one, of_column in found.texts.items()
                }
                return replace(found, n_rows=n, row=row, texts=texts)
        except (pa.ArrowException, OSError) as error:
            self.findings.add("FILE-007", file=name, kind="Parquet", reason=reason_of(error))
        raise ValueError(name)

    def _column(self, rows: Any, name: str, n: int) -> Any:
        if name in rows.column_names:
            return rows.column(name)
        return pa.chunked_array([pa.repeat(pa.scalar(self.file.partitions[name], pa.string()), n)])


def no_rows(mapped: Mapped) -> Rows:
    """A table without rows."""
    return Rows(mapped, Columns(0, 0, np.zeros(0, np.intp), {}, {}, {}), 0, unused=dict(mapped.unused))


def read_chunk(prepared: Prepared, chunk: Chunk) -> tuple[Data | None, Findings, dict[str, int]]:
    """The data of a chunk, what was found, and for each file of which all rows here are empty how many.

    No data where an error, or nothing in its rows, stops them.
    """
    findings = Findings()
    pieces = [chunk] if chunk.beside is None else [chunk, chunk.beside]
    read = [rows_of(prepared, one, prepared.mapped[one.file], findings) for one in pieces]
    rows = [one for one in read if one is not None]
    of_empty = {one.file for one in findings.problems if one.code == "FILE-008"}
    named = ((prepared.files[one.file].name, one.rows.num_rows) for one in pieces)
    empty = {name: n for name, n in named if name in of_empty}
    findings.problems = [one for one in findings.problems if one.code != "FILE-008"]
    if not rows:
        return None, findings, empty
    data = evidence_data(rows, {}, prepared.given, prepared.options, findings, is_whole=False)
    if data is None or findings.errors:
        return None, findings, empty
    if data.rankings is not None:
        data = data.with_tables(rankings=_with_lists(data.rankings, prepared.lists))
    return data, findings, empty


def rows_of(prepared: Prepared, chunk: Chunk, mapped: Mapped, findings: Findings) -> Rows | None:
    """The rows of a chunk, with the columns that have a role in ``mapped``."""
    return rows_of_file(prepared.files[chunk.file], chunk, mapped, findings)


def rows_of_file(file: PartFile, chunk: Chunk, mapped: Mapped, findings: Findings) -> Rows | None:
    """As `rows_of`, of the file that the chunk is of."""
    table = replace(mapped.table, read=_Reader(chunk, file, findings))
    return read_rows(replace(mapped, table=table), findings)


def _with_lists(rankings: Rankings, lists: Mapping[str, bool]) -> Rankings:
    """The rankings with the lists of every model of the input, without rows where it ranks nothing here."""
    nothing = np.zeros(0, np.intp)
    empty = np.zeros(rankings.n_queries, np.int64)
    return replace(
        rankings,
        lists={
            name: rankings.lists.get(name, RankedRows(nothing, nothing, np.zeros(0), has_scores, empty))
            for name, has_scores in lists.items()
        },
    )
