"""What joins two models where no column names the rows: nothing, unless row is to be paired with row."""

from __future__ import annotations

import numpy as np

from evalcore.compare.options import CompareOptions
from evalcore.compare.sides import Side
from evalcore.data import Data, Queries
from evalcore.problems import InputError, problem


def how_paired(
    sides: tuple[Side, Side], data: tuple[Data, Data | None], options: CompareOptions
) -> list[str]:
    """What to say about rows that were paired by their numbers; empty where ids pair them.

    Parameters
    ----------
    sides : the two models.
    data : the first model's data, and the second's where it has data of its own.
    options : how to compare.

    Raises
    ------
    InputError : OPT-031 where nothing joins the two and nobody said that row pairs with row; OPT-032 where
        somebody said so of rows that have ids.
    """
    has_ids = [_has_ids(side) for side in sides]
    if all(has_ids):
        if options.by_row:
            advice = "Leave out --by-row: ids pair the rows."
            found, expected = "both have ids", "rows without ids"
            raise InputError([problem("OPT-032", found=found, expected=expected, advice=advice)])
        return []
    names = [_file(part, side) for part, side in zip((data[0], data[1] or data[0]), sides, strict=True)]
    if names[0] == names[1]:
        names = [side.name for side in sides]
    queries = [side.queries for side in sides]
    same = _are_same(*queries)
    more = " Both hold the same pairs of label and score, in another order: nothing differs." if same else ""
    if not options.by_row:
        if data[1] is None and _share_rows(sides):
            return []
        found = " and ".join(name for name, has in zip(names, has_ids, strict=True) if not has)
        raise InputError([problem("OPT-031", found=found, first=names[0], second=names[1], more=more)])
    told = f"Row by row: row k of {names[0]} with row k of {names[1]}, as you said; no ids join them."
    return [told + more]


def _has_ids(side: Side) -> bool:
    parts = [part for part in (side.queries, side.rankings) if part is not None]
    return all(part.has_ids for part in parts)


def _share_rows(sides: tuple[Side, Side]) -> bool:
    """Whether two models of one data set stand in the same rows, or nothing says that they should."""
    first, second = (side.queries for side in sides)
    if first is None or second is None:
        return True
    return bool(np.isin(first.post, second.post).any())


def _file(data: Data, side: Side) -> str:
    return data.sources[0].name if len(data.sources) == 1 else side.name


def _are_same(first: Queries | None, second: Queries | None) -> bool:
    """Whether two models hold the same pairs of label and score, in another order."""
    if first is None or second is None or len(first) != len(second):
        return False
    pairs = [(one.has_evidence, one.score) for one in (first, second)]
    orders = [np.lexsort(pair) for pair in pairs]
    is_same = all((one[orders[0]] == other[orders[1]]).all() for one, other in zip(*pairs, strict=True))
    return bool(is_same and not (first.score == second.score).all())
