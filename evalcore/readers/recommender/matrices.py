"""Scores of all items in a NumPy file: users × items, with ids beside them or known by their numbers.

The header is read in a process of its own, and pickles are refused; float32 stays float32, without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Source
from evalcore.isolated import pool
from evalcore.isolated.worker import RefusedError
from evalcore.isolated.worker.unpacked import HEADER, NPY
from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.cells import number_text
from evalcore.readers.formats.native import report
from evalcore.readers.formats.table import Columns, Form, Table
from evalcore.readers.inputs import RawFile
from evalcore.readers.recommender.naming.ids import PADDING
from evalcore.readers.recommender.numbers import LARGEST

_NAMES = {
    "users": ("users", "user_ids", "user_id", "user", "userid"),
    "items": ("items", "item_ids", "item_id", "item", "itemid"),
    "scores": ("scores", "score", "predictions", "prediction", "arr_0"),
}
_OF_SPARSE = {"indptr", "indices", "data"}
_MOST_NAMED = 16
"""Arrays that a message names."""
_BLOCK = 256
"""Rows that are looked at together."""
_AS_SAVED = "Save it with numpy.savez(F, users=…, items=…, scores=…): ids, ids, and a matrix of numbers."
_WANTED = "arrays users (n), items (m) and scores (n × m) of a .npz file, or a matrix in a .npy file"


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of scores and the ids of its rows and columns.

    Parameters
    ----------
    table : the file as a table without columns, for those who list what was read.
    users, items : ids as text, or None where the numbers of rows and columns are the ids.
    values : float32 or float64, shape (n, m); NaN where an item has no score.
    """

    table: Table
    users: tuple[str, ...] | None
    items: tuple[str, ...] | None
    values: NDArray[np.floating]

    @property
    def name(self) -> str:
        """The file's name."""
        return self.table.name

    def source(self) -> Source:
        """The facts about the file: a row is a user."""
        n_rows = len(self.values)
        table = self.table
        return Source(table.name, "scores", table.sha256, table.n_bytes, n_rows, n_rows, {}, {}, table.format)


def is_matrix(content: bytes) -> bool:
    """Whether bytes are a NumPy array or an archive of such.

    >>> is_matrix(b"PK" + bytes([3, 4]) + b"users.npy"), is_matrix(b"user,item")
    (True, False)
    """
    is_archive = content[:4] == b"PK\x03\x04" and (b".npy" in content[:65536] or b".npy" in content[-65536:])
    return content[:6] == NPY or is_archive


def read_matrix(
    file: RawFile, content: bytes, codec: str | None, max_rows: int | None, findings: Findings
) -> Matrix | None:
    """The matrix in a file, or None with the reason reported."""
    try:
        by_role = _by_role(*_arrays(content))
        values = _numbers(by_role["scores"])
        n, m = values.shape
        users, items = _ids(by_role.get("users"), n), _ids(by_role.get("items"), m)
    except RefusedError as refusal:
        _report(refusal, file, findings)
        return None
    if max_rows is not None and n > max_rows:
        findings.add("FILE-012", file=file.name, n_rows=n, limit=max_rows)
        return None
    packed = f", {codec}" if codec else ""
    words = f"NumPy {'array' if content[:6] == NPY else 'archive'}, {n:,} × {m:,} of {values.dtype}{packed}"
    table = Table(file.name, file.sha256, len(file.content), words, (), {}, _no_columns)
    matrix = Matrix(table, users, items, values)
    return matrix if _is_whole(matrix, findings) else None


def _no_columns(forms: Mapping[str, Form]) -> Columns:
    raise ValueError(", ".join(forms))


@dataclass(frozen=True)
class _Array:
    """An array whose type and shape a header tells, and whose values nobody has looked at.

    Parameters
    ----------
    kind : as `numpy.dtype` takes it, or ``fields``.
    flat : the bytes that begin with its values.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    is_fortran: bool
    flat: memoryview

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values; records have none that is of use."""
        if self.kind == "fields":
            raise RefusedError("array", found="an array of records", name=self.name)
        return np.dtype(self.kind)

    @property
    def values(self) -> NDArray[Any]:
        """Its values, of one or two lengths above 0, as a view of the bytes."""
        if not self.dtype.itemsize:
            return np.zeros(self.shape, self.dtype)  # texts of no letter
        flat = np.frombuffer(self.flat, self.dtype, int(np.prod(self.shape, dtype=object)))
        return flat.reshape(self.shape, order="F" if self.is_fortran else "C")


def _arrays(content: bytes) -> tuple[list[_Array], list[str]]:
    """The arrays in a file that have a role by their name, or the only one, and the names of the others."""
    is_one = content[:6] == NPY
    head = content[:HEADER] if is_one else content
    names = [name for of_role in _NAMES.values() for name in of_role]
    facts, buffer = pool.ask("arrays", head, n_bytes=len(content), names=names)
    held = memoryview(content) if is_one else buffer
    found = [
        _Array(one["name"], one["type"], tuple(one["shape"]), one["is_fortran"], held[one["start"] :])
        for one in facts["arrays"]
    ]
    return found, facts["others"]


def _by_role(arrays: Sequence[_Array], others: Sequence[str]) -> dict[str, _Array]:
    """Users, items and scores by the names of the arrays, one of each; a single array is the scores."""
    if {name.lower() for name in others} >= _OF_SPARSE:
        raise RefusedError("array", found="a sparse matrix of SciPy", name="")
    by_role = {role: [one for one in arrays if one.name.lower() in names] for role, names in _NAMES.items()}
    for role, found in by_role.items():
        if len(found) > 1:
            listed = " and ".join(one.name for one in found)
            raise RefusedError("array", found=f"the arrays {listed}, of which one can be the {role}", name="")
    if len(arrays) == 1 and not others:
        by_role = {"scores": [arrays[0]]}
    if not by_role["scores"]:
        known = [*(one.name for one in arrays), *others]
        listed = ", ".join([*known[:_MOST_NAMED], *(["…"] if len(known) > _MOST_NAMED else [])])
        raise RefusedError("array", found=f"the arrays {listed}" if known else "no array", name="")
    (scores,) = by_role["scores"]
    if len(scores.shape) != 2 or 0 in scores.shape:
        raise RefusedError("array", found=f"scores of the shape {_in_words(scores.shape)}", name=scores.name)
    return {role: found[0] for role, found in by_role.items() if found}


def _in_words(shape: Sequence[int]) -> str:
    """The lengths of an array, the first of them where there are many.

    >>> _in_words((2, 3)), _in_words(()), _in_words((1,) * 100)
    ('2 × 3', 'a single value', '1 × 1 × 1 × 1 × … (100 lengths)')
    """
    listed = " × ".join(str(n) if n < 10**18 else "more than 10¹⁸" for n in shape[:4])
    return f"{listed} × … ({len(shape)} lengths)" if len(shape) > 4 else listed or "a single value"


def _numbers(one: _Array) -> NDArray[np.floating]:
    """The scores as float32 or float64 of this machine; whole numbers as float64, half ones as float32."""
    kind, size = one.dtype.kind, one.dtype.itemsize
    if kind not in "fiub" or size > 8:
        raise RefusedError("array", found=f"scores of the type {one.dtype}", name=one.name)
    wanted = np.float32 if kind == "f" and size <= 4 else np.float64
    return one.values.astype(wanted, copy=False)


def _ids(one: _Array | None, n: int) -> tuple[str, ...] | None:
    """The ids of rows or columns as text."""
    if one is None:
        return None
    if one.shape != (n,):
        found = f"{one.name} of the shape {_in_words(one.shape)} beside {n:,} of scores"
        raise RefusedError("array", found=found, name=one.name)
    kind = one.dtype.kind
    if kind in "iu":
        return tuple(map(str, one.values.tolist()))
    try:
        if kind == "U" and _are_letters(one.values):
            return tuple(one.values.tolist())
        if kind == "S":
            return tuple(text.decode("utf-8") for text in one.values.tolist())
    except UnicodeDecodeError:
        kind = "U"
    if kind == "U":
        raise RefusedError("array", found=f"{one.name} that are no text", name=one.name)
    if kind == "f" and bool((np.isfinite(one.values) & (one.values == np.floor(one.values))).all()):
        return tuple(map(number_text, one.values.tolist()))
    what = " that are not all whole numbers" if kind == "f" else ""
    raise RefusedError("array", found=f"{one.name} of the type {one.dtype}{what}", name=one.name)


def _are_letters(values: NDArray[Any]) -> bool:
    """Whether texts hold code points of letters and signs alone, and no halves of them."""
    if not values.dtype.itemsize:
        return True
    code = values.view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
    return not bool(((code > 0x10FFFF) | ((code >= 0xD800) & (code <= 0xDFFF))).any())


def _is_whole(matrix: Matrix, findings: Findings) -> bool:
    """Whether every id stands once and is one, and no score is infinite; what is not is reported."""
    problems = Findings()
    for unit, ids in (("user", matrix.users), ("item", matrix.items)):
        if ids is None:
            continue
        seen: dict[str, int] = {}
        for at, text in enumerate(ids, 1):
            if text in ("", *PADDING):
                problems.add("RCM-012", file=matrix.name, found=text or "(empty)")
            elif text in seen:
                found = f"the {unit} {text} at the places {seen[text]} and {at}"
                facts = {"found": found, "expected": f"each {unit} once", "advice": _AS_SAVED}
                problems.add("RCM-018", file=matrix.name, **facts)
            seen.setdefault(text, at)
    _report_too_large(matrix, problems)
    if len(problems.problems) > SHOWN:
        problems.n_more[problems.problems[0].code] = len(problems.problems) - SHOWN
        del problems.problems[SHOWN:]
    is_whole = not problems.problems
    problems.hand_over(findings)
    return is_whole


def _report_too_large(matrix: Matrix, findings: Findings) -> None:
    n_found, most = 0, min(LARGEST, float(np.finfo(matrix.values.dtype).max))
    for start in range(0, len(matrix.values), _BLOCK):
        users, items = np.nonzero(abs(matrix.values[start : start + _BLOCK]) > most)
        for user, item in zip((users + start).tolist(), items.tolist(), strict=True):
            n_found += 1
            if n_found <= SHOWN:
                value = float(matrix.values[user, item])
                facts = {
                    "found": number_text(value),
                    "user": matrix.users[user] if matrix.users else str(user),
                    "item": matrix.items[item] if matrix.items else str(item),
                }
                findings.add("RCM-019" if np.isinf(value) else "RCM-112", file=matrix.name, **facts)
    findings.count_more("RCM-019", n_found)


def _report(refusal: RefusedError, file: RawFile, findings: Findings) -> None:
    facts = refusal.facts
    if facts["refused"] == "array":
        findings.add("RCM-018", file=file.name, found=facts["found"], expected=_WANTED, advice=_AS_SAVED)
    elif facts["refused"] == "objects":
        name = f"the array {facts['name']} " if facts["name"] else "an array "
        found = f"{name}of Python objects, which are pickled: reading them runs code"
        findings.add("RCM-018", file=file.name, found=found, expected=_WANTED, advice=_AS_SAVED)
    else:
        report(refusal, "numpy", len(file.content), file.name, findings)
