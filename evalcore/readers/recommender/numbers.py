"""Scores, ranks and ratings of rows: each a number of its kind, or named with its user and item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Numbers

Floats = NDArray[np.float64]
_MAX_RANK = 2**31
LARGEST = 1e100
"""Of a score or rating either way: squares of larger ones, and their sums, are beyond every number."""


def check_numbers(rows: Rows, role: str, code: str, findings: Findings) -> bool:
    """Whether all cells of a column are numbers up to `LARGEST`; others are named with user and item."""
    numbers, column = rows.number(role), rows.mapped.one(role)
    if numbers is None or column is None:
        return True
    is_finite = np.isfinite(numbers.values)
    bad, huge = np.flatnonzero(~is_finite), np.flatnonzero(is_finite & (abs(numbers.values) > LARGEST))
    name_cells(rows, numbers, bad, column, code, findings)
    name_cells(rows, numbers, huge, column, "RCM-112", findings)
    return not len(bad) and not len(huge)


def name_cells(
    rows: Rows, numbers: Numbers, bad: NDArray[np.intp], column: str, code: str, findings: Findings
) -> None:
    """Report cells with their user and item."""
    if not len(bad):
        return
    user, item = rows.text("user_id"), rows.text("item_id")
    assert user is not None
    assert item is not None
    cells = rows.cells(column)

    def facts(i: int) -> Mapping[str, str]:
        found = "(an empty cell)" if numbers.is_empty[i] else cells(i).strip()[:40]
        return {"found": found, "user": user.at(i), "item": item.at(i)}

    named = ((int(rows.row[i]), facts(i)) for i in bad[:SHOWN].tolist())
    findings.add_rows(code, named, len(bad), file=rows.name, column=column)


def leave_empty(rows: Rows) -> None:
    """Take scores or ranks without a single value for none, where the other column orders the lists."""
    for role, other in (("score", "rank"), ("rank", "score")):
        numbers, column = rows.number(role), rows.mapped.one(role)
        if numbers is None or column is None or not numbers.is_empty.all() or rows.number(other) is None:
            continue
        roles = {one: names for one, names in rows.mapped.roles.items() if one != role}
        rows.mapped = replace(rows.mapped, roles=roles)
        rows.unused[column] = "no value in any row"


def check_ranks(rows: Rows, findings: Findings) -> bool:
    """Whether ranks are whole numbers from 1 on, or from 0 on where each list has one 0.

    Beside scores, which order the lists, a rank may be empty.
    """
    ranks, column = rows.number("rank"), rows.mapped.one("rank")
    if ranks is None or column is None:
        return True
    values = ranks.values
    with np.errstate(invalid="ignore"):
        is_rank = (values >= 0) & (values <= _MAX_RANK) & (values == np.floor(values))
    if not _begin_at_zero(rows, values):
        is_rank &= values != 0
    may_be_empty = rows.number("score") is not None
    bad = np.flatnonzero(~(is_rank | ranks.is_empty) if may_be_empty else ~is_rank)
    name_cells(rows, ranks, bad, column, "RCM-008", findings)
    return not len(bad)


def begin_at_zero(rows: Rows) -> bool | None:
    """Whether any rank is 0; None where there are no ranks."""
    ranks = rows.number("rank")
    return None if ranks is None else bool((ranks.values == 0).any())


def _begin_at_zero(rows: Rows, ranks: Floats) -> bool:
    is_first = ranks == 0
    if not is_first.any():
        return True
    key = _list_of(rows)
    firsts = np.unique(key[is_first])
    return len(firsts) == int(is_first.sum()) == len(np.unique(key))


def _list_of(rows: Rows) -> NDArray[np.int64]:
    """The list that each row belongs to: one for each user and model."""
    user, model = rows.text("user_id"), rows.text("model")
    assert user is not None
    key = user.codes.astype(np.int64)
    return key if model is None else key * len(model.levels) + model.codes
