"""From what a user names as input to checked, frozen data, every problem reported together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from evalcore import checks
from evalcore.data import Data, Task, frozen
from evalcore.problems import Findings, Problem
from evalcore.readers.formats.sample_files import with_origin
from evalcore.readers.inputs import Inputs, RawFile, Upload, raw_files
from evalcore.readers.options import Options
from evalcore.readers.reading import Reading
from evalcore.readers.sniffing import Sniff, task_of

SCORE_KINDS = ("probability", "score")
SCORES_OF = (None, "positive", "predicted")
FILES_AS = (None, "parts", "models")

Truth: TypeAlias = str | Path | Upload | None
Reads: TypeAlias = Callable[[list[RawFile], Inputs | None, Truth, Options, Findings], Reading]
"""Reads the files of one task, with candidates and truth where they are named."""


def ordered(findings: Findings) -> list[Problem]:
    """Every problem, those that stop an evaluation first."""
    return [*findings.errors, *findings.warnings]


def read(
    inputs: Inputs,
    candidates: Inputs | None,
    task: Task | None,
    options: Options,
    truth: Truth,
    *,
    sniffs: Mapping[Task, Sniff],
    readers: Mapping[Task, Reads],
    subjects: Mapping[Task, tuple[checks.Subject, ...]],
) -> Reading:
    """Read inputs as far as they can be read.

    Parameters
    ----------
    inputs, candidates, task, options, truth : as of `evalcore.load`.
    sniffs, readers, subjects : of each task, how its files are told, how they are read, and what is checked
        of their data; files of no task are read as those of the last.
    """
    findings = Findings()
    if task is not None and task not in readers:
        findings.add("QRY-018", found=f"the task {task!r}", expected=", ".join(sorted(readers)))
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
        task = task_of(files, options, sniffs, findings)
    names = [file.name for file in files]
    of_parts = of_partitions(files, options, findings)
    chosen = [*readers][-1] if task is None or task not in readers else task
    refuse_beside(options, sniffs[chosen], findings)
    reading = readers[chosen](files, candidates, truth, of_parts, findings)
    if reading.data is not None:
        data = checked_data(with_origin(reading.data), findings, subjects[reading.data.task])
        reading = replace(reading, data=data)
    elif not findings.errors:
        findings.add("FILE-022", file=names[0] if len(names) == 1 else None)
    return reading


def refuse_beside(options: Options, sniff: Sniff, findings: Findings) -> None:
    """Refuse what is given beside the inputs, and said of it, where the task has no such files."""
    for name in options.beside.keys() - set(sniff.beside):
        option = f"--{name.replace('_', '-')}"
        facts = {"found": f"{option} for another task", "expected": "recommendation lists or scores"}
        findings.add("OPT-008", **facts, advice=f"Leave out {option}, or say --task recommender.")
    if options.predicted_ratings and not sniff.beside:
        facts = {"found": "predicted ratings of another task", "expected": "recommendation lists"}
        findings.add("OPT-008", **facts, advice="Leave out --predicted-ratings, or say --task recommender.")


def checked_data(data: Data, findings: Findings, subjects: tuple[checks.Subject, ...]) -> Data:
    """The data with what was found while they were read, and what they themselves make one want to know."""
    frozen(data.tables)
    checked = checks.performed(data, subjects)
    warnings = (*data.warnings, *findings.warnings, *checks.problems_in(checked))
    n_more = {code: n for code, n in findings.n_more.items() if n}
    return replace(data, warnings=warnings, checked=checked, facts={**data.facts, "n_more": n_more})


def of_partitions(files: list[RawFile], options: Options, findings: Findings) -> Options:
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
