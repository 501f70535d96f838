"""Columns of codes into levels of text: their levels in order, and those of parts put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import looked_up, n_of_codes

Codes = NDArray[np.intp]
Column = tuple[Codes, tuple[str, ...]]
"""Codes, −1 where a row has no value, and the levels as text."""


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts A.2 before A.10."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d{1,18})", text)
        if part
    )


def level_order(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Sort key of the levels of a column: natural, and by their text where two are alike (A.1, A.01)."""
    return natural_key(text), text


def codes_kind(n_levels: int) -> np.dtype[Any]:
    """The narrowest whole numbers for codes from −1 on into so many levels, and for one more than these.

    >>> [codes_kind(n).name for n in (126, 127, 40_000)]
    ['int8', 'int16', 'int32']
    """
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next(np.dtype(one) for one in kinds if n_levels < np.iinfo(one).max)


def narrowed(column: Column) -> Column:
    """The same with codes as narrow as its levels allow."""
    codes, levels = column
    return codes.astype(codes_kind(len(levels)), copy=False), levels


def merged_columns(*columns: Column) -> Column:
    """The codes of all of them over the levels of all of them, as narrow as these allow."""
    levels = {level: at for at, level in enumerate(dict.fromkeys(chain(*(own for _, own in columns))))}
    kind = codes_kind(len(levels))
    to = (np.array([*(levels[level] for level in own), -1], kind) for _, own in columns)
    return looked_up(*zip(to, (codes for codes, _ in columns), strict=True)), tuple(levels)


def ordered_levels(column: Column) -> Column:
    """The same over the levels that a row has, in natural order."""
    codes, levels = column
    n_rows = n_of_codes(codes, len(levels))
    return reordered(column, sorted(np.flatnonzero(n_rows).tolist(), key=lambda at: level_order(levels[at])))


def reordered(column: Column, order: Sequence[int]) -> Column:
    """The same over the levels at these places, in their order."""
    codes, levels = column
    if list(order) == list(range(len(levels))):
        return column
    to = np.full(len(levels) + 1, -1, codes_kind(len(levels)))
    to[list(order)] = np.arange(len(order))
    return looked_up((to, codes)), tuple(levels[at] for at in order)
