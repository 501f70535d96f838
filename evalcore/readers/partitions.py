"""Folders named ``key=value`` above a file, as Hive, Spark and pandas part a table: the keys are columns."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from evalcore.problems import Findings
from evalcore.readers.formats.cells import numbers_of, texts_of
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form, Table

_PART = re.compile(r"((?:[A-Za-z_]|%[0-9A-Fa-f]{2})(?:[\w.-]|%[0-9A-Fa-f]{2})*)=(.+)")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_SHOWN_CELL = 40


MOST_KEYS = 32
"""The most folders ``key=value`` in each other."""


def partitions_of(path: Path) -> list[tuple[str, str]]:
    """Key and value of the folders right above a file, the outermost first.

    >>> partitions_of(Path("out/split=test/fold=2/part-0.parquet"))
    [('split', 'test'), ('fold', '2')]
    >>> partitions_of(Path("a%20b=%C3%A9/model=%ff/part-0.parquet"))
    [('a b', 'é'), ('model', '%ff')]
    """
    found: list[tuple[str, str]] = []
    for folder in path.parent.parts[::-1]:
        part = _PART.fullmatch(folder)
        if part is None:
            break
        value = _unquoted(part[2])
        found.append((_unquoted(part[1]), "" if value == _NOTHING else value))
    return found[::-1]


def _unquoted(text: str) -> str:
    """A key or value without its ``%XX``, as it stands where these are no UTF-8: two of them stay two."""
    try:
        return unquote(text, errors="strict")
    except UnicodeError:
        return text


def folders_within(folder: Path) -> Iterator[Path]:
    """A folder and those named ``key=value`` in it and in these, by name, each once even with links.

    Raises
    ------
    OSError : for a folder that cannot be read, or more than `MOST_KEYS` of them in each other.
    """
    waiting, seen = [(folder, 0)], set[Path]()
    while waiting:
        one, depth = waiting.pop()
        if depth > MOST_KEYS:
            raise OSError(errno.ELOOP, f"more than {MOST_KEYS} folders key=value lie in each other")
        real = one.resolve()
        if real in seen:
            continue
        seen.add(real)
        yield one
        inner = sorted(found for found in one.iterdir() if found.is_dir() and _PART.fullmatch(found.name))
        waiting += [(found, depth + 1) for found in reversed(inner)]


def with_partitions(table: Table, partitions: Mapping[str, str], findings: Findings) -> Table:
    """The table with a column for each key; one that the file has itself stays as it is.

    Parameters
    ----------
    partitions : key → value.
    findings : gets FILE-284 where the first cells of such a column say something else.
    """
    for key in partitions.keys() & set(table.names):
        others = [cell for cell in table.sample.get(key, ()) if cell != partitions[key]]
        if others:
            facts = {"value": partitions[key] or "empty", "cell": others[0][:_SHOWN_CELL] or "empty"}
            findings.add("FILE-284", file=table.name, column=key, **facts)
    new = {key: value for key, value in partitions.items() if key not in table.known}
    if not new or table.counts_lines:
        return table
    read, records = table.read, table.records

    def read_with(forms: Mapping[str, Form]) -> Columns:
        own: dict[str, Form] = {name: form for name, form in forms.items() if name not in new}
        if not own and table.names:
            own = {table.names[0]: "text"}
        found = read(own)
        texts, numbers, raw = dict(found.texts), dict(found.numbers), dict(found.raw)
        for name in own.keys() - forms.keys():
            texts.pop(name, None)
        for name in new.keys() & forms.keys():
            column = pa.chunked_array([pa.repeat(pa.scalar(new[name], pa.string()), found.n_rows)])
            if forms[name] == "text":
                texts[name] = texts_of(column)
            elif forms[name] == "number":
                numbers[name] = numbers_of(column)
            else:
                raw[name] = column
        return replace(found, texts=texts, numbers=numbers, raw=raw)

    def records_with() -> tuple[Mapping[str, Any] | None, ...]:
        found = records() if records is not None else ()
        return tuple(None if one is None else {**one, **new} for one in found)

    n_shown = min(max((len(cells) for cells in table.sample.values()), default=0), SAMPLE_ROWS)
    return replace(
        table,
        names=(*table.names, *new),
        sample={**table.sample, **{key: (value,) * n_shown for key, value in new.items()}},
        read=read_with,
        records=records_with if table.records is not None else None,
    )
