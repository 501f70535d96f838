"""The ids of the rows or columns of a matrix: in the order of a file, or of the numbers beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.evidence.rows import Rows
from evalcore.schema import is_known_name, plain

_NUMBERED = frozenset(
    {
        "idx",
        "index",
        "row",
        "col",
        "column",
        "position",
        "pos",
        "code",
        "inner",
        "internal",
        "number",
        "offset",
    }
)
"""Words in the names of columns that number what stands beside them."""
_SHARE, _SHARE_OF_BOTH = 0.8, 0.5
"""Of the numbers of a matrix, in other files: with that many the first is hardly missing by chance."""


def in_their_order(rows: Rows, texts: NDArray[np.object_], findings: Findings) -> NDArray[np.object_] | None:
    """The ids of a file by the column that numbers them, or as they stand; None where that is open, and told.

    Parameters
    ----------
    rows : the file.
    texts : the id of each row.
    """
    names = [name for name in rows.unused if name not in rows.mapped.table.held]
    if not names:
        return texts
    read = rows.mapped.table.read(dict.fromkeys(names, "number"))
    kept = np.isin(read.row, rows.row)
    n = len(texts)
    found = texts
    for name in names:
        values = read.numbers[name].values[kept]
        is_named = not _NUMBERED.isdisjoint(plain(name).split("_"))
        is_order = bool(np.array_equal(np.sort(values), np.arange(n)))
        is_as_it_stands = any(np.array_equal(values, np.arange(n) + first) for first in (0, 1))
        if is_as_it_stands or not (is_order or is_named):
            continue
        if not (is_order and is_named) or found is not texts:
            findings.add("RCM-083", file=rows.name, column=name, name=name, last=n - 1)
            return None
        found = texts[np.argsort(values)]
    return found


def check_first(
    name: str, sizes: Mapping[str, int], known: Mapping[str, Iterable[str]], findings: Findings
) -> None:
    """Refuse numbers of a matrix that the other files seem to count from 1: there is no 0 in any of them.

    Parameters
    ----------
    name : of the matrix, which has no ids.
    sizes : ``users`` or ``items`` → how many the matrix has, of those that it names by numbers.
    known : ``users`` or ``items`` → the ids in the other files.
    """
    ids = {unit: set(known[unit]) - {""} for unit in sizes}
    without = [unit for unit in sizes if ids[unit] and "0" not in ids[unit]]
    least = min((len(ids[unit]) / sizes[unit] for unit in without), default=0.0)
    if (len(without) == 2 and least >= _SHARE_OF_BOTH) or any(
        len(ids[unit]) >= _SHARE * sizes[unit] for unit in without
    ):
        found = " and ".join(f"no {unit.removesuffix('s')} 0" for unit in without)
        findings.add("RCM-084", file=name, found=found, unit=" and ".join(without))


def with_unit_named(text: bytes, stem: str) -> bytes | None:
    """Ids alone, one a line, with the header that they lack; None where they have one or are more.

    >>> with_unit_named(b"1\\n2\\n", "users"), with_unit_named(b"user_id\\n1\\n", "users")
    (b'user_id\\n1\\n2\\n', None)
    """
    unit = next((one for one in ("user", "item") if one in stem.lower()), None)
    first = text.removeprefix(b"\xef\xbb\xbf")[:1000].split(b"\n", 1)[0].strip()
    is_alone = bool(first) and not any(mark in first for mark in (b",", b";", b"\t", b"|"))
    if unit is None or not is_alone or is_known_name(first.decode("utf-8", "replace").strip("\"'")):
        return None
    return f"{unit}_id\n".encode() + text.removeprefix(b"\xef\xbb\xbf")
