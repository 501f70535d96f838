"""Cells that hold the passages given to a model: JSON, a Python list, or one passage as plain text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.text.literals import python_literal
from evalcore.readers.rag.records import Records

_NOTHING = ("", "nan", "none", "null")


def passages_in(cell: Any, separator: str | None = None) -> tuple[list[str], bool]:
    """The passages of one cell, and whether it was plain text.

    Parameters
    ----------
    cell : text, a list, or None.
    separator : what joins several passages in plain text, where the tool has one.

    Raises
    ------
    ValueError : for a list that was cut off or cannot be read, saying what the cell is.

    >>> passages_in('["a, b", "c"]'), passages_in("['d']"), passages_in("One passage [see note]")
    ((['a, b', 'c'], False), (['d'], False), (['One passage [see note]'], True))
    """
    if cell is None or isinstance(cell, float):
        return [], False
    if isinstance(cell, (list, tuple)):
        return [str(one) for one in cell if one is not None], False
    text = str(cell).strip()
    if text.lower() in _NOTHING:
        return [], False
    if text[0] not in "[(":
        return (text.split(separator), False) if separator and separator in text else ([text], True)
    found = _listed(text)
    if found is None:
        if text[0] == "[" and not text.endswith("]"):
            raise ValueError(f"a list that is cut off: {text[:40]}")
        return [text], True
    return [str(one) for one in found if one is not None], False


def _listed(text: str) -> Sequence[Any] | None:
    for read in (json.loads, python_literal):
        try:
            found = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, (list, tuple)):
            return found
    return None


def n_passages(
    records: Records, column: str, findings: Findings, separator: str | None = None
) -> NDArray[np.float64]:
    """Passages with text of each record, shape (N,); NaN where the cell cannot be read, which is reported."""
    counts = np.full(len(records.rows), np.nan)
    plain_rows: list[int] = []
    for i, record in enumerate(records.rows):
        try:
            found, is_plain = passages_in(record.get(column), separator)
        except ValueError as error:
            findings.add("RAG-017", file=records.name, row=records.row[i], column=column, found=str(error))
            continue
        counts[i] = sum(bool(one.strip()) for one in found)
        plain_rows += [records.row[i]] if is_plain else []
    if plain_rows:
        findings.add("RAG-018", file=records.name, column=column, n=len(plain_rows), first=plain_rows[0])
    return counts
