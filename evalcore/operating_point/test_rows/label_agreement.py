"""Whether rows of one score have one label more often than rows of near scores do: then they are copies.

Where alike rows lie does not tell copies that were made before rows were divided: they lie as any two rows
do, and tune repeats itself as often as test repeats tune. Their labels tell. Different cases that share a
score, because it was rounded or is the value of a leaf, have one label as often as the rate at that score
says; copies always have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.operating_point.test_rows.alike_rows import Both
from evalcore.operating_point.test_rows.row_sets import RowSet

BY_ACCIDENT = 1e-5
_NEAR = 25
"""Rows on each side of a score, of its criterion and set, whose labels say its rate."""

_FEWEST_NEAR = 10
_LEAST_SHARE = 0.5
"""Scores of a crude model may be purer than near ones; so few mixed ones are left by copies alone."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OneLabel:
    """Scores whose rows have one label more often than near scores let expect.

    Parameters
    ----------
    n : scores that several posts share, all of one label.
    expected : how many of those that several posts share would be of one label.
    """

    n: int
    expected: float


def one_label_across(tune: RowSet, test: RowSet) -> OneLabel | None:
    """Scores in tune and in test whose posts of test have the label of tune, where they are too many.

    To the last digit and within a criterion, as in `one_label_within`.
    """
    cells = _cells_of(tune, test)
    of_tune = cells.rates_near(~cells.is_test)
    label = np.full(cells.n_cells, -1)
    label[cells.cell[~cells.is_test]] = cells.label[~cells.is_test]
    by_chance = of_tune * cells.p**cells.n + (1 - of_tune) * (1 - cells.p) ** cells.n
    is_one = np.where(label == 1, cells.n_positive == cells.n, cells.n_positive == 0)
    return _too_many(by_chance, (cells.n > 0) & (label >= 0), is_one)


def one_label_within(tune: RowSet, test: RowSet) -> OneLabel | None:
    """Scores of several posts of test that have one label, where they are too many.

    Parameters
    ----------
    tune, test : rows with labels and scores.
    """
    cells = _cells_of(tune, test)
    by_chance = cells.p**cells.n + (1 - cells.p) ** cells.n
    is_one = (cells.n_positive == 0) | (cells.n_positive == cells.n)
    return _too_many(by_chance, cells.n > 1, is_one)


@dataclass(frozen=True)
class _Cells:
    """Rows in a drawn order, and what the posts of test say at each score of a criterion, a cell.

    Parameters
    ----------
    criterion, score, label, is_test, cell : of each row.
    n_cells : how many cells there are.
    n, n_positive : shape (cells,), posts of test and those with evidence; a post speaks once.
    p : shape (2, cells), the rates of test below and above each cell.
    """

    criterion: NDArray[np.int64]
    score: NDArray[np.int64]
    label: NDArray[np.int64]
    is_test: NDArray[np.bool_]
    cell: NDArray[np.intp]
    n_cells: int
    n: NDArray[Any]
    n_positive: NDArray[Any]
    p: Floats

    def rates_near(self, rows: NDArray[np.bool_]) -> Floats:
        """The share of positives among some rows, below and above each cell, as `_rates_near`."""
        return _rates_near(
            self.criterion[rows], self.score[rows], self.label[rows], self.cell[rows], self.n_cells
        )


def _cells_of(tune: RowSet, test: RowSet) -> _Cells:
    rows = Both.every(tune, test, digits=None, has_criterion=True)
    # A file may be sorted by its labels: which row of a post or of tune stands for others is drawn.
    order = np.random.default_rng(0).permutation(len(rows.post))
    criterion, label = rows.stratum[order] // 2, rows.stratum[order] % 2
    is_test, post, score = rows.is_test[order], rows.post[order], rows.score[order]
    cell = np.unique(criterion * (int(score.max(initial=0)) + 1) + score, return_inverse=True)[1]
    n_cells, n_posts = int(cell.max(initial=-1)) + 1, int(post.max(initial=0)) + 1
    own = np.zeros(len(post), bool)
    own[np.unique(cell * n_posts + post, return_index=True)[1]] = True  # a post speaks once
    of_test = own & is_test
    n = np.bincount(cell[of_test], minlength=n_cells)
    n_positive = np.bincount(cell[of_test], weights=label[of_test], minlength=n_cells)
    p = _rates_near(criterion[is_test], score[is_test], label[is_test], cell[is_test], n_cells)
    return _Cells(criterion, score, label, is_test, cell, n_cells, n, n_positive, p)


def _too_many(by_chance: Floats, is_shared: NDArray[np.bool_], is_one: NDArray[np.bool_]) -> OneLabel | None:
    """The shared scores of one label, where fewer are mixed than chance lets expect.

    Parameters
    ----------
    by_chance : shape (2, cells), how likely one label is by the rates below and above.
    """
    is_pure = by_chance.max(axis=0)  # where the rate changes fast, the side of the score that is purer
    looked_at = is_shared & ~np.isnan(is_pure)
    expected, n_mixed = float(np.sum(1 - is_pure[looked_at])), int(np.count_nonzero(looked_at & ~is_one))
    if n_mixed >= _LEAST_SHARE * expected or float(special.pdtr(n_mixed, expected)) >= BY_ACCIDENT:
        return None
    n_shared = int(np.count_nonzero(looked_at))
    return OneLabel(n_shared - n_mixed, n_shared - expected)


def _rates_near(
    criterion: NDArray[np.int64],
    score: NDArray[np.int64],
    label: NDArray[np.int64],
    cell: NDArray[np.intp],
    n_cells: int,
) -> Floats:
    """The share of positives below and above each cell, shape (2, cells); NaN where there are few rows."""
    order = np.lexsort((score, criterion))
    found = np.full((2, n_cells), np.nan)
    if not len(order):
        return found
    criterion, cell = criterion[order], cell[order]
    n_positive = np.concatenate([[0], np.cumsum(label[order])])
    ends = np.flatnonzero(np.append(cell[1:] != cell[:-1], True)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    low = np.maximum(starts - _NEAR, np.searchsorted(criterion, criterion[starts], side="left"))
    high = np.minimum(ends + _NEAR, np.searchsorted(criterion, criterion[starts], side="right"))
    for side, (first, last) in enumerate(((low, starts), (ends, high))):
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (n_positive[last] - n_positive[first]) / (last - first)
        found[side, cell[starts]] = np.where(last - first >= _FEWEST_NEAR, share, np.nan)
    return found
