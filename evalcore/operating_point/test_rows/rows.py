"""The rows of one role, with the file they come from and what is counted of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Source
from evalcore.operating_point.clusters import Clusters
from evalcore.operating_point.constraints import Constraint
from evalcore.operating_point.origin import Origin, origin_of
from evalcore.operating_point.rules import FIRST, RULES, Rules
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups, all_groups
from evalcore.operating_point.tradeoff.groups import GroupCount, Mark, group_counts, of_marks
from evalcore.operating_point.tradeoff.post_sums import PostSums, post_sums, whole_sums
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff, compute_tradeoff
from evalcore.operating_point.tradeoff.thresholds import float32_changes
from evalcore.operating_point.units import Unit, unit_in_words
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable

FOLD = "fold"
Role = Literal["tune", "test", "all"]


@dataclass(frozen=True)
class ByFolds:
    """Rows by the fold that they name.

    Parameters
    ----------
    names : the folds with a row.
    n_without : rows that name none.
    n_in_several : posts, or what is taken as independent in their place, with rows in more than one.
    apart : name of a fold → the rows of all others, and its own.
    """

    names: tuple[str, ...]
    n_without: int
    n_in_several: int
    apart: Callable[[str], tuple[RowSet, RowSet]]


@dataclass(frozen=True)
class RowSet:
    """Rows of one role, with the file they come from.

    Parameters
    ----------
    role : what they are used for.
    data : the data they come from.
    queries : the rows.
    model : the model that wrote their scores.
    row_filter : how they were picked, such as ``split = tune``; None for every row.
    clusters : the unit that is taken as independent where it is coarser than the post; None: the post is.
    rules : those of the schema version of the document that is made of them.
    """

    role: Role
    data: Data
    queries: Queries
    model: str
    row_filter: str | None
    clusters: Clusters | None = None
    rules: Rules = RULES

    @cached_property
    def origin(self) -> Origin:
        """Where the scores come from."""
        return origin_of(self.data, self.model)

    @cached_property
    def scored(self) -> ScoredRows:
        """Scores, labels and units: clusters, or posts; where the rows name none, each row is its own."""
        rows = ScoredRows.from_queries(self.queries)
        if self.clusters is not None:
            return replace(rows, post=self.clusters.code, n_posts=len(self.clusters.names))
        if self.queries.has_posts:
            return rows
        return replace(rows, post=np.arange(len(rows)), n_posts=len(rows))

    @property
    def table(self) -> ScoreTable:
        """The counts at each distinct score."""
        return self.scored.table

    def states(self, tau_neg: float | None, tau_pos: float | None) -> StateCounts:
        """The rows by state and label at two thresholds; None empties a zone."""
        return states_at(self.table, tau_neg, tau_pos)

    @cached_property
    def posts(self) -> PostSums:
        """The sums over posts at each distinct score."""
        at = np.searchsorted(self.table.score, self.scored.score)
        return post_sums(self.scored, at, len(self.table.score), rules=self.rules)

    @cached_property
    def whole(self) -> PostSums:
        """The sums over posts of all rows, as `posts` has them below every score."""
        if "posts" in self.__dict__:
            return self.posts
        return whole_sums(self.scored, rules=self.rules)

    def tradeoff(self, *, targets: Targets | None = None, also: tuple[float, ...] = ()) -> Tradeoff:
        """What every threshold costs and misses on these rows; as of `compute_tradeoff`."""
        return compute_tradeoff(self.scored, targets=targets, also=also)

    def group_counts(
        self, column: str, tau_neg: float | None, *, confidence: float = 0.95
    ) -> list[GroupCount]:
        """Every group of a column at a threshold, that has a row here; as of `group_counts`."""
        return group_counts(
            self.scored, self.queries, column, tau_neg, confidence=confidence, rules=self.rules
        )

    def marked_counts(
        self, marks: Iterable[Mark], tau_neg: float | None, *, confidence: float = 0.95
    ) -> list[GroupCount]:
        """The same of marked groups alone, in the order given; one without a row here counts 0."""
        return of_marks(marks, lambda column: self.group_counts(column, tau_neg, confidence=confidence))

    def all_groups(
        self, *, target: float, confidence: float, marked: Iterable[str] = ()
    ) -> tuple[ColumnGroups, ...]:
        """The groups of every column at every threshold; as of `all_groups`."""
        return all_groups(self.scored, self.queries, target=target, confidence=confidence, marked=marked)

    def names_posts(self, column: str) -> bool:
        """Whether most groups of a column are of one post: their names are then those of rows or people."""
        if column not in self.queries.slices:
            return False
        code = np.asarray(self.queries.slices[column][0])
        pairs = np.unique(np.stack([code, self.queries.post])[:, code >= 0], axis=1)
        n_posts = np.bincount(pairs[0])
        return bool(n_posts.size) and bool(np.median(n_posts[n_posts > 0]) <= 1)

    def posts_to_choose_by(
        self, sensitivity: Constraint | None, precision: Constraint | None
    ) -> PostSums | None:
        """The sums that a search for thresholds needs for its targets: an estimate needs none."""
        if precision is not None and precision.confidence is not None:
            return self.posts
        return self.whole if sensitivity is not None and sensitivity.confidence is not None else None

    @cached_property
    def post_names(self) -> frozenset[str]:
        """The ids of the posts that the rows belong to."""
        return frozenset(str(self.queries.post_ids[code]) for code in _codes_in(self.queries.post))

    def n_shared_posts(self, other: RowSet) -> int:
        """Posts with rows here and among others."""
        return len(self.post_names & other.post_names)

    @property
    def fold_names(self) -> tuple[str, ...]:
        """The folds with a row here."""
        codes, levels = self.queries.slices.get(FOLD, (np.zeros(0, np.intp), ()))
        return tuple(levels[code] for code in _codes_in(codes[codes >= 0]))

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """The codes of the posts or clusters that are here, as `scored` numbers them."""
        return _codes_in(self.scored.post)

    @cached_property
    def unit_names(self) -> tuple[str, ...]:
        """The ids of the posts or clusters that are here, of the rows' own posts where they name none."""
        if self.clusters is not None:
            return tuple(self.clusters.names[code] for code in self.units)
        codes = self.units if self.queries.has_posts else self.queries.post[self.units]
        return tuple(str(self.queries.post_ids[code]) for code in codes)

    @property
    def has_units(self) -> bool:
        """Whether it is known which rows belong together."""
        return self.clusters is not None or self.queries.has_posts

    @property
    def unit(self) -> Unit:
        """What the independent units are called."""
        return unit_in_words(self.cluster_column, self.rules)

    @property
    def prevalence(self) -> float:
        """Share of the rows with evidence."""
        return self.n_positives / self.n_rows

    def where(self, mask: NDArray[np.bool_]) -> RowSet:
        """The rows of a mask."""
        clusters = None if self.clusters is None else self.clusters.where(mask)
        return replace(self, queries=self.queries.where(mask), clusters=clusters)

    def by_folds(self) -> ByFolds:
        """The rows by the fold that they name."""
        codes, levels = self.queries.slices.get(FOLD, (np.full(self.n_rows, -1), ()))
        place = {levels[code]: code for code in _codes_in(codes[codes >= 0])}
        units = self.queries.post if self.clusters is None else self.clusters.code
        pairs = np.unique(np.stack([units, codes]), axis=1)
        return ByFolds(
            names=tuple(place),
            n_without=int(np.count_nonzero(codes < 0)),
            n_in_several=int(np.count_nonzero(np.unique(pairs[0], return_counts=True)[1] > 1)),
            apart=lambda name: (self.where(codes != place[name]), self.where(codes == place[name])),
        )

    def n_missed_posts(self, tau_neg: float | None) -> tuple[int, int]:
        """Posts with a positive below τ_neg, and posts with a positive."""
        is_case = self.queries.has_evidence
        is_missed = is_case & (self.queries.score < (-np.inf if tau_neg is None else tau_neg))
        n, of = (len(_codes_in(self.queries.post[mask])) for mask in (is_missed, is_case))
        return n, of

    @property
    def n_posts(self) -> int:
        """Posts that the rows belong to."""
        return len(_codes_in(self.queries.post))

    @property
    def n_positives(self) -> int:
        """Rows with evidence; no score is read for it."""
        return int(np.count_nonzero(self.queries.has_evidence))

    @property
    def in_words(self) -> str:
        """The rows as part of a sentence: ``tune (split = tune)``."""
        return rows_in_words(self.role, self.row_filter)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.queries)

    def n_changed_by_float32(self, *thresholds: float | None) -> int | None:
        """How many rows get another state where their score is stored as float32; None if nobody knows."""
        return int(float32_changes(self.queries.score, *thresholds).sum())

    @property
    def n_units(self) -> int:
        """How many posts or clusters are here."""
        return len(self.units)

    @property
    def cluster_column(self) -> str | None:
        """The column of a unit coarser than the post; None: the post is the unit."""
        return None if self.clusters is None else self.clusters.column

    def entry(self) -> dict[str, Any]:
        """The rows as an entry of a document's ``data``."""
        sources = self.origin.sources
        entry: dict[str, Any] = {
            "role": self.role,
            "file": " + ".join(source.name for source in sources),
            "sha256": sources_sha256(sources),
            "bytes": sum(source.n_bytes for source in sources),
            "rows": self.n_rows,
            "clusters": len(self.units) if self.clusters is not None else self.n_posts,
            "positives": self.n_positives,
            "row_filter": self.row_filter,
            "row_ids_sha256": row_ids_sha256(self.queries),
        }
        if self.rules != FIRST:
            entry |= {"posts": self.n_posts, "prevalence": self.prevalence}
        if self.clusters is not None:
            entry["cluster_field"] = self.clusters.column
        elif self.queries.has_posts:
            columns = self.origin.source.columns
            entry["cluster_field"] = columns.get("post_id") or columns.get("query_id", "post_id")
        return entry


def _codes_in(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The distinct codes from 0 on, ascending."""
    return np.flatnonzero(np.bincount(codes))


def rows_in_words(role: str, row_filter: str | None) -> str:
    """Rows as part of a sentence.

    Examples
    --------
    >>> rows_in_words("tune", "split = tune"), rows_in_words("all", None)
    ('tune (split = tune)', 'all rows')
    """
    named = "all rows" if role == "all" else role
    return f"{named} ({row_filter})" if row_filter else named


def sources_sha256(sources: Sequence[Source]) -> str:
    """The digest of a file's bytes; of several files, the SHA-256 over their digests in hex, one a line."""
    if len(sources) == 1:
        return sources[0].sha256
    return hashlib.sha256("".join(f"{source.sha256}\n" for source in sources).encode()).hexdigest()


def row_ids_sha256(queries: Queries) -> str:
    """SHA-256 over the rows' keys, ``post TAB criterion LF`` each, sorted by post, then by criterion."""
    posts, criteria = _ranked(queries.post_ids), _ranked(queries.criterion_ids)
    order = np.lexsort((criteria.rank[queries.criterion], posts.rank[queries.post]))
    digest = hashlib.sha256()
    for block in np.array_split(order, max(len(order) // 100_000, 1)):
        lines = zip(posts.ids[queries.post[block]], criteria.ids[queries.criterion[block]], strict=True)
        digest.update("".join(f"{post}\t{criterion}\n" for post, criterion in lines).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Ranked:
    ids: NDArray[np.object_]
    rank: NDArray[np.intp]


def _ranked(ids: NDArray[np.object_]) -> _Ranked:
    """Ids with an empty one at the end for the code −1, and the place of each in order of UTF-8 bytes."""
    names = [*(str(name) for name in ids), ""]
    order = sorted(range(len(names)), key=lambda at: names[at].encode())
    rank = np.empty(len(names), np.intp)
    rank[order] = np.arange(len(names))
    return _Ranked(np.array(names, object), rank)
