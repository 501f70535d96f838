"""Every two of several models by the same metrics, from one set of draws, with p-values for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import find
from evalcore.compare import recommendations
from evalcore.compare.joined import of_one
from evalcore.compare.models import prepared
from evalcore.compare.options import METRICS_COMPARED, OF_EVIDENCE, OF_LISTS, CompareOptions
from evalcore.compare.pairing import Shared
from evalcore.compare.table import COLUMNS, Prepared, adjusted, tables_of
from evalcore.data import Data
from evalcore.problems import InputError, problem
from evalcore.spec import Metric

if TYPE_CHECKING:
    import pandas as pd

PAIR = ("first", "second")
OF_VALUES = {"first": "first_value", "second": "second_value"}


@dataclass(frozen=True, eq=False)
class Matrix:
    """Several models, every two beside each other.

    Parameters
    ----------
    table : one row a pair of models, metric and group: ``first`` and ``second`` name the two, ``first_value``
        and ``second_value`` are theirs, the rest as of `Comparison.table`; ``p_holm`` is adjusted over all
        pairs of a metric, and over the groups of a column with them.
    models : in the order of the data, or as named.
    shared : of each two models, how much of what was compared and how much fell out: of checks, of queries
        with gold, or of both where metrics of both are compared.
    options : how.
    notes : what the reader of the table should know.
    """

    table: pd.DataFrame
    models: tuple[str, ...]
    shared: dict[tuple[str, str], tuple[Shared, ...]]
    options: CompareOptions
    notes: tuple[str, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Keys of the metrics that were compared, in their order."""
        return tuple(dict.fromkeys(self.table["metric"]))

    def params_of(self, metric: str) -> tuple[str, ...]:
        """What a metric was compared with: several where a gate makes calls by more than one rule."""
        return tuple(dict.fromkeys(self.table.loc[self.table["metric"] == metric, "params"]))

    def of(
        self,
        metric: str | None = None,
        *,
        params: str | None = None,
        group_by: str = "",
        group: str = "",
    ) -> pd.DataFrame:
        """The rows of a metric, by default of the first one, one a pair.

        Parameters
        ----------
        metric : key in the catalogue.
        params : of the metric, where it was compared with several; None for the first of `params_of`.
        group_by, group : column and level; empty for all that was compared.
        """
        rows, key = self.table, next(iter(self.metrics), "") if metric is None else metric
        params = next(iter(self.params_of(key)), "") if params is None else params
        is_meant = (rows["metric"] == key) & (rows["params"] == params)
        is_meant &= (rows["group_by"] == group_by) & (rows["group"] == group)
        is_meant &= ~rows["ci_method"].str.startswith("delong")
        return rows[is_meant].reset_index(drop=True)

    def values(self, metric: str | None = None, **where: str) -> dict[str, float]:
        """The value of each model; parameters as of `of`.

        Where pairs share other queries each, it is that of a model's first pair.
        """
        rows = self.of(metric, **where)
        found: dict[str, float] = {}
        for name in self.models:
            for side in PAIR:
                for value in rows.loc[rows[side] == name, OF_VALUES[side]].tolist()[:1]:
                    found.setdefault(name, value)
        return found

    def square(self, column: str = "difference", metric: str | None = None, **where: str) -> pd.DataFrame:
        """A column of the table as models × models.

        Parameters
        ----------
        column : such as ``difference``, which is the row's value − the column's, ``p`` or ``p_holm``.
        metric, where : as of `of`.

        Returns
        -------
        pandas.DataFrame, NaN on the diagonal and where undefined.
        """
        import pandas as pd

        found = pd.DataFrame(np.nan, index=list(self.models), columns=list(self.models))
        for row in self.of(metric, **where).to_dict("records"):
            first, second, value = row["first"], row["second"], row[column]
            found.loc[second, first] = value
            found.loc[first, second] = -value if column == "difference" else value
        return found


def matrix(
    data: Data,
    metric: str | Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Matrix:
    """Compare every two of several models by a metric, on the units that they share.

    All pairs are resampled with the same draws: how often a unit is drawn, and whether two models change
    places in it, depends on the seed and the unit alone.

    Parameters
    ----------
    data : with at least two models, of recommendation lists or of evidence.
    metric : key or name, or several; None: the first one of a comparison that names none.
    models : names of models or lists, in the order of the result; None for all.
    progress : is told what comes next; what it raises ends the comparison.
    options : fields of `CompareOptions`, such as ``k``, ``by``, ``shared_only``, ``bootstrap``, ``seed``.

    Returns
    -------
    Matrix

    Raises
    ------
    InputError : as `evalcore.compare.compare` and `compare_recommendations`; OPT-008 for names that the data
        do not hold, and for fewer than two.

    Source
    ------
    Holm 1979 over the pairs; statistics.md, "Comparing two models".
    """
    import pandas as pd

    tell = progress or (lambda _: None)
    tell("pairing")
    usual = METRICS_COMPARED if data.recommendations is None else recommendations.USUAL
    named = usual[:1] if metric is None else (metric,) if isinstance(metric, str) else tuple(metric)
    options = {**options, "metrics": named}
    if data.recommendations is not None:
        found = recommendations.prepared(data, of_one(data, models), options)
    else:
        names = _names(data, find(named[0], OF_EVIDENCE)) if models is None else tuple(dict.fromkeys(models))
        pairs = [(one, two) for at, one in enumerate(names) for two in names[at + 1 :]]
        found = [prepared(data, None, pair, options) for pair in pairs]
    if not found:
        expected = "two models or lists"
        raise InputError([problem("OPT-008", found="fewer", expected=expected, advice="Check --models.")])
    rows = pd.concat(
        [
            of_pair.rename(columns=OF_VALUES).assign(**dict(zip(PAIR, one.names, strict=True)))
            for one, of_pair in zip(found, tables_of(found, tell), strict=True)
        ],
        ignore_index=True,
    )
    columns = [*PAIR, *(OF_VALUES.get(name, name) for name in COLUMNS)]
    rows = rows.assign(p_holm=adjusted(rows))[columns]
    return Matrix(
        rows,
        tuple(dict.fromkeys(name for one in found for name in one.names)),
        {one.names: _compared(one) for one in found},
        found[0].options,
        tuple(dict.fromkeys(note for one in found for note in one.notes)),
    )


def _compared(found: Prepared) -> tuple[Shared, ...]:
    """How much of what was compared, without what no metric is of."""
    kinds = {cell.pair.group.paired.shared.what for cell in found.cells}
    return tuple(one for one in found.shared if one.what in kinds) or found.shared


def _names(data: Data, metric: Metric) -> tuple[str, ...]:
    """The models, or the lists where the metric is of lists."""
    if metric.tally in OF_LISTS:
        return () if data.rankings is None else tuple(data.rankings.lists)
    return () if data.queries is None else data.queries.models
