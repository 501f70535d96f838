"""Write an input anew, parted by post: each query whole in one file, its rows one after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.files.placing import staged
from evalcore.problems import Findings, InputError, problem
from evalcore.readers.chunks.batches import Chunk
from evalcore.readers.chunks.reading import ROW, STRADDLING, Prepared
from evalcore.readers.chunks.streams import Parted, ids_in, together
from evalcore.readers.columns.ids import pair_codes

ROW_GROUP = 100_000


def part_by_post(
    prepared: Prepared, out: Path, rows_a_file: int, progress: Callable[[str], None]
) -> list[Path]:
    """Parquet files with all rows and columns of an input, each post in one file; ids are written as text.

    Parameters
    ----------
    prepared : the input.
    out : a folder that is not there yet, or is empty.
    rows_a_file : about how many rows a file gets; at most `evalcore.readers.chunks.streams.MOST_PARTS` are
        written.
    progress : is told what is done.

    Raises
    ------
    InputError : CHK-006 or CHK-008 for files whose columns do not fit together, CHK-009 for a folder with
        files in it, FILE-007 for a damaged file; then nothing is written.
    """
    from pyarrow import parquet

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError([problem("CHK-009", found=f"{out.name} with files in it")])
    if why := prepared.why_not(STRADDLING):
        raise InputError([problem("CHK-006", reason=why)])
    findings, whole = Findings(), together(prepared)
    n_parts = -(-sum(file.n_rows for file in prepared.files) // rows_a_file)
    names: list[str] = []
    progress("rows by post")
    with Parted(prepared, n_parts, findings, whole_rows=True) as parted:
        findings.raise_errors()
        with staged(out) as draft:
            for part in range(parted.n_parts):
                progress(f"file {part + 1:,} of {parted.n_parts:,}")
                for kind, table in enumerate(parted.tables(part)):
                    if table is None:
                        continue
                    names.append(f"{parted.kinds[kind]}-{part:04}.parquet")
                    rows = table.take(_by_query(whole, kind, table)).drop_columns([ROW])
                    parquet.write_table(rows, draft / names[-1], row_group_size=ROW_GROUP)
    return [out / name for name in names]


def _by_query(whole: Prepared, kind: int, table: Any) -> Any:
    """The order in which the rows of a query follow each other, queries and their rows as they come."""
    ids = ids_in(whole, Chunk(kind, 1, table.drop_columns([ROW])))
    if ids is None or ids[0].columns.n_rows < len(table):
        return np.arange(len(table))
    _, keys = ids
    criterion = keys.criterion
    codes = np.zeros(len(table), np.int32) if criterion is None else criterion.codes
    n_criteria = 1 if criterion is None else len(criterion.levels)
    return np.argsort(pair_codes(keys.post.codes, codes, n_criteria)[0], kind="stable")
