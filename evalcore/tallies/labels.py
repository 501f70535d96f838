"""Labels and calls of posts: one row a post, one column a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries
from evalcore.rows import taken
from evalcore.tallies.places import Codes

if TYPE_CHECKING:
    from evalcore.tallies.unit_scores import UnitScores

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class LabelMatrix:
    """Labels and calls of P posts on C criteria.

    Parameters
    ----------
    label : bool, shape (P, C), whether the post has evidence for the criterion; False where it is absent.
    called : bool, shape (P, C), whether the model says so; False where it is absent.
    present : bool, shape (P, C), whether there is a row for the post and criterion. Nothing is filled in.
    criteria : names of the C criteria.

    Examples
    --------
    >>> matrix = LabelMatrix.of_lists([[1, 0], [1, None]], [[1, 1], [0, None]])
    >>> matrix.is_complete.tolist(), matrix.true_pos.tolist(), matrix.false_pos.tolist()
    ([True, False], [1, 0], [0, 1])
    """

    is_decided: ClassVar[bool] = True
    lacking: ClassVar[str] = "as posts or criteria are not known"

    label: Mask
    called: Mask
    present: Mask
    criteria: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.label)

    @property
    def total(self) -> int:
        """Number of posts."""
        return len(self)

    @staticmethod
    def from_queries(queries: Queries | UnitScores, threshold: float = 0.5) -> LabelMatrix:
        """The posts of the rows of one model; ``score >= threshold`` calls a criterion.

        Parameters
        ----------
        queries : rows of one model. Rows without a criterion are left out, and all are where every row had to
            be taken as its own post.
        threshold : 0.5 (document 002 §2.3), or a threshold of the gate: τ_neg for "screened in", τ_pos for
            "alert".
        """
        placed = queries.criterion >= 0 if queries.has_posts else np.zeros(len(queries), bool)
        posts, post = np.unique(queries.post[placed], return_inverse=True)
        columns, criterion = np.unique(queries.criterion[placed], return_inverse=True)
        label, called, present = np.zeros((3, len(posts), len(columns)), bool)
        label[post, criterion] = queries.has_evidence[placed]
        called[post, criterion] = queries.score[placed] >= threshold
        present[post, criterion] = True
        names = tuple(str(name) for name in queries.criterion_ids[columns])
        return LabelMatrix(label, called, present, names)

    @staticmethod
    def of_lists(label: list[list[int | None]], called: list[list[int | None]]) -> LabelMatrix:
        """The matrix of plain lists of 0, 1 and None (absent), for examples and notebooks."""
        n_criteria = max((len(row) for row in label), default=0)
        labels, calls = (np.array(rows, object).reshape(len(rows), n_criteria) for rows in (label, called))
        present = labels != None  # noqa: E711 - compares each cell
        names = tuple(f"A.{at + 1}" for at in range(n_criteria))
        return LabelMatrix((labels == 1) & present, (calls == 1) & present, present, names)

    @cached_property
    def is_complete(self) -> Mask:
        """Whether a post has a row for every criterion, shape (P,)."""
        return np.asarray(self.present.all(axis=1))

    @cached_property
    def is_right(self) -> Mask:
        """Whether label and call agree, shape (P, C); False where the cell is absent."""
        return np.asarray((self.label == self.called) & self.present)

    @cached_property
    def true_pos(self) -> Counts:
        """Posts for which a criterion is called rightly, by criterion, shape (C,)."""
        return np.asarray(np.count_nonzero(self.label & self.called, axis=0))

    @cached_property
    def false_pos(self) -> Counts:
        """Posts for which a criterion is called wrongly, by criterion, shape (C,)."""
        return np.asarray(np.count_nonzero(~self.label & self.called, axis=0))

    @cached_property
    def false_neg(self) -> Counts:
        """Posts for which a criterion is missed, by criterion, shape (C,)."""
        return np.asarray(np.count_nonzero(self.label & ~self.called, axis=0))

    def where(self, mask: Mask) -> LabelMatrix:
        """The posts of a mask of shape (P,); criteria stay as they are."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> LabelMatrix:
        """The posts at these places, in their order; one that is named twice is there twice."""
        return taken(self, ("label", "called", "present"), at)

    def merge(self, other: LabelMatrix) -> LabelMatrix:
        """These posts followed by those of another part; a criterion that one part lacks is absent there."""
        criteria = tuple(dict.fromkeys([*self.criteria, *other.criteria]))
        columns = [[criteria.index(name) for name in part.criteria] for part in (self, other)]

        def stacked(*parts: Mask) -> Mask:
            spread = [np.zeros((len(part), len(criteria)), bool) for part in parts]
            for cells, part, at in zip(spread, parts, columns, strict=True):
                cells[:, at] = part
            return np.concatenate(spread)

        return LabelMatrix(
            stacked(self.label, other.label),
            stacked(self.called, other.called),
            stacked(self.present, other.present),
            criteria,
        )
