"""The tasks: one record each, the only place where tasks are told apart, and what starts from data of any.

Everything below is handed the record of a task, or a fact of it. A new task is its tallies, metrics, readers
and pages, and one record here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore import checks, crosscheck
from evalcore.data import Data, FilesAs, ScoreKind, ScoreOf, Task, present
from evalcore.evaluation import Options, Report, rag
from evalcore.evaluation.chunks.work import InChunks, Work, Worked
from evalcore.evaluation.gathering import evidence, sites
from evalcore.evaluation.gathering.gather import Gathered, Gathering, Plan, gathered
from evalcore.evaluation.gathering.samples import OfModel
from evalcore.evaluation.recommender import TABLES as LISTS
from evalcore.evaluation.recommender import models_of as lists_of
from evalcore.evaluation.table import evaluated
from evalcore.problems import InputError, problem
from evalcore.readers import recommender
from evalcore.readers.chunks.preparing import prepared
from evalcore.readers.chunks.records.preparing import prepared_records
from evalcore.readers.chunks.users.preparing import prepared_lists
from evalcore.readers.columns.stated import Given, given_names
from evalcore.readers.evidence.reading import read_evidence
from evalcore.readers.inputs import Inputs, Upload
from evalcore.readers.inspecting import Inspection, inspection
from evalcore.readers.loading import Reads, ordered, read
from evalcore.readers.options import Options as ReadingOptions
from evalcore.readers.rag import ROLES, is_rag, read_rag
from evalcore.readers.reading import Reading
from evalcore.readers.sniffing import Sniff
from evalcore.schema import fits_by_name

if TYPE_CHECKING:
    from evalcore.compare.told import Told
    from evalcore.readers.chunks.reading import Prepared
    from evalcore.readers.chunks.records.preparing import PreparedRecords
    from evalcore.readers.chunks.users.preparing import PreparedLists
    from evalcore.report.drawings import Drawing


def _compared_models(*given: Any, **how: Any) -> Told:
    from evalcore.compare.told import models_compared

    return models_compared(*given, **how)


def _compared_systems(*given: Any, **how: Any) -> Told:
    from evalcore.compare.told import systems_compared

    return systems_compared(*given, **how)


def _compared_recommenders(*given: Any, **how: Any) -> Told:
    from evalcore.compare.told import recommenders_compared

    return recommenders_compared(*given, **how)


def _scored_models(found: Gathered, options: Options) -> Iterator[OfModel]:
    yield from evidence.models_of(found, options)
    yield from sites.models_of(found, options)


def _gathered_rows(found: Prepared, work: Work) -> Worked:
    from evalcore.evaluation.chunks.rows import gather_rows

    return gather_rows(found, work)


def _gathered_by_user(found: PreparedLists, work: Work) -> Worked:
    from evalcore.evaluation.chunks.users import gather_by_user

    return gather_by_user(found, work)


def _gathered_by_record(found: PreparedRecords, work: Work) -> Worked:
    from evalcore.evaluation.chunks.records import gather_by_record

    return gather_by_record(found, work)


def _drawn_rows(report: Report, *, thresholds_of: str | None = None) -> list[Drawing]:
    from evalcore.report.drawings import drawings

    return drawings(report, thresholds_of=thresholds_of)


def _drawn_lists(report: Report, *, thresholds_of: str | None = None) -> list[Drawing]:
    from evalcore.report.drawings import drawings_of_lists

    return drawings_of_lists(report, thresholds_of=thresholds_of)


@dataclass(frozen=True)
class Record:
    """What is particular to a task.

    Parameters
    ----------
    sniff : how its files are told.
    read : from files to data.
    checks : what is looked at in its data.
    tables, models : what is gathered from its data, and from what the values of each model are computed.
    crosscheck : family of metrics → its second implementation.
    compared : two models or systems beside each other.
    drawings : the figures of a report.
    beside : what stands beside the values; None for nothing.
    defaults : options of an evaluation that nobody names, where they are others than those of `Options`.
    usual_k : the cut-off of lists in a comparison that names none.
    in_chunks : how large files of it are read a chunk at a time; None: they are not.
    """

    sniff: Sniff
    read: Reads
    checks: tuple[checks.Subject, ...]
    tables: tuple[Gathering, ...]
    models: Callable[[Gathered, Options], Iterator[OfModel]]
    crosscheck: Mapping[str, crosscheck.Second]
    compared: Callable[..., Told]
    drawings: Callable[..., list[Drawing]] | None = None
    beside: Callable[[Gathered, Options], rag.Beside] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    usual_k: int = 10
    in_chunks: InChunks | None = None


TASKS: Mapping[Task, Record] = {
    "rag": Record(
        sniff=Sniff(is_rag, ROLES),
        read=read_rag,
        checks=checks.OF_ANNOTATIONS,
        tables=rag.TABLES,
        models=rag.tasks_of,
        crosscheck=crosscheck.OF_ANNOTATIONS,
        compared=_compared_systems,
        beside=rag.Beside,
        defaults={"ks": (5,)},
        in_chunks=InChunks(prepared_records, _gathered_by_record),
        usual_k=5,
    ),
    "recommender": Record(
        sniff=Sniff(
            recommender.is_recommendations,
            recommender.ROLES,
            recommender.BESIDE,
            recommender.is_movielens,
            recommender.are_called_together,
        ),
        read=recommender.read_recommendations,
        checks=checks.OF_RECOMMENDATIONS,
        tables=LISTS,
        models=lists_of,
        crosscheck=crosscheck.OF_RECOMMENDATIONS,
        compared=_compared_recommenders,
        drawings=_drawn_lists,
        defaults={"ks": (10, 20, 50)},
        in_chunks=InChunks(prepared_lists, _gathered_by_user),
    ),
    "evidence": Record(
        sniff=Sniff(lambda names, _: fits_by_name(names), frozenset({"has_evidence", "probability"})),
        read=read_evidence,
        checks=checks.OF_EVIDENCE,
        tables=(*evidence.TABLES, sites.TABLE),
        models=_scored_models,
        crosscheck=crosscheck.OF_EVIDENCE,
        compared=_compared_models,
        drawings=_drawn_rows,
        in_chunks=InChunks(prepared, _gathered_rows),
    ),
}
"""By name, in the order in which files are asked; what fits none is of the last."""


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
    lists: Inputs | None = None,
    train: Inputs | None = None,
    test: Inputs | None = None,
    scores: Inputs | None = None,
    user_groups: Inputs | None = None,
    item_groups: Inputs | None = None,
    item_features: Inputs | None = None,
    predicted_ratings: bool = False,
) -> Data:
    """Read predictions or annotations and check them, once, into frozen data.

    Parameters
    ----------
    inputs : a file, a folder, a glob, an `Upload`, or several of them; of recommendations the lists, or none
        beside ``scores``.
    candidates : candidates files to read beside them.
    task : ``evidence``, ``rag`` or ``recommender``; found out from the columns where None.
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
    lists : recommendation lists that neither their name nor their columns tell from other files.
    train, test : interactions beside recommendations: user, item and, where there is one, rating.
    scores : scores of all items: a matrix (.npz, .npy) or a long table of user, item and score.
    user_groups, item_groups : groups by id of users and items.
    item_features : features of items, as columns of 0 and 1 or as a list.
    predicted_ratings : whether the scores in the lists are predicted ratings, on the scale of those of the
        test: then MAE, MSE and RMSE are over the test pairs that stand in the lists, where a model has no
        scores of all items.

    Raises
    ------
    InputError : with every error, every choice that the user must make, and the warnings.
    """
    beside = present(
        **{"lists": lists, "train": train, "test": test, "scores": scores},
        **{"user_groups": user_groups, "item_groups": item_groups, "item_features": item_features},
    )
    how = (
        *(columns, positive, score_kind, encoding, keep_first),
        *(max_rows, adjudicator, no_header, score_of, files_as, predicted_ratings),
    )
    found = _read(inputs, candidates, task, truth, beside, *how)
    if found.data is None:
        findings = found.findings
        if not findings.errors:
            findings.add("FILE-022")
        raise InputError(ordered(findings), sum(findings.n_more.values()))
    return found.data


def inspect(
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
    lists: Inputs | None = None,
    train: Inputs | None = None,
    test: Inputs | None = None,
    scores: Inputs | None = None,
    user_groups: Inputs | None = None,
    item_groups: Inputs | None = None,
    item_features: Inputs | None = None,
    predicted_ratings: bool = False,
) -> Inspection:
    """Read inputs as `load` does, and tell what was found instead of raising; parameters as there."""
    beside = present(
        **{"lists": lists, "train": train, "test": test, "scores": scores},
        **{"user_groups": user_groups, "item_groups": item_groups, "item_features": item_features},
    )
    how = (
        *(columns, positive, score_kind, encoding, keep_first),
        *(max_rows, adjudicator, no_header, score_of, files_as, predicted_ratings),
    )
    return inspection(_read(inputs, candidates, task, truth, beside, *how))


def _read(
    inputs: Inputs,
    candidates: Inputs | None,
    task: Task | None,
    truth: str | Path | Upload | None,
    beside: Mapping[str, Inputs],
    columns: Given | None,
    positive: str | None,
    *how: Any,
) -> Reading:
    *others, _ = TASKS.values()
    options = ReadingOptions(given_names(columns), None if positive is None else str(positive), *how)
    options = replace(
        options, fits=lambda names: any(one.sniff.fits(names, ()) for one in others), beside=beside
    )
    return read(
        inputs,
        candidates,
        task,
        options,
        truth,
        sniffs={name: one.sniff for name, one in TASKS.items()},
        readers={name: one.read for name, one in TASKS.items()},
        subjects={name: one.checks for name, one in TASKS.items()},
    )


def performed(data: Data) -> tuple[checks.CheckResult, ...]:
    """Every check that applies to the data, as they were read or as they are."""
    return checks.performed(data, TASKS[data.task].checks) if data.checked is None else data.checked


def evaluate(
    data: Data | Iterable[Data],
    *,
    progress: Callable[[str], None] | None = None,
    processes: int = 1,
    **options: Any,
) -> Report:
    """Compute every metric that the data allow.

    Parameters
    ----------
    data : checked data, from `load`, or the parts of one input, read apart and in any order: each query of a
        model in one part, each ranked query with its whole lists too.
    progress : is told what comes next, a group at a time.
    processes : how many share the groups where there are replicates. They are forked off this one, which is
        safe only where no other thread runs: on Linux, and not inside a server. With 1, nothing is forked.
    options : fields of `Options`, such as ``by``, ``ks``, ``tau_neg`` and ``tau_pos``. Without a column
        ``state``, values by state are those of the states that the thresholds give.

    Returns
    -------
    Report, whose ``table`` has one row per metric, parameters, variant, population, model and group. A value
    that is not defined is NaN with the reason in ``note``. Parts give the same table, to the bit, as the
    whole; the data of their report have sources, warnings and notes, and no rows.

    Raises
    ------
    InputError : for illegal options, and for parts that are not parts of one input, all named together.
    """
    chunks = _parts(data)
    task, how = TASKS[chunks[0].task], options_of(chunks[0].task, options)
    return evaluated(chunks, how, task.tables, task.models, task.beside, progress, processes)


def options_of(task: Task, named: Mapping[str, Any]) -> Options:
    """The options of an evaluation from those that somebody names; one column may stand for itself."""
    by = {"by": (named["by"],)} if isinstance(named.get("by"), str) else {}
    return Options(**{**TASKS[task].defaults, **named, **by})


def whole(parts: Iterable[Data]) -> Data:
    """The parts of one input as one: for what shows or names single rows, such as comparisons and documents.

    `evaluate` takes parts as they are, and needs the rows of one part at a time.

    Parameters
    ----------
    parts : as for `evaluate`, in any order.

    Returns
    -------
    Data as if they had been read in one piece. Columns of too many values to be broken down by are left out:
    their texts are not kept, so that nobody knows which values of two parts are the same.

    Raises
    ------
    InputError : for parts that are not parts of one input, all named together.
    """
    chunks = _parts(parts)
    task = TASKS[chunks[0].task]
    plan = Plan.of(chunks, Options(), task.tables)
    gathered(chunks, plan)
    tables = {}
    for one in task.tables:
        having = [part for part in chunks if one.table in part.tables]
        if having:
            tables[one.table] = one.whole([p.tables[one.table] for p in having], [p.digest for p in having])
    return plan.data.with_tables(**tables)


def _parts(data: Data | Iterable[Data]) -> tuple[Data, ...]:
    chunks = (data,) if isinstance(data, Data) else tuple(data)
    if not chunks:
        raise InputError([problem("QRY-240", what="data", found="no part", expected="at least one part")])
    return chunks


def crosschecked(table: Any, data: Data, **how: Any) -> crosscheck.CrossCheck:
    """Every overall value of a table a second time; parameters as of `evalcore.crosscheck.compare`."""
    return crosscheck.compare(table, data, families=TASKS[data.task].crosscheck, **how)


def compared(
    data: Data, other: Data | None, names: Sequence[str | None], *, every_two: bool = False, **how: Any
) -> Told:
    """Models or systems beside each other, of one input or of two, in words, as text and as CSV.

    Parameters
    ----------
    data, other : the first one's data, and the second's where it has data of its own.
    names : of the two; None where there is no choice. With ``every_two`` any number, none for all.
    every_two : whether every two of them are compared, by one metric or each of several.
    how : of the task.
    """
    task = TASKS[data.task]
    if how.get("k") is None:
        how["k"] = task.usual_k
    if every_two:
        from evalcore.compare.told import all_compared

        return all_compared(data, other, [name for name in names if name is not None] or None, **how)
    return task.compared(data, other, (names[0], names[1]), **how)


def drawings(report: Report, *, thresholds_of: str | None = None) -> list[Drawing]:
    """The figures of a report; parameters as of `evalcore.report.drawings`."""
    draw = TASKS[report.data.task].drawings
    return [] if draw is None else draw(report, thresholds_of=thresholds_of)
