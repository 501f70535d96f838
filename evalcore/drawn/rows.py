"""Sums over scored rows in every bootstrap replicate, without a table of distinct scores for each.

A sum over rows is a sum over posts of the rows' sum in each, so one matrix product serves all replicates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.drawn.post_values import PostValues, Work, result_of
from evalcore.drawn.replicates import Resampling, score_table
from evalcore.drawn.swaps import Swaps
from evalcore.tallies.scores import ScoredRows, ScoreTable

Floats = NDArray[np.float64]
CHUNK = 64


class Wanted(NamedTuple):
    """Sums over rows that are wanted in every replicate.

    Parameters
    ----------
    key : what they are; the same key stands for the same columns.
    columns : makes the values of each row, float64 of shape (N, J), finite.
    bound : what the size of no value exceeds, known without the rows, one for all columns or shape (J,);
        None where they are counts.
    """

    key: Hashable
    columns: Callable[[], Floats]
    bound: ArrayLike | None = None


Sums = Generator[list[Wanted], list[Floats], Floats]
"""What asks once for sums over rows, and returns its values in every replicate, shape (B,)."""


@dataclass(frozen=True, eq=False)
class ReplicatedRows:
    """Scored rows and how often the unit of each is drawn, in B replicates.

    Parameters
    ----------
    rows : N rows; ``post`` holds codes of the P units that are drawn.
    resampling : the draws.
    tally : the table of the rows as they are, where it is known.
    """

    rows: ScoredRows
    resampling: Resampling | Swaps
    tally: ScoreTable | None = None

    @cached_property
    def whole(self) -> ScoreTable:
        """The table of the rows as they are."""
        return self.rows.table if self.tally is None else self.tally

    def tables(self, which: NDArray[np.bool_]) -> ScoreTable:
        """The table of counts at each distinct score in some of the replicates, a mask of shape (B,)."""
        return score_table(self.rows, self.resampling.drawn[which].astype(np.float64))

    def ends(self, x: Floats, of: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Lowest and highest x among the rows of a mask, each of shape (B,); (inf, −inf) without one.

        Parameters
        ----------
        x : of each row, shape (N,).
        of : which rows, shape (N,).
        """
        order = np.argsort(x[of], kind="stable")
        value, unit = x[of][order], self.rows.post[of][order]
        low = self._first(value, unit, np.inf)
        return low, self._first(value[::-1], unit[::-1], -np.inf)

    def _first(self, value: Floats, unit: NDArray[np.intp], none: float) -> Floats:
        """The value of the first row that is drawn."""
        drawn = self.resampling.drawn.T
        found = np.full(drawn.shape[1], none)
        is_open = np.ones(drawn.shape[1], bool)
        for start in range(0, len(value), CHUNK):
            held = drawn[unit[start : start + CHUNK]] > 0
            newly = is_open & held.any(axis=0)
            found[newly] = value[start + held[:, newly].argmax(axis=0)]
            is_open &= ~newly
            if not is_open.any():
                break
        return found

    def counts(self) -> Wanted:
        """Rows with evidence, and rows."""
        label = self.rows.is_positive
        return Wanted(("counts",), lambda: np.stack([label, np.ones(len(label))], axis=1))

    def squared_errors(self) -> Wanted:
        """(score − label)²."""
        rows = self.rows
        return Wanted(("squared errors",), lambda: ((rows.score - rows.is_positive) ** 2)[:, None], 1.0)

    def losses(self, clip: float) -> Wanted:
        """Negative log-likelihoods of the labels, with probabilities kept within [clip, 1 − clip]."""
        p, label = np.clip(self.rows.score, clip, 1 - clip), self.rows.is_positive
        return Wanted(
            ("losses", clip), lambda: -np.where(label, np.log(p), np.log1p(-p))[:, None], -math.log(clip)
        )


def sums_together(rows: ScoredRows, works: Sequence[Sums]) -> Work[list[Floats]]:
    """The results of works on the same rows, in their order; sums that several of them want are made once.

    Parameters
    ----------
    rows : the rows that are summed.
    works : generators that yield what they want once, and are sent the sums, each of shape (B, J).
    """
    lists = [next(work) for work in works]
    wanted = {one.key: one for asked in lists for one in asked}
    values = {
        key: PostValues.from_rows(one.columns(), rows.post, rows.n_posts, bound=one.bound)
        for key, one in wanted.items()
    }
    totals = yield PostValues.joined(list(values.values()))
    ends = np.cumsum([one.n_values for one in values.values()])
    sums = dict(zip(values, np.split(totals, ends[:-1], axis=1), strict=True))
    return [
        result_of(work, [sums[one.key] for one in asked]) for work, asked in zip(works, lists, strict=True)
    ]
