"""What is drawn together: the posts of rows, another column's groups, or each row by itself."""

from __future__ import annotations

import numpy as np

from evalcore.data import Data, Queries, Rankings
from evalcore.drawn.weights import hashes
from evalcore.problems import Problem, problem
from evalcore.tallies.units import Units as Units
from evalcore.tallies.units import four_bytes


def cluster_warnings(data: Data, column: str | None) -> list[Problem]:
    """A warning for each table that lacks the column whose groups are to be drawn together."""
    found = []
    for table, part in (("queries", data.queries), ("ranked lists", data.rankings)):
        if part is not None and column not in (None, "post") and not has_column(part, str(column)):
            units = "posts" if part.has_posts else "rows"
            found.append(problem("OPT-009", table=table, found=column, units=units, column=column))
    for task, responses in data.annotations.responses.items() if data.annotations is not None else ():
        if column is not None and column not in responses.slices:
            found.append(problem("OPT-009", table=task, found=column, units="queries", column=column))
    return found


def has_column(part: Queries | Rankings, column: str) -> bool:
    """Whether a table has the column that is to be drawn by."""
    return len(part.criterion_ids) > 0 if column == "criterion" else column in part.slices


def posts_of(part: Queries | Rankings, source: str = "") -> Units:
    """The post of each row, or the row where there are no posts.

    Parameters
    ----------
    part : rows.
    source : stands before the numbers of rows without ids; empty where one source numbers them.
    """
    named = part.post_ids
    if source and not part.has_ids:
        named = np.array([f"{source}:{one}" for one in named], object)
    return Units(four_bytes(part.post, len(named)), hashes(named), "posts" if part.has_posts else "rows")


def groups_drawn(part: Queries | Rankings, column: str, posts: Units) -> Units:
    """The groups of a column as the units of rows; a row without a value in it is a unit of its own."""
    if column == "criterion":
        codes, levels = part.criterion, tuple(map(str, part.criterion_ids))
    else:
        codes, levels = part.slices.get(column, (np.full(len(part.post), -1), ()))
    own = np.flatnonzero(codes < 0)
    code = codes.astype(np.intp)  # a copy with room for more than the levels
    code[own] = len(levels) + np.arange(len(own))
    names = [*map(str, part.criterion_ids), ""]
    alone = [f"{posts.hashed[part.post[at]]}::{names[part.criterion[at]]}" for at in own.tolist()]
    return Units(code, hashes([*levels, *alone]), column)
