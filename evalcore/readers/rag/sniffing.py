"""Whether a file is one of annotations, from the names of its columns and its first rows alone."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.readers.rag.tools import tool_of
from evalcore.schema import ANNOTATIONS, CANDIDATES, LABEL_NAMES, QUERIES, RANKED_LISTS, plain, recognise

ROLES = frozenset(column.role for column in ANNOTATIONS.columns) - {
    name for kind in (QUERIES, RANKED_LISTS, CANDIDATES) for column in kind.columns for name in column.names
}
"""Roles that only annotations have."""


def is_rag(names: Sequence[str], cells: Sequence[str] = ()) -> bool:
    """Whether columns of these names are annotations or a tool's scores.

    Parameters
    ----------
    cells : words of the first rows, in which a wide table names its labels.

    >>> is_rag(["record_uuid", "chunk_id", "misleading"]), is_rag(["query_id", "y_true", "y_prob", "helpful"])
    (True, False)
    """
    known = {plain(name) for name in names}
    tool = tool_of(names)
    if _has_evidence_labels(names):
        return tool is not None and tool.is_distinct
    if known & _OURS or tool is not None:
        return True
    return "label" in known and len(known) >= 4 and not set(LABEL_NAMES).isdisjoint(map(plain, cells))


_OURS = {name for column in ANNOTATIONS.columns if column.cell == "label" for name in column.names} - {
    "is_submitted",
    "submitted",
    "is_discarded",
    "discarded",
}


def _has_evidence_labels(names: Sequence[str]) -> bool:
    queries, lists = recognise(QUERIES, names), recognise(RANKED_LISTS, names)
    candidates = recognise(CANDIDATES, names)
    return (
        {"has_evidence", "probability"} <= queries.keys()
        or "gold_ids" in lists
        or {"sent_uid", "is_gold"} <= candidates.keys()
    )
