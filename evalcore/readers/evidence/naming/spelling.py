"""Ids that two files write otherwise, such as 0960 and 960 after a spreadsheet: they would not be joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import lookalikes, merged_levels
from evalcore.readers.evidence.joining import Holder
from evalcore.readers.formats.table import Texts


@dataclass(frozen=True)
class _Apart:
    """Two ids that may be meant as one, of which no file holds both: places of the files, and the ids."""

    files: tuple[int, int]
    ids: tuple[str, str]


def check_spelling(holders: Sequence[Holder], findings: Findings, *, are_parts: bool = False) -> None:
    """Compare how the files write their posts and criteria.

    Parameters
    ----------
    holders : the files; those whose rows are known by their number only are left out.
    findings : gets QRY-310 where half or more of the ids that a file does not share are written otherwise in
        another, else QRY-007.
    are_parts : whether the files are parts of one table: nothing is joined, and it is told only.
    """
    named = [holder for holder in holders if holder.keys.has_ids]
    if len({holder.file for holder in named}) < 2:
        return
    criteria = [holder for holder in named if holder.keys.criterion is not None]
    _check(named, [holder.keys.post for holder in named], findings, are_parts)
    texts = [holder.keys.criterion for holder in criteria]
    _check(criteria, [one for one in texts if one is not None], findings, are_parts)


def _check(holders: Sequence[Holder], texts: Sequence[Texts], findings: Findings, are_parts: bool) -> None:
    if len(holders) < 2:
        return
    levels, codes = merged_levels([one.levels for one in texts])
    groups = lookalikes(levels)
    if not groups:
        return
    held = [np.unique(code[one.codes]) for code, one in zip(codes, texts, strict=True)]
    apart = [found for group in groups if (found := _apart(group, levels, held)) is not None]
    for files in dict.fromkeys(one.files for one in apart):
        here, there = files
        pairs = [one.ids for one in apart if one.files == files]
        n_own = min(
            len(np.setdiff1d(held[here], held[there], assume_unique=True)),
            len(np.setdiff1d(held[there], held[here], assume_unique=True)),
        )
        names = holders[here].file, holders[there].file
        report_apart(names, pairs, len(pairs), n_own, findings, are_parts=are_parts)


def report_apart(
    files: tuple[str, str],
    pairs: Sequence[tuple[str, str]],
    n_pairs: int,
    n_own: int,
    findings: Findings,
    *,
    are_parts: bool = False,
) -> None:
    """Refuse ids that two files write otherwise, or tell of them where they are few.

    Parameters
    ----------
    files : their names.
    pairs : an id of the first and the one of the second that may be meant, the first ones at least.
    n_pairs : how many there are.
    n_own : ids that the file with fewer of them does not share.
    findings, are_parts : as of `check_spelling`.
    """
    here, there = files
    if are_parts or 2 * n_pairs < n_own:
        for ours, theirs in pairs[:SHOWN]:
            findings.add("QRY-007", found=f"“{ours[:40]}” ({here}) and “{theirs[:40]}” ({there})")
        findings.count_more("QRY-007", n_pairs)
        return
    ours, theirs = (f"“{one[:40]}”" for one in pairs[0])
    findings.add("QRY-310", file=here, n=n_pairs, other=there, found=ours, others=theirs)


def _apart(group: list[int], levels: NDArray[np.object_], held: list[NDArray[np.intp]]) -> _Apart | None:
    """The first two of some ids that look alike and stand in different files; None where a file holds two."""
    used: dict[int, int] = {}  # file → the id of the group that it holds
    for file, codes in enumerate(held):
        mine = [code for code in group if _holds(codes, code)]
        if len(mine) > 1:
            return None
        if mine:
            used[file] = mine[0]
    here = next(iter(used), None)
    there = next((file for file, code in used.items() if here is not None and code != used[here]), None)
    if here is None or there is None:
        return None
    return _Apart((here, there), (str(levels[used[here]]), str(levels[used[there]])))


def _holds(codes: NDArray[np.intp], code: int) -> bool:
    at = int(np.searchsorted(codes, code))
    return at < len(codes) and int(codes[at]) == code
