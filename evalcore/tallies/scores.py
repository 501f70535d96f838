"""Scores and labels: the rows, and the table of distinct scores from which threshold metrics follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Rankings
from evalcore.rows import joined, taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws

if TYPE_CHECKING:
    from evalcore.tallies.unit_scores import UnitScores


@dataclass(frozen=True)
class ScoredRows:
    """One scored row per query.

    Parameters
    ----------
    score : float64, shape (N,); finite, higher means more evidence.
    is_positive : bool, shape (N,).
    post : int, shape (N,), codes 0 … n_posts − 1 of the post each row belongs to.
    n_posts : number of posts.
    """

    score: NDArray[np.float64]
    is_positive: NDArray[np.bool_]
    post: NDArray[np.intp]
    n_posts: int

    @staticmethod
    def from_queries(queries: Queries | UnitScores) -> ScoredRows:
        """The scored rows of queries, each with its post."""
        return ScoredRows(queries.score, queries.has_evidence, queries.post, len(queries.post_ids))

    @cached_property
    def table(self) -> ScoreTable:
        """The counts at each distinct score, made once."""
        return ScoreTable.from_rows(self)

    def __len__(self) -> int:
        return len(self.score)

    def where(self, mask: NDArray[np.bool_]) -> ScoredRows:
        """The rows of a group; posts keep their codes, so that weights stay shared."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: NDArray[np.intp] | slice) -> ScoredRows:
        """The rows at these places, in their order; one that is named twice is there twice."""
        return taken(self, ("score", "is_positive", "post"), at)

    def merge(self, other: ScoredRows) -> ScoredRows:
        """These rows followed by those of other posts."""
        n_posts = self.n_posts + other.n_posts
        post = np.concatenate([self.post, other.post + self.n_posts])
        return joined(self, other, ("score", "is_positive"), post=post, n_posts=n_posts)

    def flaws(self, n: int) -> Flaws:
        """What does not agree in rows of ``n`` posts that were opened."""
        yield from flaws.numbers("score", self.score, len(self))
        yield from flaws.flags("is_positive", self.is_positive, len(self))
        yield from flaws.codes("post", self.post, len(self), n)
        yield from flaws.unless(self.n_posts == n, "n_posts", f"{self.n_posts:,}", f"{n:,}")

    def of_posts(self, at: NDArray[np.intp]) -> ScoredRows:
        """The rows of these posts, which are numbered anew in this order; the rows stay in theirs."""
        to = np.full(self.n_posts, -1)
        to[at] = np.arange(len(at))
        kept = to[self.post] >= 0
        return ScoredRows(self.score[kept], self.is_positive[kept], to[self.post[kept]], len(at))


@dataclass(frozen=True)
class ScoreTable:
    """Counts of positives and negatives at each distinct score.

    Parameters
    ----------
    score : float64, shape (S,), distinct, ascending.
    n_pos, n_neg : int64, shape (..., S); a leading axis holds bootstrap replicates.
    of : the table that these are replicates of, where known: fits start from its own.
    """

    is_of_scores: ClassVar[bool] = True

    score: NDArray[np.float64]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]
    of: ScoreTable | None = None

    @classmethod
    def from_rows(cls, rows: ScoredRows, weights: NDArray[np.int64] | None = None) -> Self:
        """Count the rows at each distinct score; int64 ``weights``, shape (N,), count a row so many times."""
        if weights is None:
            return cls(*counted(rows))
        score, at = np.unique(rows.score + 0.0, return_inverse=True)  # + 0.0 makes −0 and 0 one score
        n_pos = np.zeros(len(score), np.int64)
        n_neg = np.zeros(len(score), np.int64)
        np.add.at(n_pos, at[rows.is_positive], weights[rows.is_positive])
        np.add.at(n_neg, at[~rows.is_positive], weights[~rows.is_positive])
        return cls(score, n_pos, n_neg)

    @cached_property
    def total_pos(self) -> NDArray[np.int64]:
        """Number of positives, shape (...)."""
        return np.asarray(self.n_pos.sum(axis=-1))

    @cached_property
    def total_neg(self) -> NDArray[np.int64]:
        """Number of negatives, shape (...)."""
        return np.asarray(self.n_neg.sum(axis=-1))

    @property
    def total(self) -> NDArray[np.int64]:
        """Number of rows, shape (...)."""
        return self.total_pos + self.total_neg

    @cached_property
    def pos_below(self) -> NDArray[np.int64]:
        """Positives strictly below each distinct score and, last, below none: shape (..., S + 1)."""
        return _below(self.n_pos)

    @cached_property
    def neg_below(self) -> NDArray[np.int64]:
        """Negatives strictly below each distinct score and, last, below none: shape (..., S + 1)."""
        return _below(self.n_neg)

    def index(self, threshold: float) -> int:
        """Where the rows with ``score >= threshold`` begin, 0 … S."""
        return int(np.searchsorted(self.score, threshold, side="left"))

    def highest_below(self, at: int) -> float:
        """The highest score that a row below the distinct score at a place from 1 on can have."""
        return float(self.score[at - 1])


class PairTable(ScoreTable):
    """The `ScoreTable` of (query, candidate) pairs; a pair is positive where the candidate is gold."""

    is_of_scores: ClassVar[bool] = False
    lacking: ClassVar[str] = "as not both have lists with scores"

    @staticmethod
    def from_rankings(rankings: Rankings, model: str, queries: NDArray[np.bool_] | None = None) -> PairTable:
        """Count the pairs that the model scored, of all queries or those of a mask of shape (Q,).

        Gold that the model did not score is not among them.
        """
        return PairTable.from_rows(PairTable.rows(rankings, model, queries))

    @staticmethod
    def rows(rankings: Rankings, model: str, queries: NDArray[np.bool_] | None = None) -> ScoredRows:
        """The pairs themselves; what stands for the post of each is the code of its query."""
        rows = rankings.lists[model]
        n_items = len(rankings.item_ids)
        gold, pair = rankings.gold_query * n_items + rankings.gold_item, rows.query * n_items + rows.item
        n_pairs = rankings.n_queries * n_items
        if n_pairs <= 4 * len(pair):  # most queries have most items, and each pair has a place in a table
            of_pair = np.zeros(n_pairs, bool)
            of_pair[gold] = True
            is_gold = of_pair[pair]
        else:
            gold = np.sort(gold)
            at = np.searchsorted(gold, pair)
            is_gold = np.zeros(len(pair), bool)
            if len(gold):
                is_gold = gold[np.minimum(at, len(gold) - 1)] == pair
        scored = ScoredRows(rows.score, is_gold, rows.query, rankings.n_queries)
        return scored if queries is None else scored.where(queries[rows.query])


class BinnedPairs(PairTable):
    """A `PairTable` of bins of scores: pairs of one bin count as pairs of one score."""

    @property
    def told(self) -> str:
        """That these are bins, for the note beside a value."""
        return f"from {len(self.score):,} bins of the score"


def counted(rows: ScoredRows) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct scores, and the positives and negatives at each; values are sorted, never places of rows.

    The bits of numbers from 0 on are in their order as whole numbers are, and their sign is free for the
    label, so that both are sorted as one. Where a score is below 0, positives are looked up among the scores.
    """
    score = np.add(rows.score, 0.0, dtype=np.float64)  # makes −0 and 0 one score
    if len(score) and score.min() < 0:
        return _looked_up(score, rows.is_positive)
    key = score.view(np.uint64)
    key <<= np.uint64(1)
    key |= rows.is_positive
    key.sort()
    first = _firsts(key)
    n, key = np.diff(first, append=len(key)), key[first]
    has_label = (key & np.uint64(1)).astype(bool)
    key >>= np.uint64(1)
    first = _firsts(key)
    last = first + np.diff(first, append=len(key)) - 1  # negatives of a score stand before its positives
    n_pos = np.where(has_label[last], n[last], 0)
    return key[first].view(np.float64), n_pos, np.where(has_label[first], 0, n[first])


def _looked_up(
    score: NDArray[np.float64], is_positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """As `counted`, of scores of any sign."""
    of_positives = np.sort(score[is_positive])
    score.sort()
    first = _firsts(score)
    n, score = np.diff(first, append=len(score)), score[first]
    n_pos = np.bincount(np.searchsorted(score, of_positives), minlength=len(score))
    return score, n_pos, n - n_pos


def _firsts(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """The places of sorted values where one stands first."""
    is_first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def _below(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    start = np.zeros((*counts.shape[:-1], 1), np.int64)
    return np.concatenate([start, np.cumsum(counts, axis=-1)], axis=-1)
