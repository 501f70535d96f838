"""Rows of a file of a tool, as readers of tools take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Records:
    """Rows of a file of a tool, each a mapping of names to values as the file holds them.

    Parameters
    ----------
    name : the file's name.
    names : names of the columns, in order.
    rows : the records.
    row : their data rows, from 1.
    n_blank : blank lines between them.
    short : row → fields, for rows with fewer than the header.
    """

    name: str
    names: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    row: tuple[int, ...]
    n_blank: int = 0
    short: Mapping[int, int] = field(default_factory=dict)
