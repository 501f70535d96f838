"""A first look at annotations that are larger than memory: what each file is, and if they are parted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from evalcore.data import Task
from evalcore.problems import Findings, Problem
from evalcore.readers.chunks.files import PartFile, named_once
from evalcore.readers.chunks.preparing import texts_as_numbers, without_head
from evalcore.readers.chunks.reading import NO_POSTS, ROW, Layout
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.stated import check_given, check_placed
from evalcore.readers.formats.json.parts import fits_none
from evalcore.readers.inputs import RawFile
from evalcore.readers.loading import of_partitions
from evalcore.readers.options import Options
from evalcore.readers.rag.columns import map_annotations
from evalcore.readers.rag.reading import kind_of_table, opened_in, refuse_answers
from evalcore.schema import TABLES

Told = Callable[[str], None]
KINDS = {"predicted_labels": "predicted labels", "wide_annotations": "a column for each person"}


@dataclass(frozen=True, eq=False)
class PreparedRecords:
    """What was decided on the files of annotations before the rows of records are read.

    Parameters
    ----------
    task : what they are about.
    files : those with rows.
    mapped : each with the roles of its columns.
    options : how they are read.
    left_out : file → why it is left out.
    warnings : what was found on the way.
    """

    task: Task
    files: tuple[PartFile, ...]
    mapped: tuple[Mapped, ...]
    options: Options
    left_out: Mapping[str, str]
    warnings: tuple[Problem, ...] = ()

    @property
    def every_file(self) -> tuple[PartFile, ...]:
        """All files that are read."""
        return self.files

    def why_not(self, _: Layout) -> str:
        """As of `evalcore.readers.chunks.looking.Looked`: rows are parted by record however they lie."""
        return ""

    def by_post(self) -> str:
        """As of `evalcore.readers.chunks.looking.Looked`."""
        return NO_POSTS


def prepared_records(
    task: Task,
    files: list[PartFile],
    heads: list[RawFile],
    options: Options,
    findings: Findings,
    progress: Told,
) -> PreparedRecords | str:
    """What a first look at annotations decides, or why their records cannot be read one part at a time.

    Parameters
    ----------
    task, files, heads, options, findings, progress : as of `evalcore.readers.chunks.preparing.prepared`.
    """
    refuse_answers({"--score-of": options.score_of, "--as": options.files_as}, findings)
    files, heads = named_once(files, heads)
    options = of_partitions(heads, options, findings)
    progress(f"how {len(heads):,} files begin")
    opened, left_out = opened_in(heads, options, findings)
    tables = [one.table for one in opened if one.table is not None]
    given = check_given(options.columns, tables, findings)
    if findings.errors:
        return ""
    by_name = {file.name: file for file in files}
    mapped: list[Mapped] = []
    for table in tables:
        kind = kind_of_table(table, given)
        if kind != "annotations":
            return f"{table.name} holds {KINDS.get(str(kind), 'no annotations in long form')}"
        mapped.append(map_annotations(table, given, kind, findings))
    check_placed(given, [(one.table, one.kind, one.roles) for one in mapped if one.kind in TABLES], findings)
    if findings.errors:
        return ""
    own = [by_name[one.table.name] for one in mapped]
    if why := _why_whole(mapped) or next(texts_as_numbers(own, mapped), ""):
        return why
    return PreparedRecords(
        task,
        tuple(own),
        tuple(map(without_head, mapped)),
        replace(options, fits=fits_none),
        left_out,
        tuple(findings.warnings),
    )


def _why_whole(mapped: list[Mapped]) -> str:
    """Why files are read as a whole; empty where they need not be."""
    for one in mapped:
        if ROW in one.table.names:
            return f"{one.table.name} has a column {ROW}, which rows are numbered by"
        if {name for names in one.roles.values() for name in names} & set(one.table.inner):
            return f"{one.table.name} has values inside of cells"
    return ""
