"""How many sentences were selected: a dynamic K that is none, or that exceeds the candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evalcore.checks.results import CheckResult, by_model, file_of, result
from evalcore.data import Data, Queries
from evalcore.problems import SHOWN, Problem, problem

_FEW = 5


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of the column ``selected_k``, where the data have one."""
    queries = data.queries
    if queries is None or "selected_k" not in queries.numbers:
        return
    file = file_of(data, "queries")
    n_stated = int(np.count_nonzero(~np.isnan(queries.numbers["selected_k"])))
    if n_stated and "n_candidates" in queries.numbers:
        what = "No selection is larger than the number of candidates."
        yield result("K within the candidates", what, n_stated, _above_candidates(queries, file))
    if n_stated:
        what = "The number selected differs between queries, and lies below its cap for most."
        yield result("K is dynamic", what, n_stated, _without_effect(queries, file))


def _above_candidates(queries: Queries, file: str | None) -> Iterator[Problem]:
    k, n = queries.numbers["selected_k"], queries.numbers["n_candidates"]
    above = np.flatnonzero(k > n)
    if len(above):
        n_rows = int(np.count_nonzero(~np.isnan(k) & ~np.isnan(n)))
        yield problem("QRY-041", file=file, column="selected_k", n=len(above), n_rows=n_rows)
    for i in above[:SHOWN].tolist():
        facts: dict[str, Any] = {"k": f"{k[i]:g}", "n": f"{n[i]:g}"}
        yield problem("QRY-042", file=file, row=int(queries.row[i]), column="selected_k", **facts)


def _without_effect(queries: Queries, file: str | None) -> Iterator[Problem]:
    """The same K everywhere, or the cap for most of the queries from which something was selected.

    The cap of a query is the largest K of its model, or the number of its candidates where that is smaller.
    """
    for words, rows in by_model(queries):
        k = queries.numbers["selected_k"][rows]
        n = (
            queries.numbers["n_candidates"][rows]
            if "n_candidates" in queries.numbers
            else np.full(len(k), np.nan)
        )
        chosen = k > 0
        k, n = k[chosen], n[chosen]
        if len(k) < _FEW:
            continue
        facts: dict[str, Any] = {
            "file": file,
            "column": "selected_k",
            "n_rows": len(k),
            "k": f"{k.max():g}",
            "model": words,
        }
        at_cap = int(np.count_nonzero(k >= np.fmin(k.max(), n)))
        if (k == k[0]).all():
            yield problem("QRY-043", **facts)
        elif 2 * at_cap > len(k):
            yield problem("QRY-044", n=at_cap, **facts)
