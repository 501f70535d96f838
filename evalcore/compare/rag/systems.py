"""Two systems among annotations: which there are, and which records of theirs are the same query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evalcore.annotations import Annotations, Codes, Responses
from evalcore.data import Data
from evalcore.problems import InputError, problem

RECORD, SYSTEM = "record", "system"


def by_system(data: Data, column: str = SYSTEM) -> dict[str, Data]:
    """The annotations of each level of a column as data of their own; none where no response has a level."""
    assert data.annotations is not None
    parts = data.annotations.responses
    levels = dict.fromkeys(
        level for responses in parts.values() for level in responses.slices.get(column, ((), ()))[1]
    )
    return {
        level: data.with_tables(annotations=_of_level(data.annotations, column, level)) for level in levels
    }


def _of_level(annotations: Annotations, column: str, level: str) -> Annotations:
    kept = {}
    for task, responses in annotations.responses.items():
        codes, levels = responses.slices.get(column, (np.full(len(responses), -1), ()))
        mask = codes == levels.index(level) if level in levels else np.zeros(len(responses), bool)
        if mask.any():
            kept[task] = responses.where(mask)
    return replace(annotations, responses=kept, scores=(), predictions=())


def n_without_system(data: Data) -> int:
    """How many records have responses of which none names a system: they belong to no side."""
    assert data.annotations is not None
    seen, named = (np.zeros(len(data.annotations.record_ids), bool) for _ in range(2))
    for responses in data.annotations.responses.values():
        codes = responses.slices.get(SYSTEM, (np.full(len(responses), -1), ()))[0]
        seen[responses.record] = True
        named[responses.record[codes >= 0]] = True
    return int((seen & ~named).sum())


def shared_keys(first: Data, second: Data) -> dict[str, int]:
    """What can name a query on both sides → how many queries both sides then have; most shared first.

    ``record`` is always among them. A column is, where no record has two of its values.
    """
    sides = [one.annotations for one in (first, second)]
    assert sides[0] is not None
    assert sides[1] is not None
    in_both = [name for name in _columns(sides[0]) if name in set(_columns(sides[1]))]
    found = {
        key: len(_all_keys(sides[0], key) & _all_keys(sides[1], key))
        for key in (RECORD, *in_both)
        if key != SYSTEM
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _columns(annotations: Annotations) -> list[str]:
    """Columns that every task has, with at most one value a record."""
    parts = list(annotations.responses.values())
    names = [name for name in (parts[0].slices if parts else ()) if all(name in one.slices for one in parts)]
    return [name for name in names if all(one.is_of_record(name) for one in parts)]


def _all_keys(annotations: Annotations, key: str) -> set[str]:
    return {name for name in _keys_of_tasks(annotations, key) if name is not None}


def _keys_of_tasks(annotations: Annotations, key: str) -> Iterator[str | None]:
    for responses in annotations.responses.values():
        yield from keys_of(annotations, responses, np.unique(responses.record), key)


def keys_of(annotations: Annotations, responses: Responses, record: Codes, key: str) -> list[str | None]:
    """The key of each record; None where its rows have none.

    Raises
    ------
    InputError : OPT-003 for a key that is neither ``record`` nor a column.
    """
    if key == RECORD:
        ids = [str(annotations.record_ids[code]) for code in record]
        named = (
            _of_records(annotations, responses, record, SYSTEM)
            if SYSTEM in responses.slices
            else [None] * len(ids)
        )
        # The reader tells the answers of several systems to one record apart as record::system.
        return [one.removesuffix(f"::{system}") for one, system in zip(ids, named, strict=True)]
    if key not in responses.slices:
        expected = ", ".join((RECORD, *responses.slices))
        raise InputError([problem("OPT-003", name="key", found=key, expected=f"one of {expected}")])
    return _of_records(annotations, responses, record, key)


def _of_records(
    annotations: Annotations, responses: Responses, record: Codes, column: str
) -> list[str | None]:
    """The value of a column for each record; None where its rows have none."""
    codes, levels = responses.slices[column]
    of_record = np.full(len(annotations.record_ids), -1)
    np.maximum.at(of_record, responses.record, codes)
    return [levels[code] if code >= 0 else None for code in of_record[record]]
