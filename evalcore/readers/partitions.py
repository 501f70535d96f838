"""Folders named ``key=value`` above a file, as Hive, Spark and pandas part a table: the keys are columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from evalcore.readers.formats.cells import numbers_of, texts_of
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form, Table

_PART = re.compile(r"([A-Za-z_][\w.-]*)=(.+)")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"


def partitions_of(path: Path) -> dict[str, str]:
    """Key → value of the folders right above a file.

    >>> partitions_of(Path("out/split=test/fold=2/part-0.parquet"))
    {'split': 'test', 'fold': '2'}
    """
    found: list[tuple[str, str]] = []
    for folder in path.parent.parts[::-1]:
        part = _PART.fullmatch(folder)
        if part is None:
            break
        value = unquote(part[2])
        found.append((part[1], "" if value == _NOTHING else value))
    return dict(found[::-1])


def folders_within(folder: Path) -> Iterator[Path]:
    """A folder and those named ``key=value`` in it and in these, by name."""
    yield folder
    for inner in sorted(one for one in folder.iterdir() if one.is_dir() and _PART.fullmatch(one.name)):
        yield from folders_within(inner)


def with_partitions(table: Table, partitions: Mapping[str, str]) -> Table:
    """The table with a column for each key; one that the file has itself stays as it is.

    Parameters
    ----------
    partitions : key → value.
    """
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
