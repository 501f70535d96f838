"""Scored pairs as counts: as many as there are distinct scores, however many rows have them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.scores import BinnedPairs, PairTable, ScoredRows, counted

MOST_DISTINCT = 2_000_000
"""Of so many distinct scores counts are kept; of more, of bins of them."""
_CUT = np.int64(-1 << 40)
"""Of the 52 binary digits behind the first one of a score, bins keep twelve."""


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
    cell : int32, shape (S,), ascending.
    score : float64, shape (S,), ascending within a cell.
    n_pos, n_neg : int64, shape (S,), pairs of gold and others.
    is_binned : whether bins stand for scores.
    """

    cells: tuple[tuple[str, ...], ...]
    of_query: NDArray[np.int32]
    cell: NDArray[np.int32]
    score: NDArray[np.float64]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]
    is_binned: bool = False

    @staticmethod
    def of(
        pairs: ScoredRows, cells: tuple[tuple[str, ...], ...], of_query: NDArray[np.int32]
    ) -> CountedPairs:
        """The counts of rows whose posts are queries, each of one cell."""
        of_row = of_query[pairs.post]
        each = [counted(pairs.where(of_row == at)) for at in range(len(cells))]
        cell = np.repeat(np.arange(len(cells), dtype=np.int32), [len(score) for score, _, _ in each])
        score = np.concatenate([score for score, _, _ in each])
        n_pos, n_neg = (np.concatenate([one[nth] for one in each]) for nth in (1, 2))
        return CountedPairs(cells, of_query, cell, score, n_pos, n_neg).capped()

    def capped(self) -> CountedPairs:
        """The same, as bins where there are more distinct scores than are kept."""
        is_few = len(self.score) <= MOST_DISTINCT or len(np.unique(self.score)) <= MOST_DISTINCT
        return self if is_few else self.binned()

    def binned(self) -> CountedPairs:
        """The counts of bins of scores."""
        if self.is_binned:
            return self
        cut = ((self.score + 0.0).view(np.int64) & _CUT).view(np.float64) + 0.0
        return replace(self, score=cut, is_binned=True).summed()

    def merge(self, other: CountedPairs) -> CountedPairs:
        """These pairs and those of queries of another part."""
        code = {name: at for at, name in enumerate(dict.fromkeys((*self.cells, *other.cells)))}
        to = [np.array([code[name] for name in one.cells], np.int32) for one in (self, other)]
        of_query = np.concatenate([to[0][self.of_query], to[1][other.of_query]])
        first, second = (
            (self.binned(), other.binned()) if self.is_binned or other.is_binned else (self, other)
        )
        found = CountedPairs(
            tuple(code),
            of_query,
            np.concatenate([to[0][first.cell], to[1][second.cell]]),
            np.concatenate([first.score, second.score]),
            np.concatenate([first.n_pos, second.n_pos]),
            np.concatenate([first.n_neg, second.n_neg]),
            first.is_binned,
        )
        return found.summed().capped()

    def summed(self) -> CountedPairs:
        """Each score of a cell once, in order."""
        order = np.lexsort((self.score, self.cell))
        cell, score = self.cell[order], self.score[order]
        is_first = np.ones(len(cell), bool)
        is_first[1:] = (cell[1:] != cell[:-1]) | (score[1:] != score[:-1])
        starts = np.flatnonzero(is_first)
        n_pos, n_neg = (
            np.add.reduceat(counts[order], starts) if len(starts) else counts
            for counts in (self.n_pos, self.n_neg)
        )
        return replace(self, cell=cell[starts], score=score[starts], n_pos=n_pos, n_neg=n_neg)

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
        yield from flaws.codes("cell", self.cell, n_scores, len(self.cells))
        yield from flaws.numbers("score", self.score, n_scores)
        yield from flaws.counts("n_pos", self.n_pos, n_scores)
        yield from flaws.counts("n_neg", self.n_neg, n_scores)


def pair_table(pairs: ScoredRows | CountedPairs) -> PairTable:
    """The counts of pairs at each distinct score."""
    if isinstance(pairs, ScoredRows):
        return PairTable.from_rows(pairs)
    score, at = np.unique(pairs.score, return_inverse=True)
    n_pos, n_neg = (np.zeros(len(score), np.int64) for _ in range(2))
    np.add.at(n_pos, at, pairs.n_pos)
    np.add.at(n_neg, at, pairs.n_neg)
    return (BinnedPairs if pairs.is_binned else PairTable)(score, n_pos, n_neg)
