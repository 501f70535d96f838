"""``metrics.json`` opened again: its values as the table that they were, and what it says of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data, Source
from evalcore.evaluation import COLUMNS
from evalcore.evaluation.rag import RagResults
from evalcore.problems import InputError, Problem, problem
from evalcore.report.beside import TABLES
from evalcore.report.facts import READING, printed
from evalcore.report.layout import Value, values
from evalcore.report.metrics_json.checked import ROWS, VALUES, checked, kinds_of
from evalcore.report.tool_scores import SCORES

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class MetricsFile:
    """The values of a report and what stands with them: all that ``metrics.json`` holds, without any tally.

    Parameters
    ----------
    table : one row per value, with the columns of ``metrics.csv``, as `evalcore.Report.table`.
    data : what was evaluated: the files with their digests, notes and warnings; no rows.
    options : how, by name, as the file has them.
    reading : how the files were read, by name.
    rag : what stands beside values over annotations; None for other tasks.
    made_by : the version of evalcore that computed the values.
    sha256 : digest of the file itself.
    """

    table: pd.DataFrame
    data: Data
    options: Mapping[str, Any]
    reading: Mapping[str, str]
    rag: RagResults | None
    made_by: str
    sha256: str = field(repr=False)

    @staticmethod
    def load(path: Path | str) -> MetricsFile:
        """A ``metrics.json`` that `evalcore.report.write_report` wrote, whatever it is called now.

        Raises
        ------
        InputError : FILE-001 without such a file; REP-320 for another file, REP-321 with everything that is
            damaged, REP-322 for one of another version.
        """
        path = Path(path)
        if not path.is_file():
            raise InputError([problem("FILE-001", file=path.name)])
        return MetricsFile.from_bytes(path.read_bytes(), file=path.name)

    @staticmethod
    def from_bytes(raw: bytes, *, file: str | None = None) -> MetricsFile:
        """As `load`, from the bytes of a file; ``file`` names it in messages."""
        document = checked(raw, file)
        data = _data(document)
        if data.digest != document["data_sha256"]:
            found = "a digest that is not that of the inputs"
            fault = problem("REP-321", file=file, place="data_sha256", found=found, expected=data.digest)
            raise InputError([fault])
        rows = [row for row in document[VALUES] if row["family"] != SCORES]  # those stand beside
        others = {of: _frame(document[name], name) for name, of in TABLES.items() if name in document}
        return MetricsFile(
            table=_frame(rows, VALUES).astype({"n": np.int64, "value": np.float64}),
            data=data,
            options=document["options"],
            reading=document["reading"],
            rag=RagResults(**others) if others else None,
            made_by=document["evalcore"],
            sha256=hashlib.sha256(raw).hexdigest(),
        )

    @property
    def group_columns(self) -> list[str]:
        """The columns that values are broken down by, alone or joined by ``;``, as the table names them."""
        return [name for name in dict.fromkeys(self.table["group_by"].tolist()) if name]

    @property
    def has_spread(self) -> bool:
        """Whether figures about spread, over queries, folds or groups, are among the values."""
        return bool(self.table["params"].str.contains("stat=", regex=False).any())

    def part(self, group_by: str) -> MetricsFile:
        """The same with the values of the groups of one column alone; empty: those over all rows."""
        return self._with(self.table[self.table["group_by"] == group_by])

    def values(self) -> list[Value]:
        """The values arranged for reading, those of metrics that this version does not know behind them."""
        keys = self.table["family"] + "." + self.table["metric"]
        is_declared = keys.isin(list(METRICS))
        others = self.table[~is_declared]
        columns = [others[name].tolist() for name in COLUMNS]
        return [
            *values(self._with(self.table[is_declared])),
            *(Value(*row) for row in zip(*columns, strict=True)),
        ]

    def _with(self, rows: pd.DataFrame) -> MetricsFile:
        return replace(self, table=rows.reset_index(drop=True))

    @property
    def said(self) -> dict[str, str]:
        """Options and how the files were read, by name, as a person reads them."""
        options = {name: printed(name, value) for name, value in self.options.items()}
        return options | {READING[name]: text for name, text in self.reading.items() if name in READING}


def _data(document: Mapping[str, Any]) -> Data:
    """What is known of the data, without their tables."""
    reading, warnings = document["reading"], document["warnings"]
    n_more: dict[str, int] = {}
    for one in warnings:
        n_more[one["code"]] = n_more.get(one["code"], 0) + max(one["n"] - 1, 0)
    return Data(
        task=reading["task"],
        sources=tuple(Source(**{**one, "others": tuple(one["others"])}) for one in document["inputs"]),
        tables={},
        **{name: reading[name] for name in READING if name in reading},
        warnings=tuple(map(_warning, warnings)),
        notes=tuple(document["notes"]),
        facts={"n_more": {code: n for code, n in n_more.items() if n}},
    )


def _warning(facts: Mapping[str, Any]) -> Problem:
    """A warning in the words in which the file tells it."""
    found, _, remedy = facts["text"].removeprefix("Found ").partition(". ")
    return Problem(
        facts["code"],
        "warning",
        facts["file"],
        None,
        facts["column"],
        found.removesuffix("."),
        expected="",
        remedy=remedy,
    )


def _frame(rows: list[dict[str, Any]], name: str) -> pd.DataFrame:
    """The rows of a table as a frame, NaN for null."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for column, kind in kinds_of(ROWS[name]).items():
        found = [row[column] for row in rows]
        if kind is float:
            columns[column] = np.array([math.nan if one is None else one for one in found], np.float64)
        elif kind is int:
            columns[column] = np.array(found, np.int64)
        elif kind is bool:
            columns[column] = np.array(found, bool)
        else:
            columns[column] = found
    if not rows:  # as such tables are where they are computed
        columns = {column: np.array([], object) for column in columns}
    return pd.DataFrame(columns)
