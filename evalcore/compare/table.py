"""The table of a comparison: values, paired differences, intervals and tests, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.catalog import METRICS
from evalcore.compare.cells import Cell
from evalcore.compare.options import OF_EVIDENCE, CompareOptions, checked
from evalcore.compare.pairing import Shared
from evalcore.compare.pairs import Pair
from evalcore.compare.resampling import Resampled, resample
from evalcore.data import Data
from evalcore.inference.delong import delong, paired_test
from evalcore.inference.holm import holm
from evalcore.metrics.classification import auroc
from evalcore.notebook import number, view

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
INDEPENDENT = "DeLong assumes independent rows"
COLUMNS = (
    "metric",
    "params",
    "population",
    "group_by",
    "group",
    "first",
    "second",
    "difference",
    "n",
    "n_first",
    "n_second",
    "n_positive",
    "ci_low",
    "ci_high",
    "ci_level",
    "ci_method",
    "p",
    "p_holm",
    "p_method",
    "note",
)


class Prepared(NamedTuple):
    """What of two systems is compared, before anything is resampled.

    Parameters
    ----------
    cells : a metric on a pair of tallies each.
    shared, names, options, notes : as of `Comparison`, the names together and the options checked.
    """

    cells: Sequence[Cell]
    shared: tuple[Shared, ...]
    names: tuple[str, str]
    options: CompareOptions
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two models beside each other on the queries they share.

    Parameters
    ----------
    table : one row per metric and group, with `COLUMNS`: the value of each model, ``difference`` (second −
        first), ``n`` queries that were compared, ``n_first`` and ``n_second`` of them that enter the metric
        under each model (its denominators), ``n_positive`` with evidence or gold, the interval of the
        difference, its p-value, and ``p_holm``, adjusted over the groups of a column. AUROC has a second row
        by DeLong, told by ``ci_method``. NaN where undefined, the reason in ``note``.
    first, second : names of the models.
    shared : for checks and for lists, how many queries were compared and how many fell out.
    options : how.
    notes : what the reader of the table should know.
    """

    table: pd.DataFrame
    first: str
    second: str
    shared: tuple[Shared, ...]
    options: CompareOptions
    notes: tuple[str, ...]

    def _repr_html_(self) -> str:
        """What a notebook shows: every metric over all shared queries, its difference and its interval."""
        rows = self.table[self.table["group_by"] == ""].to_dict("records")
        cells = [
            (
                METRICS[row["metric"]].label,
                row["params"],
                number(row["first"]),
                number(row["second"]),
                number(row["difference"], row["ci_low"], row["ci_high"]),
                number(row["p"]),
                f"{row['n']:,}",
                row["note"],
            )
            for row in rows
        ]
        head = ("metric", "with", self.first, self.second, "second − first", "p", "n", "note")
        return view(f"{self.second} − {self.first}", {}, head, cells, self.notes)

    def of(self, metric: str, *, group_by: str = "", params: str | None = None) -> pd.DataFrame:
        """The resampled rows of a metric, of all shared queries or of the groups of a column.

        Parameters
        ----------
        metric : key in the catalogue.
        group_by : column, empty for all shared queries.
        params : what it was computed with; None for whatever.
        """
        rows = self.table
        is_meant = (rows["metric"] == metric) & (rows["group_by"] == group_by)
        is_meant &= True if params is None else rows["params"] == params
        return rows[is_meant & ~rows["ci_method"].str.startswith("delong")].reset_index(drop=True)


def options_of(
    data: Data, options: Mapping[str, Any], kinds: Collection[str] = OF_EVIDENCE
) -> CompareOptions:
    """The options, checked; one column or metric may stand for itself. Parameters as of `checked`.

    Raises
    ------
    InputError : with every illegal option.
    """
    several = {name: options[name] for name in ("by", "metrics") if name in options}
    named = {name: (one,) if isinstance(one, str) else tuple(one) for name, one in several.items()}
    return checked(data, CompareOptions(**{**options, **named}), kinds)


def comparison(found: Prepared, progress: Progress) -> Comparison:
    """The values of every cell with interval and test: what `compare` does once the systems are paired.

    Parameters
    ----------
    found : what is compared.
    progress : is told what comes next.
    """
    (table,) = tables_of([found], progress)
    table = table.assign(p_holm=adjusted(table).where(table["group_by"] != ""))
    return Comparison(table, *found.names, found.shared, found.options, found.notes)


def tables_of(found: Sequence[Prepared], progress: Progress) -> list[pd.DataFrame]:
    """The rows of each two systems by metric, all resampled together; p-values are not adjusted yet.

    Parameters
    ----------
    found : at least one, with the same options.
    progress : is told what comes next.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    options = found[0].options
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        resampled = iter(resample([cell for one in found for cell in one.cells], options, progress))
    order = {key: at for at, key in enumerate(options.metrics)}
    tables = []
    for one in found:
        rows = _table_rows(list(islice(resampled, len(one.cells))), options)
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        table = table.iloc[np.argsort(table["metric"].map(order).to_numpy(), kind="stable")]
        tables.append(table.reset_index(drop=True))
    return tables


def _table_rows(found: Sequence[Resampled], options: CompareOptions) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        cell, pair = one.cell, one.cell.pair
        (first, second), (n_first, n_second) = cell.values, cell.ns
        row: dict[str, Any] = {"metric": cell.metric.key, "params": cell.params}
        row |= {"population": cell.population, "group_by": pair.group.group_by, "group": pair.group.group}
        row |= {"first": first, "second": second, "difference": cell.difference, "n": pair.n}
        row |= {"n_first": n_first, "n_second": n_second, "n_positive": pair.n_positive, "note": cell.note}
        row |= one.as_columns(options)
        rows.append(row)
        if cell.metric.function is auroc and not math.isnan(cell.difference):
            rows.append(_by_delong(pair, row, options))
    return rows


def _by_delong(pair: Pair, row: dict[str, Any], options: CompareOptions) -> dict[str, Any]:
    """The same difference with DeLong's interval and test."""
    assert pair.rows is not None
    first, second = pair.rows
    test = paired_test(delong([second.score, first.score], first.is_positive))
    method = f"delong(rows={pair.n};sides=2;independence_assumed)"
    if math.isnan(test.p_value):
        nothing = {"ci_low": math.nan, "ci_high": math.nan, "p": math.nan}
        note = "DeLong's variance is 0 or undefined"
        return {**row, **nothing, "ci_method": method, "p_method": method, "note": note}
    half = NormalDist().inv_cdf((1 + options.confidence) / 2) * test.standard_error
    low, high = max(test.difference - half, -1.0), min(test.difference + half, 1.0)
    found = {"ci_low": low, "ci_high": high, "ci_level": options.confidence}
    return {**row, **found, "ci_method": method, "p": test.p_value, "p_method": method, "note": INDEPENDENT}


def adjusted(table: pd.DataFrame) -> pd.Series:
    """P-values adjusted over the groups of each column, for each metric and method by itself."""
    p = table["p"].astype(float)
    of_method = table["p_method"].str.split("(").str[0]
    family = table[["metric", "params", "group_by"]].assign(method=of_method)
    for rows in family.groupby(list(family.columns), sort=False).indices.values():
        p.iloc[rows] = holm(p.to_numpy()[rows])
    return p
