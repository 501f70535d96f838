"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation.groups import groups
from evalcore.evaluation.options import Options, checked
from evalcore.evaluation.tallies import query_tallies, ranking_tallies
from evalcore.evaluation.values import values
from evalcore.problems import Problem
from evalcore.tallies.ranked import RankedQueries

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "family",
    "metric",
    "params",
    "variant",
    "population",
    "model",
    "group_by",
    "group",
    "value",
    "n",
    "ci_low",
    "ci_high",
    "ci_level",
    "ci_method",
    "note",
)


@dataclass(frozen=True)
class Report:
    """The result of an evaluation.

    Parameters
    ----------
    table : one row per value, with the columns of ``metrics.csv``.
    data : what was evaluated.
    options : how.
    """

    table: pd.DataFrame
    data: Data
    options: Options

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What the user should know about the data."""
        return self.data.warnings

    def value(self, key: str, *, model: str | None = None, group: str = "", **where: str) -> float:
        """One value of the table by metric key, for example ``report.value("ranking.ndcg", params="k=10")``.

        The default variant and the first population and model are meant where several exist.

        Raises
        ------
        KeyError : when no row fits.
        """
        family, name = key.split(".")
        rows = self.table[
            (self.table.family == family) & (self.table.metric == name) & (self.table.group == group)
        ]
        if model is not None:
            rows = rows[rows.model == model]
        for column, wanted in where.items():
            rows = rows[rows[column] == wanted]
        if rows.empty:
            raise KeyError(f"no value of {key} with {where or 'these settings'}")
        return float(rows.value.iloc[0])


def evaluate(data: Data, **options: Any) -> Report:
    """Compute every metric that the data allow.

    Parameters
    ----------
    data : checked data, from `evalcore.load`.
    options : fields of `Options`, such as ``by``, ``ks``, ``tau_neg`` and ``tau_pos``.

    Returns
    -------
    Report, whose ``table`` has one row per metric, parameters, variant, population, model and group. A value
    that is not defined is NaN with the reason in ``note``.

    Raises
    ------
    InputError : for illegal options, all named together.
    """
    import pandas as pd

    chosen = checked(data, Options(**options))
    rows = [row for model_rows in _cells(data, chosen) for row in model_rows]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(METRICS)}
    keys = (table.family + "." + table.metric).map(order)
    table = table.iloc[np.argsort(keys.to_numpy(), kind="stable")].reset_index(drop=True)
    return Report(table.astype({"n": "int64", "value": "float64"}), data, chosen)


def _cells(data: Data, options: Options) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Rows of the table, a model and a group at a time."""
    if data.queries is not None:
        for code, model in enumerate(data.queries.models):
            of_model = data.queries.where(data.queries.model == code)
            for group_by, group, mask in groups(of_model, options.by):
                part = of_model.where(mask)
                yield values(data, options, query_tallies(part, options), (model, group_by, group))
    if data.rankings is not None:
        for model in data.rankings.lists:
            ranked = RankedQueries.from_rankings(data.rankings, model, ties=options.ties)
            for group_by, group, mask in groups(data.rankings, options.by):
                tallies = ranking_tallies(data.rankings, model, ranked, mask)
                yield values(data, options, tallies, (model, group_by, group))
