"""Evaluate Parquet files that are larger than memory: a chunk of rows at a time, with the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.evaluation.chunks import Job, gathered_in_chunks
from evalcore.evaluation.options import Options
from evalcore.evaluation.table import valued
from evalcore.problems import Findings, InputError, problem
from evalcore.readers.chunks.files import parquet_paths
from evalcore.readers.chunks.preparing import prepared
from evalcore.readers.columns.stated import given_names
from evalcore.readers.options import Options as ReadingOptions
from evalcore.settings import Settings
from evalcore.tasks import TASKS

if TYPE_CHECKING:
    from evalcore.evaluation import Report
    from evalcore.readers.chunks.reading import Prepared
    from evalcore.readers.inputs import Inputs

Told = Callable[[str], None]


def evaluate_files(
    inputs: Inputs,
    *,
    chunk_rows: int | None = None,
    workers: int = 1,
    reading: Mapping[str, Any] | None = None,
    progress: Told | None = None,
    processes: int = 1,
    **options: Any,
) -> Report:
    """As `evaluate` of `load`, for Parquet files that are larger than memory: a chunk is read at a time.

    Parameters
    ----------
    inputs : Parquet files, a folder or a glob of them: one table of queries or of candidates, in any number
        of files, each query in one of them and its candidates one after the other.
    chunk_rows : rows that are read at a time; None: `evalcore.settings.Settings.chunk_rows`.
    workers : processes that share the chunks; no bit depends on it.
    reading : how the files are read, as of `load`, such as ``columns`` and ``positive``.
    progress, processes, options : as of `evaluate`.

    Returns
    -------
    Report with the same table, to the bit, as of the whole. Its data have no rows.

    Raises
    ------
    InputError : CHK-006 for an input that is not read so, CHK-001 for a query in two files, and for all that
        `load` and `evaluate` refuse.
    """
    paths = parquet_paths(inputs)
    if isinstance(paths, str):
        raise InputError([problem("CHK-006", reason=paths)])
    found = first_look(paths, reading or {}, progress)
    if isinstance(found, str):
        raise InputError([problem("CHK-006", reason=found)])
    how = {"chunk_rows": chunk_rows, "workers": workers, "progress": progress, "processes": processes}
    return evaluate_prepared(found, **how, **options)


def first_look(
    paths: Sequence[tuple[Path, bool]], reading: Mapping[str, Any], progress: Told | None = None
) -> Prepared | str:
    """What is decided on the whole before rows are read, or why the files are not read a chunk at a time.

    Parameters
    ----------
    paths : of Parquet files.
    reading : as of `evaluate_files`.

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
        score_of=known.get("score_of"),
        files_as=known.get("files_as"),
        fits=lambda names: any(one.sniff.fits(names, ()) for one in others),
    )
    findings = Findings()
    sniffs = {name: one.sniff for name, one in TASKS.items()}
    cut = frozenset(name for name, one in TASKS.items() if one.in_chunks)
    found = prepared(paths, task, options, sniffs, cut, findings, progress or (lambda _: None))
    findings.raise_errors()
    return found


_READING = ("columns", "positive", "score_kind", "keep_first", "score_of", "files_as", "encoding", "max_rows")
"""What says how rows are read; ``encoding`` and ``max_rows`` say nothing of Parquet that is cut."""


def evaluate_prepared(
    found: Prepared,
    *,
    chunk_rows: int | None = None,
    workers: int = 1,
    progress: Told | None = None,
    processes: int = 1,
    **options: Any,
) -> Report:
    """As `evaluate_files`, once it is known what the files are."""
    problems = [
        problem("OPT-003", name=name, found=number, expected="a whole number from 1 on")
        for name, number in (("chunk rows", chunk_rows), ("workers", workers))
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1)
    ]
    if problems:
        raise InputError(problems)
    task = TASKS[found.task]
    if isinstance(options.get("by"), str):
        options["by"] = (options["by"],)
    how = Options(**{**task.defaults, **options})
    tell = progress or (lambda _: None)
    n_rows = chunk_rows or Settings.read().chunk_rows
    plan, tallies = gathered_in_chunks(Job(found, how, task.tables), n_rows, workers, tell)
    return valued(plan, tallies, task.models, task.beside, tell, processes)
