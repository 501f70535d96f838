"""Counts of posts and criteria in every bootstrap replicate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.post_values import PostValues, Work
from evalcore.tallies.labels import LabelMatrix

Counts = NDArray[np.float64]
"""Whole numbers below 2^53."""


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Counts in B replicates.

    Parameters
    ----------
    true_pos, false_pos, false_neg : posts by criterion, shape (B, C).
    n_exact : complete posts with every criterion right, shape (B,).
    n_complete : posts with a row for every criterion, shape (B,).
    """

    true_pos: Counts
    false_pos: Counts
    false_neg: Counts
    n_exact: Counts
    n_complete: Counts


def label_counts(matrix: LabelMatrix, post: NDArray[np.intp], n_posts: int) -> Work[LabelCounts]:
    """The counts in every replicate.

    Parameters
    ----------
    matrix : labels and calls of posts.
    post : int codes 0 … P − 1 of the matrix's posts among those that are drawn.
    n_posts : P.
    """
    label, called = matrix.label, matrix.called
    is_exact = matrix.is_right.all(axis=1) & matrix.is_complete
    whole = np.stack([is_exact, matrix.is_complete], axis=1)
    cells = np.concatenate([label & called, ~label & called, label & ~called, whole], axis=1)
    totals = yield PostValues.from_rows(cells.astype(np.float64), post, n_posts)
    true_pos, false_pos, false_neg = np.split(totals[:, :-2], 3, axis=1)
    return LabelCounts(true_pos, false_pos, false_neg, totals[:, -2], totals[:, -1])
