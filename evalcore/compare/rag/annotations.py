"""Two systems by the annotations of the same queries: paired differences, intervals, tests, what fell out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, Annotations, Codes, RagTask, Responses
from evalcore.compare.cells import Cell
from evalcore.compare.options import CompareOptions
from evalcore.compare.pairing import Paired, Shared
from evalcore.compare.pairs import Group, Pair
from evalcore.compare.rag.systems import RECORD, keys_of
from evalcore.compare.resampling import resample
from evalcore.data import Data
from evalcore.drawn.weights import hashes
from evalcore.evaluation.populations import value_over
from evalcore.evaluation.rag import metrics_of
from evalcore.evaluation.rag.judged import judged
from evalcore.inference.holm import holm
from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError
from evalcore.settings import too_many_replicates
from evalcore.spec import Metric, PerQuery
from evalcore.tallies.judgements import JudgedChunks, panels_at

if TYPE_CHECKING:
    import pandas as pd

Values = NDArray[np.float64]


class Difference(NamedTuple):
    """One metric of two systems on the queries that both have a value for.

    Parameters
    ----------
    metric, params : as in the table of values, default variant.
    first, second, difference : means over the same queries, and second − first.
    n : queries with a value on both sides.
    n_only_first, n_only_second : queries of one side alone; they fell out.
    n_without_key : records of either side that name no query; they fell out.
    n_without_value : queries of both sides without a value on one, such as an incomplete panel.
    ci_low, ci_high, ci_level, ci_method : bootstrap over queries.
    p, p_method, p_holm : two-sided test that swaps the systems query by query; adjusted over the table.
    """

    metric: str
    params: str
    first: float
    second: float
    difference: float
    n: int
    n_only_first: int
    n_only_second: int
    n_without_key: int
    n_without_value: int
    ci_low: float
    ci_high: float
    ci_level: float
    ci_method: str
    p: float
    p_method: str
    p_holm: float = math.nan


USUAL = CompareOptions()


def compare_annotations(
    first: Data, second: Data, *, key: str = RECORD, k: int | None = 5, how: CompareOptions = USUAL
) -> pd.DataFrame:
    """Every metric of document 003 for two systems on the queries that both have.

    Parameters
    ----------
    first, second : annotations of each system, such as two of `by_system`.
    key : what makes two records the same query: ``record`` (equal record ids) or a column, such as
        ``query_id``; several records of one key count as their mean.
    k : cut-off of the metrics on lists; None for the whole list.
    how : replicates, swaps, seed and confidence (no other option is one of annotations); 0 of either leaves
        the interval or the test out.

    Returns
    -------
    pandas.DataFrame with the fields of `Difference`, one row a metric of the tasks that both sides have.

    Raises
    ------
    InputError : OPT-001 for an illegal K; OPT-003 for a key that a side lacks and for too many replicates.
    """
    import pandas as pd

    assert first.annotations is not None
    assert second.annotations is not None
    k = check_k(k)
    problems = too_many_replicates({"bootstrap": how.bootstrap, "permutations": how.permutations})
    if problems:
        raise InputError(problems)
    rows: list[Difference] = []
    for task in LABELS:
        sides = [one.responses.get(task) for one in (first.annotations, second.annotations)]
        if sides[0] is None or sides[1] is None:
            continue
        a, b = (
            _side(one, responses, key, k)
            for one, responses in ((first.annotations, sides[0]), (second.annotations, sides[1]))
        )
        printed = f"k={k}" if task == "retrieval" and k is not None else ""
        rows += _of_task(task, printed, a, b, how)
    if rows:
        adjusted = holm([row.p for row in rows]).tolist()
        rows = [row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return pd.DataFrame(rows, columns=list(Difference._fields))


@dataclass(frozen=True, eq=False)
class _Side:
    """One system's judgements.

    Parameters
    ----------
    tally : of its records.
    keys : which query each record is an answer to; None where none is named.
    """

    tally: Any
    keys: list[str | None]

    def of(self, shared: Sequence[str]) -> tuple[Any, Codes]:
        """The records of these queries, query by query, and the query of each."""
        at = {key: code for code, key in enumerate(shared)}
        code = np.array([at.get(str(key), -1) if key is not None else -1 for key in self.keys], np.intp)
        kept = np.argsort(code, kind="stable")[np.count_nonzero(code < 0) :]
        return self.tally.take(kept), code[kept]


@dataclass(frozen=True, eq=False)
class _Means:
    """Of each of N queries the mean of a metric over its records: the tally of what is a mean over queries.

    Parameters
    ----------
    values : key of a metric → float64, shape (N,), NaN where one of the two systems has no value.
    """

    values: Mapping[str, Values]

    def take(self, at: Codes) -> _Means:
        """The queries at these places, in their order."""
        return _Means({key: values[at] for key, values in self.values.items()})

    def merge(self, other: _Means) -> _Means:
        """These queries followed by others."""
        return _Means(
            {key: np.concatenate([values, other.values[key]]) for key, values in self.values.items()}
        )

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))


def _of_task(task: RagTask, params: str, a: _Side, b: _Side, how: CompareOptions) -> list[Difference]:
    """The differences of a task's metrics."""
    named = [{key for key in side.keys if key is not None} for side in (a, b)]
    shared = sorted(named[0] & named[1])
    n_alone = [len(of_side) - len(shared) for of_side in named]
    at, counted = np.arange(len(shared)), Shared("queries", len(shared), n_alone[0], n_alone[1], 0)
    paired = Paired(at, at, at, tuple(shared), "queries", counted, a.tally, b.tally)
    group = Group(paired, "", "", len(shared), 0, at, at, hashes(shared))
    cells = list(_cells(metrics_of(task), group, a.of(shared), b.of(shared), params))
    return [
        Difference(
            metric=one.cell.metric.name,
            params=params,
            first=one.cell.values[0],
            second=one.cell.values[1],
            difference=_difference(one.cell),
            n=one.cell.ns[0],
            n_only_first=n_alone[0],
            n_only_second=n_alone[1],
            n_without_key=a.keys.count(None) + b.keys.count(None),
            n_without_value=len(shared) - one.cell.ns[0],
            **one.as_columns(how),
        )
        for one in resample(cells, how, lambda _: None)
    ]


def _cells(
    metrics: Sequence[Metric], group: Group, first: tuple[Any, Codes], second: tuple[Any, Codes], params: str
) -> Iterator[Cell]:
    """Every metric of both systems; of a mean, several records of a query count as their own mean.

    Parameters
    ----------
    first, second : each system's tally and the query of each of its records.
    """
    n = group.n
    tallies, codes = (first[0], second[0]), (first[1], second[1])
    records = Pair("", group, {}, {}, tallies, codes[0], None, n, 0, other_code=codes[1])
    found = {metric.key: (metric(tallies[0]), metric(tallies[1])) for metric in metrics}
    means: tuple[dict[str, Values], dict[str, Values]] = ({}, {})
    for key, (x, y) in found.items():
        if isinstance(x, PerQuery) and x.quantile is None:
            of_both = [_means(one.values, code, n) for one, code in zip((x, y), codes, strict=True)]
            lacks = np.isnan(of_both[0] + of_both[1])
            for side, values in zip(means, of_both, strict=True):
                side[key] = np.where(lacks, np.nan, values)
    queries = Pair("", group, {}, {}, (_Means(means[0]), _Means(means[1])), group.code, None, n, 0)
    for metric in metrics:
        pair, population, results, of_pair = records, metric.population[0], found[metric.key], metric
        if metric.key in means[0]:
            pair, population = queries, "all_queries"
            of_pair = replace(metric, kind=_Means, function=partial(_mean_of, key=metric.key))
            results = (of_pair(queries.tallies[0]), of_pair(queries.tallies[1]))
        (a, n_first), (b, _) = (
            value_over(of_pair, tally, {}, result, population)
            for tally, result in zip(pair.tallies, results, strict=True)
        )
        n_used = n_first if pair is queries else n
        yield Cell(pair, of_pair, {}, population, params, (a, b), (n_used, n_used), "")


def _mean_of(tally: _Means, *, key: str) -> PerQuery:
    return PerQuery(tally.values[key])


def _difference(cell: Cell) -> float:
    """The second system's value − the first's; of a mean, the mean of the differences."""
    first, second = cell.pair.tallies
    if not isinstance(first, _Means):
        return cell.difference
    key = cell.metric.key
    return PerQuery(second.values[key] - first.values[key]).over(np.ones(len(first), bool))[0]


def _means(values: Values, code: Codes, n: int) -> Values:
    """The mean over each query's records that have a value, shape (P,); NaN where none has."""
    has_value = ~np.isnan(values)
    total = np.bincount(code[has_value], values[has_value], n)
    count = np.bincount(code[has_value], minlength=n)
    return np.asarray(np.divide(total, count, out=np.full(n, np.nan), where=count > 0))


def _side(annotations: Annotations, responses: Responses, key: str, k: int | None) -> _Side:
    """The judgements of one system's records, of everybody together."""
    units = judged(responses, ())
    tally = panels_at(units, k) if isinstance(units, JudgedChunks) else units
    return _Side(tally, keys_of(annotations, responses, units.record, key))
