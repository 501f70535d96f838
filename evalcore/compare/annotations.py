"""Two systems by the annotations of the same queries: paired differences, intervals, tests, what fell out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, Annotations, Codes, RagTask, Responses
from evalcore.compare.systems import RECORD, keys_of
from evalcore.data import Data
from evalcore.drawn.post_values import PostValues
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.weights import hashes, weights_of
from evalcore.evaluation.gathering.units import Units
from evalcore.evaluation.intervals.bounds import NONE, Bounds, percentile_bounds
from evalcore.evaluation.intervals.replicates import Asked, GroupReplicates
from evalcore.evaluation.populations import value_over
from evalcore.evaluation.rag import metrics_of
from evalcore.evaluation.rag.judged import judged
from evalcore.inference.holm import holm
from evalcore.inference.permutation import n_at_least, swaps_of
from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError
from evalcore.settings import too_many_replicates
from evalcore.spec import Metric, PerQuery
from evalcore.tallies.judgements import JudgedChunks, panels_at

if TYPE_CHECKING:
    import pandas as pd

BLOCK_BYTES = 1 << 25
Values = NDArray[np.float64]
Words = NDArray[np.uint64]
Drawn = NDArray[np.uint8]


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


@dataclass(frozen=True)
class Resamples:
    """How many replicates and swaps, and their seed."""

    bootstrap: int = 2000
    permutations: int = 9999
    seed: int = 0


USUAL = Resamples()


def compare_annotations(
    first: Data, second: Data, *, key: str = RECORD, k: int | None = 5, how: Resamples = USUAL
) -> pd.DataFrame:
    """Every metric of document 003 for two systems on the queries that both have.

    Parameters
    ----------
    first, second : annotations of each system, such as two of `by_system`.
    key : what makes two records the same query: ``record`` (equal record ids) or a column, such as
        ``query_id``; several records of one key count as their mean.
    k : cut-off of the metrics on lists; None for the whole list.
    how : replicates, swaps and seed; 0 of either leaves the interval or the test out.

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
class _Pair:
    """One metric of two systems on P shared queries.

    Parameters
    ----------
    metric : its declaration.
    first, second, difference : over the queries that have a value on both sides.
    has_both : which queries these are, shape (P,).
    gaps : of a mean over queries the difference of each, shape (P,), NaN without one; None for any other.
    tally : of any other metric the rows of both systems, the first's before the second's.
    code : which of 2·P units each of these rows is drawn with: those of the first system, then of the second.
    """

    metric: Metric
    first: float
    second: float
    difference: float
    has_both: NDArray[np.bool_]
    gaps: Values | None = None
    tally: Any = None
    code: Codes | None = None


def _of_task(task: RagTask, params: str, a: _Side, b: _Side, how: Resamples) -> list[Difference]:
    """The differences of a task's metrics."""
    named = [{key for key in side.keys if key is not None} for side in (a, b)]
    shared = sorted(named[0] & named[1])
    pairs = [_pair(metric, a.of(shared), b.of(shared), len(shared)) for metric in metrics_of(task)]
    hashed = hashes(shared)
    known = {at: pair for at, pair in enumerate(pairs) if not math.isnan(pair.difference)}
    bounds = _bounds(known, hashed, how)
    n_large = _n_large(known, hashed, how)
    found = []
    for at, pair in enumerate(pairs):
        n = int(pair.has_both.sum())
        has_test = how.permutations > 0 and at in known
        low, high, level, method = bounds.get(at, NONE)
        found.append(
            Difference(
                metric=pair.metric.name,
                params=params,
                first=pair.first,
                second=pair.second,
                difference=pair.difference,
                n=n,
                n_only_first=len(named[0]) - len(shared),
                n_only_second=len(named[1]) - len(shared),
                n_without_key=a.keys.count(None) + b.keys.count(None),
                n_without_value=len(shared) - n,
                ci_low=low,
                ci_high=high,
                ci_level=level,
                ci_method=method,
                p=(1 + n_large[at]) / (1 + how.permutations) if has_test else math.nan,
                p_method=f"swaps(queries={n};B={how.permutations};seed={how.seed};sides=2)"
                if has_test
                else "",
            )
        )
    return found


def _pair(metric: Metric, first: tuple[Any, Codes], second: tuple[Any, Codes], n: int) -> _Pair:
    """One metric of both systems; of a mean, several records of a query count as their own mean.

    Parameters
    ----------
    first, second : each system's tally and the query of each of its records.
    n : P, how many queries there are.
    """
    x, y = (metric(tally) for tally, _ in (first, second))
    if not isinstance(x, PerQuery) or x.quantile is not None:
        population = metric.population[0]
        a = value_over(metric, first[0], {}, x, population)[0]
        b = value_over(metric, second[0], {}, y, population)[0]
        tally, code = first[0].merge(second[0]), np.concatenate([first[1], n + second[1]])
        return _Pair(metric, a, b, b - a, np.ones(n, bool), tally=tally, code=code)
    of_first, of_second = _means(x.values, first[1], n), _means(y.values, second[1], n)
    gaps = of_second - of_first
    has_both = ~np.isnan(gaps)
    a, b, gap = (PerQuery(values).over(has_both)[0] for values in (of_first, of_second, gaps))
    return _Pair(metric, a, b, gap, has_both, gaps=gaps)


def _means(values: Values, code: Codes, n: int) -> Values:
    """The mean over each query's records that have a value, shape (P,); NaN where none has."""
    has_value = ~np.isnan(values)
    total = np.bincount(code[has_value], values[has_value], n)
    count = np.bincount(code[has_value], minlength=n)
    return np.asarray(np.divide(total, count, out=np.full(n, np.nan), where=count > 0))


def _bounds(pairs: Mapping[int, _Pair], hashed: Words, how: Resamples) -> dict[int, Bounds]:
    """Percentiles of the differences, both systems' queries drawn alike."""
    if not how.bootstrap or not pairs:
        return {}
    blocks = []
    for start, stop in _blocks(how.bootstrap, len(hashed)):
        drawn = weights_of(hashed, seed=how.seed, start=start, stop=stop)
        blocks.append(_differences(pairs, drawn, np.zeros_like(drawn)))
    replicates = [np.concatenate([block[at] for block in blocks]) for at in pairs]
    found = percentile_bounds(replicates, f"queries={len(hashed)}", how.seed)
    return dict(zip(pairs, found, strict=True))


def _n_large(pairs: Mapping[int, _Pair], hashed: Words, how: Resamples) -> dict[int, int]:
    """In how many swaps of the systems, query by query, the difference is at least as large."""
    n_large = dict.fromkeys(pairs, 0)
    for start, stop in _blocks(how.permutations if pairs else 0, len(hashed)):
        swaps = swaps_of(hashed, seed=how.seed, start=start, stop=stop).astype(np.uint8)
        for at, differences in _differences(pairs, 1 - swaps, swaps).items():
            n_large[at] += n_at_least(differences, pairs[at].difference)
    return n_large


def _differences(pairs: Mapping[int, _Pair], own: Drawn, others: Drawn) -> dict[int, Values]:
    """Second − first in every replicate, where each system has its own and the other's units so often.

    Parameters
    ----------
    own, others : how often, shape (B, P).
    """
    found: dict[int, Values] = {}
    means = {at: pair.gaps for at, pair in pairs.items() if pair.gaps is not None}
    if means:
        # A mean of differences: where the systems change places in a query, its difference changes its sign.
        gaps = np.stack(list(means.values()), axis=1)
        each, has_both = np.arange(len(gaps)), ~np.isnan(gaps)
        total = PostValues.from_rows(np.where(has_both, gaps, 0.0), each, len(gaps)).totals(
            own.astype(np.int8) - others.astype(np.int8)
        )
        n = PostValues.from_rows(has_both.astype(np.float64), each, len(gaps)).totals(own + others)
        found |= dict(
            zip(means, np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0).T, strict=True)
        )
    sides = [Resampling(np.concatenate(drawn, axis=1), 0) for drawn in ((own, others), (others, own))]
    for at, pair in pairs.items():
        if pair.code is not None:
            first, second = (_in_replicates(pair, pair.code, drawn) for drawn in sides)
            found[at] = second - first
    return found


def _in_replicates(pair: _Pair, code: Codes, drawn: Resampling) -> Values:
    """The metric of a pair in every replicate of the units of both."""
    units = Units(code, np.zeros(drawn.drawn.shape[1], np.uint64), "queries")
    asked = Asked(pair.metric, {}, pair.tally, {}, pair.metric(pair.tally), pair.metric.population[0])
    return GroupReplicates(units, None, drawn, None, None).of({0: asked})[0]


def _blocks(n: int, n_units: int) -> list[tuple[int, int]]:
    """Replicates in blocks whose weights of both systems fit into memory."""
    size = max(1, BLOCK_BYTES // (16 * max(n_units, 1)))
    return [(start, min(start + size, n)) for start in range(0, n, size)]


def _side(annotations: Annotations, responses: Responses, key: str, k: int | None) -> _Side:
    """The judgements of one system's records, of everybody together."""
    units = judged(responses, ())
    tally = panels_at(units, k) if isinstance(units, JudgedChunks) else units
    return _Side(tally, keys_of(annotations, responses, units.record, key))
