"""Which of the data a document was made on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.document.groups import columns_of, marks_of
from evalcore.operating_point.gridding import gridded
from evalcore.operating_point.origin import origin_of
from evalcore.operating_point.rules import rules_of
from evalcore.operating_point.test_rows.row_sets import RowSet, row_filters, row_set, sources_sha256
from evalcore.operating_point.tradeoff.groups import group_columns
from evalcore.problems import InputError, problem
from evalcore.splits import DIVIDED, can_divide, divided


def on_grid_of(document: Mapping[str, Any], data: Data) -> Data:
    """The data on the grid of a document that was made on one; else as they are."""
    n_points = document["input"].get("grid")
    if not isinstance(n_points, int) or data.queries is None:
        return data
    name = (document["input"].get("model") or {}).get("name")
    model = name if name in data.queries.models else None
    columns = {*columns_of(document), *(column for column, _ in marks_of(document))}
    known = columns.intersection(group_columns(data.queries))  # another is named where groups are looked at
    return gridded(data, grid=n_points, by=sorted(known), model=model).data


def is_of_divided(document: Mapping[str, Any]) -> bool:
    """Whether tune and test of a document are no column of its file but were drawn by post."""
    return DIVIDED in document.get("limits", ())


def rows_of(entry: Mapping[str, Any], data: Sequence[Data], document: Mapping[str, Any]) -> RowSet | None:
    """The rows that an entry of a document's ``data`` names; None when its filter picks none of these data.

    Raises
    ------
    InputError : DOC-005 for other data.
    """
    is_here = False
    digests = []
    for whole in data:
        given = divided(whole) if is_of_divided(document) and can_divide(whole) else whole
        for row_filter, (split, model) in row_filters(given).items():
            digest = _digest(given, model)
            digests.append(digest)
            is_here |= digest == entry["sha256"]
            if (digest, row_filter) == (entry["sha256"], entry.get("row_filter")):
                return row_set(
                    given,
                    entry["role"],
                    split=split,
                    model=model,
                    cluster=document["selection"].get("cluster"),
                    rules=rules_of(document),
                )
    if is_here:
        return None
    found = " and ".join(dict.fromkeys(digests)) or "none"
    files = " and ".join(source.name for given in data for source in given.sources) or None
    raise InputError([problem("DOC-005", file=files, found=found, expected=entry["sha256"])])


def _digest(data: Data, model: str | None) -> str:
    models = data.queries.models if data.queries is not None else ("",)
    return sources_sha256(origin_of(data, model or models[0]).sources)
