"""What is known of the chunks of a large input without their rows: what is wrong, and the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Source
from evalcore.evaluation.chunks.telling import Telling
from evalcore.evaluation.gathering.gather import Gathered, Gathering, Plan
from evalcore.evaluation.groups import MOST_GROUPS
from evalcore.evaluation.options import Options
from evalcore.problems import Findings, InputError, problem
from evalcore.readers.chunks.reading import Prepared
from evalcore.readers.evidence.rows import EMPTY_ROW
from evalcore.readers.formats.sample_files import with_origin

NOT_CHECKED = (
    "Read a chunk of rows at a time; not looked for, since only the whole shows it: ids that look alike in "
    "two chunks (QRY-007), labels of one class (QRY-016), queries that some models lack (QRY-025), queries "
    "without a list (RNK-006), and scores that equal the label (QRY-035), have few values (QRY-036) or are "
    "reversed (QRY-038)."
)


@dataclass(frozen=True)
class Job:
    """What every chunk is gathered by.

    Parameters
    ----------
    prepared : what was decided on the whole input.
    options : of the evaluation, as asked for.
    tables : what is gathered.
    """

    prepared: Prepared
    options: Options
    tables: tuple[Gathering, ...]


@dataclass(frozen=True)
class OfChunk:
    """What a chunk gives: its tallies, and what is known of it without its rows.

    Parameters
    ----------
    file : which file it is of.
    gathered, data : None where it has no rows that count.
    findings : what was found.
    from_zero : whether ranks begin at 0; None where scores order the lists.
    empty : file → its rows here, where all of them are empty.
    queries : hashes of the queries, where these are counted and no tally names them.
    """

    file: int
    gathered: Gathered | None
    data: Data | None
    findings: Findings
    from_zero: bool | None = None
    empty: Mapping[str, int] = field(default_factory=dict)
    queries: NDArray[np.uint64] | None = None


@dataclass
class Seen:
    """What is known of the chunks so far without their rows.

    Parameters
    ----------
    job : what every chunk is gathered by.
    findings : what was found.
    queries : hashes of those that are counted, of each chunk.
    """

    job: Job
    findings: Findings
    tables: dict[str, Any] = field(default_factory=dict)
    first: Data | None = None
    sources: dict[int, Source] = field(default_factory=dict)
    empty: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)
    is_score: bool = False
    from_zero: dict[bool, int] = field(default_factory=dict)
    groups: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    lacked: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    queries: list[NDArray[np.uint64]] = field(default_factory=list)

    @cached_property
    def _files(self) -> list[str]:
        return [one.name for one in self.job.prepared.files]

    @cached_property
    def _telling(self) -> Telling:
        return Telling(self.findings)

    def add(self, found: OfChunk) -> None:
        """Take in what a chunk tells."""
        self._telling.report(found.findings)
        self.empty.update(found.empty)
        data = found.data
        if data is None:
            return
        if found.queries is not None:
            self.queries.append(found.queries)
        self.first = self.first or data
        self.is_score |= data.score_kind == "score"
        self.notes.update(dict.fromkeys(data.notes))
        if found.from_zero is not None:
            self.from_zero.setdefault(found.from_zero, found.file)
        for source in data.sources:
            at = self._files.index(source.name)
            source = replace(source, n_bytes=self.job.prepared.files[at].n_bytes)
            self.sources[at] = together(self.sources[at], source) if at in self.sources else source
        for one in self.job.tables:
            if one.table in data.tables:
                table = data.tables[one.table]
                self._compare(found.file, one.table, set(table.slices))
                known = self.tables.get(one.table)
                self.tables[one.table] = one.plan([table] if known is None else [known, table])

    def _compare(self, file: int, table: str, names: set[str]) -> None:
        """Note the columns that some chunks of a file have and others lack."""
        key = file, table
        all_so_far = self.groups.setdefault(key, set(names))
        self.lacked.setdefault(key, set()).update(all_so_far ^ names)
        all_so_far |= names

    def _dropped(self, table: str) -> tuple[set[str], list[tuple[int, str]]]:
        """The columns that no file has in every chunk, and those that a file lacks and others have."""
        of_table = [key for key in self.groups if key[1] == table]
        lacked = {(file, name) for file, _ in of_table for name in self.lacked[file, table]}
        kept = {name for key in of_table for name in self.groups[key] - self.lacked[key]}
        nowhere = {name for _, name in lacked if name not in kept}
        return nowhere, sorted((file, name) for file, name in lacked if name in kept)

    def without_dropped(self, found: Gathered) -> Gathered:
        """The tallies without the columns that no file has in every chunk, or that nobody asked for."""
        tallies = {}
        for name, tally in found.tallies.items():
            nowhere, here = self._dropped(name)
            gone = nowhere | {column for _, column in here}
            slices = {column: codes for column, codes in tally.slices.items() if column not in gone}
            tallies[name] = replace(tally, slices=slices)
        return Gathered(tallies)

    def plan(self) -> Plan:
        """The plan of the whole input.

        Raises
        ------
        InputError : with everything that was found to be wrong.
        """
        self.findings.raise_errors()
        if self.first is None:
            raise InputError([problem("FILE-008", file=one.name) for one in self.job.prepared.files])
        options = self.job.options
        asked = {*options.by, options.cluster}
        files = self.job.prepared.files
        problems = [
            problem("CHK-003", file=files[file].name, column=column)
            for table in self.tables
            for file, column in self._dropped(table)[1]
            if column in asked
        ]
        if len(self.from_zero) > 1:
            problems.append(problem("CHK-007", file=files[max(self.from_zero.values())].name))
        if problems:
            raise InputError(dict.fromkeys(problems))
        n_more = {code: n for code, n in self.findings.n_more.items() if n}
        data = replace(
            self.first,
            sources=tuple(_with_empty(self.sources[at], self.empty) for at in sorted(self.sources)),
            tables={name: _few(table, self._dropped(name)[0]) for name, table in self.tables.items()},
            score_kind="score" if self.is_score else self.first.score_kind,
            warnings=(*self.job.prepared.warnings, *self.findings.warnings, *self._telling.repeated()),
            notes=(*self.notes, NOT_CHECKED),
            files_as=self.job.prepared.options.files_as,
            facts={**self.first.facts, "n_more": n_more},
        )
        return Plan.of([with_origin(data)], options, self.job.tables)


def _few(table: Any, dropped: set[str]) -> Any:
    """A table without the columns that cannot be broken down by: of too many values, or dropped."""
    few = {name: column for name, column in table.slices.items() if len(column[1]) <= MOST_GROUPS}
    return replace(table, slices={name: column for name, column in few.items() if name not in dropped})


def _with_empty(source: Source, empty: Mapping[str, int]) -> Source:
    """A file with its rows in chunks that held nothing else than empty ones."""
    n = empty.get(source.name, 0)
    excluded = {**source.excluded, EMPTY_ROW: source.excluded.get(EMPTY_ROW, 0) + n}
    return replace(source, n_rows=source.n_rows + n, excluded=excluded) if n else source


def together(first: Source, second: Source) -> Source:
    """The rows of two chunks of a file."""
    reasons = dict.fromkeys((*first.excluded, *second.excluded))
    excluded: Mapping[str, int] = {
        one: first.excluded.get(one, 0) + second.excluded.get(one, 0) for one in reasons
    }
    return replace(
        first,
        n_rows=first.n_rows + second.n_rows,
        n_used=first.n_used + second.n_used,
        excluded=excluded,
    )
