"""Posts that stand in several folds or splits, and what each fold holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.results import CheckResult, file_of, result
from evalcore.data import Data, Queries, Rankings
from evalcore.problems import SHOWN, Problem, problem

_FEW = 5
_PLACES = {"fold": "folds", "split": "splits"}


@dataclass(frozen=True)
class PartCounts:
    """What one fold or split holds.

    Parameters
    ----------
    column : ``fold`` or ``split``.
    name : its value.
    n_posts, n_rows, n_positive : posts, rows and rows with evidence; rows of several models count each.
    """

    column: str
    name: str
    n_posts: int
    n_rows: int
    n_positive: int


def counts_by_part(data: Data) -> tuple[PartCounts, ...]:
    """Posts, rows and rows with evidence of every fold and split, in the order of their names."""
    return tuple(
        PartCounts(column, name, _n_posts(queries.post[rows]), int(rows.sum()), n_positive)
        for queries, column in _columns(data)
        if isinstance(queries, Queries)
        for name, rows, n_positive in sorted(_parts(queries, column), key=lambda part: part[0])
    )


def _n_posts(codes: NDArray[np.intp]) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _columns(data: Data) -> Iterator[tuple[Queries | Rankings, str]]:
    """Fold and split, each from the queries where they have it, else from the ranked lists."""
    for column in _PLACES:
        for table in (data.queries, data.rankings):
            if table is not None and column in table.slices:
                yield table, column
                break


def _parts(queries: Queries, column: str) -> Iterator[tuple[str, NDArray[np.bool_], int]]:
    codes, levels = queries.slices[column]
    for code, name in enumerate(levels):
        rows = codes == code
        if rows.any():
            yield name, rows, int(np.count_nonzero(queries.has_evidence[rows]))


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of folds and splits, where the data have them."""
    for table, column in _columns(data):
        is_queries = isinstance(table, Queries)
        file = file_of(data, "queries" if is_queries else "ranked_lists")
        n_rows = int(np.count_nonzero(table.slices[column][0] >= 0))
        if table.has_posts and n_rows:
            what = f"No post stands in two {_PLACES[column]}."
            name = f"Posts of one {column}"
            yield result(name, what, n_rows, _in_several(table, column, file))
        if isinstance(table, Queries) and n_rows:
            what = f"Every {column} has rows with evidence and rows without."
            yield result(f"Both classes in every {column}", what, n_rows, _one_class(table, column, file))


def _in_several(table: Queries | Rankings, column: str, file: str | None) -> Iterator[Problem]:
    """Posts in several folds, counted and the first of them named with their rows."""
    codes, levels = table.slices[column]
    rows = np.flatnonzero(codes >= 0)
    key = table.post[rows].astype(np.int64) * len(levels) + codes[rows]
    pair, first = np.unique(key, return_index=True)
    post, part = np.divmod(pair, len(levels))
    posts, start, n_parts = np.unique(post, return_index=True, return_counts=True)
    leaked = np.flatnonzero(n_parts > 1)
    if not len(leaked):
        return
    kind = _PLACES[column]
    yield problem("QRY-030", file=file, column=column, n=len(leaked), n_posts=len(posts), kind=kind)
    for at in leaked[:SHOWN].tolist():
        places = range(int(start[at]), int(start[at]) + int(n_parts[at]))
        where = sorted((int(rows[first[place]]), levels[part[place]]) for place in places)
        (first_row, first_name), (row, name) = next(pairwise(where))
        rest = f" and {len(where) - 2} more" if len(where) > 2 else ""
        facts = {"post": table.post_ids[posts[at]], "name": name, "first_name": first_name}
        if isinstance(table, Queries):
            at_row, of_row = int(table.row[row]), f" of row {int(table.row[first_row])}"
        else:
            at_row, of_row = None, ""
        yield problem(
            "QRY-031", file=file, row=at_row, column=column, kind=column, of_row=of_row, rest=rest, **facts
        )


def _one_class(queries: Queries, column: str, file: str | None) -> Iterator[Problem]:
    """Folds of some size in which every label is the same, where the data have both."""
    if queries.has_evidence.all() or not queries.has_evidence.any():
        return
    for name, rows, n_positive in _parts(queries, column):
        n_rows = int(rows.sum())
        if n_positive in (0, n_rows) and n_rows >= _FEW:
            what = "evidence in every row" if n_positive else "no row with evidence"
            yield problem(
                "QRY-032", file=file, column=column, kind=column, name=name, n_rows=n_rows, what=what
            )
