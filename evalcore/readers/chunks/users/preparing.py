"""A first look at recommendations that are larger than memory: what each file is, and if they are parted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evalcore.data import Task
from evalcore.problems import Findings, Problem
from evalcore.readers.chunks.files import PartFile, as_bytes, parquet_paths, part_files
from evalcore.readers.chunks.preparing import texts_as_numbers, without_head
from evalcore.readers.chunks.reading import NO_ADJUDICATOR, NO_POSTS, ROW, Layout, no_rows
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.stated import check_given
from evalcore.readers.evidence.rows import Rows, read_rows
from evalcore.readers.formats.json.parts import fits_none
from evalcore.readers.inputs import RawFile, named_apart
from evalcore.readers.loading import of_partitions
from evalcore.readers.options import Options
from evalcore.readers.recommender.opening import Given, Opened, opened
from evalcore.readers.recommender.reading import not_again, refuse_answers, refuse_unread, with_roles
from evalcore.readers.recommender.roles import role_named

OF_ITEMS = ("item_groups", "item_features")
OF_MATRICES = ("score_users", "score_items")
Told = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class PreparedLists:
    """What was decided on the files of recommendations before the rows of users are read.

    Parameters
    ----------
    task : what they are about.
    files : those with rows.
    tables : each with the roles of its columns, and without rows.
    of_items : files of items, with their rows.
    sources : the names of all files, in their order.
    options : how they are read.
    left_out : file → why it is left out.
    warnings : what was found on the way.
    """

    task: Task
    files: tuple[PartFile, ...]
    tables: tuple[Opened, ...]
    of_items: tuple[Opened, ...]
    sources: tuple[str, ...]
    options: Options
    left_out: Mapping[str, str]
    warnings: tuple[Problem, ...] = ()

    @property
    def mapped(self) -> tuple[Mapped, ...]:
        """The roles of the columns of each file of users."""
        return tuple(one.rows.mapped for one in self.tables if one.rows is not None)

    @property
    def every_file(self) -> tuple[PartFile | Opened, ...]:
        """All files that are read."""
        return (*self.files, *self.of_items)

    def why_not(self, _: Layout) -> str:
        """As of `evalcore.readers.chunks.looking.Looked`: rows are parted by user however they lie."""
        return "" if self.options.adjudicator is None else NO_ADJUDICATOR

    def by_post(self) -> str:
        """As of `evalcore.readers.chunks.looking.Looked`."""
        return NO_POSTS

    @property
    def n_rows(self) -> int:
        """Rows of users in all files."""
        return sum(file.n_rows for file in self.files)


def prepared_lists(
    task: Task,
    files: list[PartFile],
    heads: list[RawFile],
    options: Options,
    findings: Findings,
    progress: Told,
) -> PreparedLists | str:
    """What a first look at recommendations decides, or why their users cannot be read one part at a time.

    Parameters
    ----------
    task, files, heads, options, findings, progress : as of `evalcore.readers.chunks.preparing.prepared`;
        ``options`` also with what is given beside the inputs.
    """
    refuse_answers({"--score-of": options.score_of}, findings)
    options = of_partitions(heads, options, findings)
    roles: list[str | None] = [None] * len(files)
    for role, inputs in options.beside.items():
        paths = parquet_paths(inputs)
        if isinstance(paths, str):
            return paths
        more, more_heads = part_files(paths, findings)
        kept = not_again(heads, more_heads)
        files = [*(files[at] for at in kept), *more]
        roles = [*(roles[at] for at in kept), *[role] * len(more)]
        heads = [*(heads[at] for at in kept), *more_heads]
    heads = named_apart(heads)
    if findings.errors:
        return ""
    progress(f"how {len(heads):,} files begin")
    given = [Given(head, role) for head, role in zip(heads, roles, strict=True)]
    found, tables, left_out = opened(given, options.columns, options, findings, _head_rows)
    refuse_unread(found, findings)
    _refuse_empty(found, options, findings)
    check_given(options.columns, [one.table for one in tables], findings)
    found = with_roles(found, left_out, findings)
    if findings.errors:
        return ""
    by_name = {head.name: at for at, head in enumerate(heads)}
    files = [replace(files[by_name[one.name]], name=one.name) for one in found]
    if why := next(_why_whole(files, found), ""):
        return why
    is_of_items = [one.role in OF_ITEMS for one in found]
    of_items = [
        _whole(given[by_name[one.name]], files[at], options, findings)
        for at, one in enumerate(found)
        if is_of_items[at]
    ]
    if findings.errors:
        return ""
    own = [at for at in range(len(found)) if not is_of_items[at]]
    return PreparedLists(
        task,
        tuple(files[at] for at in own),
        tuple(_without_rows(found[at]) for at in own),
        tuple(one for one in of_items if one is not None),
        tuple(one.name for one in found),
        replace(options, fits=fits_none, beside={}),
        left_out,
        tuple(findings.warnings),
    )


def _head_rows(mapped: Mapped, findings: Findings) -> Rows | None:
    """The first rows of a file; none, which is no fault of theirs, where all of these are empty."""
    own = Findings()
    rows = read_rows(mapped, own)
    if rows is None and {one.code for one in own.errors} == {"FILE-008"}:
        return no_rows(mapped)
    own.hand_over(findings)
    return rows


def _without_rows(one: Opened) -> Opened:
    """A file without its first rows, so that it can be sent to other processes."""
    assert one.rows is not None
    return replace(one, rows=no_rows(without_head(one.rows.mapped)))


def _whole(given: Given, file: PartFile, options: Options, findings: Findings) -> Opened | None:
    """A file of items with all its rows."""
    with as_bytes(file.path) as source:
        raw = replace(given.file, content=source.read(), heads={})
    own = Findings()
    found, _, _ = opened([Given(raw, given.role)], options.columns, options, own)
    findings.problems += [one for one in own.problems if one not in findings.problems]
    return found[0] if found else None


def _why_whole(files: Sequence[PartFile], found: Sequence[Opened]) -> Iterator[str]:
    """Why files are read as a whole."""
    tables = [one.rows.mapped for one in found if one.rows is not None]
    for one, mapped in zip(found, tables, strict=True):
        if one.role in OF_MATRICES:
            yield f"{one.name} holds the ids of a matrix of scores, which is read as a whole"
        if ROW in mapped.table.names:
            yield f"{one.name} has a column {ROW}, which rows are numbered by"
        if one.role not in OF_ITEMS and {name for names in mapped.roles.values() for name in names} & set(
            mapped.table.inner
        ):
            yield f"{one.name} has values inside of cells"
    yield from texts_as_numbers(files, tables)


def _refuse_empty(found: Sequence[Opened], options: Options, findings: Findings) -> None:
    """Refuse to go on without interactions, or what was named, where all files of it are empty."""
    read = {one.role for one in found}
    given = set(options.beside) - read
    for name in [one.file or "" for one in findings.warnings if one.code == "CHK-004"]:
        role = role_named(name)
        if (role in ("train", "test") and role not in read) or given:
            findings.add("FILE-008", file=name)
