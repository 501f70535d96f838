"""Metrics of other metrics: which are meant, and their totals beside each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.metrics.recommender.facts import quotient
from evalcore.problems import InputError, problem
from evalcore.spec import METRICS, Metric, OfTotals, PerQuery

Floats = NDArray[np.float64]
FAMILY = "recommender"


def metrics_named(names: Sequence[str], *, exactly: int | None = None) -> list[Metric]:
    """The metrics of this family with these names.

    Raises
    ------
    InputError : OPT-003 for a name that there is not, and for another number of them.
    """
    found = {one.name: one for one in METRICS.values() if one.family == FAMILY}
    problems = [
        problem("OPT-003", name="metric", found=name, expected=f"one of {', '.join(found)}")
        for name in names
        if name not in found
    ]
    if exactly is not None and len(names) != exactly:
        problems.append(problem("OPT-003", name="metrics", found=len(names), expected=f"{exactly} names"))
    if problems:
        raise InputError(problems)
    return [found[name] for name in names]


def as_totals(metric: Metric, lists: Any, k: int | None) -> OfTotals:
    """A metric as a value of totals: a mean is that of a sum and a number of users."""
    result = metric(lists, k=k) if "k" in metric.params else metric(lists)
    if isinstance(result, OfTotals):
        own = metric.bounds if result.bounds is None else result.bounds
        return replace(result, bounds=own, lies_beside=result.lies_beside or bool(metric.lies_beside))
    assert isinstance(result, PerQuery)
    entered = lists.members(metric.population[0]) & ~np.isnan(result.values)
    columns = np.stack([np.where(entered, result.values, 0.0), entered], axis=1)
    return OfTotals(
        columns,
        lambda totals: quotient(totals[..., 0], totals[..., 1]),
        int(entered.sum()),
        bounds=metric.bounds,
    )


def together(
    parts: Sequence[OfTotals],
    value: Callable[[list[Floats]], Floats],
    n: int,
    bounds: tuple[float, float],
) -> OfTotals:
    """A value of several values of totals; what holds of the chance of one of them holds of it.

    Parameters
    ----------
    parts : at least one, of the same users.
    value : of the values of the parts, each of shape (...).
    n : how many users the value is over.
    bounds : its range.
    """
    ends = np.cumsum([one.columns.shape[1] for one in parts])[:-1]

    def of(totals: Floats) -> Floats:
        own = np.split(totals, ends, axis=-1)
        return value([np.asarray(one.value(part)) for one, part in zip(parts, own, strict=True)])

    if any(sparse.issparse(one.columns) for one in parts):
        columns: Any = sparse.hstack([sparse.csr_array(one.columns) for one in parts], format="csr")
    else:
        columns = np.concatenate([one.columns for one in parts], axis=1)
    return OfTotals(
        columns,
        of,
        n,
        bounds=bounds,
        lies_beside=any(one.lies_beside for one in parts),
        no_interval="of_a_spread" if any(one.spread for one in parts) else "",
        among=next((one.among for one in parts if one.among is not None), None),
    )
