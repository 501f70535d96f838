"""Cells of lists between marks that nobody declared, such as ``2，1，3`` or ``2:1``: found by their pieces.

No cell is taken apart here: which rows may hold several ids is told, and they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from evalcore.readers.columns.lists import whole
from evalcore.readers.formats.arrays import plain_array
from evalcore.readers.formats.storage import is_list

_MARK = re.compile(r"[^\w\s]+")
_MAY_HOLD_ONE = r"[^0-9A-Za-z_\s]"
_NO_FORM = r"^\s*[^\s\[(|][^|]*$"
_ENOUGH = 2


def open_cells(raw: Any) -> dict[int, str]:
    """Row → its cell, where it is in no known form of a list and holds a mark."""
    if is_list(raw.type):
        return {}
    cells = whole(raw)
    is_open = pc.and_(
        pc.match_substring_regex(cells, _NO_FORM), pc.match_substring_regex(cells, _MAY_HOLD_ONE)
    )
    at = np.flatnonzero(plain_array(is_open))
    return {int(i): cells[int(i)].as_py().strip() for i in at}


def several_ids(
    cells: Mapping[int, str], known: Mapping[int, Collection[str]], declared: Collection[str]
) -> set[int]:
    """The rows whose cell may be several ids.

    A mark is one between ids where known ids stand as pieces in two rows or more, no whole cell with it is a
    known id, and no known id holds it.

    Parameters
    ----------
    cells : row → cell with a mark.
    known : row → ids that other columns of the row hold.
    declared : marks that are judged elsewhere.
    """
    by_mark: dict[str, set[int]] = {}
    held: set[str] = set()
    rows_of: dict[str, set[int]] = {}
    for at, cell in cells.items():
        ids = known.get(at, ())
        held.update(mark for one in ids for mark in _MARK.findall(one))
        for mark in set(_MARK.findall(cell)) - set(declared):
            rows_of.setdefault(mark, set()).add(at)
            if any(part.strip() in ids for part in cell.split(mark)):
                by_mark.setdefault(mark, set()).add(at)
    found = [mark for mark, rows in by_mark.items() if len(rows) >= _ENOUGH and mark not in held]
    return set().union(*(rows_of[mark] for mark in found))
