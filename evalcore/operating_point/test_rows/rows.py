"""The rows of one role, with the file they come from and what is counted of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
from evalcore.operating_point.tradeoff.post_sums import PostSums, post_sums, whole_sums
from evalcore.operating_point.tradeoff.thresholds import float32_changes
from evalcore.operating_point.units import Unit, unit_in_words
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable

Role = Literal["tune", "test", "all"]


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
