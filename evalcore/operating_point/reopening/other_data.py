"""Data that are not those of a document: what they are instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.document.verifying.rows import rows_of
from evalcore.operating_point.test_rows.row_sets import row_filters, row_ids_sha256, row_set, sources_sha256
from evalcore.problems import InputError, Problem, problem


def other_data(document: Mapping[str, Any], data: Sequence[Data]) -> list[Problem]:
    """Of every entry of a document whose rows are none of the data: what these are instead.

    Parameters
    ----------
    document : after the schema.
    data : what was given for it.

    Returns
    -------
    list of problems: OPT-076, with digests, rows, and columns that are missing.
    """
    entries: list[Mapping[str, Any]] = document["data"]
    here = {at: [one for one in data if _is_of(document, entry, one)] for at, entry in enumerate(entries)}
    others = [one for one in data if not any(one in found for found in here.values())]
    found = []
    for at, entry in enumerate(entries):
        role = "the rows" if entry["role"] == "all" else f"the {entry['role']} rows"
        instead = [(_name(one), _in_words(document, entry, one)) for one in others]
        for file, told in instead or [(None, "none beside the other rows")]:
            if not here[at]:
                expected = _stated_in_words(entry)
                found.append(problem("OPT-076", file=file, role=role, found=told, expected=expected))
    return found


def _name(data: Data) -> str | None:
    return " and ".join(source.name for source in data.sources) or None


def _is_of(document: Mapping[str, Any], entry: Mapping[str, Any], data: Data) -> bool:
    try:
        rows_of(entry, [data], document)
    except InputError:
        return False
    return True


def _stated_in_words(entry: Mapping[str, Any]) -> str:
    rows = f"{entry['rows']:,} rows" + (f" ({entry['row_filter']})" if entry.get("row_filter") else "")
    named = f" of {entry['file']}" if entry.get("file") else ""
    return f"{rows}, {entry['positives']:,} with evidence,{named} with SHA-256 {entry['sha256']}"


def _in_words(document: Mapping[str, Any], entry: Mapping[str, Any], data: Data) -> str:
    """What the data are instead: rows that the document's filter picks, their digest, columns they lack."""
    filters = row_filters(data)
    split, model = filters.get(entry.get("row_filter"), (None, None))
    if data.queries is None:
        return f"data without labels and scores, with SHA-256 {sources_sha256(data.sources)}"
    rows = row_set(data, entry["role"], split=split, model=model)
    picked = rows.row_filter or "every row"
    found = [
        f"{rows.n_rows:,} rows ({picked}), {rows.n_positives:,} with evidence, with SHA-256 "
        f"{sources_sha256(rows.origin.sources)}"
    ]
    if entry.get("row_filter") not in filters:
        found.append(f"no rows with {entry['row_filter']}")
    columns = document["input"]["columns"].values()
    used = {name for cells in columns if cells for name in cells.split(", ")}
    known = {name for one in data.sources for cells in one.columns.values() for name in cells.split(", ")}
    known |= {name for one in data.sources for name in one.others}
    lacking = sorted(used - known)
    if lacking:
        found.append(f"without the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}")
    if entry.get("row_ids_sha256") == row_ids_sha256(rows.queries):
        found.append("with the same posts and criteria, so that scores, labels or other cells differ")
    return "; ".join(found)
