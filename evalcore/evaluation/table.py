"""The result table: every model and group, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation.group_replicates import Replicates
from evalcore.evaluation.groups import Divided, groups
from evalcore.evaluation.mean_intervals import GroupMeans
from evalcore.evaluation.options import RAG_KS, Options, checked
from evalcore.evaluation.over_groups import FOLD, over_groups
from evalcore.evaluation.rag import MODEL, Beside, RagResults, gathered, judged_groups, judged_tasks
from evalcore.evaluation.row import COLUMNS, Place, Row
from evalcore.evaluation.samples import Draws, Groups, of_lists, of_queries, of_stated
from evalcore.evaluation.states import STATE, with_states
from evalcore.evaluation.units import cluster_warnings
from evalcore.evaluation.values import Valued, values
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
    options : fields of `Options`, such as ``by``, ``ks``, ``tau_neg`` and ``tau_pos``. Without a column
        ``state``, values by state are those of the states that the thresholds give.

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
    told = data
    if data.task == "rag":
        options.setdefault("ks", RAG_KS)
        data = gathered([data])
    asked = Options(**options)
    if STATE in asked.by:
        told = data = with_states(data, asked.tau_neg, asked.tau_pos)
    chosen = checked(data, asked)
    tell = progress or (lambda _: None)
    beside = Beside(data, chosen) if data.annotations is not None else None
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        rows = list(_rows(data, chosen, tell, beside))
        rag = beside.results(tell) if beside is not None else None
        table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(METRICS)}
    keys = (table.family + "." + table.metric).map(order)
    table = table.iloc[np.argsort(keys.to_numpy(), kind="stable")].reset_index(drop=True)
    lacking = cluster_warnings(data, chosen.cluster)
    told = replace(told, warnings=(*told.warnings, *lacking)) if lacking else told
    return Report(table.astype({"n": "int64", "value": "float64"}), told, chosen, rag)


def _rows(
    data: Data, options: Options, progress: Callable[[str], None], beside: Beside | None
) -> Iterator[Row]:
    """Rows of the table, a model at a time."""
    rankings, draws = data.rankings, Draws(options)
    if beside is not None:
        for task in judged_tasks(data, options):
            parts = judged_groups(task, options, draws)
            tell = partial(_tell, progress, task.responses.task)
            yield from _of_model(data, options, MODEL, task, parts, tell, beside.noted)
    lists: dict[str, RankedQueries] = {}
    if rankings is not None:
        for name in rankings.lists:
            lists[name] = RankedQueries.from_rankings(rankings, name, ties=options.ties)
    if data.queries is not None:
        for code, model in enumerate(data.queries.models):
            queries = data.queries.where(data.queries.model == code)
            yield from _of_model(data, options, model, queries, of_queries(queries, options, draws), progress)
            if rankings is None:
                stated = of_stated(queries, options, None, None, draws)
                yield from _of_model(data, options, model, queries, stated, progress)
            for name in lists if "selected_k" in queries.numbers else ():
                stated = of_stated(queries, options, rankings, _ordered(rankings, name, options), draws)
                place = name if len(data.queries.models) == 1 else f"{model};{name}"
                yield from _of_model(data, options, place, queries, stated, progress)
    if rankings is not None:
        for model, ranked in lists.items():
            parts = of_lists(data, rankings, model, ranked, options, draws)
            yield from _of_model(data, options, model, rankings, parts, progress)


def _drawn(rows: list[Row], found: Valued) -> tuple[list[Row], list[Replicates | None]]:
    """The rows of which an interval is asked for, where they have a value, and their replicates."""
    kept = [at for at, cell in enumerate(found.cells) if cell.is_drawn or cell.is_spread]
    return [rows[at] for at in kept], [found.replicates[at] for at in kept]


def _tell(progress: Callable[[str], None], task: str, what: str) -> None:
    progress(f"{task} {what.removeprefix(MODEL).strip()}".rstrip())


def _of_model(
    data: Data,
    options: Options,
    model: str,
    part: Queries | Rankings | Divided,
    group_of: Groups,
    progress: Callable[[str], None],
    noted: Callable[[Valued, Place], list[Row]] | None = None,
) -> Iterator[Row]:
    """The rows of one model: of everything, of each group, and of the groups of each column together.

    Folds are evaluated even where nobody asks for them, for the mean and the spread over folds. ``noted``
    makes the rows of what was computed, where they say more than that.
    """

    asked = [(group, options) for group in groups(part, options.by)]
    if FOLD in part.slices and FOLD not in options.by:
        plain = replace(options, bootstrap=0)
        asked += [(group, plain) for group in groups(part, (FOLD,)) if group[0]]
    by_column: dict[str, list[Row]] = {}
    means: dict[str, GroupMeans] = {}
    for (group_by, group, mask), how in asked:
        progress(f"{model} {group_by} {group}".rstrip())
        tallies, sample = group_of(mask, how)
        is_column = bool(group_by) and ";" not in group_by
        is_averaged = is_column and group_by != FOLD and how.bootstrap > 0
        place = Place(model, group_by, group)
        found = values(data, how, tallies, sample, place, with_replicates=is_averaged)
        rows = noted(found, place) if noted is not None else found.rows
        if how is options:
            yield from rows
        if is_column:
            by_column.setdefault(group_by, []).extend(rows)
        if is_averaged:
            means.setdefault(group_by, GroupMeans(how.seed)).add(*_drawn(rows, found), sample)
    for column, rows in by_column.items():
        yield from over_groups(rows, means[column].bounds() if column in means else None)


def _ordered(rankings: Rankings | None, model: str, options: Options) -> RankedQueries | None:
    """The lists in one order: what was selected from a list is not the mean over all orders of its ties."""
    if rankings is None:
        return None
    ties = "trec" if options.ties == "expected" else options.ties
    return RankedQueries.from_rankings(rankings, model, ties=ties)
