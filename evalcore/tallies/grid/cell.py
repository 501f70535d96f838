"""The scored rows of a group at the points of a grid: counts, and sums over posts that add between sites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.flaws import Flaw, Flaws, unless
from evalcore.tallies.scores import ScoreTable

Counts = NDArray[np.int64]
MOST_POINTS = 100_001
"""Of a grid."""
MOST_PAIRS = 500_000
"""Of one group: how many distinct pairs of points of cases in one post a file holds."""
SUMS = (
    "pos",
    "rows",
    "posts",
    "pos_pos",
    "pos_rows",
    "rows_rows",
    "pos_all_pos",
    "rows_all_rows",
    "posts_kept",
    "posts_wrong",
    "posts_all_kept",
    "posts_whole",
    "pos_all_rows",
    "rows_all_pos",
    "posts_all_wrong",
)
"""What is summed at every point, in the order of a file; what each is, says `GridCell`."""

ALIKE = (
    ("posts", "posts_whole"),
    ("posts_kept", "posts_all_kept"),
    ("posts_wrong", "posts_all_wrong"),
    ("pos_pos", "pos_all_pos"),
    ("rows_rows", "rows_all_rows"),
    ("pos_rows", "pos_all_rows"),
    ("pos_rows", "rows_all_pos"),
)
"""Sums that come to the same over all points."""


def grid_points(n: int) -> NDArray[np.float64]:
    """The points of a grid of probabilities, ascending: 0, 1/(n − 1), …, 1.

    >>> grid_points(5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    return np.arange(n) / (n - 1)


@dataclass(frozen=True)
class GridTable(ScoreTable):
    """The `ScoreTable` of scores that are known by the points of a grid: each lies at or above its point.

    What a threshold at a point decides is what it decides on the scores themselves, for those of a point lie
    below the next one.

    Parameters
    ----------
    n_points : of the grid.
    """

    holds_scores: ClassVar[bool] = False

    n_points: int = 0

    def highest_below(self, at: int) -> float:
        """The highest score that a row of the point before can have."""
        points = grid_points(self.n_points)
        after = int(np.searchsorted(points, self.score[at - 1])) + 1
        return float(np.nextafter(points[after], -np.inf))


@dataclass(frozen=True, eq=False)
class GridCell:
    """The rows of a group at the points of a grid: they add between sites, as no post lies in two.

    Parameters
    ----------
    points : int, shape (K,), ascending: the points that hold a row.
    sums : name of `SUMS` → int64, shape (K,): what the rows of each point add to a sum over posts of the rows
        at or above it. A post holds P positives among its N rows; p and n of them lie there. Summed are p
        (``pos``), n (``rows``), posts with n > 0 (``posts``), p², p·n, n², p·P, n·N, posts with a positive
        and with a negative there (``posts_kept``, ``posts_wrong``), with every positive and with every row
        there (``posts_all_kept``, ``posts_whole``), p·N, n·P, and posts with every negative there
        (``posts_all_wrong``).
    pairs : int64, shape (M, 4), ascending: of the posts with so many positives (2 or more), how many pairs of
        these lie at one point and at another, the lower first: what tells how alike scores within posts are.
    drawn : int64, shape (6, B): the rows by state and label, as `evalcore.tallies.decisions.StateCounts` has
        them, in every replicate of a second round; None in the first.
    """

    points: NDArray[np.intp]
    sums: Mapping[str, Counts]
    pairs: Counts
    drawn: Counts | None = None

    def table(self, n_points: int) -> GridTable:
        """The counts at each point that holds a row."""
        pos = self.sums["pos"]
        score, n_neg = grid_points(n_points)[self.points], self.sums["rows"] - pos
        return GridTable(score, pos, n_neg, n_points=n_points)

    @cached_property
    def above(self) -> Mapping[str, Counts]:
        """The sums over all rows at or above each point and, last, above all: shape (K + 1,)."""
        return {name: np.append(np.cumsum(added[::-1])[::-1], 0) for name, added in self.sums.items()}

    @property
    def n_rows(self) -> int:
        """Rows."""
        return int(self.sums["rows"].sum())

    @property
    def n_pos(self) -> int:
        """Rows with evidence."""
        return int(self.sums["pos"].sum())

    @property
    def n_posts(self) -> int:
        """Posts."""
        return int(self.sums["posts"].sum())

    def merge(self, other: GridCell) -> GridCell:
        """These rows and those of other posts."""
        points = np.union1d(self.points, other.points)
        sums = {}
        for name in SUMS:
            sums[name] = np.zeros(len(points), np.int64)
            for part in (self, other):
                sums[name][np.searchsorted(points, part.points)] += part.sums[name]
        pairs = added_pairs(np.concatenate([self.pairs, other.pairs]))
        totals = [part.drawn for part in (self, other) if part.drawn is not None]
        return GridCell(points, sums, pairs, np.sum(totals, axis=0) if totals else None)

    def flaws(self, n_points: int) -> Flaws:
        """What does not agree in a cell that was opened; its numbers are whole and none is negative."""
        points, sums = self.points, self.sums
        holds = bool((np.diff(points) > 0).all()) and int(points.max(initial=0)) < n_points
        if not holds:
            wrong = "points in another order, or beyond the grid"
            yield Flaw("points", wrong, f"ascending, below {n_points:,}")
            return
        is_there = bool((sums["rows"] > 0).all())
        yield from unless(is_there, "rows", "a point without a row", "points that hold a row")
        for fewer, more in (("pos", "rows"), ("posts", "rows"), ("posts_kept", "pos")):
            holds = bool((sums[fewer] <= sums[more]).all())
            yield from unless(holds, fewer, f"more than {more} at a point", f"at most {more}")
        for one, other in ALIKE:
            found, expected = int(sums[one].sum()), int(sums[other].sum())
            yield from unless(found == expected, other, f"{expected:,} in all", f"{found:,}, as {one}")
        yield from self._flaws_of_pairs(n_points)

    def _flaws_of_pairs(self, n_points: int) -> Flaws:
        size, low, high, n = self.pairs.T
        holds = bool(((size >= 2) & (low <= high) & (high < n_points) & (n > 0)).all())
        yield from unless(holds, "pairs", "pairs that there cannot be", "size ≥ 2, low ≤ high, number > 0")
        if not holds:
            return
        is_ascending = len(np.unique(self.pairs[:, :3], axis=0)) == len(self.pairs)
        yield from unless(is_ascending, "pairs", "a pair twice", "each once")
        found, expected = 2 * int(n.sum()), int(self.sums["pos_pos"].sum()) - self.n_pos
        yield from unless(found == expected, "pairs", f"{found:,} of two in order", f"{expected:,}")
        sizes, at = np.unique(size, return_inverse=True)
        of_sizes = np.zeros(len(sizes), np.int64)
        np.add.at(of_sizes, at.ravel(), n)
        for one, of_size in zip(sizes.tolist(), of_sizes.tolist(), strict=True):
            of_post = one * (one - 1) // 2
            holds = of_size % of_post == 0
            yield from unless(holds, "pairs", f"{of_size:,} of posts of {one}", f"a multiple of {of_post:,}")
        paired = np.zeros(n_points)
        for place in (low, high):
            np.add.at(paired, place, n / (size - 1))
        most = np.zeros(n_points)
        most[self.points] = self.sums["pos"]
        inside = bool((paired <= most + 1e-6).all())
        yield from unless(inside, "pairs", "more of a point than it has", "pairs of its positives")


NO_PAIRS = np.zeros((0, 4), np.int64)


def added_pairs(pairs: Counts) -> Counts:
    """The same with the numbers of equal pairs added, in ascending order."""
    if not len(pairs):
        return NO_PAIRS
    keys, at = np.unique(pairs[:, :3], axis=0, return_inverse=True)
    n = np.zeros(len(keys), np.int64)
    np.add.at(n, at.ravel(), pairs[:, 3])
    return np.column_stack([keys, n])
