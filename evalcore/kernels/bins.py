"""Bins of the score: equal in width or in number of rows, rows of one score never torn apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import kept_with
from evalcore.tallies.scores import ScoreTable


@dataclass(frozen=True)
class Bins:
    """Rows by bin of the score.

    Parameters
    ----------
    start : int, shape (..., M + 1); bin m holds the distinct scores ``start[m]`` … ``start[m + 1] − 1``.
    n, n_pos : int64, shape (..., M): rows, and rows with evidence.
    sum_score : float64, shape (..., M): sum of the rows' scores.
    """

    start: NDArray[np.intp]
    n: NDArray[np.int64]
    n_pos: NDArray[np.int64]
    sum_score: NDArray[np.float64]

    @property
    def gap(self) -> NDArray[np.float64]:
        """Rows with evidence against the number the scores promise, |n_pos − Σ score|, shape (..., M)."""
        return np.abs(self.n_pos - self.sum_score)


def equal_width_edges(n_bins: int) -> NDArray[np.float64]:
    """The M + 1 edges m / M, each the float64 nearest to its fraction.

    ``np.linspace`` is one bit off at some of them and would put a score of 0.3 into another bin.
    """
    return np.arange(n_bins + 1) / n_bins


def bins_of(table: ScoreTable, n_bins: int, variant: str = "default") -> Bins:
    """Count rows by bin; the bins stay with their table, for several metrics and their remarks rest on them.

    Parameters
    ----------
    table : counts at each distinct probability, shape (..., S).
    n_bins : M, at least 1.
    variant : ``default`` (equal width, [lo, hi), the last one closed), ``spec_001`` (edges by linspace, p = 1
        in no bin) or ``equal_mass`` (rows dealt out evenly; a score goes where its first row goes).

    Returns
    -------
    Bins, some of them empty where no row falls.

    Raises
    ------
    KeyError : for another variant.
    """
    return kept_with(table, f"bins_{n_bins}_{variant}", lambda: _bins_of(table, n_bins, variant))


def _bins_of(table: ScoreTable, n_bins: int, variant: str) -> Bins:
    start = _STARTS[variant](table, n_bins)
    shape = (*table.n_pos.shape[:-1], n_bins + 1)
    start = np.broadcast_to(start, shape)
    pos_below = np.take_along_axis(table.pos_below, start, -1)
    n_below = pos_below + np.take_along_axis(table.neg_below, start, -1)
    scores = table.score * (table.n_pos + table.n_neg)
    return Bins(start, np.diff(n_below), np.diff(pos_below), _segment_sums(scores, start))


def bins_of_scores(score: NDArray[np.float64], n_bins: int, variant: str) -> NDArray[np.intp] | None:
    """The bin of each score, shape (N,), M for one in no bin; None where bins depend on the other rows."""
    if variant not in _EDGES:
        return None
    edges = _EDGES[variant](n_bins)
    return np.minimum(np.searchsorted(edges, score, side="right") - 1, n_bins)


def _edges(n_bins: int) -> NDArray[np.float64]:
    """The lower ends of bins of equal width, and the end beyond the last one, which is closed."""
    return np.append(equal_width_edges(n_bins)[:-1], np.inf)


_EDGES: dict[str, Callable[[int], NDArray[np.float64]]] = {
    "default": _edges,
    "spec_001": lambda n_bins: np.linspace(0, 1, n_bins + 1),
}


def _equal_width(table: ScoreTable, n_bins: int) -> NDArray[np.intp]:
    return np.searchsorted(table.score, _edges(n_bins))


def _spec_001(table: ScoreTable, n_bins: int) -> NDArray[np.intp]:
    return np.searchsorted(table.score, _EDGES["spec_001"](n_bins))


def _equal_mass(table: ScoreTable, n_bins: int) -> NDArray[np.intp]:
    n_below = (table.pos_below + table.neg_below)[..., :-1]
    due = [(n_below * n_bins < m * table.total[..., None]).sum(axis=-1) for m in range(n_bins + 1)]
    return np.stack(due, axis=-1)


_STARTS: dict[str, Callable[[ScoreTable, int], NDArray[np.intp]]] = {
    "default": _equal_width,
    "spec_001": _spec_001,
    "equal_mass": _equal_mass,
}


def _segment_sums(values: NDArray[np.float64], start: NDArray[np.intp]) -> NDArray[np.float64]:
    flat_start = start.reshape(-1, start.shape[-1])
    offset = np.arange(len(flat_start))[:, None] * values.shape[-1]
    padded = np.append(values.reshape(-1), 0.0)  # reduceat needs every start to be an index
    sums = np.add.reduceat(padded, (flat_start + offset).reshape(-1)).reshape(start.shape)[..., :-1]
    return np.where(start[..., 1:] > start[..., :-1], sums, 0.0)
