"""Co-occurrence: for each pair of criteria, the posts that have evidence for both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.labels import LabelMatrix

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Cooccurrence:
    """Posts by pair of C criteria.

    Parameters
    ----------
    criteria : their names.
    n_both : int64, shape (C, C), symmetric: posts with evidence for both; on the diagonal posts with each.
    n_judged : int64, shape (C, C), symmetric: posts that have a row for both.

    Examples
    --------
    >>> counts = Cooccurrence.from_labels(LabelMatrix.of_lists([[1, 1], [1, 0], [1, None]], [[0, 0]] * 3))
    >>> counts.n_both.tolist(), counts.n_judged.tolist()
    ([[3, 1], [1, 1]], [[3, 2], [2, 2]])
    """

    criteria: tuple[str, ...]
    n_both: Counts
    n_judged: Counts

    @staticmethod
    def from_labels(matrix: LabelMatrix) -> Cooccurrence:
        """Count the labels of posts, in the order of the matrix's criteria."""
        label, present = matrix.label.astype(np.int64), matrix.present.astype(np.int64)
        return Cooccurrence(matrix.criteria, label.T @ label, present.T @ present)

    def ordered(self, criteria: tuple[str, ...]) -> Cooccurrence:
        """The same counts for these criteria, in this order.

        Raises
        ------
        ValueError : for a criterion that is not counted.
        """
        at = [self.criteria.index(name) for name in criteria]
        return Cooccurrence(criteria, self.n_both[np.ix_(at, at)], self.n_judged[np.ix_(at, at)])
