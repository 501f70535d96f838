"""Cells that hold a list or an object: as such, or written as JSON or Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.readers.formats.cells import cell_text
from evalcore.readers.formats.text.literals import python_literal
from evalcore.readers.rag.responses.spelling import NOTHING


def items_of(cell: Any) -> Sequence[Any]:
    """The items of a cell: a list, or one written as JSON or Python; what is no list is the only item.

    >>> items_of("['a', 'b']"), items_of('{"a": 1}'), items_of(None)
    (['a', 'b'], [{'a': 1}], [])
    """
    if isinstance(cell, list):
        return cell
    if isinstance(cell, dict):
        return [cell]
    if not isinstance(cell, str) or not cell.strip():
        return []
    found = _read(cell)
    return [cell] if found is None else found if isinstance(found, list) else [found]


def mapping_in(cell: Any) -> Mapping[str, Any]:
    """The object of a cell, or one written as JSON or Python; empty where there is none.

    >>> mapping_in("{'a': None}"), mapping_in("a")
    ({'a': None}, {})
    """
    found = _read(cell) if isinstance(cell, str) and cell.strip()[:1] == "{" else cell
    return found if isinstance(found, dict) else {}


def inside(record: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The first of these fields that holds an object; empty without one."""
    return next((found for name in names if (found := mapping_in(record.get(name)))), {})


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that has a value; None without one."""
    return next((record[name] for name in names if has_value(record.get(name))), None)


def has_value(cell: Any) -> bool:
    """Whether a cell says anything."""
    return cell_text(cell).strip().lower() not in NOTHING


def _read(cell: str) -> Any:
    for load in (json.loads, python_literal):
        try:
            return load(cell)
        except (ValueError, RecursionError):
            continue
    return None
