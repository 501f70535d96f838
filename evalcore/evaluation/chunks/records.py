"""Annotations read some records at a time: what is kept of them is put into one order.

The files are read once to part their rows by record, which also tells what only the whole shows. Each part
goes through the readers that would read the whole, and is let go but for the annotations themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evalcore.annotations import Annotations
from evalcore.checks import Subject
from evalcore.data import Data, Source
from evalcore.engines.memory import give_back
from evalcore.evaluation.chunks.facts import together
from evalcore.evaluation.chunks.telling import Telling
from evalcore.evaluation.chunks.work import Work, Worked
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.evaluation.gathering.gather import Plan, gathered
from evalcore.problems import SHOWN, Findings
from evalcore.readers.chunks.by_id import ById
from evalcore.readers.chunks.records.facts import RecordFacts
from evalcore.readers.chunks.records.preparing import PreparedRecords
from evalcore.readers.chunks.records.reading import ReadRecords, RecordsJob, read_records
from evalcore.readers.loading import checked_data
from evalcore.readers.rag.reading import check_adjudicator, data_of
from evalcore.readers.rag.responses.zero_ranks import ZeroRanks

NO_RECORD = "RAG-004"
"""Told of all rows of a file once."""
NOT_TOLD = (
    "Read some records at a time: ids that look alike in two parts (QRY-007) are not looked for, and what is "
    "told of single rows, such as missing labels (RAG-003), is told of the first part that has any."
)


@dataclass
class SeenRecords:
    """What is known of the records so far.

    Parameters
    ----------
    telling : of what was found.
    parts : their annotations.
    """

    telling: Telling
    parts: list[Annotations] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    unused: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, dict[str, None]] = field(default_factory=dict)
    n_missing: dict[str, dict[str, int]] = field(default_factory=dict)
    n_discarded: dict[str, int] = field(default_factory=dict)
    ranks: ZeroRanks = field(default_factory=ZeroRanks)

    def add(self, found: ReadRecords) -> None:
        """Take in what the rows of some records tell."""
        own = [one for one in found.findings.problems if one.code != NO_RECORD]
        self.telling.report(Findings(own, found.findings.n_more))
        if found.annotations is None:
            return
        self.parts.append(found.annotations)
        for name, source in found.sources.items():
            known = self.sources.get(name)
            self.sources[name] = source if known is None else together(known, source)
        for name, why in found.unused.items():
            self.unused.setdefault(name, {}).update(why)
        for name, notes in found.notes.items():
            self.notes.setdefault(name, {}).update(dict.fromkeys(notes))
        for name, missing in found.n_missing.items():
            own_missing = self.n_missing.setdefault(name, {})
            for label, n in missing.items():
                own_missing[label] = own_missing.get(label, 0) + n
        for task, n in found.n_discarded.items():
            self.n_discarded[task] = self.n_discarded.get(task, 0) + n
        self.ranks = self.ranks.and_of(found.ranks)


def gather_by_record(found: PreparedRecords, work: Work) -> Worked:
    """The plan and the tallies of annotations, read some records at a time, and the annotations themselves.

    Raises
    ------
    InputError : with everything that is wrong with the files, or with the rows of all records.
    """
    data = _read(found, work)
    plan = Plan.of([data], work.options, work.tables)
    data = replace(data, warnings=plan.data.warnings)
    return Worked(plan, gathered([data], plan), data)


def _read(found: PreparedRecords, work: Work) -> Data:
    findings = Findings()
    facts = [RecordFacts() for _ in found.files]
    seen = SeenRecords(Telling(findings))
    with ById(
        found.files, found.mapped, "record_uuid", facts, work.chunk_rows, findings, work.progress
    ) as by_record:
        findings.raise_errors()
        for file, of_file in zip(found.files, facts, strict=True):
            if not of_file.n_rows:
                findings.add("FILE-008", file=file.name)
        check_adjudicator(
            {name for one in facts for name in one.annotators}, found.options.adjudicator, findings
        )
        findings.raise_errors()
        job = RecordsJob(found, tuple(one.of_file() for one in facts))
        facts.clear()
        n_rows, n_done = sum(file.n_rows for file in found.files), 0
        for one in work.hand_out(read_records, job, by_record.parts()):
            n_done += one.n_rows
            work.progress(f"{n_done:,} of {n_rows:,} rows")
            seen.add(one)
            give_back()
            if len(findings.errors) >= SHOWN:
                break
    seen.ranks.tell(findings)
    if not findings.errors and not any(one.responses for one in seen.parts):
        findings.add("FILE-008", file=found.files[0].name)
    findings.raise_errors()
    return _data(found, seen, work.checks, findings)


def _data(found: PreparedRecords, seen: SeenRecords, subjects: Sequence[Subject], findings: Findings) -> Data:
    sources = {
        file.name: replace(seen.sources[file.name], n_bytes=file.n_bytes)
        for file in found.files
        if file.name in seen.sources
    }
    for file, mapped in zip(found.files, found.mapped, strict=True):
        n = sources[file.name].excluded.get("no id of the record", 0) if file.name in sources else 0
        if n:
            findings.add(NO_RECORD, file=file.name, column=mapped.one("record_uuid"), n=n)
    # Small inputs take the same road as large ones: what is made one is in one order, however it was parted.
    annotations = GatheredAnnotations(tuple(seen.parts)).finish()
    seen.parts.clear()
    notes = [note for file in found.files for note in seen.notes.get(file.name, {})]
    data = data_of(
        annotations,
        tuple(sources.values()),
        [*notes, NOT_TOLD],
        {name: seen.unused[name] for name in sources if name in seen.unused},
        {name: seen.n_missing[name] for name in sources if name in seen.n_missing},
        seen.n_discarded,
        found.left_out,
    )
    findings.problems += seen.telling.repeated()
    data = replace(data, warnings=found.warnings)
    return checked_data(data, findings, tuple(subjects))
