"""The first look at Parquet files: which task they are of, and whether that is read a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from evalcore.data import Task
from evalcore.problems import Findings
from evalcore.readers.chunks.files import Located, PartFile, named_once, part_files
from evalcore.readers.chunks.reading import Layout, Prepared
from evalcore.readers.inputs import RawFile
from evalcore.readers.loading import refuse_beside
from evalcore.readers.options import Options
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.sniffing import Sniff, task_of

Told = Callable[[str], None]


class Looked(Protocol):
    """What a first look decides of files that are read a chunk at a time, whatever their rows are of."""

    @property
    def task(self) -> Task:
        """What they are about."""

    @property
    def every_file(self) -> Sequence[PartFile | Opened]:
        """All files that are read."""

    def why_not(self, layout: Layout, /) -> str:
        """Why files that lie so are not read a chunk at a time by these options; empty where they are."""

    def by_post(self) -> Prepared | str:
        """The files as they are parted by post once and for all, or why they cannot be."""


Prepares = Callable[[Task, list[PartFile], list[RawFile], Options, Findings, Told], Looked | str]
"""Looks at files with rows, and the first rows of each, by the options, and tells what is wrong."""


def looked_at(
    paths: Sequence[tuple[Located, bool]],
    task: Task | None,
    options: Options,
    sniffs: Mapping[Task, Sniff],
    cut: Mapping[Task, Prepares],
    findings: Findings,
    progress: Told,
) -> Looked | str:
    """What a first look at an input decides, or why it cannot be read a chunk at a time.

    Parameters
    ----------
    paths : of Parquet files.
    task, options, sniffs : as of `evalcore.readers.loading.read`.
    cut : task that is read a chunk at a time → the look at its files with rows, whose first rows are given.
    findings : gets what is wrong with the input.
    progress : is told what is looked at.
    """
    progress(f"how {len(paths):,} files begin")
    files, heads = part_files(paths, findings)
    if findings.errors:
        return ""
    if not files and not options.beside:
        findings.add("FILE-020", n=len(paths))
        return ""
    named: list[RawFile] = named_once(files, heads)[1]
    task = task or task_of(named, options, sniffs, findings)
    if task is None:
        return ""
    refuse_beside(options, sniffs[task], findings)
    if findings.errors:
        return ""
    if task not in cut:
        return "files of this task are read as a whole"
    return cut[task](task, files, heads, options, findings, progress)
