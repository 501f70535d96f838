"""From what a user names as input to checked, frozen data, every problem reported together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evalcore import checks
from evalcore.data import Data, Queries, Rankings, ScoreKind, Source, Task
from evalcore.problems import Findings, InputError, Problem
from evalcore.readers.candidates import candidate_parts
from evalcore.readers.given import Given, check_given, check_placed, given_names
from evalcore.readers.inputs import Inputs, RawFile, raw_files
from evalcore.readers.joining import Holder, candidate_queries, count_shared, labels_by_query, with_labels
from evalcore.readers.labels import Labels
from evalcore.readers.mapping import Mapped, map_table
from evalcore.readers.opening import open_table
from evalcore.readers.queries import QueryPart, query_parts, report_duplicates, stack
from evalcore.readers.rag import RagOptions, read_rag, task_of
from evalcore.readers.ranked_lists import ranked_list_parts
from evalcore.readers.rankings import Joined, RankingPart, join
from evalcore.readers.rows import Rows, keys_of, read_rows
from evalcore.readers.table import Table
from evalcore.readers.topics import qrels_part, run_part
from evalcore.schema import fits_by_name, kind_of

TASKS = ("evidence", "rag")
SCORE_KINDS = ("probability", "score")


@dataclass(frozen=True)
class Options:
    """How inputs are to be read, after the arguments of `load`."""

    columns: Mapping[str, tuple[str, ...]]
    positive: str | None
    score_kind: ScoreKind
    encoding: str | None
    keep_first: bool
    max_rows: int | None
    adjudicator: str | None = None


@dataclass(frozen=True)
class Reading:
    """What came of an input.

    Parameters
    ----------
    tables : every file that could be opened, with the roles of its columns.
    labels : file → its labels.
    rows : every table whose rows were read.
    findings : every problem.
    data : the data, or None where a problem stops them.
    sources : file → its rows in, used and excluded, where ``rows`` do not say it (task ``rag``).
    """

    tables: tuple[Mapped, ...]
    labels: Mapping[str, Labels]
    rows: tuple[Rows, ...]
    findings: Findings
    data: Data | None
    sources: Mapping[str, Source] = field(default_factory=dict)


def load(
    inputs: Inputs,
    *,
    candidates: Inputs | None = None,
    task: Task | None = None,
    columns: Given | None = None,
    positive: str | None = None,
    score_kind: ScoreKind = "probability",
    encoding: str | None = None,
    keep_first: bool = False,
    max_rows: int | None = None,
    adjudicator: str | None = None,
) -> Data:
    """Read predictions or annotations and check them, once, into frozen data.

    Parameters
    ----------
    inputs : a file, a folder, a glob, an `Upload`, or several of them.
    candidates : candidates files to read beside them.
    task : ``evidence`` or ``rag``; found out from the columns where None.
    columns : role → column or columns, where names are not to be recognised; None: there is none.
    positive : the label that means "has evidence", where labels are not 0 and 1.
    score_kind : ``probability``, in [0, 1], or ``score``, on any scale.
    encoding : of text files; found out where None.
    keep_first : whether a candidate or chunk that is repeated in a list keeps its best rank instead of being
        refused.
    max_rows : the most rows of a file, or None for no limit.
    adjudicator : the annotator whose responses decide (task ``rag``), or None.

    Raises
    ------
    InputError : with every error, every choice that the user must make, and the warnings.
    """
    chosen = Options(
        given_names(columns),
        None if positive is None else str(positive),
        score_kind,
        encoding,
        keep_first,
        max_rows,
        adjudicator,
    )
    reading = read(inputs, candidates, task, chosen)
    if reading.data is None:
        findings = reading.findings
        raise InputError(ordered(findings), sum(findings.n_more.values()))
    return reading.data


def ordered(findings: Findings) -> list[Problem]:
    """Every problem, those that stop an evaluation first."""
    return [*findings.errors, *findings.warnings]


def read(inputs: Inputs, candidates: Inputs | None, task: Task | None, options: Options) -> Reading:
    """Read inputs as far as they can be read."""
    findings = Findings()
    if task is not None and task not in TASKS:
        findings.add("QRY-018", found=f"the task {task!r}", expected=", ".join(TASKS))
    if options.score_kind not in SCORE_KINDS:
        findings.add(
            "QRY-018", found=f"the score kind {options.score_kind!r}", expected=", ".join(SCORE_KINDS)
        )
    files = list(raw_files(inputs, findings))
    if task is None:
        task = task_of(files, options.columns, findings)
    if task == "rag":
        return _read_rag(files, candidates, options, findings)
    opened = _opened(_handed_over(files), options, findings)
    beside = _opened(raw_files(candidates, findings), options, findings) if candidates is not None else []
    given = check_given(options.columns, [*opened, *beside], findings)
    has_gold = any(kind_of(table.names) == "ranked_lists" for table in opened)
    tables = [(table, None) for table in opened] + [(table, "candidates") for table in beside]
    mapped = [map_table(table, given, kind, findings, has_gold) for table, kind in tables]
    check_placed(given, [(one.table, one.kind, one.roles) for one in mapped], findings)
    rows = [one for one in (read_rows(table, findings) for table in mapped) if one is not None]
    labels: dict[str, Labels] = {}
    data = _data(rows, labels, given, options, findings)
    return Reading(tuple(mapped), labels, tuple(rows), findings, data)


def _handed_over(files: list[RawFile]) -> Iterator[RawFile]:
    """The files one by one, each forgotten here: their bytes take memory."""
    files.reverse()
    while files:
        yield files.pop()


def _read_rag(
    files: list[RawFile], candidates: Inputs | None, options: Options, findings: Findings
) -> Reading:
    """Read annotations, which have readers of their own."""
    if candidates is not None:
        facts = {"found": "candidates files beside annotations", "expected": "annotations only"}
        findings.add("OPT-008", **facts, advice="Leave out --candidates.")
    how = RagOptions(
        options.columns, options.encoding, options.keep_first, options.max_rows, options.adjudicator
    )
    found = read_rag(_handed_over(files), how, findings)
    return Reading(tuple(found.tables), {}, (), findings, _frozen(found.data), found.sources)


def _opened(files: Iterable[RawFile], options: Options, findings: Findings) -> list[Table]:
    """The tables in files; of a folder or a glob, those that fit."""
    tables: list[Table] = []
    left_out: list[tuple[str, str]] = []
    n_files = 0
    for file in files:
        n_files += 1
        own = findings if file.was_named else Findings()
        table = open_table(file, options.encoding, options.max_rows, own)
        fits = table is not None and _fits(table, options)
        if file.was_named or (fits and not own.errors):
            tables += [table] if table is not None else []
            findings.problems += own.problems if own is not findings else []
        else:
            reason = own.errors[0].found if own.errors else "its columns fit no known table"
            left_out.append((file.name, reason))
    for name, reason in left_out:
        findings.add("FILE-019", file=name, reason=reason)
    if not tables and (left_out or not n_files) and not findings.errors:
        findings.add("FILE-020", n=n_files)
    return tables


def _fits(table: Table, options: Options) -> bool:
    """Whether a file that was not named itself is an input: by its lines, its columns or the mapping."""
    said = {name for names in options.columns.values() for name in names}
    return table.kind is not None or fits_by_name(table.names) or not said.isdisjoint(table.names)


def _data(
    rows: list[Rows],
    labels: dict[str, Labels],
    given: Mapping[str, tuple[str, ...]],
    options: Options,
    findings: Findings,
) -> Data | None:
    """The data of all tables, or None where an error or an open choice stops them."""
    query_rows, ranking_parts, holders = _parts(rows, labels, options, findings)
    kinds = {one.mapped.kind for one in rows}
    _check_pairs(rows, kinds, findings)
    count_shared(_by_kind(holders), findings)
    if findings.errors or not rows:
        return None
    for one in rows:
        one.mapped.table.close()
    base = stack(query_rows, findings) if query_rows else None
    joined = join(ranking_parts, findings) if ranking_parts else None
    if findings.errors:
        return None
    queries, rankings, notes, is_score = _together(query_rows, base, joined, rows, given, findings)
    if "candidates" in kinds and not kinds & {"queries", "ranked_lists"}:
        findings.add("RNK-005", file=next(one.name for one in rows if one.mapped.kind == "candidates"))
    if findings.errors or (queries is None and rankings is None):
        return None
    found = {label.positive for label in labels.values()}
    data = Data(
        task="evidence",
        sources=tuple(one.source() for one in rows),
        queries=_frozen(queries),
        rankings=_frozen(rankings),
        score_kind="score" if is_score else options.score_kind,
        positive=next(iter(found)) if len(found) == 1 else options.positive or "1",
        notes=notes,
        facts={"unused_columns": {one.name: dict(one.unused) for one in rows if one.unused}},
    )
    warnings = (*findings.warnings, *checks.warnings(data))
    n_more = {code: n for code, n in findings.n_more.items() if n}
    return dataclasses.replace(data, warnings=warnings, facts={**data.facts, "n_more": n_more})


def _parts(
    rows: list[Rows], labels: dict[str, Labels], options: Options, findings: Findings
) -> tuple[list[QueryPart], list[RankingPart], list[Holder]]:
    """The queries and the rankings of each table."""
    queries: list[QueryPart] = []
    rankings: list[RankingPart] = []
    holders: list[Holder] = []
    for one in rows:
        kind = str(one.mapped.kind)
        if kind in ("qrels", "run"):
            part = (
                qrels_part(one, findings) if kind == "qrels" else run_part(one, options.keep_first, findings)
            )
            rankings.append(part)
            holders.append(Holder(kind, one.name, part.keys))
            continue
        keys = keys_of(one, findings)
        if keys is None:
            continue
        holders.append(Holder(kind, one.name, keys))
        if kind == "candidates":
            rankings += candidate_parts(one, keys, options.keep_first, findings)
            continue
        report_duplicates(one, keys, findings)
        if kind == "ranked_lists":
            rankings += ranked_list_parts(one, keys, options.keep_first, findings)
        if kind == "queries" or {"has_evidence", "probability"} <= one.mapped.roles.keys():
            is_probability = options.score_kind == "probability"
            found, label = query_parts(one, keys, options.positive, is_probability, findings)
            queries += found
            if label is not None:
                labels[one.name] = label
    return queries, rankings, holders


_ORDER = ("queries", "ranked_lists", "candidates", "qrels", "run")


def _by_kind(holders: list[Holder]) -> list[Holder]:
    return sorted(holders, key=lambda holder: _ORDER.index(holder.kind))


def _check_pairs(rows: list[Rows], kinds: set[str | None], findings: Findings) -> None:
    for kind, other in (("qrels", "run"), ("run", "qrels")):
        if kind in kinds and other not in kinds:
            file = next(one.name for one in rows if one.mapped.kind == kind)
            findings.add("RNK-009", file=file, found=kind, missing=other)


def _together(
    query_rows: list[QueryPart],
    base: Queries | None,
    joined: Joined | None,
    rows: list[Rows],
    given: Mapping[str, tuple[str, ...]],
    findings: Findings,
) -> tuple[Queries | None, Rankings | None, tuple[str, ...], bool]:
    """Queries and rankings that know of each other, what to note, and whether scores are of any scale."""
    if joined is None:
        return base, None, (), False
    rankings = joined.rankings
    if base is not None:
        file, column = _labelled(rows)
        rankings = with_labels(base, joined, file, column, findings)
    if base is not None and not _names_candidate_scores(rows, given):
        return base, rankings, (), False
    own = candidate_queries(joined, labels_by_query(base, rankings), findings)
    if not own:
        return base, rankings, (), False
    notes = [
        f"{one.model.at(0)}: a query's score is the highest of its candidates ({one.file})." for one in own
    ]
    is_score = any(bool(((one.score < 0) | (one.score > 1)).any()) for one in own)
    if is_score:
        notes.append(
            "Some of these scores lie outside [0, 1]: all are taken as scores, not as probabilities."
        )
    return stack([*query_rows, *own], findings), rankings, tuple(notes), is_score


def _labelled(rows: list[Rows]) -> tuple[str, str]:
    """The first file with labels and its label column."""
    return next((one.name, column) for one in rows if (column := one.mapped.one("has_evidence")) is not None)


def _names_candidate_scores(rows: list[Rows], given: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the user named the score of a candidates file: then its queries are wanted too."""
    named = {name for names in given.values() for name in names}
    scores = [one.mapped.roles.get("score", ()) for one in rows if one.mapped.kind == "candidates"]
    return any(names and named.issuperset(names) for names in scores)


def _frozen(table: Any) -> Any:
    """The same table with its arrays made read-only."""
    if isinstance(table, np.ndarray):
        table.flags.writeable = False
    elif isinstance(table, Mapping):
        for value in table.values():
            _frozen(value)
    elif isinstance(table, tuple):
        for value in table:
            _frozen(value)
    elif dataclasses.is_dataclass(table) and not isinstance(table, type):
        for field in dataclasses.fields(table):
            _frozen(getattr(table, field.name))
    return table
