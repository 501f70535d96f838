"""Two systems by the annotations of the same queries: paired differences, intervals, tests, what fell out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import LABELS, Annotations, RagTask, Responses
from evalcore.compare.systems import RECORD, keys_of
from evalcore.data import Data
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.weights import hashes
from evalcore.evaluation.rag.groups import judged
from evalcore.evaluation.rag.intervals import Draws
from evalcore.evaluation.rag.rows import metrics_of
from evalcore.inference.holm import holm
from evalcore.inference.permutation import n_at_least, swaps_of
from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError
from evalcore.settings import too_many_replicates
from evalcore.tallies.judgements import JudgedChunks, panels_at

if TYPE_CHECKING:
    import pandas as pd

BLOCK = 512
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
            _values(one, responses, key, k)
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
    """One system's values: key → one value a metric, and how many records have no key."""

    of_key: Mapping[str, Values]
    n_without_key: int


def _of_task(task: RagTask, params: str, a: _Side, b: _Side, how: Resamples) -> list[Difference]:
    """The differences of a task's metrics."""
    shared = sorted(set(a.of_key) & set(b.of_key))
    names = metrics_of(task)
    x, y = (
        np.array([side.of_key[key] for key in shared]).reshape(len(shared), len(names)) for side in (a, b)
    )
    gaps = y - x
    drawn = Resampling.of(hashes(shared), how.bootstrap, how.seed) if how.bootstrap and shared else None
    draws = Draws(np.arange(len(shared)), drawn, "queries")
    bounds = draws.of_means(list(gaps.T), np.arange(len(shared)))
    found = []
    for at, metric in enumerate(names):
        both = ~np.isnan(gaps[:, at])
        n = int(both.sum())
        mean_a, mean_b, gap = (
            math.fsum(values[both].tolist()) / n if n else math.nan
            for values in (x[:, at], y[:, at], gaps[:, at])
        )
        p = _swap_test(
            gaps[both, at], [key for key, is_in in zip(shared, both, strict=True) if is_in], gap, how
        )
        found.append(
            Difference(
                metric.name,
                params,
                mean_a,
                mean_b,
                gap,
                n,
                len(a.of_key) - len(shared),
                len(b.of_key) - len(shared),
                a.n_without_key + b.n_without_key,
                len(shared) - n,
                *bounds[at],
                p,
                f"swaps(queries={n};B={how.permutations};seed={how.seed};sides=2)"
                if not math.isnan(p)
                else "",
            )
        )
    return found


def _swap_test(gaps: Values, keys: list[str], observed: float, how: Resamples) -> float:
    """Two-sided p-value of a mean difference when the systems change places query by query, or NaN."""
    if not how.permutations or not len(gaps):
        return math.nan
    hashed, n_large = hashes(keys), 0
    for start in range(0, how.permutations, BLOCK):
        stop = min(start + BLOCK, how.permutations)
        signs = 1.0 - 2.0 * swaps_of(hashed, seed=how.seed, start=start, stop=stop)
        n_large += n_at_least(signs @ gaps / len(gaps), observed)
    return (1 + n_large) / (1 + how.permutations)


def _values(annotations: Annotations, responses: Responses, key: str, k: int | None) -> _Side:
    """The value of each metric of the task, or NaN; the mean over the records of a key."""
    units = judged(responses, ())
    tally = panels_at(units, k) if isinstance(units, JudgedChunks) else units
    values = np.stack([metric(tally).values for metric in metrics_of(responses.task)], axis=1)
    of_key: dict[str, list[Values]] = {}
    keys = keys_of(annotations, responses, units.record, key)
    for name, row in zip(keys, values, strict=True):
        if name is not None:
            of_key.setdefault(name, []).append(row)
    means = {name: rows[0] if len(rows) == 1 else _mean(rows) for name, rows in of_key.items()}
    return _Side(means, keys.count(None))


def _mean(rows: list[Values]) -> Values:
    """Means of columns over what is defined; NaN where nothing is."""
    table = np.array(rows)
    n = (~np.isnan(table)).sum(axis=0)
    means = np.divide(np.nansum(table, axis=0), n, out=np.full(table.shape[1], np.nan), where=n > 0)
    return np.asarray(means, np.float64)
