"""``metrics.json`` of this program as a summary: metrics by name, in parts of one model and population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCORES = "tool_scores"
_OF_COUNTS = ("classification", "gate")
"""Families whose metrics at a threshold are shares of one table of counts, whatever each is over."""

_PART = ("model", "variant", "group_by", "group")


def as_summary(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metrics by name where the content is that of ``metrics.json``; any other content as it is.

    A part is one model, group and variant at one pair of thresholds; means over other queries are parts of
    their own. Figures about spread are left out.
    """
    rows = content.get("metrics")
    if "evalcore" not in content or not isinstance(rows, list):
        return content
    parts: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not isinstance(row, dict) or row.get("family") == SCORES or "stat=" in str(row.get("params")):
            continue
        name, rest = _named(row)
        population = "" if row.get("family") in _OF_COUNTS else row.get("population")
        said = [*(row.get(key) for key in _PART), population, rest]
        place = " ".join(str(one) for one in said if one)
        parts.setdefault(place, {}).setdefault(name, row.get("value"))
    return parts


def _named(row: Mapping[str, Any]) -> tuple[str, str]:
    """``recall@10`` of ``recall_at_k`` and ``k=10``, and the parameters that are no K."""
    name, params = str(row.get("metric", "")), str(row.get("params") or "").split(";")
    ks = [one[2:] for one in params if one.startswith("k=") and one[2:].isdigit()]
    rest = ";".join(one for one in params if one and one[2:] not in ks)
    return (f"{name.removesuffix('_at_k')}@{ks[0]}" if ks else name), rest
