"""Lines of a delimited text: the number of each row, and rows of another length than the header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.readers.formats.text.quoting import quoted_spans

_NEWLINE, _RETURN = ord("\n"), ord("\r")
_PIECE = 2**22


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
    is_blank = np.concatenate([blank for _, _, blank in _pieces(body, delimiter)])
    return np.flatnonzero(~is_blank) + 1, int(is_blank.sum())


_Lines = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]


def _lines(body: bytes, delimiter: str | None) -> _Lines:
    """Start and end of each line outside quotes, and whether nothing is on it."""
    starts, ends, is_blank = zip(*_pieces(body, delimiter), strict=True)
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(is_blank)


def _pieces(body: bytes, delimiter: str | None) -> Iterator[_Lines]:
    """The lines of one piece of the text after the other: places take eight times the memory of a line."""
    if not body:
        yield np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1, bool)
        return
    opens = closes = np.zeros(0, np.int64)
    if delimiter is not None:
        opens, closes = quoted_spans(body, delimiter)
    view = np.frombuffer(body, np.uint8)
    start = 0
    for at in range(0, len(body), _PIECE):
        ends = np.flatnonzero(view[at : at + _PIECE] == _NEWLINE) + at
        if len(opens):
            span = np.searchsorted(opens, ends) - 1
            ends = ends[~((span >= 0) & (ends < np.append(closes, 0)[span]))]
        is_last = at + _PIECE >= len(body)
        if is_last and (ends[-1] if len(ends) else start - 1) != len(body) - 1:
            ends = np.append(ends, len(body))
        if not len(ends):
            continue
        starts = np.concatenate([[start], ends[:-1] + 1])
        is_return = (ends - starts == 1) & (view[starts.clip(max=len(body) - 1)] == _RETURN)
        yield starts, ends, (ends == starts) | is_return
        start = int(ends[-1]) + 1
