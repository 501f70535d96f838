"""An input evaluated by the workers of a Dask cluster, which read ranges of its files themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from evalcore.engines.run import RETRIES
from evalcore.engines.tree import Tree
from evalcore.evaluation.chunks.facts import Job, OfChunk
from evalcore.evaluation.chunks.merging import Merging, Told, gather_chunk, gathered_from
from evalcore.evaluation.gathering.gather import Gathered, Plan
from evalcore.problems import Findings, InputError, problem
from evalcore.readers.chunks.ranges import OtherFileError, Range, chunks_of_range, ranges_of
from evalcore.readers.formats.signatures import reason_of


@dataclass(frozen=True)
class RangeJob:
    """What every range is gathered by.

    Parameters
    ----------
    job : as of a chunk.
    chunk_rows : how many rows a worker reads at a time.
    """

    job: Job
    chunk_rows: int


class NotReadError(Exception):
    """A file that a worker cannot read: why, and whether it could not be reached or is another one there."""

    def __init__(self, reason: str, is_elsewhere: bool) -> None:
        super().__init__(reason, is_elsewhere)
        self.reason, self.is_elsewhere = reason, is_elsewhere


def gathered_on_cluster(
    job: Job, chunk_rows: int, findings: Findings, client: Any, progress: Told
) -> tuple[Plan, Gathered]:
    """As `evalcore.evaluation.chunks.merging.gathered_in_chunks`, by workers that read the files themselves.

    Raises
    ------
    InputError : also CLU-002 to CLU-007.
    """
    ranges = list(ranges_of(job.prepared, chunk_rows))
    progress(f"{len(ranges):,} ranges of rows on the cluster")
    tree = Tree(client, gather_range, merge, RangeJob(job, chunk_rows), ranges)
    return gathered_from(job, _told(tree, job, findings, progress), findings, tree.whole)


def gather_range(given: RangeJob, one: Range) -> tuple[list[OfChunk], Gathered | None]:
    """What is told of the chunks of a range, and their tallies as one; None where no rows count."""
    told: list[OfChunk] = []
    tallies, is_any = Merging(), False
    try:
        for chunk in chunks_of_range(given.job.prepared, one, given.chunk_rows):
            found = gather_chunk(given.job, chunk)
            told.append(replace(found, gathered=None))
            if found.gathered is not None:
                tallies.add(found.gathered)
                is_any = True
    except (pa.ArrowException, OSError) as error:
        # What is damaged has no number of an error; what a store of files lacks may have none either.
        is_elsewhere = isinstance(error, (OtherFileError, FileNotFoundError, PermissionError))
        is_elsewhere = is_elsewhere or getattr(error, "errno", None) is not None
        raise NotReadError(reason_of(error), is_elsewhere) from None
    return told, tallies.merged() if is_any else None


def merge(one: Gathered, other: Gathered) -> Gathered:
    """The tallies of two ranges as one."""
    return one.merge(other)


def _told(tree: Tree[Range], job: Job, findings: Findings, progress: Told) -> Iterator[OfChunk]:
    """What is told of every chunk; findings get files that are not read, each once."""
    wrong: set[tuple[int, str]] = set()
    for at, found in tree.told():
        progress(f"{tree.n_done():,} of {len(tree.items):,} ranges of rows")
        file = tree.items[at].file
        if not isinstance(found, Exception):
            yield from found
            continue
        unread = found if isinstance(found, NotReadError) else None
        reason = unread.reason if unread else f"{type(found).__name__}: {reason_of(found)}"
        name, worker = job.prepared.files[file].name, getattr(found, "worker", "a worker")
        if (file, reason) in wrong:
            continue
        wrong.add((file, reason))
        if unread and not unread.is_elsewhere:
            findings.add("FILE-007", file=name, kind="Parquet", reason=reason)
        elif unread:
            findings.add("CLU-005", file=name, worker=worker, reason=reason)
        else:
            raise InputError([problem("CLU-007", file=name, worker=worker, reason=reason, n=RETRIES + 1)])
