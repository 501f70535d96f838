"""JSON without the liberties of Python's parser: no NaN, no key twice, no number beyond float64."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

_LONGEST = 40


def strict_value(raw: bytes) -> Any:
    """The value of strict JSON in UTF-8; a byte order mark is skipped.

    Parameters
    ----------
    raw : the text; how deep it may be nested was looked at before.

    Raises
    ------
    ValueError : saying what is wrong, as something that was found.

    Examples
    --------
    >>> strict_value(b'{"a": [1, 0.5, 12345678901234567890]}')
    {'a': [1, 0.5, 1.2345678901234567e+19]}
    """
    try:
        return json.loads(
            raw.decode("utf-8-sig"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"bytes that are not UTF-8 (first at byte {error.start})") from None
    except json.JSONDecodeError as error:
        found = f"text that is not JSON (line {error.lineno}, column {error.colno}: {error.msg})"
        raise ValueError(found) from None
    except RecursionError:
        raise ValueError("JSON that is nested too deeply") from None


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"the number {text}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… of {len(text):,} signs"
        raise ValueError(f"the number {shown}, beyond what float64 holds")
    return value


def _whole(text: str) -> int | float:
    """An integer; beyond what float64 holds exactly the float that JavaScript would read."""
    return int(text) if abs(_finite(text)) < 2**53 else _finite(text)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} twice in one object")
            seen.add(key)
    return found
