"""From what a user names as input to checked, frozen data, every problem reported together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalcore.data import Data, FilesAs, ScoreKind, ScoreOf, Source, Task
from evalcore.problems import Findings, InputError, Problem
from evalcore.readers.columns.labels import Labels
from evalcore.readers.columns.mapping import Mapped, map_table
from evalcore.readers.columns.stated import Given, check_given, check_placed, given_names
from evalcore.readers.evidence.assembling import evidence_data, frozen
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.evidence.sides import Sides, sides_of
from evalcore.readers.evidence.trec.ranking_files import settled, with_ranking
from evalcore.readers.evidence.truth import with_labels_of
from evalcore.readers.formats.own_exports import DECISIONS, are_decisions
from evalcore.readers.formats.sample_files import with_origin
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import Inputs, RawFile, Upload, named_apart, raw_files
from evalcore.readers.opening import open_table
from evalcore.readers.options import Options
from evalcore.readers.rag import RagOptions, is_rag, read_rag, task_of
from evalcore.schema import QUERIES, fits_by_name, kind_of, recognise

TASKS = ("evidence", "rag")
SCORE_KINDS = ("probability", "score")
SCORES_OF = (None, "positive", "predicted")
FILES_AS = (None, "parts", "models")


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
    no_header: bool = False,
    score_of: ScoreOf | None = None,
    files_as: FilesAs | None = None,
    truth: str | Path | Upload | None = None,
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
    no_header : whether the first line of delimited text is a row; its columns are then named by their
        positions, "1" for the first.
    score_of : ``positive`` for scores as they stand, ``predicted`` for those of the predicted class, which
        are converted by the prediction beside them; None: asked where it is open.
    files_as : what several files are: ``parts`` of one table or ``models`` of the same rows; None: by their
        ids, and asked where they have none.
    truth : the file with the labels or the judgements: the name of one of the inputs, or one to read beside
        them; None: found out, and asked where it is open.

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
        no_header,
        score_of,
        files_as,
    )
    reading = read(inputs, candidates, task, chosen, truth)
    if reading.data is None:
        findings = reading.findings
        if not findings.errors:
            findings.add("FILE-022")
        raise InputError(ordered(findings), sum(findings.n_more.values()))
    return reading.data


def ordered(findings: Findings) -> list[Problem]:
    """Every problem, those that stop an evaluation first."""
    return [*findings.errors, *findings.warnings]


def read(
    inputs: Inputs,
    candidates: Inputs | None,
    task: Task | None,
    options: Options,
    truth: str | Path | Upload | None = None,
) -> Reading:
    """Read inputs as far as they can be read; parameters as in `load`."""
    findings = Findings()
    if task is not None and task not in TASKS:
        findings.add("QRY-018", found=f"the task {task!r}", expected=", ".join(TASKS))
    if options.score_kind not in SCORE_KINDS:
        findings.add(
            "QRY-018", found=f"the score kind {options.score_kind!r}", expected=", ".join(SCORE_KINDS)
        )
    for name, value, known in (
        ("the class of the score", options.score_of, SCORES_OF),
        ("several files as", options.files_as, FILES_AS),
    ):
        if value not in known:
            findings.add("QRY-018", found=f"{name} {value!r}", expected=", ".join(filter(None, known)))
    files = list(raw_files(inputs, findings))
    if task is None:
        task = task_of(files, options.columns, findings)
    names = [file.name for file in files]
    of_parts = _of_partitions(files, options, findings)
    reading = (
        _read_rag(files, candidates, options, truth is not None, findings)
        if task == "rag"
        else _read_evidence(files, candidates, truth, of_parts, findings)
    )
    if reading.data is None and not findings.errors:
        findings.add("FILE-022", file=names[0] if len(names) == 1 else None)
    return reading


def _of_partitions(files: list[RawFile], options: Options, findings: Findings) -> Options:
    """The options for files below folders that part a table, whose keys are told in FILE-266."""
    keys: dict[str, dict[str, None]] = {}
    for file in files:
        for key, value in file.partitions.items():
            keys.setdefault(key, {})[value or "empty"] = None
    if not keys:
        return options
    found = "; ".join(f"{key} ({', '.join(list(values)[:_SHOWN_VALUES])})" for key, values in keys.items())
    findings.add("FILE-266", found=found, n_files=sum(bool(file.partitions) for file in files))
    are_parts = options.files_as is None and all(file.partitions for file in files) and len(files) > 1
    return replace(options, files_as="parts") if are_parts else options


_SHOWN_VALUES = 10


def _read_evidence(
    files: list[RawFile],
    candidates: Inputs | None,
    truth: str | Path | Upload | None,
    options: Options,
    findings: Findings,
) -> Reading:
    if truth is not None:
        files, name = _with_truth(files, truth, findings)
        options = replace(options, truth=name)
    n_files = len(files)
    files = named_apart([*files, *(raw_files(candidates, findings) if candidates is not None else [])])
    files, others = files[:n_files], files[n_files:]
    opened, sides = _opened(_handed_over(files), options, findings)
    beside = _opened(_handed_over(others), options, findings)[0] if candidates is not None else []
    given = check_given(options.columns, [*opened, *beside], findings)
    if options.truth is not None and sides is None:
        _check_truth(options.truth, opened, findings)
    mapped = _mapped(opened, beside, given, sides, findings)
    check_placed(given, [(one.table, one.kind, one.roles) for one in mapped], findings)
    rows = [one for one in (read_rows(table, findings) for table in mapped) if one is not None]
    labels: dict[str, Labels] = {}
    if sides is not None:
        rows = with_labels_of(rows, options.positive, labels, findings)
    data = with_origin(evidence_data(rows, labels, given, options, findings))
    return Reading(tuple(mapped), labels, tuple(rows), findings, data)


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


def _handed_over(files: list[RawFile]) -> Iterator[RawFile]:
    """The files one by one, each forgotten here: their bytes take memory."""
    files.reverse()
    while files:
        yield files.pop()


def _read_rag(
    files: list[RawFile], candidates: Inputs | None, options: Options, has_truth: bool, findings: Findings
) -> Reading:
    """Read annotations, which have readers of their own."""
    asked = {"--score-of": options.score_of, "--as": options.files_as, "--truth": has_truth or None}
    for name in (name for name, value in asked.items() if value is not None):
        advice = f"Leave out {name}: it is about predictions."
        findings.add("OPT-008", found=f"{name} for annotations", expected="predictions", advice=advice)
    if candidates is not None:
        facts = {"found": "candidates files beside annotations", "expected": "annotations only"}
        findings.add("OPT-008", **facts, advice="Leave out --candidates.")
    how = RagOptions(
        options.columns,
        options.encoding,
        options.keep_first,
        options.max_rows,
        options.adjudicator,
        options.no_header,
    )
    found = read_rag(_handed_over(files), how, findings)
    return Reading(tuple(found.tables), {}, (), findings, with_origin(frozen(found.data)), found.sources)


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
    table = open_table(file, options.encoding, options.max_rows, own, not options.no_header, is_rag)
    ranking = None if table is None else with_ranking(table, options.columns)
    return _Opened(file.name, file.was_named, ranking, own)


def _fits(table: Table, options: Options) -> bool:
    """Whether a file that was not named itself is an input: by its lines, its columns or the mapping."""
    said = {name for names in options.columns.values() for name in names}
    return table.kind is not None or fits_by_name(table.names) or not said.isdisjoint(table.known)
