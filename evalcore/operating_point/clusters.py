"""A unit coarser than the post, such as its author: what is taken as independent in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Source
from evalcore.operating_point.wording import counted
from evalcore.problems import SHOWN, InputError, problem
from evalcore.readers.columns.mapping import CLUSTER
from evalcore.readers.formats.cells import number_text


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each row.

    Parameters
    ----------
    column : the name of the column.
    code : int, shape (N,), into ``names``.
    names : the clusters, as text.
    """

    column: str
    code: NDArray[np.intp]
    names: tuple[str, ...]

    def where(self, mask: NDArray[np.bool_]) -> Clusters:
        """The clusters of the rows of a mask."""
        return Clusters(self.column, self.code[mask], self.names)


def clusters_of(queries: Queries, column: str, sources: Sequence[Source] = ()) -> Clusters:
    """The clusters that a column names.

    Parameters
    ----------
    queries : rows.
    column : of text or of numbers, with a value in every row and one value for each post.
    sources : the files of the rows, which say what column was read as the cluster.

    Raises
    ------
    InputError : OPT-050 without such a column; OPT-051 for rows without a value; OPT-052 naming posts with
        rows in two clusters, which are then no coarser unit.
    """
    is_role = any(source.columns.get(CLUSTER) == column for source in sources)
    name = CLUSTER if is_role and CLUSTER in queries.slices else column
    if name in queries.slices:
        code, names = queries.slices[name]
    elif name in queries.numbers:
        values = queries.numbers[name]
        distinct, code = np.unique(values, return_inverse=True)
        code = np.where(np.isnan(values), -1, code)
        names = tuple(number_text(value) for value in distinct.tolist())
    else:
        known = ", ".join([*queries.slices, *queries.numbers]) or "no further column"
        raise InputError([problem("OPT-050", found=column, expected=known)])
    empty = np.flatnonzero(code < 0)
    if len(empty):
        rows = ", ".join(str(row) for row in queries.row[empty[:SHOWN]].tolist())
        raise InputError([problem("OPT-051", name=column, n=len(empty), rows=rows)])
    clusters = Clusters(column, np.asarray(code, np.intp), tuple(names))
    if queries.has_posts:
        _check_coarser(queries, clusters)
    return clusters


def _check_coarser(queries: Queries, clusters: Clusters) -> None:
    """Refuse posts that lie in two clusters."""
    first = np.full(len(queries.post_ids), -1)
    first[queries.post[::-1]] = clusters.code[::-1]
    split = np.unique(queries.post[clusters.code != first[queries.post]])
    if not len(split):
        return
    shown = []
    for post in split[:SHOWN].tolist():
        codes = np.unique(clusters.code[queries.post == post])[:2]
        shown.append(f"{queries.post_ids[post]} ({' and '.join(clusters.names[code] for code in codes)})")
    found = ", ".join(shown) + (f" and {len(split) - SHOWN:,} more" if len(split) > SHOWN else "")
    raise InputError(
        [problem("OPT-052", name=clusters.column, posts=counted(len(split), "post"), found=found)]
    )
