"""Which (post, criterion) cells the data have, and which criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.results import CheckResult, by_model, file_of, result
from evalcore.data import Data, Queries, Rankings
from evalcore.problems import SHOWN, Problem, problem

KNOWN_CRITERIA = tuple(f"A.{number}" for number in range(1, 11))
_MOST = len(KNOWN_CRITERIA) // 2 + 1
_DIGITS = re.compile(r"(\d{1,18})")

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class CriterionCells:
    """The column of the grid posts × criteria that belongs to one criterion.

    Parameters
    ----------
    criterion : its id.
    n_posts : posts of the data, the height of the grid.
    n_present : posts that have a row with this criterion; a post counts once, whatever the models.
    n_positive : of these, posts with evidence.
    """

    criterion: str
    n_posts: int
    n_present: int
    n_positive: int

    @property
    def n_missing(self) -> int:
        """Posts without a row for this criterion."""
        return self.n_posts - self.n_present


def completeness(data: Data) -> tuple[CriterionCells, ...]:
    """The grid posts × criteria as counts for each criterion, in the natural order of their ids.

    Returns
    -------
    one entry a criterion; empty where the data have no posts or no criteria.
    """
    table: Queries | Rankings | None = data.queries if data.queries is not None else data.rankings
    if table is None or not table.has_posts or not len(table.criterion_ids):
        return ()
    n_criteria = len(table.criterion_ids)
    rows = np.flatnonzero(table.criterion >= 0)
    cell = table.post[rows].astype(np.int64) * n_criteria + table.criterion[rows]
    n_posts = int(np.count_nonzero(np.bincount(table.post[rows])))
    n_cells = len(table.post_ids) * n_criteria
    present = np.bincount(_distinct(cell, n_cells) % n_criteria, minlength=n_criteria)
    with_evidence = _distinct(cell[_has_evidence(table)[rows]], n_cells)
    positive = np.bincount(with_evidence % n_criteria, minlength=n_criteria)
    order = sorted(range(n_criteria), key=lambda code: _natural(str(table.criterion_ids[code])))
    return tuple(
        CriterionCells(str(table.criterion_ids[code]), n_posts, int(present[code]), int(positive[code]))
        for code in order
    )


def missing_cells(cells: tuple[CriterionCells, ...]) -> tuple[int, int]:
    """Of a grid the cells that are missing, and all of them."""
    return sum(one.n_missing for one in cells), sum(one.n_posts for one in cells)


def _distinct(cell: Codes, n_cells: int) -> Codes:
    """The cells, each once: by a mask of the grid, or by sorting where the grid is nearly empty."""
    if n_cells > 8 * len(cell) + 1000:
        return np.unique(cell)
    is_filled = np.zeros(n_cells, bool)
    is_filled[cell] = True
    return np.flatnonzero(is_filled)


def _has_evidence(table: Queries | Rankings) -> NDArray[np.bool_]:
    if isinstance(table, Queries):
        return table.has_evidence
    return np.bincount(table.gold_query, minlength=table.n_queries) > 0


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name)]


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of classes, cells, criteria and models."""
    queries, rankings = data.queries, data.rankings
    table: Queries | Rankings | None = queries if queries is not None else rankings
    if table is None:
        return
    file = file_of(data, "queries" if queries is not None else "ranked_lists")
    n_rows = len(table.post)
    if queries is not None:
        what = "There are rows with evidence and rows without, for every model."
        yield result("Both classes", what, n_rows, _one_class(queries, file))
    if table.has_posts and len(table.criterion_ids):
        what = "Every post has a row for every criterion, for every model."
        yield result("Cells of posts × criteria", what, n_rows, _missing_cells(table, file))
        what = "Criteria are A.1 to A.10 where most are, and none of these is missing."
        yield result("Criterion ids", what, n_rows, _criteria(table, file))
    if queries is not None and len(queries.models) > 1:
        what = "Every model has the same queries."
        yield result("Queries shared by models", what, n_rows, _unshared(queries, file))


def _one_class(queries: Queries, file: str | None) -> Iterator[Problem]:
    for words, rows in by_model(queries):
        n_pos = int(np.count_nonzero(queries.has_evidence[rows]))
        if n_pos in (0, len(rows)):
            found = ("every row has evidence" if n_pos else "no row has evidence") + words
            yield problem("QRY-016", file=file, found=found)


def _missing_cells(table: Queries | Rankings, file: str | None) -> Iterator[Problem]:
    """Cells of the grid posts × criteria of each model that no row fills."""
    parts = by_model(table) if isinstance(table, Queries) else [("", np.arange(len(table.post)))]
    for words, present in parts:
        rows = present[table.criterion[present] >= 0]
        n_posts = int(np.count_nonzero(np.bincount(table.post[rows])))
        n_cells = n_posts * int(np.count_nonzero(np.bincount(table.criterion[rows])))
        if len(rows) < n_cells:
            n_missing = n_cells - len(rows)
            yield problem(
                "QRY-015", file=file, n_missing=n_missing, n_cells=n_cells, n_rows=len(present), model=words
            )


def _criteria(table: Queries | Rankings, file: str | None) -> Iterator[Problem]:
    """Ids outside A.1 to A.10 where most are of these, and those of A.1 to A.10 that no row has."""
    codes = table.criterion[table.criterion >= 0]
    n_rows = np.bincount(codes, minlength=len(table.criterion_ids))
    ids = [str(name) for code, name in enumerate(table.criterion_ids) if n_rows[code]]
    known = [name for name in ids if name in KNOWN_CRITERIA]
    if 2 * len(known) > len(ids) and len(known) > 1:
        for name in [name for name in ids if name not in KNOWN_CRITERIA][:SHOWN]:
            rows = np.flatnonzero(table.criterion == list(table.criterion_ids).index(name))
            row = int(table.row[rows[0]]) if isinstance(table, Queries) else None
            yield problem("QRY-028", file=file, row=row, column="criterion_id", found=name, n=len(rows))
    if _MOST <= len(known) < len(KNOWN_CRITERIA):
        missing = [name for name in KNOWN_CRITERIA if name not in known]
        yield problem("QRY-029", file=file, column="criterion_id", found=", ".join(missing))


def _unshared(queries: Queries, file: str | None) -> Iterator[Problem]:
    """Queries that only some of several models have."""
    key = queries.post.astype(np.int64) * (len(queries.criterion_ids) + 1) + queries.criterion + 1
    _, n_models = np.unique(key, return_counts=True)
    n_shared = int(np.count_nonzero(n_models == len(queries.models)))
    if n_shared < len(n_models):
        yield problem("QRY-025", file=file, n_shared=n_shared, n_rest=len(n_models) - n_shared)
