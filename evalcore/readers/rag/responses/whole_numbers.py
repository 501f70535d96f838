"""Ranks of chunks and lengths of retrieved lists, as cells hold them."""

from __future__ import annotations

import math
from typing import Any

from evalcore.readers.rag.tool_scores import number_in

ABSENT = {"chunk_rank": 0, "n_retrieved_chunks": -1}
"""What stands where a cell is empty, and the least that one may hold."""
CODES = {"chunk_rank": "RAG-009", "n_retrieved_chunks": "RAG-010"}
"""The problem of a cell that holds something else."""
GREATEST = 2**53


def whole_number(name: str, cell: Any) -> int | None:
    """The number in a cell of the column ``name``; None where it holds something else.

    >>> [whole_number("chunk_rank", cell) for cell in ("3", "", 1.5)]
    [3, 0, None]
    """
    number = number_in(cell)
    if number is None:
        return None
    if math.isnan(number):
        return ABSENT[name]
    return int(number) if number.is_integer() and ABSENT[name] <= number <= GREATEST else None
