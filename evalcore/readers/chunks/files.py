"""The Parquet files of an input: where they lie and how they begin, without reading them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from evalcore.problems import Findings
from evalcore.readers.folders import why_not_read
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import SAMPLE_ROWS
from evalcore.readers.inputs import Inputs, RawFile, Upload, as_text, named_apart, named_file, paths_of

_MAGIC = b"PAR1"
_READ_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class PartFile:
    """A Parquet file of the input.

    Parameters
    ----------
    path : where it lies.
    name : what it is called, apart from all others.
    n_rows, n_bytes : its size.
    sha256 : digest of its bytes.
    partitions : key → value of the folders above it that are named so, but for columns that it has itself.
    """

    path: str
    name: str
    n_rows: int
    n_bytes: int
    sha256: str
    partitions: Mapping[str, str]


def parquet_paths(inputs: Inputs) -> list[tuple[Path, bool]] | str:
    """Every file of the inputs, each with whether it was named; why not, where one is no Parquet file."""
    single = (str, Path)
    if isinstance(inputs, Upload):
        return "an upload is in memory already"
    found: list[tuple[Path, bool]] = []
    for one in [inputs] if isinstance(inputs, single) else list(inputs):
        if not isinstance(one, single):
            return "an upload is in memory already"
        try:
            paths = paths_of(one)
            of_folder = Path(one).is_dir()
            kept = [path for path in paths if not (of_folder and why_not_read(path[0]))]
            other = next((path for path, _ in kept if not _is_parquet(path)), None)
        except (OSError, ValueError):
            return f"{as_text(str(one))} cannot be opened"
        if other is not None:
            return f"{as_text(other.name)} is no Parquet file"
        found += kept
    return found if found else "there is no file"


def _is_parquet(path: Path) -> bool:
    if path.exists() and not path.is_file():  # what a pipe gives is gone once it was looked at
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def n_rows_of(paths: Sequence[tuple[Path, bool]]) -> int:
    """The rows of all files, as these say; a file that cannot be read counts none."""
    n_rows = 0
    for path, _ in paths:
        try:
            with opened(path) as file:
                n_rows += file.metadata.num_rows
        except (pa.ArrowException, OSError):
            continue
    return n_rows


def part_files(
    paths: Sequence[tuple[Path, bool]], findings: Findings
) -> tuple[list[PartFile], list[RawFile]]:
    """The files, and their first rows as files of their own, from which the roles of columns are found out.

    Parameters
    ----------
    paths : as of `parquet_paths`.
    findings : gets what cannot be read, and CHK-004 for a file without rows.
    """
    parts: list[PartFile] = []
    heads: list[RawFile] = []
    for path, was_named in paths:
        named = named_file(path, findings)
        if named is None:
            continue
        name, folder, keys = named
        try:
            n_rows, head, columns = _head(path)
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except (pa.ArrowException, OSError) as error:
            findings.add("FILE-007", file=name, kind="Parquet", reason=reason_of(error))
            continue
        if not n_rows:
            findings.add("CHK-004", file=name)
            continue
        above = {key: value for key, value in keys.items() if key not in columns}
        parts.append(PartFile(str(path), name, n_rows, path.stat().st_size, digest, above))
        heads.append(RawFile(name, head, digest, was_named, folder, keys))
    heads = named_apart(heads)
    return [replace(part, name=head.name) for part, head in zip(parts, heads, strict=True)], heads


def _head(path: Path) -> tuple[int, bytes, list[str]]:
    """How many rows a file has, the first of them as a file of its own, and its columns."""
    from pyarrow import parquet

    with opened(path) as file:
        first = next(batches_of(file, SAMPLE_ROWS), None)
        head = pa.Table.from_batches([] if first is None else [first], schema=file.schema_arrow)
        written = io.BytesIO()
        parquet.write_table(head, written, compression="none")
        return file.metadata.num_rows, written.getvalue(), file.schema_arrow.names


def opened(path: str | Path) -> Any:
    """A Parquet file whose pages are read as they are needed: of a large group of rows no more is held."""
    from pyarrow import parquet

    return parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_AT_ONCE)


def batches_of(file: Any, n_rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """The rows of an open file in batches of at most so many."""
    yield from file.iter_batches(n_rows, columns=columns, use_threads=False)
