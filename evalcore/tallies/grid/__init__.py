"""Scored rows as counts and sums at the points of a grid: what a site may hand over in place of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter

import numpy as np

from evalcore.problems import Problem, problem
from evalcore.splits import SPLIT
from evalcore.tallies.flaws import Flaw, Flaws, unless
from evalcore.tallies.grid.cell import NO_PAIRS, SUMS, GridCell, grid_points
from evalcore.tallies.levels import Column, level_order

Group = tuple[str, str]
"""A column and one of its levels."""

EVERYTHING: Group = ("", "")


@dataclass(frozen=True)
class ScoreMeaning:
    """What a score is: sites whose scores mean something else do not fit together.

    Parameters
    ----------
    column : the name of the score.
    level : what the model column says of its model; None without one.
    is_maximum : whether it is the highest of the candidates of a query.
    of : the class whose score the file held, where that was open (`Data.score_of`).
    positive : the label that means "has evidence".
    """

    column: str
    level: str | None
    is_maximum: bool
    of: str | None
    positive: str

    @property
    def model(self) -> str:
        """What the model is called."""
        return self.column if self.level is None else self.level

    @property
    def in_words(self) -> str:
        """The meaning in words."""
        whose = "" if self.level is None else f" of the model {self.level}"
        highest = ", the highest of its candidates" if self.is_maximum else ""
        of = "" if self.of is None else f", read as the score of the {self.of} class"
        return f"{self.column}{whose}{highest}{of}, positive label {self.positive}"


@dataclass(frozen=True)
class Drawn:
    """What the replicates of a second round are of: two thresholds that all sites were told.

    Parameters
    ----------
    tau_neg, tau_pos : the thresholds, beyond every score for an empty zone.
    n_replicates : how often posts were drawn.
    seed : of the draws, each a pure function of the seed, the replicate and the post's id as text.
    secret : what files of one secret have alike, where the draws are a function of a secret text too; else
        None.
    """

    tau_neg: float
    tau_pos: float
    n_replicates: int
    seed: int
    secret: str | None = None

    @property
    def in_words(self) -> str:
        """What was drawn, in words."""
        drawn = f"{self.n_replicates:,} at {self.tau_neg!r} and {self.tau_pos!r}, seed {self.seed}"
        return drawn if self.secret is None else f"{drawn}, by the secret of the check {self.secret[:12]}"


@dataclass(frozen=True, eq=False)
class GridScores:
    """The scored rows of one model as tallies on a grid, of one site or of several together.

    Parameters
    ----------
    n_points : of the grid, odd, so that 0.5 is one of them.
    score : what the score is.
    has_posts : whether it is known which rows belong to one post.
    is_synthetic : whether the data say that they were generated.
    columns : what it can be broken down by, sorted.
    of_groups : column and level → the rows of this group; `EVERYTHING` → all rows.
    of_splits : level of ``split`` → the same of its rows alone, by every other column.
    shared : two levels of ``split`` → posts with rows in both.
    n_in_several_folds : posts with rows in more than one fold.
    left_out : split and group of what a site left out, as it has too few rows there.
    drawn : of what its cells hold replicates; None in the first round.
    """

    n_points: int
    score: ScoreMeaning
    has_posts: bool
    is_synthetic: bool
    columns: tuple[str, ...]
    of_groups: Mapping[Group, GridCell]
    shared: Mapping[tuple[str, str], int]
    of_splits: Mapping[str, Mapping[Group, GridCell]] = field(default_factory=dict)
    n_in_several_folds: int = 0
    left_out: tuple[tuple[str, Group], ...] = ()
    drawn: Drawn | None = None

    @property
    def everything(self) -> GridCell:
        """All rows."""
        return self.of_groups[EVERYTHING]

    def levels(self, column: str) -> list[str]:
        """The levels of a column in natural order."""
        return sorted((level for name, level in self.of_groups if name == column), key=level_order)

    @property
    def slices(self) -> Mapping[str, Column]:
        """The columns that it can be broken down by, with their levels and no row."""
        return {column: (np.zeros(0, np.intp), tuple(self.levels(column))) for column in self.columns}

    def groups(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, GridCell]]:
        """All rows, then each level of each column: (column, level, its rows)."""
        yield "", "", self.everything
        for column in by:
            for level in self.levels(column) if column in self.columns else ():
                yield column, level, self.of_groups[column, level]

    def of_levels(self, column: str, split: str | None = None) -> list[tuple[str, GridCell]]:
        """Each level of a column with its rows in natural order, of all rows or of those of a split."""
        if split is not None and column == SPLIT:
            return [(split, self.of_groups[SPLIT, split])]
        found = self.of_groups if split is None else self.of_splits.get(split, {})
        levels = sorted((level for name, level in found if name == column), key=level_order)
        return [(level, found[column, level]) for level in levels]

    def lacking(self, columns: Iterable[str]) -> list[str]:
        """Groups of some columns, in words, that a site left out as too small: their counts are not whole."""
        wanted = set(columns)
        return [place_of(split, group) for split, group in self.left_out if group[0] in wanted]

    def between(self, thresholds: Mapping[str, float | None]) -> Iterator[Problem]:
        """Thresholds that lie between two points that rows lie between: nobody knows on which side these are.

        Parameters
        ----------
        thresholds : name → threshold; None empties a zone.
        """
        points, cell = grid_points(self.n_points), self.everything
        for name, tau in thresholds.items():
            if tau is None or not points[0] < tau < points[-1]:
                continue
            at = int(np.searchsorted(points, tau, side="right")) - 1
            there = cell.sums["rows"][cell.points == at]
            if points[at] < tau and len(there):
                expected = f"{float(points[at])!r} or {float(points[at + 1])!r}"
                yield problem("SIT-008", name=name, found=tau, expected=expected, n=int(there[0]))

    def group_columns(self, most: int) -> list[str]:
        """The columns to break down by; a file holds those of at most so many levels as there may be."""
        return [column for column in self.columns if len(self.levels(column)) <= most]

    def cluster_columns(self) -> list[str]:
        """The columns whose groups can be drawn together: none, as nothing is drawn."""
        return []

    def merge(self, other: GridScores) -> GridScores:
        """These rows and those of another site, which must fit (`evalcore.sites.fit`)."""
        splits = [*self.of_splits, *(one for one in other.of_splits if one not in self.of_splits)]
        shared = dict(self.shared)
        for both, n in other.shared.items():
            shared[both] = shared.get(both, 0) + n
        return replace(
            self,
            of_groups=_added(self.of_groups, other.of_groups),
            of_splits={
                one: _added(self.of_splits.get(one, {}), other.of_splits.get(one, {})) for one in splits
            },
            shared=shared,
            n_in_several_folds=self.n_in_several_folds + other.n_in_several_folds,
            left_out=tuple(sorted({*self.left_out, *other.left_out})),
            has_posts=self.has_posts and other.has_posts,
            is_synthetic=self.is_synthetic or other.is_synthetic,
        )

    def ordered(self) -> GridScores:
        """The same with groups in one order."""
        cells = dict(sorted(self.of_groups.items()))
        splits = {one: dict(sorted(groups.items())) for one, groups in sorted(self.of_splits.items())}
        return replace(self, of_groups=cells, of_splits=splits, shared=dict(sorted(self.shared.items())))

    def torn(self) -> Iterator[Problem]:
        """What two sites both hold: nothing that tallies could tell."""
        return iter(())

    def empty(self) -> GridScores:
        """What is known without a row: grid, score, columns and their levels."""
        nothing = {name: np.zeros(0, np.int64) for name in SUMS}
        none = GridCell(np.zeros(0, np.intp), nothing, NO_PAIRS)
        splits = {one: dict.fromkeys(groups, none) for one, groups in self.of_splits.items()}
        return replace(
            self,
            of_groups=dict.fromkeys(self.of_groups, none),
            of_splits=splits,
            shared={},
            n_in_several_folds=0,
        )

    def every_cell(self) -> Iterator[tuple[str, Group, GridCell]]:
        """The split, or nothing, with column and level of every group and its rows."""
        yield from (("", group, cell) for group, cell in self.of_groups.items())
        for split, groups in self.of_splits.items():
            yield from ((split, group, cell) for group, cell in groups.items())

    def flaws(self, _: object) -> Flaws:
        """What does not agree in tallies that were opened."""
        for split, group, cell in self.every_cell():
            where = place_of(split, group)
            for flaw in cell.flaws(self.n_points):
                yield flaw._replace(place=f"{where}, {flaw.place}")
            is_drawn = self.drawn is not None and not split
            wanted = (6, self.drawn.n_replicates) if self.drawn is not None and is_drawn else None
            found = None if cell.drawn is None else cell.drawn.shape
            yield from unless(found == wanted, f"{where}, drawn", f"{found}", f"{wanted}")
        if self.drawn is not None:
            taus = (self.drawn.tau_neg, self.drawn.tau_pos)
            holds = 0 <= taus[0] <= taus[1] < 2
            yield from unless(holds, "drawn", f"thresholds at {taus[0]} and {taus[1]}", "0 ≤ τ_neg ≤ τ_pos")
        for column in self.columns:
            whole = "all rows", self.everything
            yield from _more_than(column, [cell for _, cell in self.of_levels(column)], whole)
        for split, groups in self.of_splits.items():
            if (SPLIT, split) not in self.of_groups:
                yield Flaw("cells", f"groups of split = {split}, which has no rows", "the rows of the split")
                continue
            for column in sorted({column for column, _ in groups}):
                parts = [cell for _, cell in self.of_levels(column, split)]
                whole = f"split = {split}", self.of_groups[SPLIT, split]
                yield from _more_than(column, parts, whole)
        yield from self._flaws_across_splits()

    def _flaws_across_splits(self) -> Flaws:
        """Groups that hold more rows in all splits together than there are."""
        parts_of: dict[Group, list[GridCell]] = {}
        for groups in self.of_splits.values():
            for group, cell in groups.items():
                parts_of.setdefault(group, []).append(cell)
        for group, parts in sorted(parts_of.items(), key=itemgetter(0)):
            name = place_of("", group)
            if group not in self.of_groups:
                yield Flaw("cells", f"{name} of a split alone", "its rows of all splits too")
                continue
            yield from _more_than("split", parts, (name, self.of_groups[group]))


def place_of(split: str, group: Group) -> str:
    """A group in words, of all rows or of those of a split."""
    column, level = group
    named = f"{column} = {level}" if column else "all rows"
    return f"{named} of split = {split}" if split else named


def _added(some: Mapping[Group, GridCell], others: Mapping[Group, GridCell]) -> dict[Group, GridCell]:
    cells = dict(some)
    for group, cell in others.items():
        cells[group] = cells[group].merge(cell) if group in cells else cell
    return cells


def _more_than(column: str, parts: list[GridCell], whole: tuple[str, GridCell]) -> Flaws:
    """A column whose groups hold more rows than there are."""
    where, cell = whole
    for name in ("pos", "rows"):
        found = sum(int(part.sums[name].sum()) for part in parts)
        expected = int(cell.sums[name].sum())
        whose = f"{found:,} of {name} in its groups"
        yield from unless(found <= expected, column, whose, f"at most {expected:,}, as in {where}")
