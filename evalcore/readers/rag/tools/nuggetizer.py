"""nuggetizer: assignments of nuggets to answers, and the metrics of each query (JSON Lines).

Source: https://github.com/castorini/nuggetizer; Pradeep et al., "The Great Nugget Recall", 2025:
a supported nugget counts 1, a partly supported one 1/2 (0 when strict); vital scores take vital nuggets.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.formats.cells import cell_text
from evalcore.readers.rag.parts import texts_from
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import (
    Measure,
    ToolResult,
    groups_in,
    ids_of,
    numbers_of_records,
    score_part,
)

TOOL = "nuggetizer"
MEASURES = {
    "strict_vital_score": Measure("share of vital nuggets that the answer fully supports"),
    "strict_all_score": Measure("share of all nuggets that the answer fully supports"),
    "vital_score": Measure("share of vital nuggets, partial support counting one half"),
    "all_score": Measure("share of all nuggets, partial support counting one half"),
}
_CREDIT = {"support": Fraction(1), "partial_support": Fraction(1, 2), "not_support": Fraction(0)}
_TEXTS = ("query", "answer_text", "nuggets")
_OVER_ALL = "the mean over all queries (qid all), which is no query"


def fits(names: frozenset[str]) -> bool:
    """Whether fields of these names are those of nuggetizer."""
    return "qid" in names and ("nuggets" in names or not names.isdisjoint(MEASURES))


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The four scores of each query, as written or from its assignments; the row ``all`` is left out."""
    is_query = [str(record.get("qid")) != "all" for record in records.rows]
    kept = Records(
        records.name,
        records.names,
        tuple(r for r, keep in zip(records.rows, is_query, strict=True) if keep),
        tuple(r for r, keep in zip(records.row, is_query, strict=True) if keep),
    )
    n_all = len(is_query) - len(kept.rows)
    excluded = {_OVER_ALL: n_all} if n_all else {}
    if not kept.rows:
        facts = {"found": "no row but qid all", "missing": "one row a query"}
        findings.add("RAG-016", file=records.name, **facts, remedy="Give the scores of each query.")
        return None
    record = ids_of(kept, ("qid",))
    slices = {"system": texts_from([cell_text(r.get("run_id")) for r in kept.rows])}
    slices = slices if "run_id" in kept.names else groups_in(kept, {"qid", *MEASURES})
    if "nuggets" in kept.names:
        scores = [_scores(row.get("nuggets"), kept, i, findings) for i, row in enumerate(kept.rows)]
        values = {name: np.asarray([one[name] for one in scores], np.float64) for name in MEASURES}
        unused = {n: "personal text: dropped" for n in kept.names if n in _TEXTS}
        notes: tuple[str, ...] = (
            f"{records.name}: the scores are computed from the assignments of nuggets.",
        )
    else:
        values = {name: numbers_of_records(kept, name, findings) for name in MEASURES if name in kept.names}
        unused, notes = {}, ()
    parts = [
        score_part(TOOL, name, MEASURES[name], record, value, slices, kept, findings)
        for name, value in values.items()
    ]
    return ToolResult(tuple(parts), unused, excluded, notes)


def _scores(nuggets: Any, records: Records, i: int, findings: Findings) -> Mapping[str, float]:
    """The four scores of one answer; NaN without a nugget of the kind, or with one not assigned."""
    found: list[tuple[bool, Fraction | None]] = []
    for nugget in nuggets if isinstance(nuggets, list) else []:
        nugget = nugget if isinstance(nugget, dict) else {"assignment": nugget}
        assignment = str(nugget.get("assignment") or "")
        credit = _CREDIT.get(assignment)
        if credit is None and assignment not in ("", "failed"):
            place = {"file": records.name, "row": records.row[i], "column": "nuggets"}
            facts = {"found": f"the assignment {assignment!r}", "missing": "one of " + ", ".join(_CREDIT)}
            findings.add("RAG-016", **place, **facts, remedy="Correct the assignment.")
        found.append((nugget.get("importance") == "vital", credit))
    vital = [credit for is_vital, credit in found if is_vital]
    every = [credit for _, credit in found]
    return {
        "strict_vital_score": _share(vital, True),
        "strict_all_score": _share(every, True),
        "vital_score": _share(vital, False),
        "all_score": _share(every, False),
    }


def _share(credits: list[Fraction | None], strict: bool) -> float:
    if not credits or None in credits:
        return float("nan")
    counted = [Fraction(c == 1) if strict else c for c in credits if c is not None]
    return float(sum(counted, Fraction(0)) / len(counted))
