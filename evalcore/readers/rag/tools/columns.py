"""What readers of tools with one column a score share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import (
    Measure,
    ToolResult,
    groups_in,
    ids_of,
    is_numeric,
    numbers_of_records,
    score_part,
)
from evalcore.schema import plain

_NOT_SCORES = (
    "id",
    "row",
    "index",
    "seed",
    "k",
    "latency",
    "cost",
    "total_tokens",
    "total_cost",
    "threshold",
    "score_id",
)


def by_plain(records: Records) -> dict[str, str]:
    """Plain name → the name in the file; of several the first."""
    return {plain(name): name for name in reversed(records.names)}


def scores_in(
    records: Records,
    tool: str,
    measures: Mapping[str, Measure],
    texts: Sequence[str],
    *,
    ids: Sequence[str],
    id_texts: Sequence[str],
    findings: Findings,
    refusal: str,
    n_context: NDArray[np.float64] | None = None,
    others_are_scores: bool = True,
    slices: Mapping[str, Texts] | None = None,
) -> ToolResult | None:
    """The scores of a table with one record a row and one column a score.

    Parameters
    ----------
    measures : the tool's scores by plain name; names that end in ``(mode=…)`` are those of their beginning.
    texts : columns of texts, which are dropped.
    ids, id_texts : what names a record.
    refusal : what to do where there is no score.
    others_are_scores : whether further columns of numbers from 0 to 1 are the user's own metrics.
    """
    record = ids_of(records, ids, id_texts)
    unused: dict[str, str] = {}
    found: list[tuple[str, Measure]] = []
    for name in records.names:
        key = plain(name)
        if key in texts:
            unused[name] = "personal text: dropped"
            continue
        measure = measures.get(key) or measures.get(key.partition("(")[0].strip("_"))
        if measure is None and others_are_scores and key not in (*_NOT_SCORES, *ids):
            measure = _own_metric(records, name)
        if measure is not None:
            found.append((name, measure))
    if not found:
        listed = ", ".join(records.names)
        missing = f"at least one score of {tool}, such as {', '.join(list(measures)[:3])}"
        facts = {"found": f"a file of {tool} without a score ({listed})", "missing": missing}
        findings.add("RAG-016", file=records.name, **facts, remedy=refusal)
        return None
    taken = {name for name, _ in found} | set(unused)
    groups = dict(slices) if slices is not None else groups_in(records, taken | _id_columns(records, ids))
    for name in records.names:
        if name not in taken and plain(name) not in groups and plain(name) not in ids:
            unused[name] = "no score of this tool, and nothing to break down by"
    parts = [
        score_part(
            tool,
            name,
            measure,
            record,
            numbers_of_records(records, name, findings),
            groups,
            records,
            findings,
            n_context,
        )
        for name, measure in found
    ]
    return ToolResult(tuple(parts), unused)


def _id_columns(records: Records, ids: Sequence[str]) -> set[str]:
    return {name for name in records.names if plain(name) in ids}


def _own_metric(records: Records, name: str) -> Measure | None:
    """A column of numbers from 0 to 1 that the tool's documentation does not name."""
    if not is_numeric(records, name):
        return None
    values = numbers_of_records(records, name, Findings())
    if np.nanmin(values) < 0 or np.nanmax(values) > 1:
        return None
    return Measure("a metric of the user's own; what it means is not known here")
