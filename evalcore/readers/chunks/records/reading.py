"""The rows of some records as annotations, by what is known of all rows of their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evalcore.annotations import LABELS, Annotations
from evalcore.data import Source
from evalcore.problems import Findings
from evalcore.readers.chunks.by_id import SomeRows
from evalcore.readers.chunks.reading import no_rows, rows_of_file
from evalcore.readers.chunks.records.preparing import PreparedRecords
from evalcore.readers.evidence.rows import EMPTY_ROW
from evalcore.readers.rag.assembling import annotations_of
from evalcore.readers.rag.panels import Excluded, checked, stacked
from evalcore.readers.rag.parts import FileParts
from evalcore.readers.rag.reading import less
from evalcore.readers.rag.responses.long import OfFile, parts_of_rows
from evalcore.readers.rag.responses.zero_ranks import ZeroRanks


@dataclass(frozen=True, eq=False)
class ReadRecords:
    """What the rows of some records give.

    Parameters
    ----------
    n_rows : how many there are.
    findings : what was found.
    annotations : None where a problem stops them.
    sources : file → its rows here.
    unused : file → column → why it is left out.
    notes : of each file.
    n_missing : file → label → submitted responses without it.
    n_discarded : task → responses that were not submitted.
    ranks : how the ranks of their lists begin.
    """

    n_rows: int
    findings: Findings
    annotations: Annotations | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    unused: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    n_discarded: Mapping[str, int] = field(default_factory=dict)
    ranks: ZeroRanks = field(default_factory=ZeroRanks)


@dataclass(frozen=True)
class RecordsJob:
    """What the rows of any records are read by.

    Parameters
    ----------
    prepared : the files.
    whole : of each file, what is known of all its rows.
    """

    prepared: PreparedRecords
    whole: tuple[OfFile, ...]


def read_records(job: RecordsJob, records: SomeRows) -> ReadRecords:
    """The rows of some records as annotations."""
    findings = Findings()
    n_rows = sum(map(len, records))
    parts: list[FileParts] = []
    empty: dict[str, Source] = {}
    for chunk in records:
        file, mapped = job.prepared.files[chunk.file], job.prepared.mapped[chunk.file]
        own = Findings()
        rows = rows_of_file(file, chunk, mapped, own)
        if rows is None and {one.code for one in own.errors} == {"FILE-008"}:
            n = chunk.rows.num_rows
            empty[file.name] = replace(no_rows(mapped).source(), n_rows=n, n_used=0, excluded={EMPTY_ROW: n})
            continue
        own.hand_over(findings)
        of_file = None if rows is None else parts_of_rows(rows, findings, job.whole[chunk.file])
        if of_file is not None:
            parts.append(of_file)
    ranks: list[ZeroRanks] = []
    kept = []
    options = job.prepared.options
    excluded: Excluded = Counter()
    for task in LABELS:
        of_task = [one for part in parts for one in part.responses if one.task == task]
        if of_task:
            found, left_out = checked(
                stacked(of_task), options.keep_first, options.adjudicator, findings, ranks
            )
            kept.append(found)
            excluded += left_out
    if findings.errors:
        return ReadRecords(n_rows, findings)
    return ReadRecords(
        n_rows,
        findings,
        annotations_of(kept, [], [], {}),
        {**empty, **{part.source.name: less(part.source, excluded) for part in parts}},
        {part.source.name: part.mapped.unused for part in parts if part.mapped.unused},
        {part.source.name: tuple(part.notes) for part in parts if part.notes},
        {part.source.name: part.n_missing for part in parts if part.n_missing},
        {one.task: int((~one.is_submitted).sum()) for one in kept},
        ranks[0] if ranks else ZeroRanks(),
    )
