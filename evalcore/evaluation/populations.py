"""Over which queries or posts a mean is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evalcore.spec import Metric, PerQuery, Ratio

POPULATIONS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "positives_only": (lambda tally: tally.n_gold > 0, "no query with gold"),
    "negatives_only": (lambda tally: tally.n_gold == 0, "no query without gold"),
    "all_queries": (lambda tally: np.ones(len(tally), bool), "no queries"),
    "all_posts": (lambda tally: np.ones(len(tally), bool), "no posts"),
    "annotated_queries": (lambda tally: np.ones(len(tally), bool), "no query with annotated chunks"),
    "annotated_answers": (lambda tally: np.ones(len(tally), bool), "no annotated answer"),
    "citing_answers": (lambda tally: np.ones(len(tally), bool), "no annotated answer"),
}
"""Name → which of a tally's units belong to it, and why nothing is known where none does."""


def value_over(
    metric: Metric, tally: Any, given: Mapping[str, Any], result: Any, population: str
) -> tuple[float, int]:
    """A metric's value over one of its populations, and how many units or rows it is over; NaN over none.

    Parameters
    ----------
    metric, tally : what is computed, and on what.
    given : the parameters of the metric's function.
    result : what the function returned.
    population : one of `POPULATIONS`; for a metric with one population whose result is no `PerQuery`, any.
    """
    if isinstance(result, PerQuery):
        return result.over(POPULATIONS[population][0](tally))
    n = None
    if len(metric.population) > 1:
        members = tally.where(POPULATIONS[population][0](tally))
        result, n = metric(members, **given), len(members)
    if isinstance(result, Ratio):
        return float(result.value), int(result.denominator) if n is None else n
    if n is None:
        n = int(tally.total) if hasattr(tally, "total") else len(tally)
    return float(result), n
