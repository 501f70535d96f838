"""From rows to tallies on a grid: what a site hands over, and what pooled rows give on the same grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.drawn.secret import Secret
from evalcore.drawn.weights import hashes, weights_of
from evalcore.operating_point.choosing.request import is_synthetic
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.groups import levels_of
from evalcore.operating_point.tradeoff.post_sums import post_sums, states_by_post
from evalcore.problems import InputError, problem
from evalcore.settings import too_many_replicates
from evalcore.splits import SPLIT
from evalcore.tallies.grid import EVERYTHING, Drawn, GridScores, Group, ScoreMeaning
from evalcore.tallies.grid.cell import (
    MOST_PAIRS,
    MOST_POINTS,
    NO_PAIRS,
    SUMS,
    GridCell,
    added_pairs,
    grid_points,
)
from evalcore.tallies.scores import ScoredRows

FOLD = "fold"
ALWAYS = (SPLIT, FOLD)
"""The columns whose levels are kept apart wherever a file holds them."""
_BLOCK = 1 << 20
MOST_LEVELS = 1000
"""Of one column."""


class Gridded(NamedTuple):
    """Data whose rows became tallies on a grid, and what that took.

    Parameters
    ----------
    data : without rows.
    scores : the tallies.
    n_moved : of all rows, those that were moved to a lower point for the smallest cell size.
    furthest : by how much at most.
    """

    data: Data
    scores: GridScores
    n_moved: int = 0
    furthest: float = 0.0


def gridded(
    data: Data,
    *,
    grid: int = 2001,
    by: Iterable[str] = (),
    model: str | None = None,
    smallest_cell: int = 1,
    drawn: Drawn | None = None,
    secret: Secret | None = None,
) -> Gridded:
    """The scored rows of one model as tallies on a grid: each score at the highest point not above it.

    Parameters
    ----------
    data : checked data with labels and probabilities.
    grid : number of points from 0 to 1, both among them; odd, so that 0.5 is one.
    by : columns whose levels are kept apart, beside splits and folds.
    model : the model; None takes the first.
    smallest_cell : so many rows at least stand at every point that holds any, of every group: rows move down
        to the lowest point of as many as that takes. A group with fewer rows is left out.
    drawn : the replicates of a second round, at thresholds that are fixed; None: the first round.
    secret : what the replicates are drawn by, beside the seed and the ids; None: by these alone.

    Raises
    ------
    InputError : OPT-003 for another grid or size; OPT-006 for unknown columns; SIT-007 for scores that are no
        probabilities; SIT-009 for too many pairs; without queries as for `row_set`.
    """
    _check(data, grid, smallest_cell)
    rows = row_set(data, "all", split=None, model=model)
    queries, scored = rows.queries, rows.scored
    known = queries.group_columns(MOST_LEVELS)
    wanted = ["criterion" if name == "criterion_id" else name for name in by]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        expected = f"one of {', '.join(known)}" if known else "none, as these data have no such column"
        raise InputError([problem("OPT-006", found=name, expected=expected) for name in unknown])
    columns = tuple(sorted({*wanted, *(name for name in ALWAYS if name in queries.slices)}))
    at = np.searchsorted(grid_points(grid), scored.score, side="right") - 1
    cells: dict[tuple[str, Group], GridCell] = {}
    by_post: dict[Group, NDArray[np.int64]] = {}
    if drawn is not None:
        _check_drawn(drawn, has_posts=queries.has_posts)
        drawn = replace(drawn, secret=None if secret is None else secret.check)
    n_moved, furthest = 0, 0
    left_out: list[tuple[str, Group]] = []
    if len(scored) < smallest_cell:
        expected = f"at most {len(scored):,}, the rows that there are"
        raise InputError([problem("OPT-003", name="smallest cell", found=smallest_cell, expected=expected)])
    for split, group, mask in _groups(queries, columns):
        if np.count_nonzero(mask) < smallest_cell:
            left_out.append((split, group))
            continue
        own = at[mask]
        placed = _piled(own, grid, smallest_cell)
        cells[split, group] = _cell(scored.where(mask), placed, grid, has_posts=queries.has_posts)
        if drawn is not None and not split:
            by_post[group] = _states(scored.where(mask), grid_points(grid)[placed], drawn)
        n_moved += int(np.count_nonzero(placed != own)) if (split, group) == ("", EVERYTHING) else 0
        furthest = max(furthest, int(np.abs(placed - own).max(initial=0)))
    if drawn is not None:
        hashed = hashes(queries.post_ids) if secret is None else secret.hashes(queries.post_ids)
        seeded = drawn if secret is None else replace(drawn, seed=secret.seed(drawn.seed))
        for group, totals in zip(by_post, _totals(list(by_post.values()), hashed, seeded), strict=True):
            cells["", group] = replace(cells["", group], drawn=totals)
    origin = rows.origin
    meaning = ScoreMeaning(origin.column, origin.level, origin.is_maximum, data.score_of, data.positive)
    scores = GridScores(
        n_points=grid,
        score=meaning,
        has_posts=queries.has_posts,
        is_synthetic=is_synthetic(data),
        columns=columns,
        of_groups={group: cell for (split, group), cell in cells.items() if not split},
        of_splits={
            one: {group: cell for (split, group), cell in cells.items() if split == one}
            for one in dict.fromkeys(split for split, _ in cells if split)
        },
        shared=_shared(scored, *queries.slices[SPLIT]) if SPLIT in columns else {},
        n_in_several_folds=_n_in_several(scored, queries.slices[FOLD][0]) if FOLD in columns else 0,
        left_out=tuple(left_out),
        drawn=drawn,
    ).ordered()
    without = data.with_tables(**{**dict.fromkeys(data.tables), "sites": scores})
    without = replace(without, checked=(), files_as=None, sources=origin.sources)
    return Gridded(without, scores, n_moved, furthest / (grid - 1))


def _check(data: Data, grid: int, smallest_cell: int) -> None:
    found = []
    if not (3 <= grid <= MOST_POINTS and grid % 2 == 1):
        expected = f"an odd number from 3 to {MOST_POINTS:,}, such as 2001"
        found.append(problem("OPT-003", name="grid", found=grid, expected=expected))
    if smallest_cell < 1:
        expected = "a whole number from 1 on"
        found.append(problem("OPT-003", name="smallest cell", found=smallest_cell, expected=expected))
    if data.score_kind != "probability":
        advice = "a grid has ends, and a score of any scale has none. Give probabilities."
        scores = "scores on any scale"
        found.append(problem("SIT-007", found=scores, expected="probabilities", advice=advice))
    if found:
        raise InputError(found)


def _check_drawn(drawn: Drawn, *, has_posts: bool) -> None:
    found = too_many_replicates({"bootstrap": drawn.n_replicates})
    if not has_posts:
        advice = "rows without ids have the same numbers in every site. Name a column of posts."
        facts: dict[str, Any] = {"found": "replicates of rows without posts", "expected": "posts"}
        found.append(problem("SIT-007", **facts, advice=advice))
    if found:
        raise InputError(found)


def _states(rows: ScoredRows, score: NDArray[np.float64], drawn: Drawn) -> NDArray[np.int64]:
    """Rows by state and label of each post, shape (P, 6)."""
    by_post = states_by_post(replace(rows, score=score), drawn.tau_neg, drawn.tau_pos)
    return np.stack([getattr(by_post, one.name) for one in fields(by_post)], axis=1)


def _totals(
    by_post: list[NDArray[np.int64]], hashed: NDArray[np.uint64], drawn: Drawn
) -> list[NDArray[np.int64]]:
    """The same over all posts in every replicate, of each group int64 of shape (6, B), exact."""
    stacked = np.concatenate(by_post, axis=1).astype(np.float64)
    size = max(1, _BLOCK // max(len(hashed), 1))
    starts = range(0, drawn.n_replicates, size)
    of_blocks = [
        weights_of(hashed, seed=drawn.seed, start=at, stop=min(at + size, drawn.n_replicates)) @ stacked
        for at in starts
    ]
    totals = np.concatenate(of_blocks).astype(np.int64).T
    return [totals[at : at + 6] for at in range(0, len(totals), 6)]


def _groups(queries: Queries, columns: tuple[str, ...]) -> Iterator[tuple[str, Group, NDArray[np.bool_]]]:
    """All rows, the groups of each column and, of each split, those of every other column."""
    every = np.ones(len(queries), bool)
    yield "", EVERYTHING, every
    for column in columns:
        yield from (("", group, mask) for group, mask in _levels(queries, column, every))
    for (_, split), rows in _levels(queries, SPLIT, every) if SPLIT in columns else ():
        for column in columns:
            if column != SPLIT:
                yield from ((split, group, mask) for group, mask in _levels(queries, column, rows))


def _levels(
    queries: Queries, column: str, rows: NDArray[np.bool_]
) -> Iterator[tuple[Group, NDArray[np.bool_]]]:
    """The levels of a column that some rows have, each with these rows."""
    codes, levels = levels_of(queries, column)
    there = np.bincount(codes[rows & (codes >= 0)], minlength=len(levels))
    yield from (((column, level), rows & (codes == code)) for code, level in enumerate(levels) if there[code])


def _piled(at: NDArray[np.intp], n_points: int, smallest: int) -> NDArray[np.intp]:
    """The points at which so many rows stand at least, in piles from the lowest up, each at its lowest point.

    A score is never moved up: what a threshold keeps is kept by the scores themselves.
    """
    if smallest <= 1:
        return at
    n = np.bincount(at, minlength=n_points)
    to = np.arange(n_points)
    start, pile, last = -1, 0, 0
    for point in np.flatnonzero(n).tolist():
        start = point if start < 0 else start
        pile += int(n[point])
        to[start : point + 1] = start
        if pile >= smallest:
            last, start, pile = start, -1, 0
    if pile:
        to[start:] = to[last]
    return np.asarray(to[at])


def _cell(rows: ScoredRows, at: NDArray[np.intp], n_points: int, *, has_posts: bool) -> GridCell:
    """The sums over posts of rows at these points."""
    present, post = np.unique(rows.post, return_inverse=True)
    rows = ScoredRows(rows.score, rows.is_positive, post, len(present))
    summed = post_sums(rows, at, n_points, rules="1.0")  # by which no score is looked at beside the points
    above = {name: getattr(summed, name) for name in SUMS if hasattr(summed, name)}
    pos, n = (np.bincount(code, minlength=rows.n_posts) for code in (post[rows.is_positive], post))
    added = {name: sums[:-1] - sums[1:] for name, sums in above.items()}
    added["pos_all_rows"] = _summed(at[rows.is_positive], n[post[rows.is_positive]], n_points)
    added["rows_all_pos"] = _summed(at, pos[post], n_points)
    lowest = np.full(rows.n_posts, n_points)
    np.minimum.at(lowest, post[~rows.is_positive], at[~rows.is_positive])
    added["posts_all_wrong"] = np.bincount(lowest, minlength=n_points + 1)[:-1]
    points = np.flatnonzero(added["rows"])
    pairs = _pairs(rows, at, pos) if has_posts else NO_PAIRS
    return GridCell(points, {name: added[name][points].astype(np.int64) for name in SUMS}, pairs)


def _summed(at: NDArray[np.intp], values: NDArray[np.int64], n_points: int) -> NDArray[np.int64]:
    found = np.zeros(n_points, np.int64)
    np.add.at(found, at, values)
    return found


def _pairs(rows: ScoredRows, at: NDArray[np.intp], n_pos: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many pairs of positives of one post lie at two points, by how many positives the post has."""
    post, place = rows.post[rows.is_positive], at[rows.is_positive]
    order = np.lexsort((place, post))
    place, size = place[order], n_pos[post[order]]
    found = [NO_PAIRS]
    for one in np.unique(size[size > 1]).tolist():
        of_size = place[size == one].reshape(-1, one)
        if len(of_size) * one * (one - 1) // 2 > 50 * MOST_PAIRS:
            raise InputError([problem("SIT-009", found="very many", expected=f"{MOST_PAIRS:,}")])
        for first, second in combinations(range(one), 2):
            column = [
                np.full(len(of_size), one),
                of_size[:, first],
                of_size[:, second],
                np.ones(len(of_size)),
            ]
            found.append(np.column_stack(column).astype(np.int64))
    pairs = added_pairs(np.concatenate(found))
    if len(pairs) > MOST_PAIRS:
        raise InputError([problem("SIT-009", found=f"{len(pairs):,}", expected=f"{MOST_PAIRS:,}")])
    return pairs


def _n_in_several(rows: ScoredRows, codes: NDArray[np.intp]) -> int:
    """Posts with rows of more than one level."""
    pairs = np.unique(np.stack([rows.post, codes])[:, codes >= 0], axis=1)
    return int(np.count_nonzero(np.bincount(pairs[0]) > 1))


def _shared(rows: ScoredRows, codes: NDArray[np.intp], levels: tuple[str, ...]) -> dict[tuple[str, str], int]:
    """Of every two splits, the posts with rows in both."""
    posts = {level: np.unique(rows.post[codes == code]) for code, level in enumerate(levels)}
    names = sorted(level for level in levels if len(posts[level]))
    return {
        (one, other): len(np.intersect1d(posts[one], posts[other])) for one, other in combinations(names, 2)
    }
