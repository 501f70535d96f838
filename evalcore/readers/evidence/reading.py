"""From the files of the task ``evidence`` to checked, frozen queries and rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evalcore.problems import Findings
from evalcore.readers.columns.labels import Labels
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.roles.tables import map_table
from evalcore.readers.columns.stated import check_given, check_placed
from evalcore.readers.evidence.assembling import evidence_data
from evalcore.readers.evidence.rows import read_rows
from evalcore.readers.evidence.sides import Sides, sides_of
from evalcore.readers.evidence.trec.ranking_files import settled, with_ranking
from evalcore.readers.evidence.truth import with_labels_of
from evalcore.readers.formats.own_exports import DECISIONS, are_decisions
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import Inputs, RawFile, Upload, handed_over, named_apart, raw_files
from evalcore.readers.opening import open_table
from evalcore.readers.options import Options
from evalcore.readers.reading import Reading
from evalcore.schema import QUERIES, fits_by_name, kind_of, recognise


def read_evidence(
    files: list[RawFile],
    candidates: Inputs | None,
    truth: str | Path | Upload | None,
    options: Options,
    findings: Findings,
) -> Reading:
    """Read predictions, their labels and ranked lists as far as they can be read."""
    if truth is not None:
        files, name = _with_truth(files, truth, findings)
        options = replace(options, truth=name)
    mapped, given, sides = mapped_tables(files, candidates, options, findings)
    rows = [one for one in (read_rows(table, findings) for table in mapped) if one is not None]
    labels: dict[str, Labels] = {}
    if sides is not None:
        rows = with_labels_of(rows, options.positive, labels, findings)
    data = evidence_data(rows, labels, given, options, findings)
    return Reading(tuple(mapped), findings, data, labels=labels, rows=tuple(rows))


def mapped_tables(
    files: list[RawFile], candidates: Inputs | None, options: Options, findings: Findings
) -> tuple[list[Mapped], Mapping[str, tuple[str, ...]], Sides | None]:
    """Every table with the roles of its columns, what the user says of these, and which holds the truth."""
    n_files = len(files)
    files = named_apart([*files, *(raw_files(candidates, findings) if candidates is not None else [])])
    files, others = files[:n_files], files[n_files:]
    opened, sides = _opened(handed_over(files), options, findings)
    beside = _opened(handed_over(others), options, findings)[0] if candidates is not None else []
    given = check_given(options.columns, [*opened, *beside], findings)
    if options.truth is not None and sides is None:
        _check_truth(options.truth, opened, findings)
    mapped = _mapped(opened, beside, given, sides, findings)
    check_placed(given, [(one.table, one.kind, one.roles) for one in mapped], findings)
    return mapped, given, sides


def _check_truth(truth: str, opened: list[Table], findings: Findings) -> None:
    """Report a file of truth that could not be put beside the others."""
    if not any(table.name == truth and table.kind == "qrels" for table in opened):
        expected = "a file of labels beside files of scores, or of judgements beside runs"
        advice = "Leave --truth out, or give the files that belong together."
        findings.add("OPT-008", found=f"--truth {truth}", expected=expected, advice=advice)


def _mapped(
    opened: list[Table],
    beside: list[Table],
    given: Mapping[str, tuple[str, ...]],
    sides: Sides | None,
    findings: Findings,
) -> list[Mapped]:
    """Every table with the roles of its columns."""
    has_gold = any(kind_of(table.names) == "ranked_lists" for table in opened)
    elsewhere = ("is_gold",) if has_gold else ()
    found: list[Mapped] = []
    for table in opened:
        if sides is None:
            found.append(map_table(table, given, None, findings, elsewhere))
            continue
        kind = "truth" if table.name == sides.truth else "queries"
        known = {**given, **sides.roles[table.name]}
        found.append(map_table(table, known, kind, findings, () if kind == "truth" else ("has_evidence",)))
    return found + [map_table(table, given, "candidates", findings, elsewhere) for table in beside]


def _with_truth(
    files: list[RawFile], truth: str | Path | Upload, findings: Findings
) -> tuple[list[RawFile], str | None]:
    """The files, the one with the truth among them, and its name."""
    names = [file.name for file in named_apart(files)]
    if isinstance(truth, str) and truth in names:
        return files, truth
    found = list(raw_files([truth], findings))
    if not found:
        return files, None
    same = [
        at for at, file in enumerate(files) if (file.name, file.sha256) == (found[0].name, found[0].sha256)
    ]
    files = files if same else [*files, *found[:1]]
    return files, named_apart(files)[same[0] if same else -1].name


def _opened(
    files: Iterable[RawFile], options: Options, findings: Findings
) -> tuple[list[Table], Sides | None]:
    """The tables in files, of a folder or a glob those that fit; and which holds the truth, if one does."""
    opened = [_opening(file, options) for file in files]
    found = [one.table for one in opened if one.table is not None]
    has_gold = any(kind_of(table.names) == "ranked_lists" for table in found)
    named = {one.name for one in opened if one.was_named}
    found = settled(found, options.truth, has_gold, named, findings)
    sides = sides_of(found, options.columns, options.truth, named, findings)
    known = iter(found)
    tables: list[Table] = []
    left_out: list[tuple[str, str]] = []
    for one in opened:
        own, table = one.findings, None
        if one.table is not None:
            table = next(known)
            if table.counts_lines and not one.table.counts_lines:
                own = Findings()  # the other one was about its lines as a table with a header
        fits = table is not None and (sides is not None or _fits(table, options))
        if one.was_named or (fits and not own.errors):
            tables += [replace(table, was_named=one.was_named)] if table is not None else []
            own.hand_over(findings)
        else:
            reason = own.errors[0].found if own.errors else _why_left_out(table)
            left_out.append((one.name, reason))
    for name, reason in left_out:
        code = "FILE-060" if options.files_as == "parts" else "FILE-019"
        findings.add(code, file=name, reason=reason)
    if not tables and (left_out or not opened) and not findings.errors:
        findings.add("FILE-020", n=len(opened))
    return tables, sides if sides is not None and len(tables) == len(sides.roles) else None


def _why_left_out(table: Table | None) -> str:
    """Why a table of a folder is no input."""
    if table is not None and table.lacks_names and not table.names:
        return "numbers or lists by name that share no query, or no document, with the other files"
    is_own = table is not None and are_decisions(table.sample, recognise(QUERIES, table.names))
    return DECISIONS if is_own else "its columns fit no known table"


@dataclass(frozen=True)
class _Opened:
    """A file, its table or None, and what was found while it was opened."""

    name: str
    was_named: bool
    table: Table | None
    findings: Findings


def _opening(file: RawFile, options: Options) -> _Opened:
    own = Findings()
    table = open_table(file, options.encoding, options.max_rows, own, not options.no_header, options.fits)
    ranking = None if table is None else with_ranking(table, options.columns)
    return _Opened(file.name, file.was_named, ranking, own)


def _fits(table: Table, options: Options) -> bool:
    """Whether a file that was not named itself is an input: by its lines, its columns or the mapping."""
    said = {name for names in options.columns.values() for name in names}
    return table.kind is not None or fits_by_name(table.names) or not said.isdisjoint(table.known)
