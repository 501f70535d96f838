"""Lines of a delimited text: the number of each row, and rows of another length than the header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.readers.quoting import positions, quoted_spans

_NEWLINE, _RETURN = ord("\n"), ord("\r")


@dataclass(frozen=True)
class EvenRows:
    """Lines whose rows all have as many fields as the header.

    Parameters
    ----------
    body : the lines; short rows are filled with empty cells at the end, long and blank ones are left out.
    row : the data row of each, from 1, blank lines counted.
    n_blank : lines without anything on them.
    short, long : row → number of fields, for rows that were filled and rows that were left out.
    """

    body: bytes
    row: NDArray[np.intp]
    n_blank: int
    short: Mapping[int, int]
    long: Mapping[int, int]


def even_rows(
    body: bytes,
    delimiter: str,
    n_fields: int,
    short: list[tuple[int, int]],
    long: list[tuple[int, int]],
    blank: list[int],
) -> EvenRows:
    """Fill short rows, leave out long and blank ones; rows are given by number among the filled lines."""
    starts, ends, is_blank = _lines(body, delimiter)
    filled = np.flatnonzero(~is_blank)
    row = filled + 1
    missing = {at - 1: n_fields - n for at, n in short}
    left_out = {at - 1 for at, _ in long} | {at - 1 for at in blank}
    separator = delimiter.encode()
    lines = [
        body[starts[line] : ends[line]].rstrip(b"\r") + separator * missing.get(i, 0)
        for i, line in enumerate(filled.tolist())
        if i not in left_out
    ]
    kept = np.asarray([i for i in range(len(filled)) if i not in left_out], np.intp)
    return EvenRows(
        body=b"\n".join(lines) + b"\n",
        row=row[kept],
        n_blank=int(is_blank.sum()) + len(blank),
        short={int(row[at - 1]): n for at, n in short},
        long={int(row[at - 1]): n for at, n in long},
    )


def data_rows(body: bytes, delimiter: str | None) -> tuple[NDArray[np.intp], int]:
    """The number of each data row, from 1, blank lines counted, and how many lines are blank.

    Parameters
    ----------
    body : the lines under the header.
    delimiter : the separator; None where quotes have no meaning.
    """
    _, _, is_blank = _lines(body, delimiter)
    return np.flatnonzero(~is_blank) + 1, int(is_blank.sum())


def _lines(
    body: bytes, delimiter: str | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Start and end of each line outside quotes, and whether nothing is on it."""
    ends = positions(body, _NEWLINE)
    if delimiter is not None:
        opens, closes = quoted_spans(body, delimiter)
        span = np.searchsorted(opens, ends) - 1
        is_inside = (span >= 0) & (ends < np.append(closes, 0)[span])
        ends = ends[~is_inside]
    if not len(ends) or ends[-1] != len(body) - 1:
        ends = np.append(ends, len(body))
    starts = np.concatenate([[0], ends[:-1] + 1])
    view = np.frombuffer(body + b"\n", np.uint8)
    is_return = (ends - starts == 1) & (view[starts] == _RETURN)
    return starts, ends, (ends == starts) | is_return
