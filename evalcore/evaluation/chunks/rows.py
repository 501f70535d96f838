"""Queries or candidates gathered a chunk at a time, whichever way their rows lie and whoever reads them."""

from __future__ import annotations

from dataclasses import replace

from evalcore.evaluation.chunks.facts import Job
from evalcore.evaluation.chunks.merging import gathered_in_chunks
from evalcore.evaluation.chunks.on_cluster import gathered_on_cluster
from evalcore.evaluation.chunks.work import Work, Worked
from evalcore.problems import Findings
from evalcore.readers.chunks.reading import STRADDLING, Prepared
from evalcore.readers.chunks.streams import Parted, aligned, together


def gather_rows(found: Prepared, work: Work) -> Worked:
    """The plan and the tallies of files, of which workers of a cluster read themselves what is aligned.

    Raises
    ------
    InputError : with everything that is wrong with the files.
    """
    findings, job = Findings(), Job(found, work.options, work.tables)
    if work.layout == STRADDLING:
        work.progress("rows by post")
        n_parts = -(-sum(file.n_rows for file in found.files) // work.chunk_rows)
        with Parted(found, n_parts, findings) as parted:
            job = replace(job, prepared=together(found))
            return Worked(*gathered_in_chunks(job, parted.chunks(), findings, work.hand_out, work.progress))
    if work.client is not None:
        return Worked(*gathered_on_cluster(job, work.chunk_rows, findings, work.client, work.progress))
    chunks = aligned(found, work.chunk_rows, findings)
    return Worked(*gathered_in_chunks(job, chunks, findings, work.hand_out, work.progress))
