"""Python literals in a cell, such as a list that was written by ``str``."""

from __future__ import annotations

import ast
from typing import Any

LONGEST = 1_000_000


def python_literal(text: str) -> Any:
    """The value that a text spells as Python does.

    Raises
    ------
    ValueError : where it spells none, and beyond a million characters: parsing takes 250 times their memory.

    >>> python_literal("['a', 2]")
    ['a', 2]
    """
    if len(text) > LONGEST:
        raise ValueError(f"a Python list of more than {LONGEST:,} characters; write it as JSON")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError(f"text that is no list: {text[:40]}") from None
