"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation.groups import Mask, groups
from evalcore.evaluation.options import RAG_KS, Options, checked
from evalcore.evaluation.over_groups import FOLD, over_groups
from evalcore.evaluation.rag import RagResults, rag_results
from evalcore.evaluation.row import COLUMNS, Place, Row
from evalcore.evaluation.samples import Groups, of_lists, of_queries, of_stated
from evalcore.evaluation.units import cluster_warnings
from evalcore.evaluation.values import values
from evalcore.problems import Problem
from evalcore.tallies.ranked import RankedQueries

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Report:
    """The result of an evaluation.

    Parameters
    ----------
    table : one row per value, with the columns of ``metrics.csv``.
    data : what was evaluated.
    options : how.
    rag : what the values over annotations rest on, and scores of other tools; None for other tasks.
    """

    table: pd.DataFrame
    data: Data
    options: Options
    rag: RagResults | None = None

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


def evaluate(data: Data, *, progress: Callable[[str], None] | None = None, **options: Any) -> Report:
    """Compute every metric that the data allow.

    Parameters
    ----------
    data : checked data, from `evalcore.load`.
    progress : is told what comes next, a group at a time.
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
    from threadpoolctl import threadpool_limits

    if isinstance(options.get("by"), str):
        options["by"] = (options["by"],)
    if data.task == "rag":
        options.setdefault("ks", RAG_KS)
    chosen = checked(data, Options(**options))
    tell = progress or (lambda _: None)
    beside: RagResults | None = None
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        if data.task == "rag":
            rows, beside = rag_results(data, chosen, tell)
        else:
            rows = list(_rows(data, chosen, tell))
        table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(METRICS)}
    keys = (table.family + "." + table.metric).map(order)
    table = table.iloc[np.argsort(keys.to_numpy(), kind="stable")].reset_index(drop=True)
    lacking = cluster_warnings(data, chosen.cluster)
    told = replace(data, warnings=(*data.warnings, *lacking)) if lacking else data
    return Report(table.astype({"n": "int64", "value": "float64"}), told, chosen, beside)


def _rows(data: Data, options: Options, progress: Callable[[str], None]) -> Iterator[Row]:
    """Rows of the table, a model at a time."""
    rankings = data.rankings
    lists: dict[str, RankedQueries] = {}
    if rankings is not None:
        for name in rankings.lists:
            lists[name] = RankedQueries.from_rankings(rankings, name, ties=options.ties)
    if data.queries is not None:
        for code, model in enumerate(data.queries.models):
            queries = data.queries.where(data.queries.model == code)
            yield from _of_model(data, options, model, queries, of_queries(queries, options), progress)
            if rankings is None:
                stated = of_stated(queries, options, None, None)
                yield from _of_model(data, options, model, queries, stated, progress)
            for name in lists if "selected_k" in queries.numbers else ():
                stated = of_stated(queries, options, rankings, _ordered(rankings, name, options))
                place = name if len(data.queries.models) == 1 else f"{model};{name}"
                yield from _of_model(data, options, place, queries, stated, progress)
    if rankings is not None:
        for model, ranked in lists.items():
            parts = of_lists(data, rankings, model, ranked, options)
            yield from _of_model(data, options, model, rankings, parts, progress)


def _of_model(
    data: Data,
    options: Options,
    model: str,
    part: Queries | Rankings,
    group_of: Groups,
    progress: Callable[[str], None],
) -> Iterator[Row]:
    """The rows of one model: of everything, of each group, and of the groups of each column together.

    Folds are evaluated even where nobody asks for them, for the mean and the spread over folds.
    """

    def rows_of(group_by: str, group: str, mask: Mask, how: Options) -> list[Row]:
        progress(f"{model} {group_by} {group}".rstrip())
        tallies, sample = group_of(mask, how)
        return list(values(data, how, tallies, sample, Place(model, group_by, group)))

    by_column: dict[str, list[Row]] = {}
    for group_by, group, mask in groups(part, options.by):
        rows = rows_of(group_by, group, mask, options)
        yield from rows
        if group_by and ";" not in group_by:
            by_column.setdefault(group_by, []).extend(rows)
    if FOLD in part.slices and FOLD not in options.by:
        plain = replace(options, bootstrap=0)
        folds = [(by, fold, mask) for by, fold, mask in groups(part, (FOLD,)) if by]
        by_column[FOLD] = [row for by, fold, mask in folds for row in rows_of(by, fold, mask, plain)]
    for rows in by_column.values():
        yield from over_groups(rows)


def _ordered(rankings: Rankings | None, model: str, options: Options) -> RankedQueries | None:
    """The lists in one order: what was selected from a list is not the mean over all orders of its ties."""
    if rankings is None:
        return None
    ties = "trec" if options.ties == "expected" else options.ties
    return RankedQueries.from_rankings(rankings, model, ties=ties)
