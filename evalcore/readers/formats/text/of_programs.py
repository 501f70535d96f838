"""Tables that a program writes in a form of its own: predictions of Weka, headers of Orange."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from evalcore.problems import Findings

_LOOKED_AT = 2**14
_MOST_ROWS = 200
_OF_WEKA = ["inst#", "actual", "predicted", "error"]
_CLASS = re.compile(r"([1-9]\d*):(.+)")
_ORANGE_TYPES = {"c", "d", "s", "t", "continuous", "discrete", "string", "time", "text", "basket"}
_ORANGE_ROLES = {"class", "meta", "ignore", "weight", "c", "m", "i", "w"}
_ORANGE_FACT = re.compile(r"\w+=.*")


def as_plain_table(text: bytes, name: str, findings: Findings) -> bytes:
    """The text as a plain table; what was changed is reported, in FILE-320.

    Parameters
    ----------
    text : UTF-8 with a header in its first line.
    name : of the file.
    """
    lines = text[:_LOOKED_AT].decode("utf-8", "replace").splitlines()[: _MOST_ROWS + 1]
    if len(lines) < 3:
        return text
    if lines[0].lower().startswith(",".join(_OF_WEKA)):
        return _of_weka(text, [_cells(line, ",") for line in lines], name, findings)
    if "\t" in lines[0] and _is_orange(*(_cells(line, "\t") for line in lines[1:3])):
        first, _, _, rest = text.split(b"\n", 3) if text.count(b"\n") > 2 else (text, b"", b"", b"")
        told = "three lines of a header, as Orange writes them"
        advice = "The names are those of the first line; the types and roles below them were left out."
        findings.add("FILE-320", file=name, found=told, advice=advice)
        return first + b"\n" + rest
    return text


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _is_orange(types: Sequence[str], roles: Sequence[str]) -> bool:
    """Whether the second and third line of a table are the types and roles of its columns."""
    is_typed = bool(types) and all(cell in _ORANGE_TYPES for cell in types)
    words = [word for cell in roles for word in cell.split()]
    are_roles = all(word in _ORANGE_ROLES or _ORANGE_FACT.fullmatch(word) for word in words)
    return is_typed and bool(words) and are_roles and len(types) == len(roles)


def _of_weka(text: bytes, rows: list[list[str]], name: str, findings: Findings) -> bytes:
    """Weka's predictions without the stars beside the class that it chose, each score named by its class."""
    header, body = rows[0], [row for row in rows[1:] if row]
    has_stars = any(cell.startswith("*") for row in body for cell in row)
    if not has_stars:
        return text
    known = {int(one[1]): one[0] for row in body for cell in row[1:3] if (one := _CLASS.fullmatch(cell))}
    at = len(_OF_WEKA)
    n_unnamed = next((i for i, cell in enumerate(header[at + 1 :]) if cell), len(header) - at - 1)
    if len(header) > at and header[at].lower() == "distribution":
        names = [known.get(i, f"{i}:?") for i in range(1, n_unnamed + 2)]
        header = [*header[:at], *names, *header[at + len(names) :]]
    first, _, rest = text.partition(b"\n")
    end = b"\r" if first.endswith(b"\r") else b""
    advice = "The stars were left out, and each score of a distribution has the name of its class."
    told = "predictions of Weka, with a star beside the class that it chose"
    findings.add("FILE-320", file=name, found=told, advice=advice)
    return _written(header).encode() + end + b"\n" + rest.replace(b",*", b",")


def _written(cells: Sequence[str]) -> str:
    return ",".join(f'"{cell}"' if set(cell) & set(',"') else cell for cell in cells)
