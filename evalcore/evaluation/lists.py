"""Ranked lists: every metric at every K, one list against another, groups, rank of the first gold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import of_family
from evalcore.data import Queries, Rankings
from evalcore.evaluation.groups import levels_of
from evalcore.evaluation.parameters import with_k
from evalcore.evaluation.populations import value_over
from evalcore.evaluation.values import measure
from evalcore.metrics.ranking import check_k, effective_k, queries_affected_by_ties
from evalcore.spec import Metric, PerQuery
from evalcore.tallies.counted_queries import each
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import Selections
from evalcore.tallies.unit_lists import UnitLists

if TYPE_CHECKING:
    import pandas as pd

Counts = NDArray[np.int64]
KS: tuple[int | None, ...] = (1, 3, 5, 10, 20, None)
SINGLE_RANKS = 10
RANK_EDGES = (SINGLE_RANKS, 20, 50, 100)
NOT_IN_LIST = "none"


@dataclass(frozen=True)
class FirstGold:
    """Queries with gold by the rank of their first gold.

    Parameters
    ----------
    rank : names of the ranks, such as ``3`` or ``11–20``, best first; last ``none``: the list holds
        no gold.
    n : int64, shape of ``rank``, queries.
    """

    rank: tuple[str, ...]
    n: Counts

    @property
    def n_queries(self) -> int:
        """Queries with gold."""
        return int(self.n.sum())

    @property
    def n_without(self) -> int:
        """Of these, queries whose list holds none."""
        return int(self.n[-1])


class Value(NamedTuple):
    """A value, how many queries enter it, and the reason of a NaN or a remark."""

    value: float
    n: int
    note: str


def list_metrics() -> tuple[Metric, ...]:
    """The metrics of one ranked list, first those that pages show first."""
    return tuple(one for one in of_family("ranking") if one.tally == RankedQueries.__name__)


def selection_metrics() -> tuple[Metric, ...]:
    """The metrics of selections."""
    return tuple(one for one in of_family("extraction") if one.tally == Selections.__name__)


def label_at(metric: Metric, k: int | None = None, *, bare: bool = False) -> str:
    """A metric's label with its K, such as ``nDCG@10``; bare, and for a metric without a K, none."""
    name = metric.label.removesuffix("@K")
    return name if bare or not with_k(metric, k) else f"{name}@{k_name(k)}"


def k_name(k: int | None) -> str:
    """K as it is printed; ``ALL`` for the whole list."""
    return "ALL" if k is None else str(k)


def at_every_k(lists: Mapping[str, RankedQueries], ks: Iterable[int | None] = KS) -> pd.DataFrame:
    """Every ranking metric of every list at every K, over both populations, with the spread over queries.

    Parameters
    ----------
    lists : name → Q queries.
    ks : whole numbers from 1 on, None for the whole list.

    Returns
    -------
    One row per list, metric, K and population: ``model``, ``metric`` (name in the catalogue), ``k`` (text),
    ``population``, ``value`` (the mean), ``n`` (queries), ``sd`` (over queries, 1/N), ``p25``, ``median``,
    ``p75``, and ``n_ties``, queries whose value depends on the order of equal scores. NaN without a query; so
    is the spread of a metric that has no value of each query.

    Raises
    ------
    InputError : for an illegal K.
    """
    import pandas as pd

    rows = []
    for model, queries in lists.items():
        for metric in list_metrics():
            for k in map(check_k, ks):
                rows += _rows_of(model, queries, metric, k)
    columns = ("model", "metric", "k", "population", "value", "n", "sd", "p25", "median", "p75", "n_ties")
    return pd.DataFrame(rows, columns=list(columns))


def n_over(values: pd.DataFrame) -> int:
    """The most queries that a value of `at_every_k` is over; 0 without one."""
    return int(values["n"].max()) if len(values) else 0


def _rows_of(model: str, queries: RankedQueries, metric: Metric, k: int | None) -> list[dict[str, Any]]:
    params = with_k(metric, k)
    queries = queries if metric.takes_counted else each(queries)
    n_ties = queries.n_of(queries_affected_by_ties(metric.function, queries, **params))
    rows: dict[str, dict[str, Any]] = {}
    for population, spread, value, n, _ in measure(metric, queries, params, with_spread=True):
        if not spread:
            rows[population] = {
                "model": model,
                "metric": metric.name,
                "k": k_name(k),
                "population": population,
            }
            rows[population] |= {"value": value, "n": n, "n_ties": n_ties}
        else:
            stat = spread.removeprefix("stat=").partition(";")[0]
            rows[population][stat] = value
    return list(rows.values())


def list_differences(
    first: RankedQueries, second: RankedQueries, ks: Iterable[int | None] = KS
) -> pd.DataFrame:
    """The second list against the first on the same queries with gold; no statement about chance.

    Parameters
    ----------
    first, second : the same Q queries in the same order.
    ks : whole numbers from 1 on, None for the whole list.

    Returns
    -------
    One row per metric and K: ``metric``, ``k``, ``first``, ``second``, ``n`` (queries with gold),
    ``difference`` (second − first), and of these queries ``n_better``, ``n_worse`` and ``n_equal`` in the
    second list; missing for a metric that has no mean over queries. Means are NaN without a query with gold.

    Raises
    ------
    InputError : for an illegal K.
    """
    import pandas as pd

    first, second = each(first), each(second)
    with_gold = first.n_gold > 0
    first, second = first.where(with_gold), second.where(with_gold)
    rows: list[dict[str, Any]] = []
    for metric in list_metrics():
        for k in map(check_k, ks):
            row = {"metric": metric.name, "k": k_name(k)}
            rows.append(row | _difference(metric, first, second, with_k(metric, k)))
    counts = dict.fromkeys(("n_better", "n_worse", "n_equal"), "Int64")
    return pd.DataFrame(rows).astype(counts)


def _difference(
    metric: Metric, first: RankedQueries, second: RankedQueries, params: dict[str, Any]
) -> dict[str, Any]:
    """Both values, their difference and, where each query has a value, in how many it is better."""
    before, after = metric(first, **params), metric(second, **params)
    (value_before, n), (value_after, _) = (
        value_over(metric, one, params, result, metric.population[0])
        for one, result in ((first, before), (second, after))
    )
    row: dict[str, Any] = {"first": value_before, "second": value_after, "n": n}
    if not isinstance(before, PerQuery) or before.quantile is not None:
        return row | {"difference": value_after - value_before}
    change = after.values - before.values
    known = change[~np.isnan(change)]
    row |= {"difference": math.fsum(known.tolist()) / len(known) if len(known) else math.nan}
    better, worse = int((change > 0).sum()), int((change < 0).sum())
    if metric.better == "lower":
        better, worse = worse, better
    return row | {"n_better": better, "n_worse": worse, "n_equal": int((change == 0).sum())}


def lists_by_group(
    rankings: Rankings | UnitLists, lists: Mapping[str, RankedQueries], column: str, k: int | None
) -> pd.DataFrame:
    """The ranking metrics of each list at one K by the levels of a column, over queries with gold.

    Parameters
    ----------
    rankings : Q queries with their criteria and other columns, or their tally.
    lists : name → the tally of one of its lists.
    column : ``criterion`` or another column of ``rankings``.
    k : whole number from 1 on, or None for the whole list.

    Returns
    -------
    One row per level (in natural order) and list: ``group``, ``model``, ``n_queries``, ``n`` (with gold), a
    column for each metric, NaN where no query has gold. No row where the column is missing.

    Raises
    ------
    InputError : for an illegal K.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    metrics = list_metrics()
    for group, of in levels_of(rankings, column):
        for model, queries in lists.items():
            members = each(queries.where(of.mask))
            with_gold = members.n_gold > 0
            row: dict[str, Any] = {"group": group, "model": model, "n_queries": len(members)}
            row["n"] = int(with_gold.sum())
            for metric in metrics:
                params = with_k(metric, k)
                result = metric(members, **params)
                row[metric.name], _ = value_over(metric, members, params, result, metric.population[0])
            rows.append(row)
    return pd.DataFrame(
        rows, columns=["group", "model", "n_queries", "n", *(metric.name for metric in metrics)]
    )


def first_gold(lists: Mapping[str, RankedQueries]) -> dict[str, FirstGold]:
    """Count the queries with gold of each list by the rank of their first gold.

    Ranks above 10 are counted together, over the same ranks for every list.

    Parameters
    ----------
    lists : name → Q queries, at least one list.

    Examples
    --------
    >>> queries = RankedQueries.from_lists([{"a": 1}, {"a": 1}, {"z": 1}, {}], [["b", "a"], ["a"], ["b"], []])
    >>> found = first_gold({"one": queries})["one"]
    >>> found.rank, found.n.tolist()
    (('1', '2', 'none'), [1, 1, 1])
    """
    ranks, times = {}, {}
    for name, queries in lists.items():
        with_gold = queries.n_gold > 0
        ranks[name] = queries.rank[queries.first[with_gold]]
        times[name] = None if queries.of_each is None else queries.of_each[with_gold]
    deepest = max(1, *(int(rank.max(initial=1)) for rank in ranks.values()))
    last_single = min(deepest, SINGLE_RANKS)
    ends = [edge for edge in RANK_EDGES if edge < deepest]
    starts = [*range(1, last_single + 1), *(edge + 1 for edge in ends)]
    last = [*range(1, last_single + 1), *ends[1:], *([deepest] if ends else [])]
    names = [str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, last, strict=True)]
    found = {}
    for name, rank in ranks.items():
        n_at = np.bincount(rank, times[name], minlength=deepest + 1)
        below = np.concatenate([[0], np.cumsum(n_at[1:])])
        n = [int(below[b] - below[a - 1]) for a, b in zip(starts, last, strict=True)]
        found[name] = FirstGold((*names, NOT_IN_LIST), np.array([*n, int(n_at[0])], np.int64))
    return found


def n_shorter(queries: RankedQueries, k: int | None) -> int:
    """How many lists hold fewer than K candidates; 0 for the whole list."""
    return 0 if k is None else queries.n_of(effective_k(queries, k) < k)


def selections_stated(
    queries: Queries,
    model: str,
    rankings: Rankings | UnitLists | None = None,
    lists: RankedQueries | None = None,
) -> Selections:
    """What the rows of one model say was selected, in their ``selected_k``.

    Parameters
    ----------
    queries : rows of any models.
    model : whose rows.
    rankings, lists : the ranked lists and the one that was selected from; without them hits are not known.
    """
    return Selections.from_queries(
        queries.where(queries.model == queries.models.index(model)), rankings, lists
    )


def selection_values(selections: Selections) -> dict[str, Value]:
    """Every extraction metric of a selection, over its first population; name in the catalogue → value."""
    values = {}
    for metric in selection_metrics():
        _, _, value, n, note = measure(metric, selections, {})[0]
        values[metric.name] = Value(value, n, note)
    return values
