"""Which model is best by a metric, and what place the others have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.spec import Metric


def place_of(metric: Metric, values: Sequence[float], at: int) -> tuple[int, int] | None:
    """The place of a model's value among the values that there are, from 1 for the best, and of how many.

    Parameters
    ----------
    metric : whose values they are.
    values : of each model, NaN where there is none; equal ones share a place.
    at : whose place.

    Returns
    -------
    None without a value, and where neither direction is better.
    """
    if metric.better == "neither" or math.isnan(values[at]):
        return None
    sign = -1 if metric.better == "lower" else 1
    known = [sign * one for one in values if not math.isnan(one)]
    return 1 + sum(one > sign * values[at] for one in known), len(known)


def best_at(
    metric: Metric, of_models: Mapping[str, NDArray[np.float64]], ks: Sequence[int]
) -> dict[tuple[str, ...], list[int]]:
    """The best models, equal ones together, and the K at which they are; the highest of neither direction.

    Parameters
    ----------
    metric : whose values they are.
    of_models : model → a value for each K, NaN where there is none.
    ks : ascending; one at which fewer than two models have a value is left out.
    """
    sign = -1 if metric.better == "lower" else 1
    found: dict[tuple[str, ...], list[int]] = {}
    for place, k in enumerate(ks):
        values = {model: sign * of_k[place] for model, of_k in of_models.items() if not np.isnan(of_k[place])}
        if len(values) > 1:
            best = max(values.values())
            found.setdefault(tuple(one for one, value in values.items() if value == best), []).append(k)
    return found
