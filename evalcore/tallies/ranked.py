"""Where the gold of each query stands in its list: all that the ranking metrics need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Rankings
from evalcore.problems import InputError, problem
from evalcore.rows import joined, rows_of_lists, taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.places import Codes, Counts, Ties, gold_places, nth_of_run, run_starts


@dataclass(frozen=True)
class RankedQueries:
    """Golds of queries by their place in the lists of one model; G golds of Q queries.

    Parameters
    ----------
    query : int, shape (G,), codes 0 … Q − 1, ascending; the golds of a query stand in the order of their
        ranks, last those that its list lacks.
    rank : int64, shape (G,), from 1; 0 where the list lacks the gold. Under ``expected`` it is ``tie_start``.
    tie_start, tie_size : int64, shape (G,), first rank and number of the candidates with the gold's score,
        itself included; 0 where the list lacks the gold.
    tie_golds : int64, shape (G,), how many of these are gold.
    grade : int64, shape (G,), at least 1.
    n_gold, n_ranked, n_candidates : int64, shape (Q,), golds, length of the list, and candidates known.
    ties : how equal scores are ordered: ``trec`` (candidate id descending by UTF-8 bytes, as trec_eval 10
        does), ``stable`` (order of the input) or ``expected`` (metrics are means over all orders).

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1, "d": 1}, {}], [["b", "a", "c"], ["e"]])
    >>> queries.rank.tolist(), queries.n_gold.tolist(), queries.n_ranked.tolist()
    ([2, 0], [2, 0], [3, 1])
    """

    lacking: ClassVar[str] = "as not both have ranked lists"

    query: Codes
    rank: Counts
    tie_start: Counts
    tie_size: Counts
    tie_golds: Counts
    grade: Counts
    n_gold: Counts
    n_ranked: Counts
    n_candidates: Counts
    ties: Ties = "trec"

    def __len__(self) -> int:
        return len(self.n_gold)

    @property
    def total(self) -> int:
        """Number of queries."""
        return len(self)

    @property
    def of_each(self) -> Counts | None:
        """How many queries each of these stands for; None: one each."""
        return None

    def n_of(self, mask: NDArray[np.bool_]) -> int:
        """How many queries a mask of shape (Q,) has."""
        return int(np.count_nonzero(mask))

    @staticmethod
    def from_rankings(rankings: Rankings, model: str, *, ties: str = "trec") -> RankedQueries:
        """The queries of all gold and lists, ranked by one model.

        Parameters
        ----------
        rankings : gold and lists; the reader has refused repeated candidates and scores that are not finite.
        model : name of a list in ``rankings.lists``.
        ties : ``trec``, ``stable`` or ``expected``.

        Raises
        ------
        InputError : for another word for ``ties``.

        Source
        ------
        contract.md, Ranking: ties in score; gold not in the list; a gold query without any list.
        """
        if ties not in get_args(Ties):
            expected = " or ".join(get_args(Ties))
            raise InputError([problem("OPT-003", name="ties", found=ties, expected=expected)])
        rows, n_queries = rankings.lists[model], rankings.n_queries
        n_ranked = np.bincount(rows.query, minlength=n_queries).astype(np.int64)
        order = _best_first(rankings.gold_query, rankings.gold_grade)
        query, item = rankings.gold_query[order].astype(np.intp), rankings.gold_item[order]
        rank, start, size = gold_places(rows, query, item, n_ranked, cast(Ties, ties), rankings.item_ids)
        return _in_rank_order(
            RankedQueries(
                query=query,
                rank=rank,
                tie_start=start,
                tie_size=size,
                tie_golds=np.zeros_like(rank),
                grade=rankings.gold_grade[order],
                n_gold=np.bincount(query, minlength=n_queries).astype(np.int64),
                n_ranked=n_ranked,
                n_candidates=rows.n_candidates,
                ties=cast(Ties, ties),
            )
        )

    @staticmethod
    def from_lists(gold: Sequence[Mapping[str, int]], lists: Sequence[Sequence[str]]) -> RankedQueries:
        """The queries of plain Python lists, for examples and notebooks.

        Parameters
        ----------
        gold : per query its gold ids with their grades, each at least 1.
        lists : per query its candidates, best first.
        """
        golds = [
            (query, ranked.index(item) + 1 if item in ranked else 0, grade)
            for query, (graded, ranked) in enumerate(zip(gold, lists, strict=True))
            for item, grade in graded.items()
        ]
        query, rank, grade = np.array(golds, np.int64).reshape(-1, 3).T
        listed = (rank > 0).astype(np.int64)
        n_gold = np.array([len(graded) for graded in gold], np.int64)
        n_ranked = np.array([len(ranked) for ranked in lists], np.int64)
        return _in_rank_order(
            RankedQueries(query, rank, rank, listed, listed, grade, n_gold, n_ranked, n_candidates=n_ranked)
        )

    @cached_property
    def first(self) -> Codes:
        """Index of the first gold of each query, shape (Q,)."""
        return np.asarray(np.cumsum(self.n_gold) - self.n_gold)

    @cached_property
    def best_first(self) -> Codes:
        """Indices of the golds in the order of the ideal lists: by query and descending grade; shape (G,)."""
        return _best_first(self.query, self.grade)

    def where(self, mask: NDArray[np.bool_]) -> RankedQueries:
        """The queries of a mask of shape (Q,), numbered anew in their order."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> RankedQueries:
        """The queries at these places, in their order; one that is named twice is there twice."""
        query, gold = rows_of_lists(self.n_gold, at)
        return taken(taken(self, PER_GOLD, gold, query=query), PER_QUERY, at)

    def merge(self, other: RankedQueries) -> RankedQueries:
        """These queries followed by those of another part of the data; no query is in both.

        Raises
        ------
        ValueError : when the two order ties differently.
        """
        if self.ties != other.ties:
            raise ValueError(f"ties ordered by {self.ties} and by {other.ties} do not merge")
        query = np.concatenate([self.query, other.query + len(self)])
        return joined(self, other, (*PER_GOLD, *PER_QUERY), query=query)

    def flaws(self, n: int) -> Flaws:
        """What does not agree in the golds of ``n`` queries that were opened."""
        n_golds = len(self.query)
        wrong = list(flaws.codes("query", self.query, n_golds, n))
        for name in PER_GOLD:
            wrong += flaws.counts(name, getattr(self, name), n_golds, least=int(name == "grade"))
        for name in PER_QUERY:
            wrong += flaws.counts(name, getattr(self, name), n)
        yield from wrong or self._misplaced()

    def _misplaced(self) -> Flaws:
        """Golds that do not stand by query, are not as many as their query says, or lie beyond their list."""
        is_by_query = (np.diff(self.query) >= 0).all()
        is_counted = np.array_equal(np.bincount(self.query, minlength=len(self)), self.n_gold)
        expected = "n_gold golds of each query"
        yield from flaws.unless(is_by_query and is_counted, "", "golds of other queries", expected)
        deepest = self.n_ranked[self.query]
        last_tied = self.tie_start + np.maximum(self.tie_size, 1) - 1
        is_within = (self.rank <= deepest) & (last_tied <= deepest)
        is_tied = (self.tie_golds <= self.tie_size) & (self.tie_start <= self.rank)
        yield from flaws.unless(
            (is_within & is_tied).all(), "", "a place beyond its list", "places in the list"
        )

    @cached_property
    def gold_first_in_ties(self) -> RankedQueries:
        """The same with equal scores in the luckiest order: golds first, higher grades before lower ones."""
        return self._with_ties_by(self.grade, n_before=np.zeros_like(self.rank))

    @cached_property
    def gold_last_in_ties(self) -> RankedQueries:
        """The same with equal scores in the unluckiest order: golds last, lower grades before higher ones."""
        return self._with_ties_by(-self.grade, n_before=self.tie_size - self.tie_golds)

    def _with_ties_by(self, preferred: Counts, n_before: Counts) -> RankedQueries:
        order = np.lexsort((-preferred, self.tie_start, self.query))
        nth = np.empty_like(self.rank)
        nth[order] = nth_of_run(run_starts(self.query[order], self.tie_start[order]))
        rank = np.where(self.rank > 0, self.tie_start + n_before + nth - 1, 0)
        return _in_rank_order(replace(self, rank=rank, ties="stable"))


PER_GOLD = ("rank", "tie_start", "tie_size", "tie_golds", "grade")
PER_QUERY = ("n_gold", "n_ranked", "n_candidates")


def _best_first(query: Codes, grade: Counts) -> Codes:
    """The order of golds by query and, within one, by descending grade."""
    if (grade == grade[:1]).all():
        return np.argsort(query, kind="stable")  # next to nothing where golds come by query already
    return np.lexsort((-grade, query))


def _in_rank_order(queries: RankedQueries) -> RankedQueries:
    """The same golds by query and rank, those without a rank last, with the golds of each tie counted."""
    last = int(queries.rank.max(initial=0)) + 1
    key = queries.query * (last + 1) + np.where(queries.rank == 0, last, queries.rank)
    order = np.argsort(key, kind="stable")
    golds = {name: getattr(queries, name)[order] for name in ("query", *PER_GOLD)}
    tie = np.cumsum(run_starts(golds["query"], golds["tie_start"])) - 1
    golds["tie_golds"] = np.where(golds["tie_size"] > 0, np.bincount(tie)[tie], 0)
    return replace(queries, **golds)
