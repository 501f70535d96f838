"""Candidates that stand more than once in a list: named with query and ranks, or kept at their best rank."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, repeated
from evalcore.readers.evidence.rankings import ModelList, query_words


@dataclass(frozen=True)
class Place:
    """Where the rows of a list stand.

    Parameters
    ----------
    file, column : of the list.
    row : data row of each list row, from 1, shape (R,); the line in a file without a header.
    is_line : whether ``row`` holds lines.
    """

    file: str
    column: str | None
    row: NDArray[np.intp]
    is_line: bool = False


def check_repeats(
    one: ModelList, keys: Keys, place: Place, keep_first: bool, findings: Findings
) -> tuple[ModelList, NDArray[np.intp]]:
    """The list with each candidate once; repetitions are reported, or dropped but for the best rank if asked.

    Parameters
    ----------
    one : the list.
    keys : the queries.
    place : where its rows stand.
    keep_first : whether the best rank of a repeated candidate is kept.

    Returns
    -------
    The list, and the indices of the rows left out.
    """
    key = one.query.astype(np.int64) * max(len(one.item.levels), 1) + one.item.codes
    later, first = repeated(key)
    if not len(later):
        return one, later
    if keep_first:
        return _best_ranks(one, key)
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        at = int(place.row[i])
        findings.add(
            "RNK-001",
            file=place.file,
            row=None if place.is_line else at,
            line=at if place.is_line else None,
            column=place.column,
            item=one.item.at(i),
            ranks=" and ".join(map(str, sorted((_rank(one, j), _rank(one, i))))),
            query=query_words(keys, int(one.query[i])),
        )
    findings.count_more("RNK-001", len(later))
    return one, later


def _rank(one: ModelList, at: int) -> int:
    """The rank of a list row in its query, ties by order in the file."""
    mine = np.flatnonzero(one.query == one.query[at])
    order = mine[np.argsort(-one.score[mine], kind="stable")]
    return int(np.flatnonzero(order == at)[0]) + 1


def _best_ranks(one: ModelList, key: NDArray[np.int64]) -> tuple[ModelList, NDArray[np.intp]]:
    order = np.lexsort((np.arange(len(key)), -one.score, key))
    is_best = np.concatenate([[True], key[order][1:] != key[order][:-1]])
    kept = np.sort(order[is_best])
    dropped = np.setdiff1d(np.arange(len(key)), kept)
    n_dropped = np.bincount(one.query[dropped], minlength=len(one.n_candidates))
    best = replace(
        one,
        query=one.query[kept],
        item=one.item.where(kept),
        score=one.score[kept],
        n_candidates=one.n_candidates - n_dropped,
    )
    return best, dropped
