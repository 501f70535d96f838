"""What two documents say in the same place, and whether it is the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TOLERANCE = 1e-9

Place = tuple[str | int, ...]


def leaves(found: Any, expected: Any, path: Place) -> Iterator[tuple[Place, Any, Any, bool]]:
    """Every leaf as (place, found, expected, whether they agree)."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            yield from leaves(found.get(key, NOTHING), expected.get(key, NOTHING), (*path, key))
    elif isinstance(found, list) and isinstance(expected, list):
        for at in range(max(len(found), len(expected))):
            has, should = (rows[at] if at < len(rows) else NOTHING for rows in (found, expected))
            yield from leaves(has, should, (*path, at))
    else:
        yield path, found, expected, _agrees(found, expected)


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


def _agrees(found: Any, expected: Any) -> bool:
    if _is_number(found) and _is_number(expected):
        if isinstance(expected, int):
            return bool(found == expected)
        return bool(abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)))
    return type(found) is type(expected) and bool(found == expected)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def in_short(value: Any) -> str:
    """A value as a difference names it: one that holds others is not written out."""
    return repr(value) if isinstance(value, str) or not isinstance(value, (dict, list)) else "something else"
