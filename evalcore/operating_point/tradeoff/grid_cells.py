"""Rows that are known by tallies on a grid: their sums over posts, their trade-off, and their groups."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.clustered import ClusterSums, share_interval
from evalcore.inference.correlation import UNKNOWN, ScoreCorrelation
from evalcore.operating_point.rules import Rules
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups, joined
from evalcore.operating_point.tradeoff.groups import GroupCount
from evalcore.operating_point.tradeoff.points import Points, kept_scores
from evalcore.operating_point.tradeoff.post_counts import PostCounts
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.operating_point.tradeoff.share_bounds import best_low
from evalcore.tallies.grid.cell import SUMS, GridCell, GridTable, grid_points

Cells = Sequence[tuple[str, GridCell]]
"""The groups of a column that have a row, each a level and its rows, in natural order."""


def cell_sums(cell: GridCell, *, has_posts: bool, rules: Rules) -> PostSums:
    """The sums over posts of the rows at or above each point that holds a row.

    Parameters
    ----------
    cell : the rows.
    has_posts : whether it is known which of them belong together.
    rules : by which bounds are made of the sums.
    """
    above = cell.above
    names = [one.name for one in fields(PostSums) if one.name in above]
    return PostSums(
        **{name: above[name] for name in names},
        posts_pos=int(above["posts_kept"][0]),
        rules=rules,
        correlation=_correlation(cell) if has_posts else ScoreCorrelation(UNKNOWN, UNKNOWN),
    )


def _correlation(cell: GridCell) -> ScoreCorrelation:
    pos, pairs = cell.sums["pos"], cell.pairs.copy()
    points = cell.points[pos > 0]
    for column in (1, 2):
        pairs[:, column] = np.searchsorted(points, pairs[:, column])
    return ScoreCorrelation.of_pairs(pos[pos > 0], pairs, int(cell.above["posts_kept"][0]))


def cell_points(cell: GridCell, table: GridTable, sums: PostSums, also: tuple[float, ...] = ()) -> Points:
    """The points of a trade-off: those of the grid that hold a row.

    Parameters
    ----------
    cell, table, sums : the rows, what is counted at each of their points, and the sums at these.
    also : thresholds that must be countable where there are too many points to show all.
    """
    kept = kept_scores(table, also)
    index = np.append(kept, len(cell.points))
    names = [one.name for one in fields(PostSums) if one.name in cell.sums]
    kept_sums = {name: getattr(sums, name)[index] for name in names}
    beside = {name: getattr(sums, name) for name in ("posts_pos", "rules", "correlation")}
    at = PostSums(**kept_sums, **beside)
    digest = hashlib.blake2b(digest_size=8)
    for array in (cell.points, *(cell.sums[name] for name in SUMS), cell.pairs):
        digest.update(np.ascontiguousarray(array, np.int64).data)
    return Points(
        table=table,
        kept=kept,
        previous=np.array([table.highest_below(place) if place else -np.inf for place in kept.tolist()]),
        is_grid=True,  # a threshold between two points may lie on either side of a row
        sums=at,
        counts=PostCounts(
            n=int(at.posts[0]),
            n_pos=at.posts_pos,
            missed=at.posts_pos - at.posts_all_kept,
            unopened=at.posts[0] - at.posts,
        ),
        n_rows=int(at.rows[0]),
        data_id=digest.hexdigest(),
    )


def cell_counts(
    column: str,
    cells: Cells,
    tau_neg: float | None,
    *,
    n_points: int,
    has_posts: bool,
    confidence: float,
    rules: Rules,
) -> list[GroupCount]:
    """The groups of a column at a threshold, as `group_counts` has those of rows."""
    sums = []
    for _, cell in cells:
        at = 0
        if tau_neg is not None:
            at = int(np.searchsorted(grid_points(n_points)[cell.points], tau_neg, side="left"))
        sums.append(cell_sums(cell, has_posts=has_posts, rules=rules).kept(slice(at, at + 1)))
    every = joined(sums)
    bound = share_interval(every, confidence=confidence, sides=1, end="low").low
    best = best_low(every, confidence=confidence)
    return [
        GroupCount(
            column=column,
            level=level,
            n=cell.n_rows,
            n_positive=cell.n_pos,
            n_missed=int(every.n[at] - every.successes[at]),
            screening_sensitivity=float(every.share[at]),
            bound=float(bound[at]),
            best_bound=float(best[at]),
        )
        for at, (level, cell) in enumerate(cells)
    ]


def cell_groups(
    column: str,
    cells: Cells,
    *,
    n_points: int,
    n_rows: int,
    has_posts: bool,
    target: float,
    confidence: float,
    rules: Rules,
) -> ColumnGroups:
    """The groups of a column at every threshold, as `column_groups` has those of rows.

    Parameters
    ----------
    column, cells : which groups.
    n_points, has_posts : of the tallies.
    n_rows : rows with or without a level.
    target, confidence, rules : as there.
    """
    places = [np.repeat(cell.points, cell.sums["pos"]) for _, cell in cells]
    parts = [
        _after_misses(cell, at, has_posts=has_posts, rules=rules)
        for (_, cell), at in zip(cells, places, strict=True)
    ]
    return ColumnGroups.of_sums(
        joined(parts),
        column=column,
        levels=tuple(level for level, _ in cells),
        n_rows=np.array([cell.n_rows for _, cell in cells], np.int64),
        n_pos=np.array([cell.n_pos for _, cell in cells], np.int64),
        n_without=n_rows - sum(cell.n_rows for _, cell in cells),
        score=grid_points(n_points)[np.concatenate([np.zeros(0, np.intp), *places])],
        target=target,
        confidence=confidence,
    )


def _after_misses(cell: GridCell, at: NDArray[np.intp], *, has_posts: bool, rules: Rules) -> ClusterSums:
    """The sums over posts of the positives after 0 … n of them are missed; ``at`` are their points."""
    after = np.append(0, np.searchsorted(cell.points, at, side="right"))
    return cell_sums(cell, has_posts=has_posts, rules=rules).kept(after)
