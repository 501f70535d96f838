"""Scored pairs as counts: as many as there are distinct scores, however many rows have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.scores import PairTable, ScoredRows, counted


@dataclass(frozen=True, eq=False)
class CountedPairs:
    """Counts of scored pairs at each distinct score, by the cell of their query.

    Which query a pair is of is not kept: it is what a bootstrap needs and nothing else. A cell is what groups
    are made of, so that the queries of a group have its cells as a whole.

    Parameters
    ----------
    cells : the names of each cell.
    of_query : int32, shape (Q,), the cell of each query.
    cell : int32, shape (S,), ascending.
    score : float64, shape (S,), ascending within a cell.
    n_pos, n_neg : int64, shape (S,), pairs of gold and others.
    """

    cells: tuple[tuple[str, ...], ...]
    of_query: NDArray[np.int32]
    cell: NDArray[np.int32]
    score: NDArray[np.float64]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]

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
        return CountedPairs(cells, of_query, cell, score, n_pos, n_neg)

    def merge(self, other: CountedPairs) -> CountedPairs:
        """These pairs and those of queries of another part."""
        code = {name: at for at, name in enumerate(dict.fromkeys((*self.cells, *other.cells)))}
        to = [np.array([code[name] for name in one.cells], np.int32) for one in (self, other)]
        cell = np.concatenate([to[0][self.cell], to[1][other.cell]])
        score = np.concatenate([self.score, other.score])
        order = np.lexsort((score, cell))
        cell, score = cell[order], score[order]
        is_first = np.ones(len(cell), bool)
        is_first[1:] = (cell[1:] != cell[:-1]) | (score[1:] != score[:-1])
        starts = np.flatnonzero(is_first)
        n_pos, n_neg = (
            np.add.reduceat(np.concatenate([mine, theirs])[order], starts) if len(starts) else mine
            for mine, theirs in ((self.n_pos, other.n_pos), (self.n_neg, other.n_neg))
        )
        of_query = np.concatenate([to[0][self.of_query], to[1][other.of_query]])
        return CountedPairs(tuple(code), of_query, cell[starts], score[starts], n_pos, n_neg)

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
            return CountedPairs(self.cells, of_query, self.cell, self.score, self.n_pos, self.n_neg)
        kept = n[self.cell] > 0
        return CountedPairs(
            self.cells, of_query, self.cell[kept], self.score[kept], self.n_pos[kept], self.n_neg[kept]
        )

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
    return PairTable(score, n_pos, n_neg)
