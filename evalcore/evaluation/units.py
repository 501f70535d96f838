"""What is drawn together: the posts of rows, another column's groups, or each row by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.drawn.weights import hashes
from evalcore.evaluation.groups import Mask
from evalcore.problems import Problem, problem


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each row.

    Parameters
    ----------
    code : int codes, shape (N,), into ``hashed``.
    hashed : uint64, shape (P,), from the units' ids.
    word : what they are: ``posts``, ``rows``, or the name of a column.
    """

    code: NDArray[np.intp]
    hashed: NDArray[np.uint64]
    word: str

    def where(self, mask: Mask) -> Units:
        """The units of the rows of a mask."""
        return Units(self.code[mask], self.hashed, self.word)

    def present(self) -> tuple[Units, NDArray[np.intp]]:
        """The units that have a row, numbered anew, and the code that each had before."""
        before, code = np.unique(self.code, return_inverse=True)
        return Units(code, self.hashed[before], self.word), before

    def __len__(self) -> int:
        return len(self.hashed)


def cluster_warnings(data: Data, column: str | None) -> list[Problem]:
    """A warning for each table that lacks the column whose groups are to be drawn together."""
    found = []
    for table, part in (("queries", data.queries), ("ranked lists", data.rankings)):
        if part is not None and column not in (None, "post") and not _has(part, str(column)):
            units = "posts" if part.has_posts else "rows"
            found.append(problem("OPT-009", table=table, found=column, units=units, column=column))
    for task, responses in data.annotations.responses.items() if data.annotations is not None else ():
        if column is not None and column not in responses.slices:
            found.append(problem("OPT-009", table=task, found=column, units="queries", column=column))
    return found


def _has(part: Queries | Rankings, column: str) -> bool:
    return len(part.criterion_ids) > 0 if column == "criterion" else column in part.slices


def units_of(part: Queries | Rankings, column: str | None) -> Units:
    """The units of a table's rows.

    Parameters
    ----------
    part : rows.
    column : a column whose groups are drawn together; None, or one that the table lacks: posts, or rows
        where there are no posts. A row without a value in the column is a unit of its own.
    """
    if column is None or not _has(part, column):
        word = "posts" if part.has_posts else "rows"
        return Units(part.post, hashes(map(str, part.post_ids)), word)
    if column == "criterion":
        codes, levels = part.criterion, tuple(map(str, part.criterion_ids))
    else:
        codes, levels = part.slices[column]
    own = np.flatnonzero(codes < 0)
    code = codes.copy()
    code[own] = len(levels) + np.arange(len(own))
    posts = [f"{part.post_ids[part.post[at]]}::{part.criterion[at]}" for at in own.tolist()]
    return Units(code, hashes([*levels, *posts]), column)
