"""Ids as text: codes, look-alikes, and the query a row belongs to."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.arrays import arrow_array, arrow_texts, plain_array
from evalcore.readers.formats.cells import texts_of
from evalcore.readers.formats.table import Texts

_NUMERIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ODD_NUMERIC = (
    r"^\s*([+-]?0[0-9]|[+]|-0\s*$|[+-]?[0-9]*\.[0-9]*([eE][+-]?[0-9]+)?\s*$|[+-]?[0-9]+[eE][+-]?[0-9]+\s*$)"
)


@dataclass(frozen=True)
class Keys:
    """The query of each row.

    Parameters
    ----------
    post, criterion : Texts, shape (N,); a criterion may be "" where there is none.
    has_posts : False where every row, or every query, is its own post.
    has_ids : False where rows are named by their number.
    """

    post: Texts
    criterion: Texts | None
    has_posts: bool
    has_ids: bool = True

    def where(self, rows: NDArray[np.intp]) -> Keys:
        """The queries of some rows."""
        criterion = None if self.criterion is None else self.criterion.where(rows)
        return Keys(self.post.where(rows), criterion, self.has_posts, self.has_ids)


def in_order(codes: NDArray[Any], n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Codes renumbered in the order of first appearance, and the old code of each new one.

    >>> in_order(np.array([2, 2, 0]), 4), in_order(np.array([2, 3, 2]), 4)
    ((array([0, 0, 1]), array([2, 0])), (array([0, 1, 0]), array([2, 3])))
    """
    highest = np.maximum.accumulate(codes)
    if len(codes) and not (np.diff(highest) > 1).any() and codes.min() == codes[0]:  # in order from the first
        return (codes - codes[0]).astype(np.intp), np.arange(int(codes[0]), int(highest[-1]) + 1)
    n_rows = len(codes)
    for n_first in (_ROWS_A_LEVEL * n, n_rows):  # mostly the first rows have every level of a few
        if n_first > n_rows:
            continue
        first = np.full(n, n_rows, np.intp)
        first[codes[:n_first][::-1]] = np.arange(n_first - 1, -1, -1)
        old = np.argsort(first, kind="stable")[: int((first < n_rows).sum())]
        new = np.full(n, -1)
        new[old] = np.arange(len(old))
        found = new.take(codes)
        if found.min(initial=0) >= 0:
            break
    return found, old


_ROWS_A_LEVEL = 16


def pair_codes(
    first: NDArray[Any], second: NDArray[Any], n_second: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One code for each distinct pair, by first appearance, and the row in which each first appears."""
    key = first.astype(np.int64) * max(n_second, 1) + second
    space = (int(first.max()) + 1) * max(n_second, 1) if len(first) else 0
    if space <= 4 * len(key) + 1000:
        codes, old = in_order(key, space)
        at = np.full(len(old), len(key), np.intp)
        at[codes[::-1]] = np.arange(len(key) - 1, -1, -1)
        return codes, at
    starts = (
        np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.zeros(0, np.intp)
    )
    runs = key[starts]
    distinct, first_run, code = np.unique(runs, return_index=True, return_inverse=True)
    order = np.argsort(first_run, kind="stable")
    rank = np.empty(len(distinct), np.intp)
    rank[order] = np.arange(len(distinct))
    lengths = np.diff(np.append(starts, len(key)))
    return np.repeat(rank[code], lengths), starts[first_run[order]]


def repeated(key: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows whose key stands in an earlier row, and for each the first row that has it."""
    if len(key) < 2 or not _has_repeats(key):
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    is_start = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    start = np.maximum.accumulate(np.where(is_start, np.arange(len(key)), 0))
    later = order[~is_start]
    first = order[start[~is_start]]
    by_row = np.argsort(later, kind="stable")
    return later[by_row], first[by_row]


def _has_repeats(key: NDArray[np.int64]) -> bool:
    low, high = int(key.min()), int(key.max())
    if high - low < 4 * len(key) + 1000:
        seen = np.zeros(high - low + 1, bool)
        seen[key - low] = True
        return int(np.count_nonzero(seen)) < len(key)
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())


def split_query_ids(column: Any) -> tuple[Texts, Texts] | None:
    """Post and criterion of a text column of ids like ``s_1019_797::A.1``; None where an id has no ``::``."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    posts, criteria = [], []
    for chunk in chunks:
        if not pa.types.is_string(chunk.type) or chunk.null_count:
            return None
        split = pc.split_pattern(chunk, "::", max_splits=1, reverse=True)
        ends = pc.list_flatten(split)
        if len(ends) != 2 * len(chunk):
            return None
        at = np.arange(0, len(ends), 2)
        posts.append(ends.take(arrow_array(at)).dictionary_encode())
        criteria.append(ends.take(arrow_array(at + 1)).dictionary_encode())
    return (texts_of(pa.chunked_array(posts)), texts_of(pa.chunked_array(criteria))) if posts else None


def own_posts(n_rows: int) -> Texts:
    """Every row as its own post, named by its number."""
    return Texts(
        np.arange(n_rows, dtype=np.int32), np.asarray([str(i) for i in range(1, n_rows + 1)], object)
    )


def report_lookalikes(
    texts: Texts, row: NDArray[np.intp], file: str, column: str, findings: Findings
) -> None:
    """Name ids that differ as text and may be meant as one: ``00017`` and ``17``, ``A.1`` and ``a.1``."""
    groups = lookalikes(texts.levels)
    for group in groups[:SHOWN]:
        first = [int(row[int(np.argmax(texts.codes == code))]) for code in group]
        names = [f"“{texts.levels[code]}” (row {at})" for code, at in zip(group, first, strict=True)]
        findings.add("QRY-007", file=file, column=column, found=" and ".join(names))
    findings.count_more("QRY-007", len(groups))


def lookalikes(levels: NDArray[np.object_]) -> list[list[int]]:
    """Groups of levels, as codes, that are one number, or one text but for case, blanks and Unicode form."""
    array = arrow_texts(levels.tolist())
    folded, is_odd = _folded(array)
    may_fold = not folded.equals(array) and len(pc.unique(folded)) < len(array)
    if not (may_fold or pc.any(is_odd).as_py()):
        return []
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for code, level in enumerate(levels.tolist()):
        groups[canonical(level)].append(code)
    return [codes for codes in groups.values() if len(codes) > 1]


def plain_spelling(levels: NDArray[np.object_]) -> NDArray[np.object_]:
    """Each level as text in one spelling of those that may be meant as one: what `canonical` gives, written.

    >>> plain_spelling(np.array(["0960", "960", "9.6e2", " A.1", "x"], object)).tolist()
    ['960', '960', '960', 'a.1', 'x']
    """
    array = arrow_texts(levels.tolist())
    folded, is_odd = _folded(array)
    found = np.asarray(folded.to_pylist(), object)
    # Numbers in their usual spelling stay as they are.
    for at in np.flatnonzero(plain_array(pc.or_(is_odd, pc.not_equal(folded, array)))).tolist():
        value = canonical(levels[at])
        found[at] = _plainly(value) if isinstance(value, Decimal) else value
    return found


def _plainly(number: Decimal) -> str:
    """A number without an exponent and without zeros that say nothing; every digit stays."""
    text = f"{number:f}" if number else "0"  # zero may have a sign
    return text.rstrip("0").rstrip(".") if "." in text else text


def _folded(array: Any) -> tuple[Any, Any]:
    """Texts but for case, blanks and Unicode form, and whether each may be an odd spelling of a number."""
    is_normal = pc.all(pc.string_is_ascii(array)).as_py()
    normal = array if is_normal else pc.utf8_normalize(array, "NFKC")
    folded = pc.utf8_lower(pc.utf8_trim_whitespace(normal))
    return folded, pc.match_substring_regex(array, _ODD_NUMERIC)


def canonical(level: str) -> Any:
    """What ids have in common that may be meant as one: the number, or the text but for case and blanks.

    >>> canonical("1.0") == canonical("01"), canonical(" A.1") == canonical("a.1")
    (True, True)
    """
    text = unicodedata.normalize("NFKC", level).strip()
    if _NUMERIC.fullmatch(text):
        try:
            value = Decimal(text)
        except InvalidOperation:
            return text.lower()
        return value if abs(value.adjusted()) < 400 else text.lower()
    return text.lower()


def merged_levels(parts: list[NDArray[np.object_]]) -> tuple[NDArray[np.object_], list[NDArray[np.intp]]]:
    """The levels of several columns as one list, and for each column the new code of every level."""
    if len(parts) == 1:
        return parts[0], [np.arange(len(parts[0]))]
    index: dict[str, int] = {}
    codes = [
        np.asarray([index.setdefault(level, len(index)) for level in part.tolist()], np.intp)
        for part in parts
    ]
    return np.asarray(list(index), object), codes
