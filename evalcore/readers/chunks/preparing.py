"""What is decided on the whole of a large input: roles of columns, labels, models; whether it is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.data import Task
from evalcore.problems import Findings
from evalcore.readers.chunks.batches import BATCH_ROWS
from evalcore.readers.chunks.files import PartFile, batches_of, named_once, opened
from evalcore.readers.chunks.reading import ROW, Prepared
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.reading import mapped_tables
from evalcore.readers.evidence.row_numbers import check_parts
from evalcore.readers.formats.cells import texts_of
from evalcore.readers.formats.json.parts import fits_none
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.storage import NotTextError, inner, plain
from evalcore.readers.formats.table import Columns, Form
from evalcore.readers.inputs import RawFile
from evalcore.readers.loading import of_partitions
from evalcore.readers.options import Options
from evalcore.schema import binary, same

Told = Callable[[str], None]
KINDS = ("queries", "candidates")


def prepared(
    task: Task,
    files: list[PartFile],
    heads: list[RawFile],
    options: Options,
    findings: Findings,
    progress: Told,
) -> Prepared | str:
    """What a first look at queries or candidates decides, or why they cannot be read a chunk at a time.

    Parameters
    ----------
    task : what they are about.
    files, heads : the files with rows, and the first rows of each.
    options : as of `evalcore.readers.loading.read`.
    findings : gets what is wrong with the input.
    progress : is told what is looked at.
    """
    if options.files_as == "models":
        return "its files are said to be models of the same rows (--as models)"
    files, heads = named_once(files, heads)
    are_parts = options.files_as == "parts"
    options = replace(of_partitions(heads, options, findings), files_as="parts" if len(files) > 1 else None)
    mapped, given, sides = mapped_tables(heads, None, options, findings)
    if findings.errors:
        return ""
    by_name = {one.table.name: one for one in mapped}
    files = [file for file in files if file.name in by_name]
    mapped = [without_head(by_name[file.name]) for file in files]
    named_apart = Findings()
    check_parts(mapped, named_apart)
    if are_parts and named_apart.errors:
        findings.problems += named_apart.errors
        return ""
    why = (
        "labels and scores stand in files of their own" if sides is not None else _why_whole(mapped, options)
    )
    why = why or ("its files call their scores otherwise" if named_apart.errors else "")
    if why:
        return why
    found = Prepared(task, tuple(files), tuple(mapped), given, options, {})
    if why := next(texts_as_numbers(files, mapped), ""):
        return why
    progress("labels and models")
    try:
        labels = [level for at in range(len(files)) for level in levels(found, at, "has_evidence")]
        models = [levels(found, at, "model") for at in range(len(files))]
    except (NotTextError, pa.ArrowException, OSError) as error:
        findings.add("FILE-007", file=None, kind="Parquet", reason=reason_of(error))
        return ""
    if len({is_split for at in range(len(files)) for is_split in _are_split(found, at)}) > 1:
        return "some ids of queries have “::” and others have not"
    lists, known = _lists(mapped, models), tuple(dict.fromkeys(labels))
    if lists is None:
        return "a model has scores in one file and ranks alone in another"
    named = {same(label) for label in known if label.strip()}
    if len(named) > 2 and not all(binary(label) is not None for label in named):
        return f"it has {len(named):,} different labels: which are meant is found out on the whole"
    options = replace(options, labels=known, fits=fits_none)
    return replace(found, options=options, lists=lists, warnings=tuple(findings.warnings))


def _unread(_: Mapping[str, Form]) -> Columns:
    raise AssertionError("the rows of a chunk are read in its place")


def _nothing() -> None:
    return


def without_head(mapped: Mapped) -> Mapped:
    """The same without the first rows, so that it can be sent to other processes."""
    table = replace(mapped.table, read=_unread, close=_nothing, records=None, may_rank=None)
    return replace(mapped, table=table)


def _why_whole(mapped: Sequence[Mapped], options: Options) -> str:
    """Why tables are read as a whole; empty where they need not be."""
    for one in mapped:
        name = one.table.name
        if one.kind not in KINDS:
            return f"{name} holds {str(one.kind).replace('_', ' ')}, not queries or candidates"
        if not {"post_id", "query_id"} & one.roles.keys():
            return f"{name} has no ids: a row is known by its number in the whole"
        if ROW in one.table.names:
            return f"{name} has a column {ROW}, which rows are numbered by"
        if {column for columns in one.roles.values() for column in columns} & set(one.table.inner):
            return f"{name} has values inside of cells"
        if "predicted_label" in one.roles and one.kind == "queries" and options.score_of is None:
            return f"{name} has predictions: whose score it holds is asked of the whole (say --score-of)"
    return ""


def texts_as_numbers(files: Sequence[PartFile], tables: Sequence[Mapped]) -> Iterator[str]:
    """Columns of numbers that are stored as text: how these are spelled is found out on the whole."""
    for one, mapped in zip(files, tables, strict=True):
        with opened(one.path) as file:
            kinds = {field.name: inner(field.type) for field in file.schema_arrow}
        for name, form in mapped.forms().items():
            if form == "number" and name in kinds and not _is_number(kinds[name]):
                yield f"{one.name} has the numbers of {name} as text"


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def levels(found: Prepared, at: int, role: str) -> list[str]:
    """The texts of the column of a role in a file, each once, in the order in which they come."""
    column = found.mapped[at].one(role)
    if column is None:
        return []
    if column in found.files[at].partitions:
        return [found.files[at].partitions[column]]
    texts: dict[str, None] = {}
    with opened(found.files[at].path) as file:
        for batch in batches_of(file, BATCH_ROWS, [column]):
            distinct = pc.unique(_unpacked(batch.column(column)))
            texts.update(dict.fromkeys(map(str, texts_of(plain(distinct)).levels.tolist())))
    return list(texts)


def _are_split(found: Prepared, at: int) -> set[bool]:
    """Whether the ids of queries in a file are those of a post and a criterion: both where some are."""
    column = found.mapped[at].one("query_id")
    if column is None or column in found.files[at].partitions:
        return set()
    with opened(found.files[at].path) as file:
        found_so_far: set[bool] = set()
        for batch in batches_of(file, BATCH_ROWS, [column]):
            ids = plain(batch.column(column))
            is_text = pa.types.is_string(ids.type)
            has_mark = pc.match_substring(ids, "::").drop_null() if is_text else pa.array([False])
            found_so_far.update(pc.unique(has_mark).to_pylist())
        return found_so_far


def _unpacked(column: Any) -> Any:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _lists(mapped: Sequence[Mapped], models: Sequence[Sequence[str]]) -> dict[str, bool] | None:
    """The lists of candidates, as the reader names them → whether they have scores; None: files differ."""
    found: dict[str, bool] = {}
    for one, of_file in zip(mapped, models, strict=True):
        if one.kind != "candidates":
            continue
        columns = one.roles.get("score", ()) or one.roles.get("rank", ())
        has_scores = "score" in one.roles
        named = [column for column in columns if not of_file]
        for model in of_file:
            named += [model if len(columns) == 1 else f"{model} {column}" for column in columns]
        if any(found.setdefault(name, has_scores) != has_scores for name in named):
            return None
    return found
