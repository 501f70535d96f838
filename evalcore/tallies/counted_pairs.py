"""Scored pairs as counts: as many as there are distinct scores, however many rows have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.levels import codes_kind
from evalcore.tallies.places import run_starts
from evalcore.tallies.scores import BinnedPairs, PairTable, ScoredRows, counted

Whole = NDArray[np.signedinteger[Any]]

MOST_DISTINCT = 2_000_000
"""Of so many distinct scores counts are kept; of more, of bins of them."""
_CUT = np.int64(-1 << 40)
"""Of the 52 binary digits behind the first one of a score, bins keep twelve."""


class _Counts(NamedTuple):
    """Distinct scores, ascending, and the pairs of gold and others at each."""

    score: NDArray[np.float64]
    n_pos: Whole
    n_neg: Whole

    def merge(self, other: _Counts) -> _Counts:
        """The counts of both. Nothing is sorted: the fewer scores are looked up among the others."""
        few, many = sorted((self, other), key=lambda one: len(one.score))
        if not len(few.score):
            return many
        to = np.searchsorted(many.score, few.score)
        is_new = many.score[np.minimum(to, len(many.score) - 1)] != few.score
        to += np.cumsum(is_new) - is_new  # behind those that are new before it
        is_of_many = np.ones(len(many.score) + int(np.count_nonzero(is_new)), bool)
        is_of_many[to[is_new]] = False
        score = np.empty(len(is_of_many))
        score[is_of_many], score[to] = many.score, few.score
        counts = []
        for mine, others in ((few.n_pos, many.n_pos), (few.n_neg, many.n_neg)):
            found = np.zeros(len(score), codes_kind(int(mine.max()) + int(others.max())))
            found[is_of_many] = others
            found[to] += mine
            counts.append(found)
        return _Counts(score, *counts)


@dataclass(frozen=True, eq=False)
class CountedPairs:
    """Counts of scored pairs at each distinct score, by the cell of their query.

    Of more than `MOST_DISTINCT` scores they are counts of bins: of the scores that agree in sign, power of
    two and the twelve binary digits that follow, of which the one nearest to 0 names the bin. The bin of a
    score follows from the score alone, so that it is the same in every part.

    Which query a pair is of is not kept: it is what a bootstrap needs and nothing else. A cell is what groups
    are made of, so that the queries of a group have its cells as a whole.

    Parameters
    ----------
    cells : the names of each cell.
    of_query : int32, shape (Q,), the cell of each query.
    cell : int, shape (S,), ascending.
    score : float64, shape (S,), ascending within a cell, each once.
    n_pos, n_neg : int, shape (S,), pairs of gold and others. They and cells are as narrow as they allow.
    is_binned : whether bins stand for scores.
    """

    cells: tuple[tuple[str, ...], ...]
    of_query: NDArray[np.int32]
    cell: Whole
    score: NDArray[np.float64]
    n_pos: Whole
    n_neg: Whole
    is_binned: bool = False

    @staticmethod
    def of(
        pairs: ScoredRows, cells: tuple[tuple[str, ...], ...], of_query: NDArray[np.int32]
    ) -> CountedPairs:
        """The counts of rows whose posts are queries, each of one cell."""
        of_row = of_query[pairs.post]
        each = [_Counts(*counted(pairs.where(of_row == at))) for at in range(len(cells))]
        return CountedPairs(cells, of_query, *_one_after_the_other(each)).capped()

    def capped(self) -> CountedPairs:
        """The same, as bins where there are more distinct scores than are kept."""
        is_few = len(self.score) <= MOST_DISTINCT or len(np.unique(self.score)) <= MOST_DISTINCT
        return self if is_few else self.binned()

    def binned(self) -> CountedPairs:
        """The counts of bins of scores."""
        if self.is_binned:
            return self
        cut = ((self.score + 0.0).view(np.int64) & _CUT).view(np.float64) + 0.0
        starts = np.flatnonzero(run_starts(self.cell, cut))  # scores that are cut keep their order
        if not len(starts):
            return replace(self, is_binned=True)
        n_pos, n_neg = (
            _narrow(np.add.reduceat(counts, starts, dtype=np.int64)) for counts in (self.n_pos, self.n_neg)
        )
        return CountedPairs(
            self.cells, self.of_query, self.cell[starts], cut[starts], n_pos, n_neg, is_binned=True
        )

    def merge(self, other: CountedPairs) -> CountedPairs:
        """These pairs and those of queries of another part."""
        code = {name: at for at, name in enumerate(dict.fromkeys((*self.cells, *other.cells)))}
        to = [np.array([code[name] for name in one.cells], np.int32) for one in (self, other)]
        of_query = np.concatenate([to[0][self.of_query], to[1][other.of_query]])
        is_binned = self.is_binned or other.is_binned
        own, others = (
            dict(zip(one.cells, (one.binned() if is_binned else one).by_cell(), strict=True))
            for one in (self, other)
        )
        either = own | others
        each = [
            own[name].merge(others[name]) if name in own and name in others else either[name] for name in code
        ]
        return CountedPairs(tuple(code), of_query, *_one_after_the_other(each), is_binned).capped()

    def by_cell(self) -> list[_Counts]:
        """The counts of each cell."""
        bounds = np.searchsorted(self.cell, np.arange(1, len(self.cells)))
        columns = (np.split(one, bounds) for one in (self.score, self.n_pos, self.n_neg))
        return [_Counts(*one) for one in zip(*columns, strict=True)] if self.cells else []

    def of_posts(self, at: NDArray[np.intp]) -> CountedPairs:
        """The pairs of these queries, in their order: of all queries of some cells.

        Raises
        ------
        ValueError : for some queries of a cell without the others, whose pairs nobody can tell apart.
        """
        of_query = self.of_query[at]
        n_before, n = (np.bincount(one, minlength=len(self.cells)) for one in (self.of_query, of_query))
        if ((n > 0) & (n != n_before)).any():
            raise ValueError("pairs of some queries of a cell cannot be told from those of the others")
        if (n == n_before).all():
            return replace(self, of_query=of_query)
        kept = n[self.cell] > 0
        return taken(self, ("cell", "score", "n_pos", "n_neg"), kept, of_query=of_query)

    def flaws(self, n: int) -> Flaws:
        """What does not agree in counts of pairs of ``n`` queries that were opened."""
        n_scores = len(self.score)
        yield from flaws.codes("of_query", self.of_query, n, len(self.cells))
        wrong = [
            *flaws.codes("cell", self.cell, n_scores, len(self.cells)),
            *flaws.numbers("score", self.score, n_scores),
        ]
        if not wrong:
            is_ascending = self.score[1:] > self.score[:-1]
            is_so = (
                (self.cell[1:] > self.cell[:-1]) | (self.cell[1:] == self.cell[:-1]) & is_ascending
            ).all()
            wrong += flaws.unless(is_so, "score", "scores in another order", "each once a cell, ascending")
        yield from wrong
        yield from flaws.counts("n_pos", self.n_pos, n_scores)
        yield from flaws.counts("n_neg", self.n_neg, n_scores)


def pair_table(pairs: ScoredRows | CountedPairs) -> PairTable:
    """The counts of pairs at each distinct score."""
    if isinstance(pairs, ScoredRows):
        return PairTable.from_rows(pairs)
    each = pairs.by_cell()
    while len(each) > 1:
        rest = each[len(each) // 2 * 2 :]
        each = [one.merge(other) for one, other in zip(each[::2], each[1::2], strict=False)] + rest
    score, *counts = each[0] if each else (np.zeros(0),) * 3
    n_pos, n_neg = (one.astype(np.int64) for one in counts)
    return (BinnedPairs if pairs.is_binned else PairTable)(score, n_pos, n_neg)


def _one_after_the_other(
    each: Sequence[_Counts],
) -> tuple[Whole, NDArray[np.float64], Whole, Whole]:
    """The columns of the counts of each cell as one, cells first."""
    n = [len(one.score) for one in each]
    cell = np.repeat(np.arange(len(each), dtype=codes_kind(len(each))), n)
    if len(each) == 1:
        return cell, each[0].score, _narrow(each[0].n_pos), _narrow(each[0].n_neg)
    score = np.concatenate([np.zeros(0), *(one.score for one in each)])
    n_pos, n_neg = (
        np.concatenate([np.zeros(0, np.int8), *map(_narrow, counts)])
        for counts in ([one.n_pos for one in each], [one.n_neg for one in each])
    )
    return cell, score, n_pos, n_neg


def _narrow(counts: Whole) -> Whole:
    """The same numbers, from 0 on, as narrow as they allow."""
    return counts.astype(codes_kind(int(counts.max(initial=0))), copy=False)
