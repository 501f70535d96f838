"""Several files whose rows have no ids: parts of one table or models over the same rows, as the user says.

The number of a row names it within its file only. Nothing is paired by such numbers unless that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.data import FilesAs
from evalcore.problems import Findings
from evalcore.readers.columns.ids import Keys
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.evidence.joining import Holder, shared_codes
from evalcore.readers.evidence.queries.parts import QueryPart
from evalcore.readers.evidence.rankings import RankingPart
from evalcore.readers.formats.table import Texts
from evalcore.readers.formats.text.trec import KINDS


def are_open(holders: Sequence[Holder]) -> bool:
    """Whether it is to be asked what several files are: all of one kind, none with ids."""
    is_one_kind = len({holder.kind for holder in holders}) == 1
    return len(holders) > 1 and is_one_kind and not any(holder.keys.has_ids for holder in holders)


def are_counted(holders: Sequence[Holder]) -> bool:
    """Whether the ids of every file count its rows from 0, or from 1: parts may restart so, models too."""
    is_one_kind = len({holder.kind for holder in holders}) == 1 and holders[0].kind not in KINDS
    if len(holders) < 2 or not is_one_kind or not all(holder.keys.has_ids for holder in holders):
        return False
    return any(all(_counts_from(holder.keys, first) for holder in holders) for first in (0, 1))


def _counts_from(keys: Keys, first: int) -> bool:
    n_rows, levels = len(keys.post.codes), keys.post.levels
    if keys.criterion is not None or len(levels) != n_rows or not n_rows:
        return False
    is_counted = str(levels[0]) == str(first) and str(levels[-1]) == str(first + n_rows - 1)
    is_ordered = bool((keys.post.codes == np.arange(n_rows)).all())
    return is_counted and is_ordered and levels.tolist() == [str(i) for i in range(first, first + n_rows)]


def ask_of_counted(holders: Sequence[Holder], parts: Sequence[QueryPart], findings: Findings) -> None:
    """Say that the ids are counts of rows, and ask what the files are where their labels differ.

    Parameters
    ----------
    holders : files whose ids `are_counted`.
    parts : their labels and scores.
    findings : gets QRY-126, or QRY-127 where the labels are the same.
    """
    found, first = listed(holders, with_rows=True), str(holders[0].keys.post.levels[0])
    shared = [min(len(part), len(parts[0])) for part in parts]
    is_other = any(
        (part.is_positive[:n] != parts[0].is_positive[:n]).any()
        for part, n in zip(parts, shared, strict=True)
    )
    findings.add("QRY-126" if is_other else "QRY-127", found=found, first=first)


def check_joinable(holders: Sequence[Holder], files_as: FilesAs | None, findings: Findings) -> None:
    """Report files that nothing joins, and ask what files without ids are.

    Parameters
    ----------
    holders : every file with its queries.
    files_as : what the user said.
    findings : gets QRY-080, QRY-081 and QRY-082.
    """
    without = [holder for holder in holders if not holder.keys.has_ids]
    if not without or len(holders) < 2:
        return
    if not are_open(holders):
        others = [holder for holder in holders if holder not in without] or without[1:]
        findings.add("QRY-081", found=listed(without), others=listed(others))
    elif files_as is None:
        findings.add("QRY-080", found=listed(without, with_rows=True))
    elif files_as == "models" and len({_n_rows(holder) for holder in without}) > 1:
        findings.add("QRY-082", found=listed(without, with_rows=True))


def check_parts(tables: Sequence[Mapped], findings: Findings) -> None:
    """Report parts of one output whose scores have other names, in QRY-231: each would be a model."""
    scored = [one for one in tables if one.kind == "queries" and "model" not in one.roles]
    for one in scored[1:]:
        here, there = (part.roles.get("probability", ()) for part in (one, scored[0]))
        if here and there and set(here) != set(there):
            facts = {"found": ", ".join(here), "first": scored[0].table.name, "other": ", ".join(there)}
            findings.add("QRY-231", file=one.table.name, **facts)


def ask_of_few_shared(holders: Sequence[Holder], findings: Findings) -> None:
    """Ask what files are that share fewer than half of their queries, in QRY-232: parts or models."""
    if len(holders) < 2 or any(h.kind != "queries" or not h.keys.has_ids for h in holders):
        return
    found = _first_few_shared([np.unique(codes) for codes in shared_codes([one.keys for one in holders])])
    if found is not None:
        first, second, n = found
        findings.add("QRY-232", found=listed([holders[first], holders[second]], with_rows=True), n=n)


def _first_few_shared(queries: Sequence[NDArray[np.intp]]) -> tuple[int, int, int] | None:
    """The first two files that share queries, fewer than half of the smaller one's; and how many.

    Files with the same queries are looked at once, and only files that share a query are paired: models over
    the same rows and parts that share none cost what it takes to read them.

    Parameters
    ----------
    queries : of each file, its queries once and in order.
    """
    first_with: dict[bytes, int] = {}
    for at, codes in enumerate(queries):
        first_with.setdefault(codes.tobytes(), at)
    files = list(first_with.values())
    if len(files) < 2:
        return None
    columns = np.concatenate([queries[at] for at in files])
    starts = np.cumsum([0, *(len(queries[at]) for at in files)])
    shape = (len(files), int(columns.max(initial=-1)) + 1)
    holds = sparse.csr_array((np.ones(len(columns), np.int64), columns, starts), shape=shape)
    n_of = np.diff(starts)
    for row in range(len(files) - 1):
        shared = (holds[[row]] @ holds[row + 1 :].T).tocoo()
        others = shared.coords[-1] + row + 1
        is_few = 2 * shared.data < np.minimum(n_of[row], n_of[others])
        if is_few.any():
            at = int(np.argmin(np.where(is_few, others, len(files))))
            return files[row], files[int(others[at])], int(shared.data[at])
    return None


def listed(holders: Iterable[Holder], *, with_rows: bool = False) -> str:
    """The files by name, with the number of their rows where that matters."""
    names = [f"{holder.file} ({_n_rows(holder):,} rows)" if with_rows else holder.file for holder in holders]
    return " and ".join(([", ".join(names[:-1])] if names[1:] else []) + names[-1:])


def _n_rows(holder: Holder) -> int:
    return len(holder.keys.post.codes)


def numbered_on(
    query_parts: Sequence[QueryPart], ranking_parts: Sequence[RankingPart], holders: Sequence[Holder]
) -> tuple[list[QueryPart], list[RankingPart]]:
    """The parts of several files with the rows of each file numbered on from those of the one before."""
    starts: dict[str, int] = {}
    n_before = 0
    for holder in holders:
        starts[holder.file] = n_before
        n_before += _n_rows(holder)
    return (
        [replace(part, keys=_shifted(part.keys, starts[part.file])) for part in query_parts],
        [replace(part, keys=_shifted(part.keys, starts[part.file])) for part in ranking_parts],
    )


def _shifted(keys: Keys, n: int) -> Keys:
    levels = np.asarray([str(int(level) + n) for level in keys.post.levels.tolist()], object)
    return replace(keys, post=Texts(keys.post.codes, levels))


def check_same_rows(parts: Sequence[QueryPart], findings: Findings) -> None:
    """Report files that cannot be models over the same rows: their labels differ row by row."""
    first = parts[0]
    for part in parts[1:]:
        if part.file == first.file or len(part) != len(first):
            continue
        differs = np.flatnonzero(part.is_positive != first.is_positive)
        if len(differs) and not any(p.code == "QRY-083" and p.file == part.file for p in findings.problems):
            findings.add(
                "QRY-083",
                file=part.file,
                row=int(part.row[differs[0]]),
                n=len(differs),
                n_rows=len(part),
                first=first.file,
            )


def note_of(holders: Sequence[Holder], files_as: FilesAs) -> str:
    """How files without ids were read, for every report."""
    if files_as == "models":
        return f"{listed(holders)} have no ids: models over the same rows, paired by row number, as you said."
    files = listed(holders, with_rows=True)
    if holders[0].keys.has_ids:
        return f"{files} count their rows each from the start: parts of one table, numbered on, as you said."
    return f"{files} have no ids: parts of one table, one after the other, as you said."
