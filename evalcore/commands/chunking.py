"""Which inputs of `evaluate` are read a chunk at a time: where that is asked for, and large ones."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from evalcore.commands.reading import DONE, Progress, beside_of, how_read, keep_here
from evalcore.problems import InputError, problem
from evalcore.settings import Settings

if TYPE_CHECKING:
    from evalcore.engines.cluster import Cluster
    from evalcore.readers.chunks.looking import Looked


def files_in_chunks(arguments: argparse.Namespace) -> Looked | None:
    """The files of the inputs where they are read a chunk at a time; None where they are read as a whole.

    That a large input is read as a whole, and why, is said on standard error.

    Raises
    ------
    InputError : CHK-006 where chunks are asked for and cannot be.
    """
    given = (arguments.chunk_rows, arguments.workers, arguments.layout, arguments.engine)
    asked = any(one is not None for one in (*given, *(getattr(arguments, name) for name in CLUSTER)))
    beside = beside_of(arguments)
    inputs = [*arguments.inputs, *(path for paths in beside.values() for path in paths)]
    if not asked and not inputs:
        return None
    from evalcore.readers.addresses import is_address
    from evalcore.readers.chunks.files import n_rows_of, parquet_paths

    asked = asked or any(map(is_address, inputs))
    if asked:
        from evalcore.chunked import check_engine, code_of_refusal

        engine, where = arguments.engine or "local", cluster_of(arguments)
        check_engine(engine, where, "--engine dask")
    paths = parquet_paths(inputs)
    if isinstance(paths, str):
        if asked:
            raise InputError([problem(code_of_refusal(inputs), reason=paths)])
        return None
    if not asked and n_rows_of(paths) < Settings.read().rows_in_chunks:
        return None
    why = _beside(arguments)
    if not why:
        from evalcore.chunked import first_look
        from evalcore.readers.chunks.reading import ALIGNED

        how = {**how_read(arguments, arguments.inputs), **beside}
        own = parquet_paths(arguments.inputs) if arguments.inputs else []
        layout = arguments.layout or ALIGNED
        found = own if isinstance(own, str) else first_look(own, how, Progress("reading"), layout=layout)
        if not isinstance(found, str):
            return found
        why = found
    if asked:
        raise InputError([problem(code_of_refusal(inputs), reason=why)])
    print(f"Read as a whole, not a chunk at a time: {why}.", file=sys.stderr)
    return None


CLUSTER = {
    "scheduler": ("ADDRESS", "with --engine dask: its scheduler, tcp://HOST:PORT or tls://HOST:PORT"),
    "scheduler_file": ("F", "with --engine dask: a file that its scheduler wrote, in place of its address"),
    "tls_ca": ("F", "certificate of the authority, for tls://"),
    "tls_cert": ("F", "certificate of this client, for tls://"),
    "tls_key": ("F", "its key"),
}
"""What names a cluster: what stands for a value, and what it is."""


def cluster_of(arguments: argparse.Namespace) -> Cluster:
    """The cluster that the arguments name, and how many workers they ask for."""
    from evalcore.engines.cluster import Cluster

    return Cluster(**{name: getattr(arguments, name) for name in CLUSTER}, workers=arguments.workers)


def repartition(arguments: argparse.Namespace) -> int:
    """Write Parquet files anew, parted by post: each query whole in one file."""
    from evalcore import chunked

    keep_here(arguments.out, "--out")
    written = chunked.repartition(
        arguments.inputs,
        arguments.out,
        rows_a_file=arguments.rows,
        reading=how_read(arguments, arguments.inputs),
        progress=Progress("parting"),
    )
    for path in written:
        print(path)
    return DONE


def _beside(arguments: argparse.Namespace) -> str:
    """What is asked for that needs the rows in one piece; empty for nothing."""
    if arguments.point is not None:
        return "the verdicts of a document are made again from single rows (--point)"
    return "" if arguments.grid is None else "a grid is made of the rows as a whole (--grid)"
