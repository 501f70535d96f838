"""JSON documents that are tables, as data frames write them: rows under names, columns or rows by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalcore.problems import Findings
from evalcore.readers.formats.json.limits import BYTES_A_VALUE
from evalcore.readers.formats.json.parts import INDEX, Fits, JsonText, parsed
from evalcore.readers.formats.native import report_size
from evalcore.schema import is_known_name, kind_of
from evalcore.settings import Settings


def split_table(members: Mapping[str, bytes], name: str, findings: Findings) -> JsonText | None:
    """Rows beside the names of their columns, as data frames write them with the orientation “split”."""
    names, rows = parsed(members["columns"]), parsed(members["data"])
    if not all(isinstance(one, str) for one in names):
        found = "columns whose names are no text"
        findings.add("FILE-101", file=name, found=found, advice="Give every column one name.")
        return None
    index = parsed(members["index"]) if "index" in members else None
    table = under_names(names, rows, "JSON, columns and data", members["data"], name, findings)
    if table is None or table.columns is None or index is None:
        return table
    if not isinstance(index, list) or len(index) != len(rows):
        found = f"{len(index):,} names" if isinstance(index, list) else "no list"
        findings.add("FILE-305", file=name, found=found, n_rows=len(rows))
        return None
    return replace(table, columns=_with_index(index, table.columns))


def under_names(
    names: list[str], rows: list[Any], words: str, text: bytes, name: str, findings: Findings
) -> JsonText | None:
    """Rows that are lists, under the names of their columns."""
    twice = [one for one, n in Counter(names).items() if n > 1]
    for one in twice:
        findings.add("FILE-009", file=name, name=one)
    wrong = [
        (i, {"found": f"{len(row)} values for {len(names)} columns" if isinstance(row, list) else "no list"})
        for i, row in enumerate(rows, 1)
        if not isinstance(row, list) or len(row) != len(names)
    ]
    findings.add_rows("FILE-100", wrong, len(wrong), file=name)
    if not rows:
        findings.add("FILE-008", file=name)
    if twice or wrong or not rows or not fits_in(names, len(rows), text, name, findings):
        return None
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return JsonText(text, words, False, columns)


def fits_in(names: Iterable[str], n_rows: int, text: bytes, name: str, findings: Findings) -> bool:
    """Whether rows that name all their columns are not much larger than the text; reports the limit."""
    n_bytes = n_rows * sum(len(one) + BYTES_A_VALUE for one in names)
    is_fine = n_bytes <= Settings.read().unpacked_limit(len(text))
    if not is_fine:
        report_size(len(text), name, findings)
    return is_fine


def columns_of(found: Mapping[str, Any], fits: Fits) -> tuple[Mapping[str, Sequence[Any]], str] | None:
    """The columns of an object of columns or of rows, as known names tell; None where none does."""
    values = list(found.values())
    if values and all(isinstance(one, list) for one in values):
        is_even = len({len(one) for one in values}) == 1 and len(values[0]) > 0
        is_flat = not any(isinstance(cell, (dict, list)) for one in values for cell in one)
        is_ours = len(values[0]) > 1 and is_flat and kind_of(found) == "queries"
        return (
            (dict(found), "JSON, an array a column") if is_even and (is_ours or fits(list(found))) else None
        )
    if not values or not all(isinstance(one, dict) for one in values):
        return None
    is_even = all(one.keys() == values[0].keys() for one in values)
    if is_even and values[0] and (any(map(is_known_name, found)) or fits(list(found))):
        keys = list(values[0])
        columns = {one: [cells[key] for key in keys] for one, cells in found.items()}
        return _with_index(keys, columns), "JSON, an object a column"
    names = list(dict.fromkeys(name for one in values for name in one))
    if (is_even and any(map(is_known_name, names))) or fits(names):
        columns = {name: [one.get(name) for one in values] for name in names}
        return _with_index(list(found), columns), "JSON, an object a row"
    return None


def _with_index(keys: list[Any], columns: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """The columns with what names the rows, unless that only counts them."""
    return columns if _counts(keys) or INDEX in columns else {INDEX: keys, **columns}


def _counts(keys: list[Any]) -> bool:
    return [str(key) for key in keys] in ([str(i) for i in range(n, n + len(keys))] for n in (0, 1))
