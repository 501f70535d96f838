"""Tables of a saved report: texts as codes into their levels, numbers and counts to the bit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from evalcore.agreement import Alpha
from evalcore.evaluation.rag import RagResults
from evalcore.evaluation.rag.coverage import Coverage
from evalcore.evaluation.rag.predicted_labels import PredictedRow
from evalcore.evaluation.rag.tool_scores import ScoreRow
from evalcore.evaluation.row import Row
from evalcore.evaluation.saved.columns import Columns, Written
from evalcore.tallies import flaws

if TYPE_CHECKING:
    import pandas as pd

VALUES = "values"
BESIDE: Mapping[str, type] = {
    "coverage": Coverage,
    "scores": ScoreRow,
    "agreement": Alpha,
    "predicted": PredictedRow,
}
"""A table of `RagResults` → what one of its rows is."""


_DTYPES = {"str": "int64", "int": "int64", "float": "float64", "bool": "bool"}


def tables_facts(table: pd.DataFrame, rag: RagResults | None, out: Written) -> dict[str, Any]:
    """The facts of the table of values and of those beside it; their columns go into ``out``."""
    found = {VALUES: _of_table(table, Row, VALUES, out)}
    if rag is not None:
        found |= {name: _of_table(getattr(rag, name), row, name, out) for name, row in BESIDE.items()}
    return found


def read_tables(facts: Mapping[str, Any], given: Columns) -> tuple[pd.DataFrame, RagResults | None]:
    """The table of values, and what stands beside it where there is any; ``given`` collects faults."""
    table = _read_table(facts[VALUES], Row, VALUES, given).astype({"n": "int64", "value": "float64"})
    if not set(BESIDE) <= set(facts):
        return table, None
    return table, RagResults(
        **{name: _read_table(facts[name], row, name, given) for name, row in BESIDE.items()}
    )


def _kinds(row: type) -> dict[str, str]:
    """Column → ``str``, ``int``, ``float``, ``bool``; a name of a task is text."""
    words = {int: "int", float: "float", bool: "bool"}
    return {name: words.get(kind, "str") for name, kind in get_type_hints(row).items()}


def _of_table(table: pd.DataFrame, row: type, place: str, out: Written) -> dict[str, Any]:
    levels = {}
    for name, kind in _kinds(row).items():
        column, where = table[name].tolist(), f"tables/{place}/{name}"
        if kind == "str":
            levels[name] = out.add_texts(where, column)
        elif kind == "int":
            out.add_whole(where, np.array(column, np.int64))
        else:
            out.add(where, np.array(column, float if kind == "float" else bool))
    return {"n": len(table), "levels": levels}


def _read_table(facts: Mapping[str, Any], row: type, place: str, given: Columns) -> pd.DataFrame:
    import pandas as pd

    n, kinds = facts["n"], _kinds(row)
    lacking = [name for name, kind in kinds.items() if kind == "str" and name not in facts["levels"]]
    given.hold(not lacking, f"tables, {place}", f"no levels of {', '.join(lacking)}", "levels of every text")
    given.stop()
    found = {
        name: given.column(f"tables/{place}/{name}", n, np.dtype(_DTYPES[kind]))
        for name, kind in kinds.items()
    }
    given.stop()
    for name, kind in kinds.items():
        where, levels = f"tables/{place}/{name}", facts["levels"].get(name, [])
        if kind == "str":
            given.held(flaws.codes(where, found[name], n, len(levels)))
        elif kind == "float":
            given.held(flaws.numbers(where, found[name], n, may_lack=True))
        elif kind == "int":
            given.held(flaws.rows(where, found[name], n))
    given.stop()
    for name, kind in kinds.items():
        if kind == "str":
            found[name] = np.array([*facts["levels"][name], ""], object)[found[name]]
    rows: Iterable[tuple[Any, ...]] = zip(*(column.tolist() for column in found.values()), strict=True)
    return pd.DataFrame(list(rows), columns=list(found))
