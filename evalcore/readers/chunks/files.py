"""The Parquet files of an input: where they lie and how they begin, without reading them."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from evalcore.problems import Findings, InputError
from evalcore.readers.addresses import Remote, is_address, remote_files
from evalcore.readers.folders import why_not_read
from evalcore.readers.formats.native import own_head_of
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
    texts : its columns of plain text, which can be read as codes.
    """

    path: str
    name: str
    n_rows: int
    n_bytes: int
    sha256: str
    partitions: Mapping[str, str]
    texts: frozenset[str] = frozenset()


Located = Path | Remote


def parquet_paths(inputs: Inputs) -> list[tuple[Located, bool]] | str:
    """Every file of the inputs, each with whether it was named; why not, where one is no Parquet file.

    Raises
    ------
    InputError : for an address of a kind that is not read, or whose extra is missing.
    """
    single = (str, Path)
    if isinstance(inputs, Upload):
        return "an upload is in memory already"
    found: list[tuple[Located, bool]] = []
    for one in [inputs] if isinstance(inputs, single) else list(inputs):
        if not isinstance(one, single):
            return "an upload is in memory already"
        try:
            kept = _located(one)
            other = next((path for path, _ in kept if not _is_parquet(path)), None)
        except InputError:
            raise
        except (OSError, ValueError) as error:
            return f"{as_text(str(one))} cannot be opened{_why(error) if is_address(one) else ''}"
        if other is not None:
            return f"{as_text(other.name)} is no Parquet file"
        found += kept
    return found if found else "there is no file"


def _located(one: str | Path) -> Sequence[tuple[Located, bool]]:
    if isinstance(one, str) and is_address(one):
        return remote_files(one)
    paths = paths_of(one)
    of_folder = Path(one).is_dir()
    return [path for path in paths if not (of_folder and why_not_read(path[0]))]


def _why(error: BaseException) -> str:
    return f" ({reason_of(error)})"


def _is_parquet(path: Located) -> bool:
    if isinstance(path, Path) and path.exists() and not path.is_file():
        return False  # what a pipe gives is gone once it was looked at
    with as_bytes(path) as file:
        return bool(file.read(len(_MAGIC)) == _MAGIC)


def as_bytes(path: str | Located) -> Any:
    """A file, opened to be read; a text with a scheme is an address."""
    if isinstance(path, str):
        path = Remote(path) if is_address(path) else Path(path)
    return path.open() if isinstance(path, Remote) else path.open("rb")


def n_rows_of(paths: Sequence[tuple[Located, bool]]) -> int:
    """The rows of all files, as these say; a file that cannot be read counts none."""
    n_rows = 0
    for path, _ in paths:
        try:
            with opened(path) as file:
                n_rows += file.metadata.num_rows
        except (pa.ArrowException, OSError):
            continue
    return n_rows


def named_once(parts: list[PartFile], heads: list[RawFile]) -> tuple[list[PartFile], list[RawFile]]:
    """The same files, those of one name told apart."""
    heads = named_apart(heads)
    return [replace(part, name=head.name) for part, head in zip(parts, heads, strict=True)], heads


def part_files(
    paths: Sequence[tuple[Located, bool]], findings: Findings
) -> tuple[list[PartFile], list[RawFile]]:
    """The files, and their first rows as files of their own, from which the roles of columns are found out.

    Several may have one name yet (`named_once`).

    Parameters
    ----------
    paths : as of `parquet_paths`.
    findings : gets what cannot be read, and CHK-004 for a file without rows.
    """
    parts: list[PartFile] = []
    heads: list[RawFile] = []
    for path, was_named in paths:
        named = named_file(path.path if isinstance(path, Remote) else path, findings)
        if named is None:
            continue
        name, folder, keys = named
        try:
            n_rows, head, schema = _head(path)
            digest, n_bytes = _digest(path)
        except (pa.ArrowException, OSError) as error:
            findings.add("FILE-007", file=name, kind="Parquet", reason=reason_of(error))
            continue
        if not n_rows:
            findings.add("CHK-004", file=name)
            continue
        above = {key: value for key, value in keys.items() if key not in schema.names}
        texts = frozenset(field.name for field in schema if pa.types.is_string(field.type))
        parts.append(PartFile(str(path), name, n_rows, n_bytes, digest, above, texts))
        known = {"parquet": own_head_of(head, "parquet")}
        heads.append(RawFile(name, head, digest, was_named, folder, keys, known))
    return parts, heads


def _digest(path: Located) -> tuple[str, int]:
    """The digest of the bytes of a file, and how many they are."""
    digest, n_bytes = hashlib.sha256(), 0
    with as_bytes(path) as file:
        while piece := file.read(_READ_AT_ONCE):
            digest.update(piece)
            n_bytes += len(piece)
    return digest.hexdigest(), n_bytes


def _head(path: Located) -> tuple[int, bytes, Any]:
    """How many rows a file has, the first of them as a file of its own, and its schema."""
    from pyarrow import parquet

    with opened(path) as file:
        first = next(batches_of(file, SAMPLE_ROWS), None)
        head = pa.Table.from_batches([] if first is None else [first], schema=file.schema_arrow)
        written = io.BytesIO()
        parquet.write_table(head, written, compression="none")
        return file.metadata.num_rows, written.getvalue(), file.schema_arrow


@contextlib.contextmanager
def opened(path: str | Located, coded: Sequence[str] = ()) -> Iterator[Any]:
    """A Parquet file whose pages are read as they are needed: of a large group of rows no more is held.

    Parameters
    ----------
    coded : columns of plain text that come as codes, as they mostly stand in the file.
    """
    from pyarrow import parquet

    how = {"pre_buffer": False, "buffer_size": _READ_AT_ONCE, "read_dictionary": list(coded)}
    if isinstance(path, Remote) or is_address(path):
        with as_bytes(path) as file, parquet.ParquetFile(file, **how) as source:
            yield source
    else:
        with parquet.ParquetFile(path, **how) as source:
            yield source


def batches_of(
    file: Any, n_rows: int, columns: list[str] | None = None, groups: Sequence[int] | None = None
) -> Iterator[Any]:
    """The rows of an open file in batches of at most so many; ``groups`` of its rows, None for all."""
    groups = None if groups is None else list(groups)
    yield from file.iter_batches(n_rows, row_groups=groups, columns=columns, use_threads=False)
