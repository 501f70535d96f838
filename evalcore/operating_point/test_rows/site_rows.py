"""Rows of one role that are known by tallies on a grid: of one site, of several, or pooled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.inference.cluster_sums import ClusterSums
from evalcore.operating_point.origin import Origin, origin_of
from evalcore.operating_point.rules import RULES, Rules
from evalcore.operating_point.test_rows.rows import FOLD, ByFolds, Role, RowSet
from evalcore.operating_point.test_rows.site_sums import SUMS_AT
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups
from evalcore.operating_point.tradeoff.grid_cells import cell_counts, cell_groups, cell_points, cell_sums
from evalcore.operating_point.tradeoff.groups import CRITERION, GroupCount, Grouped, group_columns
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff, tradeoff_at
from evalcore.operating_point.wording import counted
from evalcore.problems import InputError, problem
from evalcore.spec import Metric
from evalcore.splits import SPLIT
from evalcore.tallies.grid import EVERYTHING, GridScores
from evalcore.tallies.grid.cell import GridCell, GridTable
from evalcore.tallies.scores import ScoredRows

SITES = "sites"
"""The table of such tallies in `Data.tables`."""


@dataclass(frozen=True, kw_only=True)
class SiteRows(RowSet):
    """A `RowSet` without rows: what is asked of it comes from counts, and from sums over posts.

    Parameters
    ----------
    scores : the tallies.
    cell : those of these rows.
    split : of which split; None for all rows.
    """

    scores: GridScores
    cell: GridCell
    split: str | None = None

    @cached_property
    def origin(self) -> Origin:
        """Where the scores come from."""
        found, score = origin_of(self.data, self.model), self.scores.score
        source = replace(found.source, columns={"probability": score.column}, has_header=True)
        return Origin(found.sources, source, score.column, score.level, score.is_maximum)

    @cached_property
    def scored(self) -> ScoredRows:
        """None: whoever asks for rows would go on with nothing.

        Raises
        ------
        TypeError : always.
        """
        raise TypeError("tallies hold no rows")

    @cached_property
    def table(self) -> GridTable:
        """The counts at each point of the grid that holds a row."""
        return self.cell.table(self.scores.n_points)

    @cached_property
    def posts(self) -> PostSums:
        """The sums over posts at each such point."""
        return cell_sums(self.cell, has_posts=self.scores.has_posts, rules=self.rules)

    def tradeoff(self, *, targets: Targets | None = None, also: tuple[float, ...] = ()) -> Tradeoff:
        """What every point of the grid costs and misses as a threshold."""
        return tradeoff_at(cell_points(self.cell, self.table, self.posts, also), targets=targets)

    def by_folds(self) -> ByFolds:
        """The rows by the fold that they name.

        Raises
        ------
        InputError : SIT-007 where a post has rows in several folds, or a site left a fold out: sums over
            posts of all other folds are then not those of their rows.
        """
        cells, n = dict(self.cells(FOLD)), self.scores.n_in_several_folds
        lacking = self.scores.lacking([FOLD])
        if n or lacking:
            why = (
                f"{counted(n, 'post')} with rows in several" if n else f"{lacking[0]}, which a site left out"
            )
            refuse_tallies(
                f"thresholds over folds, for {why},",
                "choose on all rows, or on a split of them.",
                self.data,
            )

        def apart(name: str) -> tuple[RowSet, RowSet]:
            others = [cell for fold, cell in cells.items() if fold != name]
            return replace(self, cell=reduce(GridCell.merge, others)), replace(self, cell=cells[name])

        n_without = self.n_rows - sum(cell.n_rows for cell in cells.values())
        return ByFolds(tuple(cells), n_without, 0, apart)

    def n_missed_posts(self, tau_neg: float | None) -> tuple[int, int]:
        """Posts with a positive below τ_neg, and posts with a positive."""
        at = 0 if tau_neg is None else self.table.index(tau_neg)
        return self.posts.posts_pos - int(self.posts.posts_all_kept[at]), self.posts.posts_pos

    def cells(self, column: str) -> list[tuple[str, GridCell]]:
        """Each level of a column with a row here, in natural order, with its rows."""
        return self.scores.of_levels(column, self.split)

    def group_counts(
        self, column: str, tau_neg: float | None, *, confidence: float = 0.95
    ) -> list[GroupCount]:
        """Every group of a column at a threshold, that has a row here."""
        return cell_counts(column, self.cells(column), tau_neg, confidence=confidence, **self._how)

    def all_groups(
        self, *, target: float, confidence: float, marked: Iterable[str] = ()
    ) -> tuple[ColumnGroups, ...]:
        """The groups of every column that was gathered; of one with a single level where it is marked."""
        kept, how = {CRITERION, *marked}, {"target": target, "confidence": confidence, **self._how}
        of_columns = {column: self.cells(column) for column in group_columns(self.scores)}
        return tuple(
            cell_groups(column, cells, n_rows=self.n_rows, **how)
            for column, cells in of_columns.items()
            if column in kept or len(cells) > 1
        )

    def names_posts(self, column: str) -> bool:
        """Whether most groups of a column are of one post."""
        n_posts = [cell.n_posts for _, cell in self.cells(column)]
        return bool(n_posts) and column != CRITERION and bool(np.median(n_posts) <= 1)

    @property
    def _how(self) -> dict[str, Any]:
        scores = self.scores
        return {"n_points": scores.n_points, "has_posts": scores.has_posts, "rules": self.rules}

    @property
    def whole(self) -> PostSums:
        """The sums over posts of all rows."""
        return self.posts

    @cached_property
    def post_names(self) -> frozenset[str]:
        """None is known: whoever asks would take none for no post.

        Raises
        ------
        TypeError : always.
        """
        raise TypeError("tallies hold no ids")

    def n_shared_posts(self, other: RowSet) -> int:
        """Posts with rows here and in another split, as sites counted them."""
        return n_shared_posts(self, other) or 0

    @property
    def fold_names(self) -> tuple[str, ...]:
        """The folds with a row here."""
        return tuple(level for level, _ in self.cells(FOLD))

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """As many codes as there are posts; no id is known."""
        return np.arange(self.n_posts)

    @property
    def n_posts(self) -> int:
        """Posts that the rows belong to; rows where these name none."""
        return self.cell.n_posts

    @property
    def n_positives(self) -> int:
        """Rows with evidence."""
        return self.cell.n_pos

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.cell.n_rows

    @property
    def n_units(self) -> int:
        """How many posts are here."""
        return self.n_posts

    @property
    def prevalence_sums(self) -> ClusterSums:
        """The sums over posts behind the prevalence."""
        return self.posts.right(np.asarray(0))

    def n_changed_by_float32(self, *_: float | None) -> int | None:
        """None: nobody knows of which scores between two points."""
        return None

    def sums_at(self, metric: Metric, tau_neg: float | None, tau_pos: float | None) -> ClusterSums:
        """The sums over posts behind a metric at two thresholds.

        Parameters
        ----------
        metric : one of `SUMS_AT`.
        tau_neg, tau_pos : None empties a zone.
        """
        low = 0 if tau_neg is None else self.table.index(tau_neg)
        high = len(self.table.score) if tau_pos is None else max(low, self.table.index(tau_pos))
        return SUMS_AT[metric.key](self, np.asarray(low), np.asarray(high))

    def entry(self) -> dict[str, Any]:
        """The rows as an entry of a document's ``data``."""
        sources = self.origin.sources
        from_rows = super().entry()
        kept = {name: value for name, value in from_rows.items() if name != "row_ids_sha256"}
        named = {"cluster_field": "post"} if self.scores.has_posts else {}
        return kept | {"rows": self.n_rows, "sites": len(sources)} | named


def tallies_of(data: Data) -> GridScores | None:
    """The tallies of data without rows; None for data with rows."""
    found: GridScores | None = data.tables.get(SITES)
    return found


def has_scores(data: Data, model: str) -> bool:
    """Whether labels and scores of a model are known, by rows or by tallies."""
    tallies = tallies_of(data)
    if tallies is not None:
        return model == tallies.score.model
    return data.queries is not None and model in data.queries.models


def groups_in(data: Data) -> Grouped | None:
    """What the data have groups of: rows, or tallies; None without either."""
    return tallies_of(data) or data.queries


def refuse_tallies(what: str, advice: str, *several: Data | None) -> None:
    """Refuse data without rows for what needs them.

    Raises
    ------
    InputError : SIT-007.
    """
    if any(one is not None and tallies_of(one) is not None for one in several):
        raise InputError([problem("SIT-007", found=what, expected="what tallies give", advice=advice)])


def site_rows(
    scores: GridScores,
    data: Data,
    role: Role,
    *,
    split: str | None,
    model: str | None,
    cluster: str | None = None,
    rules: Rules = RULES,
) -> SiteRows:
    """The rows of a split as tallies; parameters as of `row_set`.

    Raises
    ------
    InputError : OPT-008 for another model, QRY-009 for a split that no site has, SIT-007 for a cluster.
    """
    name = scores.score.model
    if model not in (None, name):
        found, advice = f"the model {model!r}", "Leave out --model."
        raise InputError([problem("OPT-008", found=found, expected=name, advice=advice)])
    if cluster is not None:
        refuse_tallies(f"the cluster {cluster}", "sums over posts cannot be put together anew.", data)
    if split is not None and (SPLIT, split) not in scores.of_groups:
        expected = ", ".join(scores.levels(SPLIT)) or "no split, as the tallies have none"
        raise InputError([problem("QRY-009", found=split, expected=expected)])
    group = EVERYTHING if split is None else (SPLIT, split)
    row_filter = None if split is None else f"{SPLIT} = {split}"
    queries = _without_rows(name, has_posts=scores.has_posts)
    cell = scores.of_groups[group]
    return SiteRows(role, data, queries, name, row_filter, None, rules, scores=scores, cell=cell, split=split)


def n_shared_posts(tune: RowSet, test: RowSet) -> int | None:
    """Posts with rows in two splits, counted in each site; None where rows name no posts."""
    if not isinstance(tune, SiteRows) or not isinstance(test, SiteRows) or not tune.has_units:
        return None
    one, other = sorted(str(rows.row_filter).removeprefix(f"{SPLIT} = ") for rows in (tune, test))
    return tune.scores.shared.get((one, other), 0)


def site_filters(scores: GridScores) -> dict[str | None, tuple[str | None, str | None]]:
    """Every filter that can pick rows → its split and model."""
    splits = {f"{SPLIT} = {split}": split for split in scores.levels(SPLIT)}
    return {None: (None, None)} | {text: (split, None) for text, split in splits.items()}


def _without_rows(model: str, *, has_posts: bool) -> Queries:
    nothing, no_ids = np.zeros(0, np.intp), np.zeros(0, object)
    return Queries(
        post=nothing,
        post_ids=no_ids,
        criterion=nothing,
        criterion_ids=no_ids,
        has_evidence=np.zeros(0, bool),
        score=np.zeros(0),
        model=nothing,
        models=(model,),
        slices={},
        numbers={},
        row=nothing,
        has_posts=has_posts,
        has_ids=False,
    )
