"""Evaluate Parquet files that are larger than memory: a chunk of rows at a time, with the same numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from evalcore.engines.cluster import Cluster, connected
from evalcore.engines.handing import hand_out_to
from evalcore.evaluation.chunks.work import Work
from evalcore.evaluation.options import Options
from evalcore.evaluation.table import valued
from evalcore.problems import Findings, InputError, problem
from evalcore.readers.addresses import is_address
from evalcore.readers.chunks.files import Located, parquet_paths
from evalcore.readers.chunks.looking import Looked, looked_at
from evalcore.readers.chunks.parting import part_by_post
from evalcore.readers.chunks.reading import ALIGNED, STRADDLING, Layout
from evalcore.readers.columns.stated import given_names
from evalcore.readers.options import Options as ReadingOptions
from evalcore.readers.recommender import BESIDE
from evalcore.settings import Settings
from evalcore.tasks import TASKS, options_of

if TYPE_CHECKING:
    from evalcore.evaluation import Report
    from evalcore.readers.inputs import Inputs

Told = Callable[[str], None]
Engine = Literal["local", "dask"]
LOCAL: Engine = "local"
DASK: Engine = "dask"


def evaluate_files(
    inputs: Inputs,
    *,
    chunk_rows: int | None = None,
    workers: int | None = None,
    layout: Layout = ALIGNED,
    engine: Engine = LOCAL,
    scheduler: str | None = None,
    scheduler_file: str | Path | None = None,
    tls_ca: str | Path | None = None,
    tls_cert: str | Path | None = None,
    tls_key: str | Path | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Told | None = None,
    processes: int = 1,
    **options: Any,
) -> Report:
    """As `evaluate` of `load`, for Parquet files that are larger than memory: a chunk is read at a time.

    Parameters
    ----------
    inputs : Parquet files, a folder or a glob of them: one table of queries or of candidates,
        recommendations and what they are judged by, or annotations in long form, in any number of files.
        Addresses too, such as ``s3://bucket/rows/*.parquet``.
    chunk_rows : rows that are read at a time; None: `evalcore.settings.Settings.chunk_rows`.
    workers : processes that share the chunks; no bit depends on it. None: one, with ``dask`` one a processor.
    layout : ``aligned`` where each query lies in one file, its candidates one after the other; ``straddling``
        where rows lie in any order in any file, or queries and candidates in files of their own: they are
        brought together by post first, in temporary files as large as the rows. Recommendations are
        brought together by user and annotations by record, however they lie.
    engine : ``local``, or ``dask`` for the workers of a Dask cluster. They read files that are aligned
        themselves; rows that are brought together here first they are sent.
    scheduler, scheduler_file : the address of its scheduler, or a file that says it; neither: a cluster of
        processes of this machine, for this run.
    tls_ca, tls_cert, tls_key : files of certificates for a scheduler at ``tls://``.
    reading : how the files are read, as of `load`, such as ``columns``, ``positive`` and ``train``.
    progress, processes, options : as of `evaluate`.

    Returns
    -------
    Report with the same table, to the bit, as of the whole. Its data have no rows but those of annotations.

    Raises
    ------
    InputError : CHK-006 or CHK-010 for an input that is not read so, CHK-001 for a query in two files, CLU-…
        for a cluster, and for all that `load` and `evaluate` refuse.
    """
    where = Cluster(scheduler, scheduler_file, tls_ca, tls_cert, tls_key, workers)
    check_engine(engine, where)
    named = [files for role in BESIDE if (files := (reading or {}).get(role)) is not None]
    alone = isinstance(inputs, Iterable) and not isinstance(inputs, str) and not list(inputs)
    paths = [] if alone and named else parquet_paths(inputs)
    found = paths if isinstance(paths, str) else first_look(paths, reading or {}, progress, layout=layout)
    if isinstance(found, str):
        raise InputError([problem(code_of_refusal(inputs, *named), reason=found)])
    how: dict[str, Any] = {"chunk_rows": chunk_rows, "layout": layout, "engine": engine}
    how |= {"progress": progress, "processes": processes}
    return evaluate_prepared(found, options_of(found.task, options), where, **how)


def check_engine(engine: str, where: Cluster, asked: str = 'engine="dask"') -> None:
    """Refuse an engine that is not known, and what is said of a cluster where none is asked for.

    Parameters
    ----------
    where : as the user names it.
    asked : how whoever is answered asks for a cluster.
    """
    if engine not in get_args(Engine):
        expected = " or ".join(get_args(Engine))
        raise InputError([problem("OPT-003", name="engine", found=engine, expected=expected)])
    names = [one.name for one in fields(where) if one.name != "workers"]
    said = [name.replace("_", " ") for name in names if getattr(where, name) is not None]
    if engine != DASK and said:
        advice = f"Say {asked}, or leave it out."
        raise InputError(
            [problem("OPT-008", found=", ".join(said), expected="the engine dask", advice=advice)]
        )


def code_of_refusal(*inputs: Inputs) -> str:
    """The code of what is said where inputs are not read a chunk at a time."""
    several = (one if isinstance(one, Iterable) and not isinstance(one, str) else [one] for one in inputs)
    return "CHK-010" if any(is_address(path) for paths in several for path in paths) else "CHK-006"


def first_look(
    paths: Sequence[tuple[Located, bool]],
    reading: Mapping[str, Any],
    progress: Told | None = None,
    *,
    layout: Layout = ALIGNED,
) -> Looked | str:
    """What is decided on the whole before rows are read, or why the files are not read a chunk at a time.

    Parameters
    ----------
    paths : of Parquet files.
    reading, layout : as of `evaluate_files`.

    Raises
    ------
    InputError : with what is wrong already.
    """
    known = {name: value for name, value in reading.items() if value is not None}
    task = known.pop("task", None)
    left = {name for name in known if name not in _READING and known[name]}
    if left:
        return f"{', '.join(sorted(left))} is read beside the whole"
    positive = known.get("positive")
    *others, _ = TASKS.values()
    options = ReadingOptions(
        given_names(known.get("columns")),
        None if positive is None else str(positive),
        known.get("score_kind", "probability"),
        None,
        bool(known.get("keep_first", False)),
        None,
        adjudicator=known.get("adjudicator"),
        score_of=known.get("score_of"),
        files_as=known.get("files_as"),
        predicted_ratings=bool(known.get("predicted_ratings", False)),
        beside={role: known[role] for role in BESIDE if role in known},
        fits=lambda names: any(one.sniff.fits(names, ()) for one in others),
    )
    findings = Findings()
    sniffs = {name: one.sniff for name, one in TASKS.items()}
    cut = {name: one.in_chunks.look for name, one in TASKS.items() if one.in_chunks is not None}
    found = looked_at(paths, task, options, sniffs, cut, findings, progress or (lambda _: None))
    findings.raise_errors()
    if layout not in get_args(Layout):
        expected = " or ".join(get_args(Layout))
        raise InputError([problem("OPT-003", name="layout", found=layout, expected=expected)])
    return found if isinstance(found, str) else found.why_not(layout) or found


def repartition(
    inputs: Inputs,
    out: str | Path,
    *,
    rows_a_file: int | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Told | None = None,
) -> list[Path]:
    """Write Parquet files anew, parted by post: each query whole in one file, its rows one after the other.

    Parameters
    ----------
    inputs, reading, progress : as of `evaluate_files`.
    out : a folder that is not there yet, or is empty.
    rows_a_file : about how many rows a file gets; None: `evalcore.settings.Settings.chunk_rows`.

    Returns
    -------
    list of the files written, all or none.

    Raises
    ------
    InputError : as of `evaluate_files`, and CHK-009 for a folder with files in it.
    """
    paths = parquet_paths(inputs)
    found = paths if isinstance(paths, str) else first_look(paths, reading or {}, progress, layout=STRADDLING)
    by_post = found if isinstance(found, str) else found.by_post()
    if isinstance(by_post, str):
        raise InputError([problem("CHK-006", reason=by_post)])
    n_rows = rows_a_file or Settings.read().chunk_rows
    return part_by_post(by_post, Path(out), n_rows, progress or (lambda _: None))


_READING = (
    *("columns", "positive", "score_kind", "keep_first", "score_of", "files_as", "encoding", "max_rows"),
    *("adjudicator", "predicted_ratings", *BESIDE),
)
"""What says how rows are read; ``encoding`` and ``max_rows`` say nothing of Parquet that is cut."""


def evaluate_prepared(
    found: Looked,
    options: Options,
    where: Cluster,
    *,
    chunk_rows: int | None = None,
    layout: Layout = ALIGNED,
    engine: Engine = LOCAL,
    progress: Told | None = None,
    processes: int = 1,
) -> Report:
    """As `evaluate_files`, once it is known what the files are.

    Parameters
    ----------
    found : of `first_look`.
    options : of the evaluation, with the defaults of the task.
    where : how many workers there are, and of which cluster; without one those of this process.
    chunk_rows, layout, engine, progress, processes : as of `evaluate_files`.
    """
    problems = [
        problem("OPT-003", name=name, found=number, expected="a whole number from 1 on")
        for name, number in (("chunk rows", chunk_rows), ("workers", where.workers))
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1)
    ]
    if problems:
        raise InputError(problems)
    task, tell = TASKS[found.task], progress or (lambda _: None)
    assert task.in_chunks is not None
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(connected(where)) if engine == DASK else None
        work = Work(
            options,
            task.tables,
            task.checks,
            chunk_rows or Settings.read().chunk_rows,
            layout,
            hand_out_to(client, where.workers or 1),
            client,
            tell,
        )
        done = task.in_chunks.gather(found, work)
    report = valued(done.plan, done.gathered, task.models, task.beside, tell, processes)
    return report if done.data is None else replace(report, data=done.data)
